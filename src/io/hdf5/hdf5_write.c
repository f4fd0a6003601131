#define _XOPEN_SOURCE 700
#include "io/hdf5/hdf5_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/hdf5/hdf5_text.h"
#include "model/cube.h"

enum {
    CHUNK_BYTES = 1 << 20,   /* large enough to keep the chunk index small; HDF5 keeps one such chunk in memory */
    COMPRESS_ROWS = 1 << 16, /* shorter lists are not worth it */
    GZIP_LEVEL = 1           /* most of the gain in a fraction of the time of higher levels */
};

/* ---- errors ---- */

static herr_t keep_first(unsigned n, const H5E_error2_t *error, void *text)
{
    if (n == 0)
        *(const char **)text = error->desc;
    return 0;
}

/* The disk is the likely cause; HDF5's own innermost message is the next best text. */
static enum lr_status fail(struct hdf5_writer *writer, const char *what)
{
    if (writer->sink.error)
        return lr_fail(writer->ctx, LR_ERROR_IO, "%s: cannot be written: %s", writer->path,
                       strerror(writer->sink.error));
    const char *cause = NULL;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &cause);
    return lr_fail(writer->ctx, LR_ERROR_IO, "%s: cannot write %s: %s", writer->path, what,
                   cause ? cause : "HDF5 failed");
}

static enum lr_status check(struct hdf5_writer *writer, bool good, const char *what)
{
    return good && !writer->sink.error ? LR_OK : fail(writer, what);
}

/* ---- the file ---- */

/* Properties of something new in the file: without the times of its creation, so that equal results are equal files. */
static hid_t without_times(hid_t list)
{
    if (list >= 0)
        H5Pset_obj_track_times(list, false);
    return list;
}

static enum lr_status create(struct hdf5_writer *writer)
{
    const char *part = NULL;
    LR_TRY(file_set_add(writer->set, writer->path, &part));
    writer->sink.fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (writer->sink.fd < 0)
        return lr_fail(writer->ctx, LR_ERROR_IO, "%s: cannot create the result: %s", writer->path, strerror(errno));
    hid_t access = hdf5_sink_access(&writer->sink);
    if (access >= 0) {
        /* HDF5 1.10 (2016) and later: groups, attributes and the index of chunks have checksums, too, and one chunk
         * needs no index. */
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
        hid_t list = without_times(H5Pcreate(H5P_FILE_CREATE));
        writer->file = list >= 0 ? H5Fcreate(part, H5F_ACC_TRUNC, list, access) : -1;
        H5Pclose(access);
        if (list >= 0)
            H5Pclose(list);
    }
    return check(writer, writer->file >= 0, "the file");
}

enum lr_status hdf5_write_open(struct file_set *set, const char *path, struct hdf5_writer *writer)
{
    *writer = (struct hdf5_writer){.ctx = set->ctx, .set = set, .sink.fd = -1, .file = -1};
    H5Eget_auto2(H5E_DEFAULT, &writer->report, &writer->report_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    enum lr_status status = lr_copy_text(set->ctx, path, &writer->path);
    if (status == LR_OK)
        status = create(writer);
    return status == LR_OK ? LR_OK : hdf5_write_close(writer, status);
}

enum lr_status hdf5_write_close(struct hdf5_writer *writer, enum lr_status status)
{
    if (writer->file >= 0) {
        bool flushed = H5Fflush(writer->file, H5F_SCOPE_GLOBAL) >= 0;
        bool closed = H5Fclose(writer->file) >= 0;
        if (status == LR_OK)
            status = check(writer, flushed && closed, "the file");
    }
    hdf5_sink_release(&writer->sink);
    if (status == LR_OK)
        status = file_set_flush(writer->set, writer->sink.fd, writer->path, "the result");
    else if (writer->sink.fd >= 0)
        close(writer->sink.fd);
    H5Eset_auto2(H5E_DEFAULT, writer->report, writer->report_data);
    free(writer->path);
    *writer = (struct hdf5_writer){.sink.fd = -1, .file = -1};
    return status;
}

enum lr_status hdf5_write_group(struct hdf5_writer *writer, const char *name, hid_t *group)
{
    enum { FEW_ATTRIBUTES = 200 }; /* so many are kept in the header of a group, which takes less space than a heap */
    hid_t list = without_times(H5Pcreate(H5P_GROUP_CREATE));
    if (list >= 0)
        H5Pset_attr_phase_change(list, FEW_ATTRIBUTES, 0);
    *group = list >= 0 ? H5Gcreate2(writer->file, name, H5P_DEFAULT, list, H5P_DEFAULT) : -1;
    if (list >= 0)
        H5Pclose(list);
    return check(writer, *group >= 0, name);
}

/* ---- attributes ---- */

static enum lr_status write_attribute(struct hdf5_writer *writer, hid_t object, const char *name, hid_t type,
                                      const void *data, int n)
{
    hsize_t size = (hsize_t)n;
    hid_t space = n > 0 ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
    hid_t id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = id >= 0 && H5Awrite(id, type, data) >= 0;
    if (id >= 0)
        good = H5Aclose(id) >= 0 && good;
    if (space >= 0)
        H5Sclose(space);
    return check(writer, good, name);
}

static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)
        return -1;
    return type;
}

