/* A hash of the mesh, the gas and the sources of a model: what files and arrays have supplied, which its text does not
 * show. */
#ifndef LR_MODEL_MODEL_PRINT_H
#define LR_MODEL_MODEL_PRINT_H

#include "model/model.h"

uint64_t model_print(const lr_model *model);

#endif
