#include "io/result/stored_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/hdf5_text.h"

static hid_t memory_type(enum stored_kind kind)
{
    switch (kind) {
    case STORED_FLOAT:
        return H5T_NATIVE_FLOAT;
    case STORED_INT64:
        return H5T_NATIVE_INT64;
    case STORED_TEXT:
        return H5T_NATIVE_CHAR;
    case STORED_DOUBLE:
        break;
    }
    return H5T_NATIVE_DOUBLE;
}

static hid_t file_type(enum stored_kind kind)
{
    switch (kind) {
    case STORED_FLOAT:
        return H5T_IEEE_F32LE;
    case STORED_INT64:
        return H5T_STD_I64LE;
    case STORED_TEXT:
        return H5T_STD_I8LE;
    case STORED_DOUBLE:
        break;
    }
    return H5T_IEEE_F64LE;
}

enum lr_status stored_write(struct hdf5_writer *writer, const char *group, const struct stored *list, bool compress)
{
    hid_t id = -1;
    enum lr_status status = hdf5_write_group(writer, group, &id);
    for (int i = 0; i < list->n && status == LR_OK; i++) {
        const struct stored_array *array = &list->array[i];
        struct hdf5_dataset dataset = {.name = array->name,
                                       .rank = array->rank,
                                       .memory_type = memory_type(array->kind),
                                       .file_type = file_type(array->kind),
                                       .data = array->data,
                                       .units = "1",
                                       .description = "in code units",
                                       .compress = compress};
        for (int axis = 0; axis < array->rank; axis++)
            dataset.size[axis] = (hsize_t)array->size[axis];
        status = hdf5_write_dataset(writer, id, &dataset, NULL);
    }
    if (id >= 0)
        H5Gclose(id);
    return status;
}

/* ---- reading ---- */

typedef char stored_name[sizeof((struct stored_array *)0)->name];

struct listing {
    int n, room;
    stored_name *name;
};

static herr_t note_name(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    struct listing *listing = user;
    (void)group;
    (void)info;
    if (strlen(name) >= sizeof(stored_name))
        return -1;
    if (listing->n == listing->room) {
        const int room = listing->room ? 2 * listing->room : 64;
        stored_name *grown = realloc(listing->name, (size_t)room * sizeof *grown);
        if (!grown)
            return -1;
        listing->name = grown;
        listing->room = room;
    }
    strcpy(listing->name[listing->n++], name);
    return 0;
}

static const double LARGEST_GAIN = 1032; /* of gzip */

static bool find_kind(hid_t dataset, enum stored_kind *kind)
{
    const hid_t type = H5Dget_type(dataset);
    const H5T_class_t class = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const size_t bytes = type >= 0 ? H5Tget_size(type) : 0;
    if (type >= 0)
        H5Tclose(type);
    if (class == H5T_FLOAT && (bytes == 4 || bytes == 8))
        *kind = bytes == 4 ? STORED_FLOAT : STORED_DOUBLE;
    else if (class == H5T_INTEGER && (bytes == 1 || bytes == 8))
        *kind = bytes == 1 ? STORED_TEXT : STORED_INT64;
    else
        return false;
    return true;
}

static enum lr_status read_one(const struct hdf5_reader *reader, const char *group, const char *name,
                               struct stored *list)
{
    char path[96];
    hsize_t size[STORED_MAX_RANK] = {0};
    int64_t wide[STORED_MAX_RANK] = {0};
    enum stored_kind kind = STORED_DOUBLE;
    void *room = NULL;
    snprintf(path, sizeof path, "%s/%s", group, name);
    const hid_t id = H5Dopen2(reader->file, path, H5P_DEFAULT);
    const hid_t space = id >= 0 ? H5Dget_space(id) : -1;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    bool good = rank >= 1 && rank <= STORED_MAX_RANK && find_kind(id, &kind) &&
                H5Sget_simple_extent_dims(space, size, NULL) == rank;
    double bytes = (double)stored_bytes(kind);
    for (int axis = 0; axis < rank && good; axis++) {
        wide[axis] = (int64_t)size[axis];
        bytes *= (double)size[axis];
    }
    good = good && bytes <= reader->size * (hdf5_may_be_compressed(id) ? LARGEST_GAIN : 1); /* or it is damaged */
    enum lr_status status = good ? stored_add_room(reader->ctx, list, name, kind, rank, wide, &room)
                                 : hdf5_read_fail(reader, path, "has the wrong shape or type");
    if (status == LR_OK && H5Dread(id, memory_type(kind), H5S_ALL, H5S_ALL, H5P_DEFAULT, room) < 0)
        status = hdf5_read_fail(reader, path, "cannot be read");
    if (space >= 0)
        H5Sclose(space);
    if (id >= 0)
        H5Dclose(id);
    return status;
}

enum lr_status stored_read(const struct hdf5_reader *reader, const char *group, struct stored *list)
{
    struct listing listing = {0};
    enum lr_status status = LR_OK;
    /* In any order: HDF5 can crash when it sorts the names of a damaged file. */
    if (H5Literate_by_name(reader->file, group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, note_name, &listing, H5P_DEFAULT) <
        0)
        status = hdf5_read_fail(reader, group, "cannot be read");
    for (int i = 0; i < listing.n && status == LR_OK; i++)
        status = read_one(reader, group, listing.name[i], list);
    free(listing.name);
    return status;
}
