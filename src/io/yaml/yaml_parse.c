/* From libfyaml's document to the plain tree of yaml_tree.h. Aliases are expanded, within limits. */
#include "io/yaml/yaml_tree.h"

#include <stdio.h>
#include <string.h>

#include <libfyaml.h>

/* An alias can name its own parent, or double at every level: both end here. */
enum { MAX_DEPTH = 48, MAX_NODE = 1000000 };

struct builder {
    lr_context *ctx;
    struct yaml_tree *tree;
    const char *label; /* file name, or the setting */
};

static enum lr_status build(const struct builder *to, struct fy_node *from, int depth, struct yaml_node *near,
                            struct yaml_node **out);

/* Lines and columns from 1; unchanged if the token has no position. */
static void mark(struct fy_token *token, int *line, int *column)
{
    const struct fy_mark *start = token ? fy_token_start_mark(token) : NULL;
    if (start) {
        *line = start->line + 1;
        *column = start->column + 1;
    }
}

static enum lr_status copy_text(const struct builder *to, struct fy_node *scalar, int line, const char **copy)
{
    size_t length = 0;
    const char *text = fy_node_get_scalar(scalar, &length);
    if (text && memchr(text, '\0', length))
        return lr_fail(to->ctx, LR_ERROR_INPUT, "%s:%d: a value contains a null character", to->label, line);
    return yaml_new_text(to->ctx, to->tree, text, text ? length : 0, copy);
}

static enum lr_status build_list(const struct builder *to, struct fy_node *from, int depth, struct yaml_node *list)
{
    void *position = NULL;
    struct fy_node *item = NULL;
    while ((item = fy_node_sequence_iterate(from, &position))) {
        struct yaml_node *child = NULL;
        LR_TRY(build(to, item, depth + 1, list, &child));
        yaml_append(list, child);
    }
    return LR_OK;
}

static enum lr_status build_pair(const struct builder *to, struct fy_node_pair *pair, int depth, struct yaml_node *map)
{
    struct fy_node *key = fy_node_pair_key(pair);
    if (key && fy_node_is_alias(key))
        key = fy_node_resolve_alias(key);
    if (!key || !fy_node_is_scalar(key))
        return lr_fail(to->ctx, LR_ERROR_INPUT, "%s:%d:%d: a key must be one word", to->label, map->line, map->column);
    struct yaml_node place = *map;
    mark(fy_node_get_scalar_token(key), &place.line, &place.column);
    const char *name = NULL;
    LR_TRY(copy_text(to, key, place.line, &name));
    if (yaml_find(map, name))
        return lr_fail(to->ctx, LR_ERROR_INPUT, "%s:%d:%d: the key '%s' is given twice", to->label, place.line,
                       place.column, name);
    struct yaml_node *child = NULL;
    LR_TRY(build(to, fy_node_pair_value(pair), depth + 1, &place, &child));
    child->key = name;
    child->key_line = place.line;
    child->key_column = place.column;
    yaml_append(map, child);
    return LR_OK;
}

static enum lr_status build_map(const struct builder *to, struct fy_node *from, int depth, struct yaml_node *map)
{
    enum { MOST_KEYS = 1000 };
    void *position = NULL;
    struct fy_node_pair *pair = NULL;
    while ((pair = fy_node_mapping_iterate(from, &position))) {
        if (map->n_child >= MOST_KEYS)
            return lr_fail(to->ctx, LR_ERROR_INPUT, "%s:%d:%d: more than %d keys in one mapping", to->label, map->line,
                           map->column, MOST_KEYS);
        LR_TRY(build_pair(to, pair, depth, map));
    }
    return LR_OK;
}

/* Collections have no position in libfyaml's interface: they take that of their first entry, or of their parent
 * (`near`) if empty. */
