#include "io/schema/schema.h"

#include <string.h>

#define SCHEMA_ADDRESS(name) &SCHEMA_##name,
const struct schema *const SCHEMA_ALL[] = {SCHEMAS(SCHEMA_ADDRESS) NULL};
const struct schema SCHEMA_NOTHING = {.name = "", .meaning = "a mapping without keys"};

const struct schema_key *schema_find(const struct schema *schema, const char *key)
{
    for (int i = 0; i < schema->n_key; i++)
        if (strcmp(schema->key[i].name, key) == 0)
            return &schema->key[i];
    return NULL;
}

/* A key that allows only one kind must have that kind; an empty value has none. */
static enum lr_status check_kind(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *node,
                                 const struct schema_key *key)
{
    if (yaml_is_empty(node))
        return LR_OK;
    for (int kind = YAML_SCALAR; kind <= YAML_MAP; kind++)
        if (key->kinds == 1u << kind)
            return yaml_expect(ctx, tree, node, (enum yaml_kind)kind);
    return LR_OK;
}

enum lr_status schema_check(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *map,
                            const struct schema *const *any)
{
    const char *names[SCHEMA_MOST_KEYS];
    int n = 0;
    for (const struct schema *const *schema = any; *schema; schema++)
        for (int i = 0; i < (*schema)->n_key && n < SCHEMA_MOST_KEYS; i++)
            names[n++] = (*schema)->key[i].name;
    LR_TRY(yaml_check_keys(ctx, tree, map, names, n));
    for (const struct yaml_node *child = map->first; child; child = child->next) {
        const struct schema_key *key = NULL;
        for (const struct schema *const *schema = any; *schema && !key; schema++)
            key = schema_find(*schema, child->key);
        LR_TRY(check_kind(ctx, tree, child, key));
    }
    return LR_OK;
}
