/* The settings of a run, as `--set` takes them: every value of its model, and of the sections `physics`, `output` and
 * `run` also what the model leaves to defaults. */
#include <stdio.h>
#include <string.h>

#include "io/schema/schema.h"
#include "io/yaml/yaml_tree.h"
#include "linerad_tools.h"
#include "model/result.h"

/* Every value of a tree; what has no values (`gas: {}`) is itself one. */
static void tell_values(const struct yaml_node *node, lr_setting_fn *tell, void *user)
{
    char path[512];
    if (node->kind != YAML_SCALAR && node->first) {
        for (const struct yaml_node *child = node->first; child; child = child->next)
            tell_values(child, tell, user);
        return;
    }
    yaml_path(node, path, sizeof path);
    tell(user, path, node->kind == YAML_SCALAR ? node->text : node->kind == YAML_MAP ? "{}" : "[]");
}

/* Defaults that are values are written `so`; the others are descriptions. */
static void tell_defaults(const struct yaml_node *section, const struct schema *schema, lr_setting_fn *tell, void *user)
{
    for (int i = 0; i < schema->n_key; i++) {
        const struct schema_key *key = &schema->key[i];
        const size_t length = strlen(key->fallback);
        if (strcmp(key->name, "x_crit") == 0) /* only of core skipping */
            continue;
        if (yaml_find(section, key->name) || length < 3 || strcspn(key->fallback + 1, "`") != length - 2 ||
            key->fallback[0] != '`')
            continue;
        char path[128], value[64];
        snprintf(path, sizeof path, "%s.%s", schema->name, key->name);
        snprintf(value, sizeof value, "%.*s", (int)(length - 2), key->fallback + 1);
        tell(user, path, value);
    }
}

enum lr_status lr_result_settings(lr_context *ctx, const lr_result *result, lr_setting_fn *tell, void *user)
{
    const char *text = result->model_resolved;
    struct yaml_tree *tree = NULL;
    if (!text)
        return LR_OK;
    LR_TRY(yaml_parse(ctx, "the model of the result", text, strlen(text), &tree));
    const struct schema *const with_defaults[] = {&SCHEMA_PHYSICS, &SCHEMA_OUTPUT, &SCHEMA_RUN};
    tell_values(tree->root, tell, user);
    for (size_t i = 0; i < sizeof with_defaults / sizeof *with_defaults; i++)
        tell_defaults(yaml_find(tree->root, with_defaults[i]->name), with_defaults[i], tell, user);
    yaml_free(tree);
    return LR_OK;
}
