/* Arrays in the memory of the program that loads a model, read as doubles in C order, whatever their number type and
 * strides. */
#ifndef LR_IO_MODEL_MEMORY_ARRAY_H
#define LR_IO_MODEL_MEMORY_ARRAY_H

#include "io/hdf5/hdf5_field.h"

/* Like hdf5_array_open(), without a file; released with hdf5_array_close(). Fails unless it is an array of numbers. */
enum lr_status memory_array_open(lr_context *ctx, const struct lr_array *memory, struct hdf5_array **array);

/* All values in C order; or, with component >= 0, those at that index of the first axis. */
void memory_array_read(const struct lr_array *memory, int64_t component, double *values);

#endif
