/* Writing one HDF5 file as part of a set (io/files/file_set.h), which gives it its name when it is complete. Every
 * function records its own error text in the context. */
#ifndef LR_IO_HDF5_HDF5_WRITE_H
#define LR_IO_HDF5_HDF5_WRITE_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"
#include "io/files/file_set.h"
#include "io/hdf5/hdf5_sink.h"

struct hdf5_writer {
    lr_context *ctx;
    struct file_set *set;
    char *path;
    struct hdf5_sink sink;
    hid_t file;
    H5E_auto2_t report; /* HDF5's error printing, restored at the end */
    void *report_data;
};

enum { HDF5_WRITE_MAX_RANK = 5 };

struct hdf5_dataset {
    const char *name;
    int rank;
    hsize_t size[HDF5_WRITE_MAX_RANK];
    hid_t memory_type, file_type;
    const void *data;
    const char *units; /* "1" when dimensionless */
    const char *description;
    bool compress; /* shuffle and gzip, if large enough to matter */
};

enum lr_status hdf5_write_open(struct file_set *set, const char *path, struct hdf5_writer *writer);
/* Closes the file, and flushes it if `status` is LR_OK. Returns the overall status. */
enum lr_status hdf5_write_close(struct hdf5_writer *writer, enum lr_status status);

/* `name` is a full path. Close the group with H5Gclose(). */
enum lr_status hdf5_write_group(struct hdf5_writer *writer, const char *name, hid_t *group);
/* Close *id with H5Dclose(); with id = NULL that has been done. */
enum lr_status hdf5_write_dataset(struct hdf5_writer *writer, hid_t group, const struct hdf5_dataset *dataset,
                                  hid_t *id);
/* A dataset of doubles in physical units; size 0 ends the list of dimensions. */
enum lr_status hdf5_write_doubles(struct hdf5_writer *writer, hid_t group, const char *name, hsize_t n0, hsize_t n1,
                                  hsize_t n2, const double *data, const char *units, const char *description);
/* The same from floats [n0][n1][n2] times `factor`: float32, or float64 if its range is too small. */
enum lr_status hdf5_write_scaled(struct hdf5_writer *writer, hid_t group, const char *name, const hsize_t size[3],
                                 const float *data, double factor, const char *units, const char *description);
/* UTF-8 text of any length as a scalar dataset. */
enum lr_status hdf5_write_text_dataset(struct hdf5_writer *writer, hid_t group, const char *name, const char *text,
                                       const char *description);

enum lr_status hdf5_write_text(struct hdf5_writer *writer, hid_t object, const char *name, const char *text);
enum lr_status hdf5_write_texts(struct hdf5_writer *writer, hid_t object, const char *name, const char *const *texts,
                                int n);
enum lr_status hdf5_write_number(struct hdf5_writer *writer, hid_t object, const char *name, double value);
enum lr_status hdf5_write_numbers(struct hdf5_writer *writer, hid_t object, const char *name, const double *values,
                                  int n);
/* The attributes NAME and NAME_units. */
enum lr_status hdf5_write_quantity(struct hdf5_writer *writer, hid_t object, const char *name, double value,
                                   const char *units);
enum lr_status hdf5_write_integer(struct hdf5_writer *writer, hid_t object, const char *name, int64_t value);
enum lr_status hdf5_write_unsigned(struct hdf5_writer *writer, hid_t object, const char *name, uint64_t value);

#endif
