/* Read one numeric dataset of an HDF5 file as doubles, whatever number type and byte order it is stored in.
 * Messages begin with the file name; HDF5's own error stack stays silent. */
#ifndef LR_IO_HDF5_HDF5_FIELD_H
#define LR_IO_HDF5_HDF5_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

enum { HDF5_MAX_RANK = 8, HDF5_MAX_UNITS = 128 };

struct hdf5_array {
    int64_t file, dataset;         /* HDF5 handles; -1 for `memory` */
    const struct lr_array *memory; /* an array of the caller, instead of a file (memory_array.h); or NULL */
    char label[80];                /* for messages: "dataset", or "array 'NAME'" */
    int rank;
    int64_t shape[HDF5_MAX_RANK];
    bool has_units;
    char units[HDF5_MAX_UNITS]; /* the attribute `units` */
};

/* Fails unless the path is a file that can be opened, and HDF5 survives it (hdf5_guard.h); HDF5 itself does not say why
 * not. */
enum lr_status hdf5_check_file(lr_context *ctx, const char *path);

enum lr_status hdf5_array_open(lr_context *ctx, const char *path, const char *dataset, struct hdf5_array **array);
void hdf5_array_close(struct hdf5_array *array);

/* All values in C order; or, with component >= 0, those at that index of the first axis. */
enum lr_status hdf5_array_read(lr_context *ctx, const struct hdf5_array *array, int64_t component, double *values);

/* Fails if the dataset has more numbers than the file can hold, before memory is allocated. Not for fields, large parts
 * of which may be fill values. */
enum lr_status hdf5_array_check_stored(lr_context *ctx, const struct hdf5_array *array, const char *name);

struct hdf5_shapes {
    char found[128], wanted[128]; /* as texts, for a message */
};
/* Whether an array has this shape; otherwise *texts has both. */
bool hdf5_array_has_shape(const struct hdf5_array *array, const int64_t *shape, int rank, struct hdf5_shapes *texts);

/* "(128, 2, 2)". */
void hdf5_shape_text(const int64_t *shape, int rank, char *text, size_t size);

#endif
