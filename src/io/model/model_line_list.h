/* A model of several lines: a list `lines` instead of `line`. Each entry gives a separate model. */
#ifndef LR_IO_MODEL_MODEL_LINE_LIST_H
#define LR_IO_MODEL_MODEL_LINE_LIST_H

#include "io/yaml/yaml_tree.h"

enum { LINE_NAME_SIZE = 64 };

/* Fail unless `lines`, if present, is a list of entries with distinct names. The other functions require a document
 * that passed this check. */
enum lr_status model_lines_check(lr_context *ctx, const struct yaml_tree *tree);

/* The number of models in the document: one per entry, or one for a single `line`, whose name is "". The name is NULL
 * for an index out of range. */
int model_lines_count(const struct yaml_tree *tree);
const char *model_lines_name(const struct yaml_tree *tree, int index);

/* Reduce the document to that of one line: its keys become `line`, its sections override the common ones. `name` is
 * NULL or "" for a document with a single `line`, which is left unchanged. */
enum lr_status model_lines_choose(lr_context *ctx, struct yaml_tree *tree, const char *name);

#endif
