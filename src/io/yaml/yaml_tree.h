/* A YAML document as a plain tree in which every node remembers its position, so that any later error can give file,
 * line, column and key. Only this module uses libfyaml. */
#ifndef LR_IO_YAML_YAML_TREE_H
#define LR_IO_YAML_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
    enum yaml_kind kind;
    const char *text; /* YAML_SCALAR; "" for an empty value */
    const char *key;  /* in a map; NULL in a list and at the root */
    int index;        /* in a list */
    int n_child;
    struct yaml_node *parent, *first, *last, *next;
    int line, column;         /* of the value, from 1 */
    int key_line, key_column; /* of the key, from 1; 0 without one */
    const char *setting;      /* the path of the `--set` that wrote this node, or NULL */
};

struct yaml_tree {
    const char *file; /* name used in messages */
    struct yaml_node *root;
    struct yaml_block *blocks; /* memory of all nodes and texts */
    int n_node;
};

enum lr_status yaml_parse(lr_context *ctx, const char *file, const char *text, size_t length, struct yaml_tree **tree);
/* The same tree once more, in memory of its own (yaml_copy.c). */
enum lr_status yaml_copy(lr_context *ctx, const struct yaml_tree *from, struct yaml_tree **to);
void yaml_free(struct yaml_tree *tree);

/* The tree as YAML text that yaml_parse() reads back to the same tree (yaml_write.c); free() it. */
enum lr_status yaml_write(lr_context *ctx, const struct yaml_tree *tree, char **text);

/* Apply "path.to.key=value" (yaml_set.c). Later settings see what earlier ones wrote. */
enum lr_status yaml_set(lr_context *ctx, struct yaml_tree *tree, const char *setting);

/* The value under `key`, or NULL; `map` may be NULL. */
struct yaml_node *yaml_find(const struct yaml_node *map, const char *key);

/* True for `key:` with nothing after it, `~` and `null`. */
bool yaml_is_empty(const struct yaml_node *node);

/* Dotted path of a node, as `--set` takes it: "sources.0.plane.at". */
void yaml_path(const struct yaml_node *node, char *path, size_t size);

/* Fail with "file:line:column: path: message", pointing at the value, or at its key. */
enum lr_status yaml_fail(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *node,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));
enum lr_status yaml_fail_key(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *node,
                             const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Log a warning that gives the position of the value in the same way. */
void yaml_warn(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Fail unless the node is of this kind; an empty value passes as an empty map. */
enum lr_status yaml_expect(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *node,
                           enum yaml_kind kind);

/* Fail at the first key of `map` that is not among `keys`, naming the nearest one that is (yaml_keys.c). */
enum lr_status yaml_check_keys(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *map,
                               const char *const *keys, int n_key);

/* "a, b, c" (yaml_keys.c). */
void yaml_join_words(const char *const *words, int n_word, char *text, size_t size);

/* Fail unless the bytes are UTF-8 that the parser accepts (yaml_text.c). */
enum lr_status yaml_check_text(lr_context *ctx, const char *label, const char *text, size_t length);

/* For yaml_set.c: memory that lives as long as the tree, and a tree under `parent` from YAML text. */
enum lr_status yaml_new_node(lr_context *ctx, struct yaml_tree *tree, enum yaml_kind kind, struct yaml_node **node);
enum lr_status yaml_new_text(lr_context *ctx, struct yaml_tree *tree, const char *text, size_t length,
                             const char **copy);
void yaml_append(struct yaml_node *parent, struct yaml_node *child);
enum lr_status yaml_parse_into(lr_context *ctx, struct yaml_tree *tree, const char *label, const char *text,
                               size_t length, struct yaml_node **root);

#endif
