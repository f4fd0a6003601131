/* The files read by a model. */
#ifndef LR_IO_MODEL_MODEL_INPUTS_H
#define LR_IO_MODEL_MODEL_INPUTS_H

#include "io/yaml/yaml_tree.h"

/* Whether an existing file is the model's own, or is named in it. `folder` is that of the model, "" or ending in a
 * slash. */
bool model_inputs_include(const struct yaml_tree *tree, const char *folder, const char *file);

#endif