enum lr_status hdf5_write_texts(struct hdf5_writer *writer, hid_t object, const char *name, const char *const *texts,
                                int n)
{
    hid_t type = text_type();
    enum lr_status status = write_attribute(writer, object, name, type, texts, n);
    if (type >= 0)
        H5Tclose(type);
    return status;
}

enum lr_status hdf5_write_text(struct hdf5_writer *writer, hid_t object, const char *name, const char *text)
{
    return hdf5_write_texts(writer, object, name, &text, 0);
}

enum lr_status hdf5_write_numbers(struct hdf5_writer *writer, hid_t object, const char *name, const double *values,
                                  int n)
{
    return write_attribute(writer, object, name, H5T_NATIVE_DOUBLE, values, n);
}

enum lr_status hdf5_write_number(struct hdf5_writer *writer, hid_t object, const char *name, double value)
{
    return write_attribute(writer, object, name, H5T_NATIVE_DOUBLE, &value, 0);
}

enum lr_status hdf5_write_quantity(struct hdf5_writer *writer, hid_t object, const char *name, double value,
                                   const char *units)
{
    char label[64];
    snprintf(label, sizeof label, "%s_units", name);
    LR_TRY(hdf5_write_number(writer, object, name, value));
    return hdf5_write_text(writer, object, label, units);
}

enum lr_status hdf5_write_integer(struct hdf5_writer *writer, hid_t object, const char *name, int64_t value)
{
    return write_attribute(writer, object, name, H5T_NATIVE_INT64, &value, 0);
}

enum lr_status hdf5_write_unsigned(struct hdf5_writer *writer, hid_t object, const char *name, uint64_t value)
{
    return write_attribute(writer, object, name, H5T_NATIVE_UINT64, &value, 0);
}

/* ---- datasets ---- */

/* Whole planes of the last axes, as many as fit into CHUNK_BYTES; parts of a plane if one is larger. */
static void choose_chunk(int rank, const hsize_t *size, size_t value_bytes, hsize_t *chunk)
{
    double bytes = (double)value_bytes;
    for (int i = 0; i < rank; i++) {
        chunk[i] = size[i];
        bytes *= (double)size[i];
    }
    for (int i = 0; i < rank && bytes > CHUNK_BYTES; i++) {
        const double one = bytes / (double)size[i];
        chunk[i] = one < CHUNK_BYTES ? (hsize_t)(CHUNK_BYTES / one) : 1;
        bytes = one * (double)chunk[i];
    }
}

/* Creation properties: chunks with a checksum, perhaps compressed. */
static hid_t layout(int rank, const hsize_t *size, hid_t type, bool compress)
{
    hid_t list = without_times(H5Pcreate(H5P_DATASET_CREATE));
    hsize_t chunk[HDF5_WRITE_MAX_RANK];
    for (int i = 0; i < rank; i++)
        if (size[i] == 0)
            return list;
    choose_chunk(rank, size, H5Tget_size(type), chunk);
    const bool smaller = compress && size[0] >= COMPRESS_ROWS && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0;
    if (list < 0 || H5Pset_chunk(list, rank, chunk) < 0 ||
        (smaller && (H5Pset_shuffle(list) < 0 || H5Pset_deflate(list, GZIP_LEVEL) < 0)) ||
        H5Pset_fletcher32(list) < 0) {
        H5Pclose(list);
        return -1;
    }
    return list;
}

static enum lr_status describe(struct hdf5_writer *writer, hid_t id, const char *units, const char *description)
{
    LR_TRY(hdf5_write_text(writer, id, "units", units));
    return hdf5_write_text(writer, id, "description", description);
}

