#include "nearest.h"

#include <string.h>

enum { MAX_WORD = 32 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Number of edits that turn one short word into the other: insert, delete or change a letter, swap two neighbours
 * (optimal string alignment). table[i][j] is for the first i letters of a and the first j of b. */
static size_t distance(const char *a, const char *b)
{
    size_t table[MAX_WORD + 1][MAX_WORD + 1];
    const size_t n = strlen(a), m = strlen(b);
    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            table[i][j] = i + j;
            if (i == 0 || j == 0)
                continue;
            size_t change = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            table[i][j] = smaller(change, smaller(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = smaller(table[i][j], table[i - 2][j - 2] + 1);
        }
    return table[n][m];
}

const char *nearest_word(const char *word, const char *const *list)
{
    const char *best = NULL;
    size_t length = strlen(word);
    if (length > MAX_WORD)
        return NULL;
    size_t limit = length / 2 + 1; /* with more than half the letters changed it is a different word */
    for (; *list; list++) {
        size_t edits = strlen(*list) <= MAX_WORD ? distance(word, *list) : limit;
        if (edits < limit) {
            limit = edits;
            best = *list;
        }
    }
    return best;
}
