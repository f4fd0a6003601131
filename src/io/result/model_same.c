#include "io/result/model_same.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/yaml/yaml_tree.h"

/* How many packets, and where, when and how fast they are followed; not what they do. */
static bool may_differ(const char *path, bool seeds)
{
    static const char *const keys[] = {"run.packets",    "run.threads",        "run.device",      "run.memory",
                                       "run.checkpoint", "run.until.quantity", "run.until.error", "output.sums"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(path, keys[i]) == 0)
            return true;
    return strcmp(path, "run") == 0 || strcmp(path, "output") == 0 || (seeds && strcmp(path, "run.seed") == 0);
}

static void describe(const struct yaml_node *node, char *text, size_t size)
{
    if (!node)
        snprintf(text, size, "absent");
    else if (node->kind == YAML_SCALAR)
        snprintf(text, size, "'%s'", node->text);
    else
        snprintf(text, size, "a %s of %d", node->kind == YAML_LIST ? "list" : "mapping", node->n_child);
}

static char *describe_both(const struct yaml_node *one, const struct yaml_node *other)
{
    char path[256], a[128], b[128], *text = malloc(640);
    yaml_path(one ? one : other, path, sizeof path);
    describe(one, a, sizeof a);
    describe(other, b, sizeof b);
    if (text)
        snprintf(text, 640, "%s is %s here and %s there", path, a, b);
    return text;
}

/* The first nodes that differ; false: there are none. */
static bool find_difference(const struct yaml_node *one, const struct yaml_node *other, bool seeds,
                            const struct yaml_node **a, const struct yaml_node **b)
{
    char path[256];
    yaml_path(one ? one : other, path, sizeof path);
    *a = one;
    *b = other;
    if (one && other && one->kind == YAML_SCALAR && other->kind == YAML_SCALAR)
        return strcmp(one->text, other->text) != 0 && !may_differ(path, seeds);
    if (one && other && one->kind == other->kind) {
        const struct yaml_node *next = other->first;
        for (const struct yaml_node *child = one->first; child; child = child->next) {
            const struct yaml_node *match = one->kind == YAML_MAP ? yaml_find(other, child->key) : next;
            if (find_difference(child, match, seeds, a, b))
                return true;
            next = next ? next->next : NULL;
        }
        for (const struct yaml_node *child = other->first; child; child = child->next)
            if (one->kind == YAML_MAP ? !yaml_find(one, child->key) : child->index >= one->n_child) {
                if (find_difference(NULL, child, seeds, a, b))
                    return true;
            }
        *a = *b = NULL;
        return false;
    }
    /* A section that only one of them has differs if any of its keys matters. */
    const struct yaml_node *only = one ? one : other;
    if ((!one || !other) && only->kind == YAML_MAP) {
        for (const struct yaml_node *child = only->first; child; child = child->next)
            if (find_difference(one ? child : NULL, one ? NULL : child, seeds, a, b))
                return true;
        return false;
    }
    return !may_differ(path, seeds);
}

static const struct yaml_node *aim_of(const struct yaml_tree *tree, const char *key)
{
    const struct yaml_node *run = yaml_find(tree->root, "run");
    const struct yaml_node *until = run ? yaml_find(run, "until") : NULL;
    return until && until->kind == YAML_MAP ? yaml_find(until, key) : NULL;
}

enum lr_status model_aim_difference(lr_context *ctx, const char *one, const char *other, char **difference)
{
    static const char *const keys[] = {"quantity", "error"};
    struct yaml_tree *a = NULL, *b = NULL;
    *difference = NULL;
    enum lr_status status = yaml_parse(ctx, "the model", one, strlen(one), &a);
    if (status == LR_OK)
        status = yaml_parse(ctx, "the other model", other, strlen(other), &b);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && status == LR_OK && !*difference; i++) {
        const struct yaml_node *here = aim_of(a, keys[i]), *there = aim_of(b, keys[i]);
        const bool same = here && there ? strcmp(here->text, there->text) == 0 : here == there;
        if (!same)
            *difference = describe_both(here, there);
    }
    yaml_free(a);
    yaml_free(b);
    return status;
}

enum lr_status model_difference(lr_context *ctx, const char *one, const char *other, bool seeds, char **difference)
{
    struct yaml_tree *a = NULL, *b = NULL;
    const struct yaml_node *node = NULL, *match = NULL;
    *difference = NULL;
    enum lr_status status = yaml_parse(ctx, "the model", one, strlen(one), &a);
    if (status == LR_OK)
        status = yaml_parse(ctx, "the other model", other, strlen(other), &b);
    if (status == LR_OK && find_difference(a->root, b->root, seeds, &node, &match))
        *difference = describe_both(node, match);
    yaml_free(a);
    yaml_free(b);
    return status;
}