static enum lr_status build(const struct builder *to, struct fy_node *from, int depth, struct yaml_node *near,
                            struct yaml_node **out)
{
    int line = near ? near->line : 1, column = near ? near->column : 1;
    if (depth > MAX_DEPTH || to->tree->n_node > MAX_NODE)
        return lr_fail(to->ctx, LR_ERROR_INPUT, "%s:%d:%d: nested too deeply or too large", to->label, line, column);
    if (from && fy_node_is_alias(from)) {
        from = fy_node_resolve_alias(from);
        if (!from)
            return lr_fail(to->ctx, LR_ERROR_INPUT, "%s:%d:%d: alias without an anchor", to->label, line, column);
        return build(to, from, depth + 1, near, out);
    }
    enum fy_node_type type = from ? fy_node_get_type(from) : FYNT_SCALAR;
    enum yaml_kind kind = type == FYNT_SEQUENCE ? YAML_LIST : type == FYNT_MAPPING ? YAML_MAP : YAML_SCALAR;
    LR_TRY(yaml_new_node(to->ctx, to->tree, kind, out));
    struct yaml_node *node = *out;
    node->line = line;
    node->column = column;
    if (!from)
        return LR_OK;
    if (kind == YAML_LIST) {
        LR_TRY(build_list(to, from, depth, node));
    } else if (kind == YAML_MAP) {
        LR_TRY(build_map(to, from, depth, node));
    } else {
        mark(fy_node_get_scalar_token(from), &node->line, &node->column);
        return copy_text(to, from, node->line, &node->text);
    }
    if (node->first) {
        node->line = node->first->key ? node->first->key_line : node->first->line;
        node->column = node->first->key ? node->first->key_column : node->first->column;
    }
    return LR_OK;
}

/* The first error of the parser. */
static enum lr_status fail_syntax(lr_context *ctx, const char *label, struct fy_diag *diag)
{
    void *position = NULL;
    const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &position);
    if (!error)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: not valid YAML", label);
    return lr_fail(ctx, LR_ERROR_INPUT, "%s:%d:%d: not valid YAML: %s", label, error->line, error->column, error->msg);
}

static enum lr_status parse_document(const struct builder *to, struct fy_parser *parser, struct fy_diag *diag,
                                     struct yaml_node **root)
{
    struct fy_document *document = fy_parse_load_document(parser);
    enum lr_status status = LR_OK;
    if (!document)
        return fy_parser_get_stream_error(parser)
                   ? fail_syntax(to->ctx, to->label, diag)
                   : lr_fail(to->ctx, LR_ERROR_INPUT, "%s: the file is empty", to->label);
    status = build(to, fy_document_root(document), 0, NULL, root);
    fy_parse_document_destroy(parser, document);
    if (status != LR_OK)
        return status;
    document = fy_parse_load_document(parser);
    if (document) {
        fy_parse_document_destroy(parser, document);
        return lr_fail(to->ctx, LR_ERROR_INPUT, "%s: more than one YAML document", to->label);
    }
    return fy_parser_get_stream_error(parser) ? fail_syntax(to->ctx, to->label, diag) : LR_OK;
}

enum lr_status yaml_parse_into(lr_context *ctx, struct yaml_tree *tree, const char *label, const char *text,
                               size_t length, struct yaml_node **root)
{
    LR_TRY(yaml_check_text(ctx, label, text, length));
    struct fy_diag_cfg quiet = {.level = FYET_ERROR, .module_mask = ~0U};
    struct fy_diag *diag = fy_diag_create(&quiet);
    if (!diag)
        return lr_fail(ctx, LR_ERROR_MEMORY, "%s: out of memory", label);
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_ALLOW_DUPLICATE_KEYS, .diag = diag};
    struct fy_parser *parser = fy_parser_create(&config);
    const struct builder to = {ctx, tree, label};
    enum lr_status status = LR_OK;
    if (!parser || fy_parser_set_string(parser, text, length) != 0)
        status = lr_fail(ctx, LR_ERROR_MEMORY, "%s: out of memory", label);
    else
        status = parse_document(&to, parser, diag, root);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return status;
}
