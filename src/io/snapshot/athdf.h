/* Snapshots of Athena++ (.athdf, HDF5): the state of an open file. Blocks of equal numbers of cells lie on levels of
 * refinement at logical locations; datasets are [variable][block][k][j][i], x fastest, usually big-endian. There are no
 * units, edges may be rounded to single precision, and ghost zones may have been stored. */
#ifndef LR_IO_SNAPSHOT_ATHDF_H
#define LR_IO_SNAPSHOT_ATHDF_H

#include <hdf5.h>

#include "io/hdf5/hdf5_read.h"
#include "io/snapshot/snapshot.h"

enum { ATHDF_MAX_DATASET = 16, ATHDF_MAX_VARIABLE = 128, ATHDF_NAME = 32 };

struct athdf_variable {
    char name[ATHDF_NAME];
    int dataset, index;
};

/* How a field of the snapshot is derived from variables. */
enum athdf_kind { ATHDF_DENSITY, ATHDF_VELOCITY, ATHDF_PRESSURE, ATHDF_SCALAR, ATHDF_RAW };
struct athdf_field {
    enum athdf_kind kind;
    int variable; /* the first one needed */
    int scalar;   /* of the options */
};

struct athdf {
    struct hdf5_reader file;
    struct snapshot_options options;
    int root[3];                         /* cells of the coarsest level */
    double lower[3], upper[3], ratio[3]; /* code units; ratio of neighbouring cell widths */
    int stored[3], block[3], ghost[3];   /* cells of a block: as stored, without ghost zones, and those on each side */
    int64_t n_block;
    int *level;
    int (*location)[3];
    int n_dataset;
    char dataset_name[ATHDF_MAX_DATASET][ATHDF_NAME];
    hid_t dataset[ATHDF_MAX_DATASET];
    int n_variable;
    struct athdf_variable variable[ATHDF_MAX_VARIABLE];
    int n_field;
    struct athdf_field *field; /* [n_field], beside those of the snapshot */
};

/* Its index, or -1. */
int athdf_find(const struct athdf *athdf, const char *name);
/* The mesh: levels, locations and edges (athdf_mesh.c). */
enum lr_status athdf_read_mesh(struct snapshot *snapshot, struct athdf *athdf);
/* Names of the fields that can be derived from the variables (athdf_field.c). */
enum lr_status athdf_list_fields(struct snapshot *snapshot, struct athdf *athdf);
enum lr_status athdf_read_field(struct snapshot *snapshot, int field, const struct field_rule *rule, struct field *to);

#endif
