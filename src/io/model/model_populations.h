/* Section `populations`. */
#ifndef LR_IO_MODEL_MODEL_POPULATIONS_H
#define LR_IO_MODEL_MODEL_POPULATIONS_H

#include "io/model/model_reader.h"

/* How the populations of the molecule are found. Requires the mesh; called before the medium. */
enum lr_status read_populations(const struct reader *r, const struct yaml_node *node);

#endif
