#define _POSIX_C_SOURCE 200809L
#include "io/hdf5/hdf5_field.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <hdf5.h>

#include "io/hdf5/hdf5_guard.h"
#include "io/hdf5/hdf5_text.h"

enum lr_status hdf5_check_file(lr_context *ctx, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return lr_fail(ctx, LR_ERROR_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return lr_fail(ctx, LR_ERROR_IO, "%s: not a file", path);
    FILE *file = fopen(path, "rb");
    if (!file)
        return lr_fail(ctx, LR_ERROR_IO, "%s: %s", path, strerror(errno));
    fclose(file);
    return hdf5_guard(ctx, path);
}

static enum lr_status read_shape(lr_context *ctx, const char *path, const char *name, struct hdf5_array *array)
{
    hid_t space = H5Dget_space(array->dataset);
    hsize_t shape[H5S_MAX_RANK] = {0};
    int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    bool ok = rank >= 0 && rank <= HDF5_MAX_RANK && H5Sget_simple_extent_type(space) != H5S_NULL &&
              H5Sget_simple_extent_dims(space, shape, NULL) == rank;
    if (space >= 0)
        H5Sclose(space);
    if (!ok)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: dataset '%s' is not an array", path, name);
    array->rank = rank;
    for (int i = 0; i < rank; i++)
        array->shape[i] = (int64_t)shape[i];
    return LR_OK;
}

static enum lr_status check_type(lr_context *ctx, const char *path, const char *name, const struct hdf5_array *array)
{
    hid_t type = H5Dget_type(array->dataset);
    const bool number = hdf5_type_is_number(type);
    if (type >= 0)
        H5Tclose(type);
    if (!number)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: dataset '%s' does not hold numbers", path, name);
    return LR_OK;
}

static enum lr_status read_units(lr_context *ctx, const char *path, const char *name, struct hdf5_array *array)
{
    if (H5Aexists(array->dataset, "units") <= 0)
        return LR_OK;
    array->has_units = hdf5_text_attribute(array->dataset, "units", sizeof array->units, array->units);
    if (!array->has_units)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: the attribute 'units' of dataset '%s' is not a short string", path,
                       name);
    return LR_OK;
}

static enum lr_status open_quietly(lr_context *ctx, const char *path, const char *name, struct hdf5_array *array)
{
    array->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (array->file < 0)
        return lr_fail(ctx, LR_ERROR_IO, "%s: cannot be read as HDF5; it is truncated, damaged or in another format",
                       path);
    array->dataset = H5Dopen2(array->file, name, H5P_DEFAULT);
    if (array->dataset < 0)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: no dataset '%s'", path, name);
    LR_TRY(check_type(ctx, path, name, array));
    LR_TRY(read_shape(ctx, path, name, array));
    return read_units(ctx, path, name, array);
}

enum lr_status hdf5_array_open(lr_context *ctx, const char *path, const char *dataset, struct hdf5_array **out)
{
    LR_TRY(hdf5_check_file(ctx, path));
    struct hdf5_array *array = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *array, &array));
    array->file = array->dataset = -1;
    snprintf(array->label, sizeof array->label, "dataset");
    enum lr_status status = LR_OK;
    H5E_BEGIN_TRY
    {
        status = open_quietly(ctx, path, dataset, array);
    }
    H5E_END_TRY;
    if (status == LR_OK)
        *out = array;
    else
        hdf5_array_close(array);
    return status;
}

void hdf5_array_close(struct hdf5_array *array)
{
    if (!array)
        return;
    if (array->dataset >= 0)
        H5Dclose(array->dataset);
    if (array->file >= 0)
        H5Fclose(array->file);
    free(array);
}

static herr_t read_quietly(const struct hdf5_array *array, int64_t component, double *values)
{
    if (component < 0)
        return H5Dread(array->dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    hsize_t start[HDF5_MAX_RANK] = {(hsize_t)component}, count[HDF5_MAX_RANK] = {1};
    for (int i = 1; i < array->rank; i++)
        count[i] = (hsize_t)array->shape[i];
    hid_t from = H5Dget_space(array->dataset);
    hid_t to = H5Screate_simple(array->rank, count, NULL);
    herr_t result = -1;
    if (from >= 0 && to >= 0 && H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, count, NULL) >= 0)
        result = H5Dread(array->dataset, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, values);
    if (to >= 0)
        H5Sclose(to);
    if (from >= 0)
        H5Sclose(from);
    return result;
}

enum lr_status hdf5_array_read(lr_context *ctx, const struct hdf5_array *array, int64_t component, double *values)
{
    herr_t result = -1;
    char path[512] = "HDF5 file";
    H5E_BEGIN_TRY
    {
        H5Fget_name(array->file, path, sizeof path);
        result = read_quietly(array, component, values);
    }
    H5E_END_TRY;
    if (result < 0)
        return lr_fail(ctx, LR_ERROR_IO, "%s: a dataset cannot be read; the file is truncated or damaged", path);
    return LR_OK;
}

/* Stored bytes times the largest compression factor, 1032 for deflate. */
static double most_bytes(const struct hdf5_array *array)
{
    const double most_compressed = 1100.0;
    hsize_t file_size = 0;
    const bool filtered = hdf5_may_be_compressed(array->dataset);
    const double stored = (double)H5Dget_storage_size(array->dataset);
    if (H5Fget_filesize(array->file, &file_size) < 0)
        return 0.0;
    return fmin(stored, (double)file_size) * (filtered ? most_compressed : 1.0);
}

enum lr_status hdf5_array_check_stored(lr_context *ctx, const struct hdf5_array *array, const char *name)
{
    char path[512] = "HDF5 file", shape[128];
    double bytes = 0.0, most = 0.0;
    H5E_BEGIN_TRY
    {
        hid_t type = H5Dget_type(array->dataset);
        bytes = type >= 0 ? (double)H5Tget_size(type) : 1.0;
        if (type >= 0)
            H5Tclose(type);
        most = most_bytes(array);
        H5Fget_name(array->file, path, sizeof path);
    }
    H5E_END_TRY;
    for (int i = 0; i < array->rank; i++)
        bytes *= (double)array->shape[i];
    if (bytes <= most)
        return LR_OK;
    hdf5_shape_text(array->shape, array->rank, shape, sizeof shape);
    return lr_fail(ctx, LR_ERROR_INPUT,
                   "%s: '%s' has shape %s, which is larger than the file; it is damaged or incomplete", path, name,
                   shape);
}

bool hdf5_array_has_shape(const struct hdf5_array *array, const int64_t *shape, int rank, struct hdf5_shapes *texts)
{
    bool same = array->rank == rank;
    for (int i = 0; same && i < rank; i++)
        same = array->shape[i] == shape[i];
    if (same)
        return true;
    hdf5_shape_text(array->shape, array->rank, texts->found, sizeof texts->found);
    hdf5_shape_text(shape, rank, texts->wanted, sizeof texts->wanted);
    return false;
}

void hdf5_shape_text(const int64_t *shape, int rank, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "(");
    for (int i = 0; i < rank && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? ", " : "", (long long)shape[i]);
    if (used < size)
        snprintf(text + used, size - used, ")");
}
