/* The request to `linerad radex`, and how its results are written. */
#ifndef LINERAD_CLI_RADEX_H
#define LINERAD_CLI_RADEX_H

#include <stdbool.h>
#include <stdio.h>

#include "linerad.h"

/* An axis of the grid of models, in CGS. */
struct radex_axis {
    double *values;
    int n;
};

enum radex_format { RADEX_TEXT, RADEX_CSV, RADEX_JSON };

struct radex_request {
    const char *molecule, *geometry_name, *lines;
    struct radex_axis temperature, column, width, background;
    struct radex_axis density[LR_MAX_COLLIDER];
    int rates_of[LR_MAX_COLLIDER];
    enum lr_geometry geometry;
    enum radex_format format;
    double error;
    int threads;
    bool quiet, help;
};

/* Some of the models, solved: arrays as in struct lr_parcels and struct lr_parcel_lines, and which lines to show. */
struct radex_block {
    const lr_molecule *molecule;
    int64_t n;
    int n_line, n_level, n_shown;
    const int *shown;
    double *temperature, *column, *width, *background, *density[LR_MAX_COLLIDER];
    double *excitation, *depth, *radiation, *flux_kelvin, *flux_energy, *population, *error;
    int *iterations, *flags;
};

extern const char *const radex_collider_names[LR_MAX_COLLIDER];

void radex_write_start(const struct radex_request *request, FILE *file);
void radex_write_block(const struct radex_request *request, const struct radex_block *block, bool first, FILE *file);
void radex_write_end(const struct radex_request *request, FILE *file);

#endif
