/* For tests of snapshots: small HDF5 files with a different value in every cell. */
#ifndef LR_TESTS_SNAPSHOT_FIXTURE_H
#define LR_TESTS_SNAPSHOT_FIXTURE_H

#include "model_fixture.h"

#include <unistd.h>

static inline hid_t text_type(const char *text, bool variable)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, variable ? H5T_VARIABLE : strlen(text) + 1);
    return type;
}

/* A string attribute of an object of the file, replacing any existing one. */
static inline void set_text(const char *file, const char *object, const char *name, const char *text, bool variable)
{
    hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), at = H5Oopen(id, object, H5P_DEFAULT);
    hid_t type = text_type(text, variable), one = H5Screate(H5S_SCALAR);
    if (H5Aexists(at, name) > 0)
        H5Adelete(at, name);
    hid_t attribute = H5Acreate2(at, name, type, one, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, variable ? (const void *)&text : (const void *)text) >= 0);
    H5Aclose(attribute);
    H5Sclose(one);
    H5Tclose(type);
    H5Oclose(at);
    H5Fclose(id);
}

/* Several strings of the same fixed length. */
static inline void set_texts(const char *file, const char *name, const char *const *texts, int n)
{
    enum { LENGTH = 21 };
    char flat[64][LENGTH] = {{0}};
    hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    hsize_t count = (hsize_t)n;
    for (int i = 0; i < n; i++)
        snprintf(flat[i], LENGTH, "%s", texts[i]);
    H5Tset_size(type, LENGTH);
    hid_t space = H5Screate_simple(1, &count, NULL);
    if (H5Aexists(id, name) > 0)
        H5Adelete(id, name);
    hid_t attribute = H5Acreate2(id, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, type, flat) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(id);
}

/* Numbers; a single one is a scalar. */
static inline void set_numbers(const char *file, const char *name, hid_t type, int n, const double *values)
{
    hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    hsize_t count = (hsize_t)n;
    hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    if (H5Aexists(id, name) > 0)
        H5Adelete(id, name);
    hid_t attribute = H5Acreate2(id, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Fclose(id);
}

static inline void make_group(const char *file, const char *name)
{
    hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gcreate2(id, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(group >= 0);
    H5Gclose(group);
    H5Fclose(id);
}

static inline void remove_object(const char *file, const char *name)
{
    hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(id, name, H5P_DEFAULT) >= 0);
    H5Fclose(id);
}

/* Replace or create a dataset. */
static inline void put(const char *file, const char *name, hid_t type, int rank, const hsize_t *shape,
                       const double *values, const char *units)
{
    hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT);
    if (H5Lexists(id, name, H5P_DEFAULT) > 0)
        H5Ldelete(id, name, H5P_DEFAULT);
    H5Fclose(id);
    write_dataset(file, false, name, type, rank, shape, values, units);
}

/* Replace a dataset by one of this shape to which nothing was ever written. */
static inline void put_empty(const char *file, const char *name, hid_t type, int rank, const hsize_t *shape)
{
    hid_t id = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(rank, shape, NULL);
    if (H5Lexists(id, name, H5P_DEFAULT) > 0)
        H5Ldelete(id, name, H5P_DEFAULT);
    hid_t dataset = H5Dcreate2(id, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Fclose(id);
}

/* An empty file in linerad's format, with groups mesh and fields. */
static inline void start_file(const char *file, const char *kind)
{
    hid_t id = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(id);
    set_text(file, "/", "format", "linerad-model", true);
    set_numbers(file, "version", H5T_STD_I32BE, 1, (const double[]){1});
    make_group(file, "mesh");
    make_group(file, "fields");
    set_text(file, "mesh", "kind", kind, false);
}

#endif
