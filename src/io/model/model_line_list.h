/* A model of several lines: `lines`, a list, instead of `line`. Each entry makes a model of its own. */
#ifndef LR_IO_MODEL_MODEL_LINE_LIST_H
#define LR_IO_MODEL_MODEL_LINE_LIST_H

#include "io/yaml/yaml_tree.h"

enum { LINE_NAME_SIZE = 64 };

/* Their names, one per line of text, "" when the document has a single `line`; *names is freed with free(). */
enum lr_status model_lines_names(lr_context *ctx, const struct yaml_tree *tree, char **names);

/* Make the document that of one line: its keys become `line`, its sections are laid over the common ones. `name` is
 * NULL or "" for a document with a single `line`, which stays as it is. */
enum lr_status model_lines_choose(lr_context *ctx, struct yaml_tree *tree, const char *name);

#endif
