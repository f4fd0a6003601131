/* The points or the planes of a stored scene as two tables: NAME_geometry has a row of numbers for each source,
 * NAME_brightness its light in each part of each channel. */
#ifndef LR_IO_RESULT_LIGHT_TABLE_H
#define LR_IO_RESULT_LIGHT_TABLE_H

#include "io/hdf5/hdf5_read.h"
#include "io/hdf5/hdf5_write.h"
#include "model/scene.h"

struct light_table {
    int n, n_column, n_channel;
    double *geometry;   /* [n][n_column], own */
    double *brightness; /* [n][n_channel][LIGHT_PARTS], own */
};

/* How it is described in the file. */
struct light_table_text {
    const char *name, *columns, *units; /* units of the brightness */
};

/* An empty table with this many rows. */
enum lr_status light_table_create(lr_context *ctx, struct light_table *table);
/* The table of that name under /scene; without rows if there is none. */
enum lr_status light_table_read(const struct hdf5_reader *reader, const char *name, struct light_table *table);
enum lr_status light_table_write(struct hdf5_writer *writer, hid_t group, const struct light_table *table,
                                 const struct light_table_text *text);
void light_table_free(struct light_table *table);

/* The numbers of a source. */
double *light_table_row(const struct light_table *table, int source);
/* Its light: stored, or taken out as a copy. */
void light_table_put(const struct light_table *table, int source, const double *light);
enum lr_status light_table_get(lr_context *ctx, const struct light_table *table, int source, double **light);

#endif
