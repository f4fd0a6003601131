/* A copy of a tree that shares nothing with it: a document is parsed once, and each of its models is read from a copy
 * that may be changed. */
#include "io/yaml/yaml_tree.h"

#include <string.h>

static enum lr_status copy_text(lr_context *ctx, struct yaml_tree *tree, const char *from, const char **to)
{
    *to = NULL;
    return from ? yaml_new_text(ctx, tree, from, strlen(from), to) : LR_OK;
}

static enum lr_status copy_node(lr_context *ctx, struct yaml_tree *tree, const struct yaml_node *from,
                                struct yaml_node **to)
{
    LR_TRY(yaml_new_node(ctx, tree, from->kind, to));
    struct yaml_node *node = *to;
    LR_TRY(copy_text(ctx, tree, from->text, &node->text));
    LR_TRY(copy_text(ctx, tree, from->key, &node->key));
    LR_TRY(copy_text(ctx, tree, from->setting, &node->setting));
    node->line = from->line;
    node->column = from->column;
    node->key_line = from->key_line;
    node->key_column = from->key_column;
    for (const struct yaml_node *child = from->first; child; child = child->next) {
        struct yaml_node *copy = NULL;
        LR_TRY(copy_node(ctx, tree, child, &copy));
        yaml_append(node, copy);
    }
    return LR_OK;
}

enum lr_status yaml_copy(lr_context *ctx, const struct yaml_tree *from, struct yaml_tree **to)
{
    struct yaml_tree *tree = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *tree, &tree));
    enum lr_status status = copy_text(ctx, tree, from->file, &tree->file);
    if (status == LR_OK)
        status = copy_node(ctx, tree, from->root, &tree->root);
    if (status == LR_OK)
        *to = tree;
    else
        yaml_free(tree);
    return status;
}