enum lr_status hdf5_write_dataset(struct hdf5_writer *writer, hid_t group, const struct hdf5_dataset *dataset,
                                  hid_t *id)
{
    hid_t list = layout(dataset->rank, dataset->size, dataset->file_type, dataset->compress);
    hid_t space = H5Screate_simple(dataset->rank, dataset->size, NULL);
    hid_t made = H5Dcreate2(group, dataset->name, dataset->file_type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bool good = made >= 0 && H5Dwrite(made, dataset->memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, dataset->data) >= 0;
    enum lr_status status = check(writer, good, dataset->name);
    if (space >= 0)
        H5Sclose(space);
    if (list >= 0)
        H5Pclose(list);
    if (status == LR_OK)
        status = describe(writer, made, dataset->units, dataset->description);
    if (made >= 0 && (!id || status != LR_OK)) {
        bool closed = H5Dclose(made) >= 0;
        if (status == LR_OK)
            status = check(writer, closed, dataset->name);
    } else if (id) {
        *id = made;
    }
    return status;
}

enum lr_status hdf5_write_doubles(struct hdf5_writer *writer, hid_t group, const char *name, hsize_t n0, hsize_t n1,
                                  hsize_t n2, const double *data, const char *units, const char *description)
{
    const struct hdf5_dataset dataset = {.name = name,
                                         .rank = n2   ? 3
                                                 : n1 ? 2
                                                      : 1,
                                         .size = {n0, n1, n2},
                                         .memory_type = H5T_NATIVE_DOUBLE,
                                         .file_type = H5T_IEEE_F64LE,
                                         .data = data,
                                         .units = units,
                                         .description = description};
    return hdf5_write_dataset(writer, group, &dataset, NULL);
}

/* One index of the first axis at a time, so that no second copy of a large cube is made. */
static bool write_planes(hid_t id, const hsize_t size[3], const float *data, double factor, double *buffer)
{
    const hsize_t one[3] = {1, size[1], size[2]};
    const size_t n = (size_t)(size[1] * size[2]);
    hid_t memory = H5Screate_simple(3, one, NULL), file = H5Dget_space(id);
    bool good = memory >= 0 && file >= 0;
    for (hsize_t plane = 0; good && plane < size[0]; plane++) {
        const hsize_t start[3] = {plane, 0, 0};
        for (size_t i = 0; i < n; i++)
            buffer[i] = (double)data[(size_t)plane * n + i] * factor;
        good = H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, one, NULL) >= 0 &&
               H5Dwrite(id, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, buffer) >= 0;
    }
    if (memory >= 0)
        H5Sclose(memory);
    if (file >= 0)
        H5Sclose(file);
    return good;
}

enum lr_status hdf5_write_scaled(struct hdf5_writer *writer, hid_t group, const char *name, const hsize_t size[3],
                                 const float *data, double factor, const char *units, const char *description)
{
    const bool wide = cube_exceeds_float(data, (size_t)(size[0] * size[1] * size[2]), factor);
    double *buffer = NULL;
    LR_TRY(lr_allocate(writer->ctx, (size_t)(size[1] * size[2]), sizeof *buffer, &buffer));
    const hid_t type = wide ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    hid_t space = H5Screate_simple(3, size, NULL), list = layout(3, size, type, false);
    hid_t id = H5Dcreate2(group, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (list >= 0)
        H5Pclose(list);
    enum lr_status status = check(writer, id >= 0 && write_planes(id, size, data, factor, buffer), name);
    if (status == LR_OK)
        status = describe(writer, id, units, description);
    if (id >= 0)
        H5Dclose(id);
    if (space >= 0)
        H5Sclose(space);
    free(buffer);
    return status;
}

enum lr_status hdf5_write_text_dataset(struct hdf5_writer *writer, hid_t group, const char *name, const char *text,
                                       const char *description)
{
    hid_t type = text_type();
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t id = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = id >= 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0;
    enum lr_status status = check(writer, good, name);
    char hash[HDF5_HASH_SIZE];
    hdf5_text_hash(text, hash);
    if (status == LR_OK)
        status = describe(writer, id, "1", description);
    if (status == LR_OK)
        status = hdf5_write_text(writer, id, HDF5_TEXT_HASH, hash);
    if (id >= 0)
        H5Dclose(id);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return status;
}
