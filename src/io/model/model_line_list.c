/* Several lines in one model:
 *
 *     lines:
 *       - {name: oh, molecule: oh18cm, transition: 2}
 *       - {name: co, molecule: co, transition: 1-0, run: {packets: 1e6}}
 *
 * In the document of one line, the keys of its entry become `line`, and the sections of its entry override those shared
 * by all lines. Nodes are moved, not copied, so that messages still give the position where a value was written. */
#include "io/model/model_line_list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/schema/schema.h"

/* Keys of an entry that override sections of the model; the others say which line it is. */
static bool is_section(const char *key)
{
    return strcmp(key, "name") != 0 && strcmp(key, "line") != 0 && schema_find(&SCHEMA_LINES, key);
}

/* ---- moving nodes ---- */

static void take_out(struct yaml_node *parent, const struct yaml_node *child)
{
    struct yaml_node *first = parent->first;
    parent->first = parent->last = NULL;
    parent->n_child = 0;
    for (struct yaml_node *node = first, *next = NULL; node; node = next) {
        next = node->next;
        if (node != child)
            yaml_append(parent, node);
    }
}

static void move(struct yaml_node *child, struct yaml_node *to)
{
    if (child->parent)
        take_out(child->parent, child);
    yaml_append(to, child);
}

/* One section of an entry over the common one. Keys of maps are replaced one by one, and removed by an empty value;
 * values from --set in the common section apply to all lines and are kept. Anything else is replaced as a whole. */
static void lay_over(struct yaml_node *root, struct yaml_node *section)
{
    struct yaml_node *common = yaml_find(root, section->key);
    if (common && common->kind == YAML_MAP && section->kind == YAML_MAP) {
        for (struct yaml_node *child = section->first, *next = NULL; child; child = next) {
            struct yaml_node *same = yaml_find(common, child->key);
            next = child->next;
            if (same && same->setting && !child->setting)
                continue;
            if (same)
                take_out(common, same);
            if (!yaml_is_empty(child))
                move(child, common);
        }
        return;
    }
    if (common && common->setting && !section->setting)
        return;
    if (common)
        take_out(root, common);
    move(section, root);
}

/* ---- the list ---- */

static enum lr_status check_name(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *entry)
{
    const struct yaml_node *name = yaml_find(entry, "name");
    if (!name)
        return yaml_fail(ctx, tree, entry, "each line of a list needs a 'name', which is used in file names");
    LR_TRY(yaml_expect(ctx, tree, name, YAML_SCALAR));
    const size_t length = strlen(name->text);
    bool good = length > 0 && length < LINE_NAME_SIZE;
    for (const char *c = name->text; *c && good; c++)
        good = isalnum((unsigned char)*c) || *c == '-' || *c == '_';
    if (!good)
        return yaml_fail(ctx, tree, name, "'%.40s' is not a valid name; use at most %d letters, digits, - and _",
                         name->text, LINE_NAME_SIZE - 1);
    for (const struct yaml_node *other = entry->parent->first; other != entry; other = other->next)
        if (strcmp(yaml_find(other, "name")->text, name->text) == 0)
            return yaml_fail(ctx, tree, name, "the name '%s' is already used", name->text);
    return LR_OK;
}

static enum lr_status check_entry(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *entry)
{
    const struct schema *const any[] = {&SCHEMA_LINES, &SCHEMA_MOLECULE, &SCHEMA_LINE, &SCHEMA_GROUP, NULL};
    LR_TRY(schema_check(ctx, tree, entry, any));
    LR_TRY(check_name(ctx, tree, entry));
    const struct yaml_node *line = yaml_find(entry, "line");
    for (const struct yaml_node *child = entry->first; line && child; child = child->next)
        if (child != line && strcmp(child->key, "name") != 0 && !is_section(child->key))
            return yaml_fail_key(ctx, tree, child, "'line' is also given; remove one of them");
    return LR_OK;
}

enum lr_status model_lines_check(lr_context *ctx, const struct yaml_tree *tree)
{
    const struct yaml_node *list = yaml_find(tree->root, "lines");
    if (!list)
        return LR_OK;
    if (yaml_find(tree->root, "line"))
        return yaml_fail_key(ctx, tree, list, "'line' is also given; remove one of them");
    LR_TRY(yaml_expect(ctx, tree, list, YAML_LIST));
    if (!list->first)
        return yaml_fail_key(ctx, tree, list, "the list of lines is empty");
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next)
        LR_TRY(check_entry(ctx, tree, entry));
    return LR_OK;
}

int model_lines_count(const struct yaml_tree *tree)
{
    const struct yaml_node *list = yaml_find(tree->root, "lines");
    return list ? list->n_child : 1;
}

const char *model_lines_name(const struct yaml_tree *tree, int index)
{
    const struct yaml_node *list = yaml_find(tree->root, "lines"), *entry = list ? list->first : NULL;
    if (!list)
        return index == 0 ? "" : NULL;
    while (entry && entry->index != index)
        entry = entry->next;
    return entry ? yaml_find(entry, "name")->text : NULL;
}

/* ---- one of them ---- */

static enum lr_status fail_unknown(lr_context *ctx, const struct yaml_tree *tree, const struct yaml_node *list,
                                   const char *name)
{
    const char **names = NULL;
    char joined[512];
    LR_TRY(lr_allocate(ctx, (size_t)list->n_child, sizeof *names, &names));
    for (int i = 0; i < list->n_child; i++)
        names[i] = model_lines_name(tree, i);
    yaml_join_words(names, list->n_child, joined, sizeof joined);
    free(names);
    if (name && *name)
        return yaml_fail_key(ctx, tree, list, "no line '%s'; the lines are %s", name, joined);
    return yaml_fail_key(ctx, tree, list, "this model has several lines; choose one of: %s", joined);
}

enum lr_status model_lines_choose(lr_context *ctx, struct yaml_tree *tree, const char *name)
{
    const struct yaml_node *list = yaml_find(tree->root, "lines");
    if (!list && name && *name)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: no line '%s': the model has no list 'lines'", tree->file, name);
    if (!list)
        return LR_OK;
    struct yaml_node *entry = list->first;
    while (entry && !(name && strcmp(yaml_find(entry, "name")->text, name) == 0))
        entry = entry->next;
    if (!entry)
        return fail_unknown(ctx, tree, list, name);
    struct yaml_node *root = tree->root, *line = NULL;
    take_out(root, list);
    for (struct yaml_node *child = entry->first, *next = NULL; child; child = next) {
        next = child->next;
        if (is_section(child->key))
            lay_over(root, child);
    }
    line = yaml_find(entry, "line");
    if (line) {
        move(line, root);
        return LR_OK;
    }
    LR_TRY(yaml_new_node(ctx, tree, YAML_MAP, &line));
    line->key = "line";
    line->line = line->key_line = entry->line;
    line->column = line->key_column = entry->column;
    line->setting = entry->setting;
    for (struct yaml_node *child = entry->first, *next = NULL; child; child = next) {
        next = child->next;
        if (!is_section(child->key) && strcmp(child->key, "name") != 0)
            move(child, line);
    }
    yaml_append(root, line);
    return LR_OK;
}
