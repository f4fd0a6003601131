#include "io/yaml/yaml_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory: blocks that are freed together with the tree. ---- */

enum { BLOCK_SIZE = 16384 };

struct yaml_block {
    struct yaml_block *next;
    size_t used, size;
    _Alignas(max_align_t) char data[];
};

static enum lr_status take(lr_context *ctx, struct yaml_tree *tree, size_t size, void *pointer_to_pointer)
{
    const size_t unit = _Alignof(max_align_t);
    size = (size + unit - 1) / unit * unit;
    struct yaml_block *block = tree->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        LR_TRY(lr_allocate(ctx, 1, sizeof *block + room, &block));
        block->size = room;
        block->next = tree->blocks;
        tree->blocks = block;
    }
    void *memory = block->data + block->used;
    block->used += size;
    memcpy(pointer_to_pointer, &memory, sizeof memory);
    return LR_OK;
}

enum lr_status yaml_new_node(lr_context *ctx, struct yaml_tree *tree, enum yaml_kind kind, struct yaml_node **out)
{
    LR_TRY(take(ctx, tree, sizeof **out, out));
    **out = (struct yaml_node){.kind = kind, .text = ""};
    tree->n_node++;
    return LR_OK;
}

enum lr_status yaml_new_text(lr_context *ctx, struct yaml_tree *tree, const char *text, size_t length,
                             const char **copy)
{
    char *memory = NULL;
    LR_TRY(take(ctx, tree, length + 1, &memory));
    if (length)
        memcpy(memory, text, length);
    memory[length] = '\0';
    *copy = memory;
    return LR_OK;
}

void yaml_free(struct yaml_tree *tree)
{
    if (!tree)
        return;
    for (struct yaml_block *block = tree->blocks, *next = NULL; block; block = next) {
        next = block->next;
        free(block);
    }
    free(tree);
}

enum lr_status yaml_parse(lr_context *ctx, const char *file, const char *text, size_t length, struct yaml_tree **out)
{
    struct yaml_tree *tree = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *tree, &tree));
    enum lr_status status = LR_OK;
    LR_TRY_OR(fail, status, yaml_new_text(ctx, tree, file, strlen(file), &tree->file));
    LR_TRY_OR(fail, status, yaml_parse_into(ctx, tree, tree->file, text, length, &tree->root));
    *out = tree;
    return LR_OK;
fail:
    yaml_free(tree);
    return status;
}

/* ---- Navigation. ---- */

void yaml_append(struct yaml_node *parent, struct yaml_node *child)
{
    child->parent = parent;
    child->index = parent->n_child++;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

struct yaml_node *yaml_find(const struct yaml_node *map, const char *key)
{
    if (!map || map->kind != YAML_MAP)
        return NULL;
    for (struct yaml_node *child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

bool yaml_is_empty(const struct yaml_node *node)
{
    return node->kind == YAML_SCALAR &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

void yaml_path(const struct yaml_node *node, char *path, size_t size)
{
    enum { DEEPEST = 64 };
    const struct yaml_node *chain[DEEPEST];
    int depth = 0;
    for (; node && node->parent && depth < DEEPEST; node = node->parent)
        chain[depth++] = node;
    path[0] = '\0';
    for (size_t used = 0; depth > 0 && used < size;) {
        const struct yaml_node *step = chain[--depth];
        const char *dot = used ? "." : "";
        int n = step->key ? snprintf(path + used, size - used, "%s%s", dot, step->key)
                          : snprintf(path + used, size - used, "%s%d", dot, step->index);
        used += (size_t)n;
    }
}

/* ---- Complaints. ---- */

enum { LONGEST_PLACE = 1024 };

/* "file:line:column: path: ", or "--set path: " for what a setting wrote. */
static void name_place(const struct yaml_tree *tree, const struct yaml_node *node, int line, int column,
                       char place[LONGEST_PLACE])
{
    char path[256];
    yaml_path(node, path, sizeof path);
    const char *colon = path[0] ? ": " : "";
    if (node->setting && strcmp(node->setting, path) == 0)
        snprintf(place, LONGEST_PLACE, "--set %s: ", path);
    else if (node->setting)
        snprintf(place, LONGEST_PLACE, "--set %s: %s%s", node->setting, path, colon);
    else
        snprintf(place, LONGEST_PLACE, "%s:%d:%d: %s%s", tree->file, line, column, path, colon);
}

enum { LONGEST_MESSAGE = 640 };

static enum lr_status fail_at(lr_context *ctx, const char *place, const char *format, va_list arguments)
{
    char message[LONGEST_MESSAGE];
    vsnprintf(message, sizeof message, format, arguments);
    return lr_fail(ctx, LR_ERROR_INPUT, "%s%s", place, message);
}

enum lr_status yaml_fail(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *node,
                         const char *format, ...)
{
    char place[LONGEST_PLACE];
    va_list arguments;
    name_place(tree, node, node->line, node->column, place);
    va_start(arguments, format);
    const enum lr_status status = fail_at(ctx, place, format, arguments);
    va_end(arguments);
    return status;
}

enum lr_status yaml_fail_key(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *node,
                             const char *format, ...)
{
    const bool has_key = node->key_line != 0;
    char place[LONGEST_PLACE];
    va_list arguments;
    name_place(tree, node, has_key ? node->key_line : node->line, has_key ? node->key_column : node->column, place);
    va_start(arguments, format);
    const enum lr_status status = fail_at(ctx, place, format, arguments);
    va_end(arguments);
    return status;
}

void yaml_warn(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *node, const char *format, ...)
{
    char message[LONGEST_MESSAGE], place[LONGEST_PLACE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    name_place(tree, node, node->line, node->column, place);
    lr_log(ctx, LR_LOG_WARNING, "%s%s", place, message);
}

enum lr_status yaml_expect(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *node,
                           enum yaml_kind kind)
{
    const char *const names[] = {"a single value", "a list [...]", "a mapping of keys to values"};
    if (node->kind == kind || (kind == YAML_MAP && yaml_is_empty(node)))
        return LR_OK;
    return yaml_fail(ctx, tree, node, "expected %s, found %s", names[kind], names[node->kind]);
}
