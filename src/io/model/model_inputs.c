/* Whether a model reads a file: any of its strings may name one, relative to the model or, from `--set`, to the current
 * folder. */
#define _XOPEN_SOURCE 700
#include "io/model/model_inputs.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_PATH = 4096 };

static bool is_same(const char *path, const struct stat *file)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_dev == file->st_dev && info.st_ino == file->st_ino;
}

static bool text_is_file(const struct yaml_node *node, const char *folder, const struct stat *file)
{
    char path[LONGEST_PATH];
    const bool beside = !node->setting && node->text[0] != '/';
    const int length = snprintf(path, sizeof path, "%s%s", beside ? folder : "", node->text);
    return *node->text && length < LONGEST_PATH && is_same(path, file);
}

static bool node_names(const struct yaml_node *node, const char *folder, const struct stat *file)
{
    if (node->kind == YAML_SCALAR)
        return text_is_file(node, folder, file);
    for (const struct yaml_node *child = node->first; child; child = child->next)
        if (node_names(child, folder, file))
            return true;
    return false;
}

bool model_inputs_include(const struct yaml_tree *tree, const char *folder, const char *file)
{
    struct stat info;
    if (stat(file, &info) != 0)
        return false;
    return is_same(tree->file, &info) || node_names(tree->root, folder, &info);
}
