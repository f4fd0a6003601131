#define _XOPEN_SOURCE 700
#include "io/hdf5/hdf5_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/hdf5/hdf5_field.h"
#include "io/hdf5/hdf5_text.h"

enum { MOST_RANK = 5 };

/* ---- the file ---- */

enum lr_status hdf5_read_open(lr_context *ctx, const char *path, struct hdf5_reader *reader)
{
    struct stat about;
    *reader = (struct hdf5_reader){.ctx = ctx, .path = path, .file = -1};
    LR_TRY(hdf5_check_file(ctx, path));
    if (stat(path, &about) == 0)
        reader->size = (double)about.st_size;
    reader->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (reader->file < 0)
        return lr_fail(ctx, LR_ERROR_IO, "%s: cannot be read as HDF5; it is truncated, damaged or in another format",
                       path);
    return LR_OK;
}

void hdf5_read_close(struct hdf5_reader *reader)
{
    if (reader->file >= 0)
        H5Fclose(reader->file);
    reader->file = -1;
}

enum lr_status hdf5_read_fail(const struct hdf5_reader *reader, const char *object, const char *what)
{
    return lr_fail(reader->ctx, LR_ERROR_INPUT, "%s: '%s' %s; the file is damaged or was modified", reader->path,
                   object, what);
}

/* Every part of the path must exist before HDF5 is asked about the next. */
bool hdf5_read_has(const struct hdf5_reader *reader, const char *object)
{
    char part[256];
    for (size_t i = 1; i <= strlen(object) && i < sizeof part; i++) {
        if (object[i] != '/' && object[i] != '\0')
            continue;
        memcpy(part, object, i);
        part[i] = '\0';
        if (H5Lexists(reader->file, part, H5P_DEFAULT) <= 0)
            return false;
    }
    return true;
}

bool hdf5_read_has_attribute(const struct hdf5_reader *reader, const char *object, const char *name)
{
    return hdf5_read_has(reader, object) && H5Aexists_by_name(reader->file, object, name, H5P_DEFAULT) > 0;
}

/* ---- attributes ---- */

static hid_t open_attribute(const struct hdf5_reader *reader, const char *object, const char *name)
{
    if (!hdf5_read_has_attribute(reader, object, name))
        return -1;
    return H5Aopen_by_name(reader->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
}

static enum lr_status fail_attribute(const struct hdf5_reader *reader, const char *object, const char *name)
{
    return lr_fail(reader->ctx, LR_ERROR_INPUT,
                   "%s: the attribute '%s' of '%s' is missing or invalid; the file is damaged or was modified",
                   reader->path, name, object);
}

static enum lr_status read_numbers(const struct hdf5_reader *reader, const char *object, const char *name, int n,
                                   bool finite, double *values)
{
    hid_t id = open_attribute(reader, object, name);
    hid_t type = id >= 0 ? H5Aget_type(id) : -1, space = id >= 0 ? H5Aget_space(id) : -1;
    bool good = hdf5_type_is_number(type) && space >= 0 && H5Sget_simple_extent_npoints(space) == n &&
                H5Aread(id, H5T_NATIVE_DOUBLE, values) >= 0;
    for (int i = 0; good && i < n; i++)
        good = !finite || isfinite(values[i]);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    if (id >= 0)
        H5Aclose(id);
    return good ? LR_OK : fail_attribute(reader, object, name);
}

enum lr_status hdf5_read_numbers(const struct hdf5_reader *reader, const char *object, const char *name, int n,
                                 double *values)
{
    return read_numbers(reader, object, name, n, true, values);
}

enum lr_status hdf5_read_any_number(const struct hdf5_reader *reader, const char *object, const char *name,
                                    double *value)
{
    return read_numbers(reader, object, name, 1, false, value);
}

enum lr_status hdf5_read_number(const struct hdf5_reader *reader, const char *object, const char *name, double low,
                                double high, double *value)
{
    LR_TRY(hdf5_read_numbers(reader, object, name, 1, value));
    return *value >= low && *value <= high ? LR_OK : fail_attribute(reader, object, name);
}

enum lr_status hdf5_read_integer(const struct hdf5_reader *reader, const char *object, const char *name, int low,
                                 int high, int *value)
{
    double number = 0.0;
    LR_TRY(hdf5_read_number(reader, object, name, low, high, &number));
    *value = (int)number;
    return *value == number ? LR_OK : fail_attribute(reader, object, name);
}

enum lr_status hdf5_read_texts(const struct hdf5_reader *reader, const char *object, const char *name, int most,
                               size_t size, char *texts, int *n)
{
    hid_t id = open_attribute(reader, object, name);
    *n = 0;
    const bool good = id >= 0 && hdf5_text_read(id, most, size, texts, n);
    if (id >= 0)
        H5Aclose(id);
    return good ? LR_OK : fail_attribute(reader, object, name);
}

/* ---- datasets ---- */

static enum lr_status open_dataset(const struct hdf5_reader *reader, const char *name, hid_t *id)
{
    *id = hdf5_read_has(reader, name) ? H5Dopen2(reader->file, name, H5P_DEFAULT) : -1;
    return *id >= 0 ? LR_OK : hdf5_read_fail(reader, name, "is missing");
}

enum lr_status hdf5_read_length(const struct hdf5_reader *reader, const char *name, int rank, int most, int *n)
{
    hid_t id = -1;
    hsize_t size[MOST_RANK] = {0};
    LR_TRY(open_dataset(reader, name, &id));
    hid_t space = H5Dget_space(id);
    bool good = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, size, NULL) == rank && size[0] >= 1 && size[0] < (hsize_t)most;
    if (space >= 0)
        H5Sclose(space);
    H5Dclose(id);
    *n = good ? (int)size[0] : 0;
    return good ? LR_OK : hdf5_read_fail(reader, name, "has the wrong shape");
}

