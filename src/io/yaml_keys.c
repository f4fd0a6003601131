/* Which word was meant: the edit distance finds the nearest valid key for an unknown one. */
#include "io/yaml_tree.h"

#include <stdio.h>
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

int yaml_match_word(const char *word, const char *const *words, int n_word, int *nearest)
{
    int best = LONGEST_WORD;
    *nearest = -1;
    for (int i = 0; i < n_word; i++) {
        int distance = edit_distance(word, words[i]);
        if (distance == 0)
            return i;
        /* Near means that at most about a third of the word is wrong. */
        int limit = ((int)strlen(words[i]) + 2) / 3;
        if (distance <= limit && distance < best) {
            best = distance;
            *nearest = i;
        }
    }
    return -1;
}

void yaml_join_words(const char *const *words, int n_word, char *text, size_t size)
{
    text[0] = '\0';
    size_t used = 0;
    for (int i = 0; i < n_word && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", words[i]);
}

enum lr_status yaml_check_keys(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *map,
                               const char *const *keys, int n_key)
{
    LR_TRY(yaml_expect(ctx, tree, map, YAML_MAP));
    for (const struct yaml_node *child = map->first; child; child = child->next) {
        int nearest = -1;
        if (yaml_match_word(child->key, keys, n_key, &nearest) >= 0)
            continue;
        if (nearest >= 0)
            return yaml_fail_key(ctx, tree, child, "unknown key; did you mean '%s'?", keys[nearest]);
        if (n_key == 0)
            return yaml_fail_key(ctx, tree, child, "unknown key; none is valid here");
        char list[512];
        yaml_join_words(keys, n_key, list, sizeof list);
        return yaml_fail_key(ctx, tree, child, "unknown key; valid here: %s", list);
    }
    return LR_OK;
}
