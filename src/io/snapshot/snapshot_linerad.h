/* Snapshots in linerad's own HDF5 format, version 1 (docs/model_format.md): /mesh says where the cells are, /fields
 * holds one dataset per quantity with its units. The parts of its reader. */
#ifndef LR_IO_SNAPSHOT_SNAPSHOT_LINERAD_H
#define LR_IO_SNAPSHOT_SNAPSHOT_LINERAD_H

#include <hdf5.h>

#include "io/hdf5/hdf5_field.h"
#include "io/snapshot/snapshot.h"

/* ---- The file (snapshot_linerad.c) ---- */
/* "path: 'object' what" */
enum lr_status snapshot_linerad_fail(const struct snapshot *snapshot, const char *object, const char *what);
/* To CGS by the units of the dataset. */
enum lr_status snapshot_linerad_convert(const struct snapshot *snapshot, const struct hdf5_array *array,
                                        const char *name, enum dimension dimension, double *values, size_t n);

/* ---- /mesh (snapshot_linerad_mesh.c) ---- */
enum lr_status snapshot_linerad_mesh(struct snapshot *snapshot, hid_t file);

/* ---- /fields (snapshot_linerad_field.c) ---- */
enum lr_status snapshot_linerad_list(struct snapshot *snapshot, hid_t file);
enum lr_status snapshot_linerad_read(struct snapshot *snapshot, int field, const struct field_rule *rule,
                                     struct field *to);

#endif
