/* A model of several lines: `lines`, a list, instead of `line`. Each entry makes a model of its own. */
#ifndef LR_IO_MODEL_MODEL_LINE_LIST_H
#define LR_IO_MODEL_MODEL_LINE_LIST_H

#include "io/yaml/yaml_tree.h"

enum { LINE_NAME_SIZE = 64 };

/* Fail unless `lines`, where the document has it, is a list of entries with names of their own. The other functions
 * want a document that passed. */
enum lr_status model_lines_check(lr_context *ctx, const struct yaml_tree *tree);

/* How many models the document holds: one for each entry, or one for a single `line`, whose name is "". The name of an
 * index out of range is NULL. */
int model_lines_count(const struct yaml_tree *tree);
const char *model_lines_name(const struct yaml_tree *tree, int index);

/* Make the document that of one line: its keys become `line`, its sections are laid over the common ones. `name` is
 * NULL or "" for a document with a single `line`, which stays as it is. */
enum lr_status model_lines_choose(lr_context *ctx, struct yaml_tree *tree, const char *name);

#endif
