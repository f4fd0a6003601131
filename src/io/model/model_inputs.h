/* The files that a model reads. */
#ifndef LR_IO_MODEL_MODEL_INPUTS_H
#define LR_IO_MODEL_MODEL_INPUTS_H

#include "io/yaml/yaml_tree.h"

/* Whether a file that exists is the model's own, or is named in it. `folder` is that of the model, "" or with a slash
 * at its end. */
bool model_inputs_include(const struct yaml_tree *tree, const char *folder, const char *file);

#endif
