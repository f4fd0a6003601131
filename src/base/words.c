#include "base/words.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST_WORD = 32 };

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours count one each. */
static int edit_distance(const char *a, const char *b)
{
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST_WORD || m > LONGEST_WORD)
        return n > m ? n : m;
    int d[LONGEST_WORD + 1][LONGEST_WORD + 1];
    for (int i = 0; i <= n; i++)
        d[i][0] = i;
    for (int j = 0; j <= m; j++)
        d[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            d[i][j] = min_int(min_int(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = min_int(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

int words_match(const char *word, const char *const *words, int n_word, int *nearest)
{
    int best = LONGEST_WORD;
    *nearest = -1;
    for (int i = 0; i < n_word; i++) {
        if (strcmp(word, words[i]) == 0)
            return i;
        int distance = edit_distance(word, words[i]);
        /* Near means that at most about a third of the word is wrong; ties go to the word with the same first
         * letter. */
        int limit = ((int)strlen(words[i]) + 2) / 3;
        bool equal = *nearest >= 0 && distance == best && words[i][0] == word[0] && words[*nearest][0] != word[0];
        if (distance <= limit && (distance < best || equal)) {
            best = distance;
            *nearest = i;
        }
    }
    return -1;
}

void words_lower(const char *word, char *text, size_t size)
{
    size_t n = 0;
    for (; word[n] && n + 1 < size; n++)
        text[n] = (char)tolower((unsigned char)word[n]);
    text[n] = '\0';
}
