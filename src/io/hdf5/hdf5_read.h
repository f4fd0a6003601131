/* Reading an HDF5 file that may be damaged or foreign: sizes, types and values are not trusted until checked, and every
 * error names the file and the object. (What HDF5 itself does with a damaged file is the
 * business of hdf5_guard.h.) The caller
 * must silence HDF5's own error stack. Objects are named by their full path. */
#ifndef LR_IO_HDF5_HDF5_READ_H
#define LR_IO_HDF5_HDF5_READ_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/context.h"

struct hdf5_reader {
    lr_context *ctx;
    const char *path;
    hid_t file;
    double size; /* bytes of the file: no dataset can be larger unless it is compressed */
};

enum lr_status hdf5_read_open(lr_context *ctx, const char *path, struct hdf5_reader *reader);
void hdf5_read_close(struct hdf5_reader *reader);

/* "path: 'object' is damaged ..." */
enum lr_status hdf5_read_fail(const struct hdf5_reader *reader, const char *object, const char *what);

bool hdf5_read_has(const struct hdf5_reader *reader, const char *object);
bool hdf5_read_has_attribute(const struct hdf5_reader *reader, const char *object, const char *name);

/* ---- Attributes ---- */
/* One number, NaN and infinity included. */
enum lr_status hdf5_read_any_number(const struct hdf5_reader *reader, const char *object, const char *name,
                                    double *value);
/* Finite numbers, exactly n of them. */
enum lr_status hdf5_read_numbers(const struct hdf5_reader *reader, const char *object, const char *name, int n,
                                 double *values);
enum lr_status hdf5_read_number(const struct hdf5_reader *reader, const char *object, const char *name, double low,
                                double high, double *value);
enum lr_status hdf5_read_integer(const struct hdf5_reader *reader, const char *object, const char *name, int low,
                                 int high, int *value);
/* At most `most` texts of less than `size` bytes, into texts[most][size]. */
enum lr_status hdf5_read_texts(const struct hdf5_reader *reader, const char *object, const char *name, int most,
                               size_t size, char *texts, int *n);

/* ---- Datasets ---- */
/* The length of the first axis, at least 1 and less than `most`. */
enum lr_status hdf5_read_length(const struct hdf5_reader *reader, const char *name, int rank, int most, int *n);
/* The whole dataset, which must have this shape. Doubles are finite and not below `low`, floats are as they are. The
 * caller must free *values, also after an error. */
enum lr_status hdf5_read_doubles(const struct hdf5_reader *reader, const char *name, int rank, const int *shape,
                                 double low, double **values);
enum lr_status hdf5_read_floats(const struct hdf5_reader *reader, const char *name, int rank, const int *shape,
                                float **values);
/* The same as numbers of any HDF5 memory type. */
enum lr_status hdf5_read_array(const struct hdf5_reader *reader, const char *name, int rank, const int *shape,
                               hid_t memory_type, void **values);
/* One string of any length. */
enum lr_status hdf5_read_text(const struct hdf5_reader *reader, const char *name, char **text);

#endif
