/* Open a snapshot of Athena++: attributes, and the datasets with their variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/hdf5_text.h"
#include "io/snapshot/athdf.h"

int athdf_find(const struct athdf *athdf, const char *name)
{
    for (int i = 0; i < athdf->n_variable; i++)
        if (strcmp(athdf->variable[i].name, name) == 0)
            return i;
    return -1;
}

static enum lr_status read_sizes(const struct athdf *athdf, const char *name, int low, int high, int n, int *to)
{
    double values[ATHDF_MAX_DATASET] = {0};
    LR_TRY(hdf5_read_numbers(&athdf->file, "/", name, n, values));
    for (int i = 0; i < n; i++) {
        if (!(values[i] >= low && values[i] <= high))
            return lr_fail(athdf->file.ctx, LR_ERROR_INPUT, "%s: the attribute '%s' holds %g; expected %d to %d",
                           athdf->file.path, name, values[i], low, high);
        to[i] = (int)values[i];
    }
    return LR_OK;
}

static enum lr_status read_grid(struct athdf *athdf)
{
    enum { MAX_AXIS = 1 << 20 };
    const char *const names[] = {"RootGridX1", "RootGridX2", "RootGridX3"};
    LR_TRY(read_sizes(athdf, "RootGridSize", 1, MAX_AXIS, 3, athdf->root));
    LR_TRY(read_sizes(athdf, "MeshBlockSize", 1, MAX_AXIS, 3, athdf->stored));
    for (int axis = 0; axis < 3; axis++) {
        double range[3] = {0};
        LR_TRY(hdf5_read_numbers(&athdf->file, "/", names[axis], 3, range));
        if (!(range[1] > range[0]))
            return lr_fail(athdf->file.ctx, LR_ERROR_INPUT, "%s: the attribute '%s' says the mesh goes from %g to %g",
                           athdf->file.path, names[axis], range[0], range[1]);
        athdf->lower[axis] = range[0];
        athdf->upper[axis] = range[1];
        athdf->ratio[axis] = range[2];
    }
    return LR_OK;
}

static enum lr_status check_coordinates(const struct athdf *athdf)
{
    char name[1][ATHDF_NAME];
    int n = 0;
    LR_TRY(hdf5_read_texts(&athdf->file, "/", "Coordinates", 1, ATHDF_NAME, name[0], &n));
    if (strcmp(name[0], "cartesian") == 0)
        return LR_OK;
    return lr_fail(athdf->file.ctx, LR_ERROR_INPUT,
                   "%s: the coordinates are '%s'; only 'cartesian' is supported (regrid to a Cartesian mesh first)",
                   athdf->file.path, name[0]);
}

/* ---- Datasets and variables ---- */

static enum lr_status check_shape(const struct athdf *athdf, int d, int n_variable)
{
    const hsize_t expected[5] = {(hsize_t)n_variable, (hsize_t)athdf->n_block, (hsize_t)athdf->stored[2],
                                 (hsize_t)athdf->stored[1], (hsize_t)athdf->stored[0]};
    hsize_t found[5] = {0};
    hid_t space = H5Dget_space(athdf->dataset[d]), type = H5Dget_type(athdf->dataset[d]);
    bool good = space >= 0 && type >= 0 && hdf5_type_is_number(type) && H5Sget_simple_extent_ndims(space) == 5 &&
                H5Sget_simple_extent_dims(space, found, NULL) == 5 && memcmp(found, expected, sizeof found) == 0;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (good)
        return LR_OK;
    return lr_fail(athdf->file.ctx, LR_ERROR_INPUT,
                   "%s: '%s' does not have the shape (%d, %lld, %d, %d, %d) (variables, blocks, k, j, i) that its "
                   "attributes give; the file is damaged or incomplete",
                   athdf->file.path, athdf->dataset_name[d], n_variable, (long long)athdf->n_block, athdf->stored[2],
                   athdf->stored[1], athdf->stored[0]);
}

