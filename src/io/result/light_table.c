#include "io/result/light_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers in the light of a source. */
static size_t light_size(const struct light_table *table)
{
    return (size_t)table->n_channel * LIGHT_PARTS;
}

enum lr_status light_table_create(lr_context *ctx, struct light_table *table)
{
    const size_t n = (size_t)table->n;
    LR_TRY(lr_allocate(ctx, n * (size_t)table->n_column, sizeof(double), &table->geometry));
    return lr_allocate(ctx, n * light_size(table), sizeof(double), &table->brightness);
}

enum lr_status light_table_read(const struct hdf5_reader *reader, const char *name, struct light_table *table)
{
    enum { MOST_ROWS = 1 << 24 };
    char geometry[64], brightness[64];
    snprintf(geometry, sizeof geometry, "/scene/%s_geometry", name);
    snprintf(brightness, sizeof brightness, "/scene/%s_brightness", name);
    table->n = 0;
    if (!hdf5_read_has(reader, geometry))
        return LR_OK;
    LR_TRY(hdf5_read_length(reader, geometry, 2, MOST_ROWS, &table->n));
    LR_TRY(
        hdf5_read_doubles(reader, geometry, 2, (const int[]){table->n, table->n_column}, -INFINITY, &table->geometry));
    return hdf5_read_doubles(reader, brightness, 3, (const int[]){table->n, table->n_channel, LIGHT_PARTS}, -INFINITY,
                             &table->brightness);
}

enum lr_status light_table_write(struct hdf5_writer *writer, hid_t group, const struct light_table *table,
                                 const struct light_table_text *text)
{
    char name[64];
    snprintf(name, sizeof name, "%s_geometry", text->name);
    LR_TRY(hdf5_write_doubles(writer, group, name, (hsize_t)table->n, (hsize_t)table->n_column, 0, table->geometry, "1",
                              text->columns));
    snprintf(name, sizeof name, "%s_brightness", text->name);
    return hdf5_write_doubles(writer, group, name, (hsize_t)table->n, (hsize_t)table->n_channel, LIGHT_PARTS,
                              table->brightness, text->units,
                              "photons per unit radio velocity (cm/s) [source, channel, part of the channel]");
}

void light_table_free(struct light_table *table)
{
    free(table->geometry);
    free(table->brightness);
}

double *light_table_row(const struct light_table *table, int source)
{
    return table->geometry + (size_t)source * (size_t)table->n_column;
}

void light_table_put(const struct light_table *table, int source, const double *light)
{
    const size_t size = light_size(table);
    memcpy(table->brightness + (size_t)source * size, light, size * sizeof *light);
}

enum lr_status light_table_get(lr_context *ctx, const struct light_table *table, int source, double **light)
{
    const size_t size = light_size(table);
    LR_TRY(lr_allocate(ctx, size, sizeof **light, light));
    memcpy(*light, table->brightness + (size_t)source * size, size * sizeof **light);
    return LR_OK;
}