static bool has_shape(hid_t id, int rank, const int *shape)
{
    hsize_t size[MOST_RANK] = {0};
    hid_t space = H5Dget_space(id);
    bool same =
        space >= 0 && H5Sget_simple_extent_ndims(space) == rank && H5Sget_simple_extent_dims(space, size, NULL) == rank;
    for (int i = 0; same && i < rank; i++)
        same = size[i] == (hsize_t)shape[i];
    if (space >= 0)
        H5Sclose(space);
    return same;
}

/* How many times larger than its share of the file a dataset can be: gzip gains at most a factor of 1032. */
static double largest_gain(hid_t id)
{
    return hdf5_may_be_compressed(id) ? 1032.0 : 1.0;
}

/* The dataset in newly allocated memory, n numbers of memory_type. */
static enum lr_status read_array(const struct hdf5_reader *reader, const char *name, int rank, const int *shape,
                                 hid_t memory_type, void **values, size_t *n)
{
    hid_t id = -1;
    double count = 1.0;
    LR_TRY(open_dataset(reader, name, &id));
    for (int i = 0; i < rank; i++)
        count *= shape[i];
    hid_t type = H5Dget_type(id);
    enum lr_status status = LR_OK;
    if (!hdf5_type_is_number(type))
        status = hdf5_read_fail(reader, name, "does not hold numbers");
    else if (!has_shape(id, rank, shape))
        status = hdf5_read_fail(reader, name, "has the wrong shape");
    else if (count * (double)H5Tget_size(type) > reader->size * largest_gain(id))
        status = hdf5_read_fail(reader, name, "is larger than the file");
    if (status == LR_OK)
        status = lr_allocate(reader->ctx, (size_t)count, H5Tget_size(memory_type), values);
    if (status == LR_OK && H5Dread(id, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) < 0)
        status = hdf5_read_fail(reader, name, "cannot be read");
    if (type >= 0)
        H5Tclose(type);
    H5Dclose(id);
    *n = (size_t)count;
    return status;
}

enum lr_status hdf5_read_doubles(const struct hdf5_reader *reader, const char *name, int rank, const int *shape,
                                 double low, double **values)
{
    void *data = NULL;
    size_t n = 0;
    enum lr_status status = read_array(reader, name, rank, shape, H5T_NATIVE_DOUBLE, &data, &n);
    *values = data;
    for (size_t i = 0; status == LR_OK && i < n; i++)
        if (!isfinite((*values)[i]) || (*values)[i] < low)
            status = hdf5_read_fail(reader, name, "has invalid values");
    return status;
}

enum lr_status hdf5_read_floats(const struct hdf5_reader *reader, const char *name, int rank, const int *shape,
                                float **values)
{
    void *data = NULL;
    size_t n = 0;
    enum lr_status status = read_array(reader, name, rank, shape, H5T_NATIVE_FLOAT, &data, &n);
    *values = data;
    return status;
}

enum lr_status hdf5_read_array(const struct hdf5_reader *reader, const char *name, int rank, const int *shape,
                               hid_t memory_type, void **values)
{
    size_t n = 0;
    return read_array(reader, name, rank, shape, memory_type, values, &n);
}

/* Results of other programs have no hash. */
static bool has_own_hash(hid_t id, const char *text)
{
    char stored[HDF5_HASH_SIZE], hash[HDF5_HASH_SIZE];
    if (H5Aexists(id, HDF5_TEXT_HASH) == 0)
        return true;
    hdf5_text_hash(text, hash);
    return hdf5_text_attribute(id, HDF5_TEXT_HASH, sizeof stored, stored) && strcmp(stored, hash) == 0;
}

enum lr_status hdf5_read_text(const struct hdf5_reader *reader, const char *name, char **text)
{
    hid_t id = -1;
    char *found = NULL;
    LR_TRY(open_dataset(reader, name, &id));
    hid_t type = H5Dget_type(id), space = H5Dget_space(id);
    bool good = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0 &&
                H5Sget_simple_extent_npoints(space) == 1 &&
                H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &found) >= 0 && found;
    enum lr_status status = good ? LR_OK : hdf5_read_fail(reader, name, "is not a string");
    if (good && !has_own_hash(id, found))
        status = hdf5_read_fail(reader, name, "is damaged: its bytes are not those that were written");
    if (status == LR_OK)
        status = lr_copy_text(reader->ctx, found, text);
    if (found)
        H5free_memory(found);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    H5Dclose(id);
    return status;
}