static enum lr_status open_datasets(struct athdf *athdf)
{
    char names[ATHDF_MAX_VARIABLE][ATHDF_NAME];
    int n_name = 0, count[ATHDF_MAX_DATASET] = {0};
    LR_TRY(hdf5_read_texts(&athdf->file, "/", "DatasetNames", ATHDF_MAX_DATASET, ATHDF_NAME, athdf->dataset_name[0],
                           &athdf->n_dataset));
    LR_TRY(read_sizes(athdf, "NumVariables", 1, ATHDF_MAX_VARIABLE, athdf->n_dataset, count));
    LR_TRY(hdf5_read_texts(&athdf->file, "/", "VariableNames", ATHDF_MAX_VARIABLE, ATHDF_NAME, names[0], &n_name));
    for (int d = 0; d < athdf->n_dataset; d++) {
        if (!hdf5_read_has(&athdf->file, athdf->dataset_name[d]))
            return hdf5_read_fail(&athdf->file, athdf->dataset_name[d], "is missing");
        athdf->dataset[d] = H5Dopen2(athdf->file.file, athdf->dataset_name[d], H5P_DEFAULT);
        if (athdf->dataset[d] < 0)
            return hdf5_read_fail(&athdf->file, athdf->dataset_name[d], "is not a dataset");
        LR_TRY(check_shape(athdf, d, count[d]));
        for (int i = 0; i < count[d]; i++) {
            if (athdf->n_variable >= n_name)
                return lr_fail(athdf->file.ctx, LR_ERROR_INPUT,
                               "%s: 'NumVariables' is larger than the %d names in 'VariableNames'", athdf->file.path,
                               n_name);
            struct athdf_variable *variable = &athdf->variable[athdf->n_variable];
            *variable = (struct athdf_variable){.dataset = d, .index = i};
            memcpy(variable->name, names[athdf->n_variable++], ATHDF_NAME);
        }
    }
    return LR_OK;
}

/* ---- The file ---- */

static void close_file(struct snapshot *snapshot)
{
    struct athdf *athdf = snapshot->state;
    for (int d = 0; d < ATHDF_MAX_DATASET; d++)
        if (athdf->dataset[d] >= 0)
            H5Dclose(athdf->dataset[d]);
    hdf5_read_close(&athdf->file);
    free(athdf->level);
    free(athdf->location);
    free(athdf->field);
    free(athdf);
}

enum lr_status snapshot_open_athdf(struct snapshot *snapshot, const struct snapshot_options *options)
{
    static const struct snapshot_format format = {"Athena++", athdf_read_field, close_file};
    struct athdf *athdf = NULL;
    int n_block = 0;
    double time = 0.0;
    LR_TRY(lr_allocate(snapshot->ctx, 1, sizeof *athdf, &athdf));
    snapshot->state = athdf;
    snapshot->format = &format;
    snapshot->brick_word = "block";
    athdf->options = *options;
    for (int d = 0; d < ATHDF_MAX_DATASET; d++)
        athdf->dataset[d] = -1;
    LR_TRY(hdf5_read_open(snapshot->ctx, snapshot->path, &athdf->file));
    LR_TRY(check_coordinates(athdf));
    LR_TRY(read_grid(athdf));
    LR_TRY(read_sizes(athdf, "NumMeshBlocks", 1, INT32_MAX - 1, 1, &n_block));
    athdf->n_block = n_block;
    if (hdf5_read_has_attribute(&athdf->file, "/", "Time"))
        LR_TRY(hdf5_read_numbers(&athdf->file, "/", "Time", 1, &time));
    LR_TRY(open_datasets(athdf));
    LR_TRY(athdf_read_mesh(snapshot, athdf));
    LR_TRY(athdf_list_fields(snapshot, athdf));
    snprintf(snapshot->note, sizeof snapshot->note, "Athena++ at time %.6g, %d blocks of %d x %d x %d cells%s", time,
             n_block, athdf->block[0], athdf->block[1], athdf->block[2],
             athdf->ghost[0] + athdf->ghost[1] + athdf->ghost[2] > 0 ? " (ghost zones left out)" : "");
    return LR_OK;
}
