/* Keys of a mapping: an unknown key is reported with the nearest valid one. */
#include "io/yaml/yaml_tree.h"

#include <stdio.h>

#include "base/words.h"

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
        if (words_match(child->key, keys, n_key, &nearest) >= 0)
            continue;
        if (nearest >= 0)
            return yaml_fail_key(ctx, tree, child, "unknown key; did you mean '%s'?", keys[nearest]);
        if (n_key == 0)
            return yaml_fail_key(ctx, tree, child, "unknown key; no keys are allowed here");
        char list[512];
        yaml_join_words(keys, n_key, list, sizeof list);
        return yaml_fail_key(ctx, tree, child, "unknown key; valid here: %s", list);
    }
    return LR_OK;
}
