/* `--set path.to.key=value`: change a document after it was read and before it is checked. Missing keys along the path
 * are added as mappings; a list is indexed, and the index after the last appends. */
#include "io/yaml/yaml_tree.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 256 };

static void label_all(struct yaml_node *node, const char *setting)
{
    node->setting = setting;
    for (struct yaml_node *child = node->first; child; child = child->next)
        label_all(child, setting);
}

/* The child of a list named by an index; *child is NULL for the one after the last. */
static enum lr_status find_item(lr_context *ctx, const struct yaml_node *list, const char *word, const char *path,
                                struct yaml_node **child)
{
    char *end = NULL;
    long index = isdigit((unsigned char)word[0]) ? strtol(word, &end, 10) : -1;
    if (index < 0 || *end != '\0' || index > list->n_child)
        return lr_fail(ctx, LR_ERROR_INPUT, "--set %s: '%s' is not an index into a list of %d", path, word,
                       list->n_child);
    *child = list->first;
    for (long i = 0; i < index; i++)
        *child = (*child)->next;
    return LR_OK;
}

/* Step from `node` to the child called `word`, adding it if missing. */
static enum lr_status step(lr_context *ctx, struct yaml_tree *tree, struct yaml_node *node, const char *word,
                           const char *path, struct yaml_node **child)
{
    if (yaml_is_empty(node))
        node->kind = YAML_MAP;
    if (word[0] == '\0' || node->kind == YAML_SCALAR)
        return lr_fail(ctx, LR_ERROR_INPUT, "--set %s: no such path; '%s' follows a single value or nothing", path,
                       word);
    if (node->kind == YAML_LIST)
        LR_TRY(find_item(ctx, node, word, path, child));
    else
        *child = yaml_find(node, word);
    if (*child)
        return LR_OK;
    LR_TRY(yaml_new_node(ctx, tree, YAML_SCALAR, child));
    if (node->kind == YAML_MAP)
        LR_TRY(yaml_new_text(ctx, tree, word, strlen(word), &(*child)->key));
    (*child)->setting = path;
    yaml_append(node, *child);
    return LR_OK;
}

/* Put the value into the node that is already linked into the tree. */
static void replace(struct yaml_node *target, const struct yaml_node *value)
{
    target->kind = value->kind;
    target->text = value->text;
    target->first = value->first;
    target->last = value->last;
    target->n_child = value->n_child;
    for (struct yaml_node *child = target->first; child; child = child->next)
        child->parent = target;
}

enum lr_status yaml_set(lr_context *ctx, struct yaml_tree *tree, const char *setting)
{
    const char *equals = strchr(setting, '=');
    if (!equals || equals == setting)
        return lr_fail(ctx, LR_ERROR_INPUT, "--set %s: write it as path.to.key=value", setting);
    size_t length = (size_t)(equals - setting);
    if (length >= LONGEST_PATH)
        return lr_fail(ctx, LR_ERROR_INPUT, "--set %.40s...: the path is too long", setting);
    const char *path = NULL;
    LR_TRY(yaml_new_text(ctx, tree, setting, length, &path));
    char words[LONGEST_PATH];
    memcpy(words, path, length + 1);

    struct yaml_node *node = tree->root;
    for (char *word = words, *dot = NULL; word; word = dot) {
        dot = strchr(word, '.');
        if (dot)
            *dot++ = '\0';
        LR_TRY(step(ctx, tree, node, word, path, &node));
    }
    struct yaml_node *value = NULL;
    char label[LONGEST_PATH + 8];
    snprintf(label, sizeof label, "--set %s", path);
    const char *text = equals + 1;
    if (text[strspn(text, " \t")] == '\0')
        return lr_fail(ctx, LR_ERROR_INPUT, "--set %s: no value after '='", path);
    LR_TRY(yaml_parse_into(ctx, tree, label, text, strlen(text), &value));
    replace(node, value);
    label_all(node, path);
    return LR_OK;
}
