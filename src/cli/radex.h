/* `linerad radex`: what is asked, the models it solves, and how they are written. */
#ifndef LINERAD_CLI_RADEX_H
#define LINERAD_CLI_RADEX_H

#include <stdbool.h>
#include <stdio.h>

#include "linerad.h"
#include "options.h"

/* An axis of the grid of models, in CGS. */
struct radex_axis {
    double *values;
    int n;
};

enum radex_format { RADEX_TEXT, RADEX_CSV, RADEX_JSON };

struct radex_request {
    lr_context *ctx;
    const char *molecule, *geometry_name, *lines;
    struct radex_axis temperature, column, width, background;
    struct radex_axis density[LR_MAX_COLLIDER];
    int rates_of[LR_MAX_COLLIDER];
    enum lr_geometry geometry;
    enum radex_format format;
    double error;
    int threads, overlap;
    struct switches switches;
};

enum { RADEX_BLOCK = 4096 }; /* models solved at a time */

/* Some of the models, solved: arrays as in struct lr_parcels and struct lr_parcel_lines, and which lines to show. */
struct radex_block {
    const lr_molecule *molecule;
    int64_t n;
    int n_line, n_level, n_shown;
    int *shown;
    double *temperature, *column, *width, *background, *density[LR_MAX_COLLIDER];
    double *excitation, *depth, *radiation, *flux_kelvin, *flux_energy, *population, *error;
    int *iterations, *flags;
};

extern const char *const radex_collider_names[LR_MAX_COLLIDER];

/* Reads the command line. This and the functions below return exit codes. */
int radex_request_read(int argc, char **argv, struct radex_request *request);
void radex_request_free(struct radex_request *request);

/* Room for RADEX_BLOCK models; freed also after an error. */
int radex_block_create(const struct radex_request *request, const lr_molecule *molecule, struct radex_block *block);
void radex_block_free(struct radex_block *block);
/* The lines to show. */
int radex_choose_lines(const struct radex_request *request, struct radex_block *block);
/* Solves n models of the grid, beginning with number `start`. */
int radex_block_solve(const struct radex_request *request, int64_t start, int64_t n, struct radex_block *block);

void radex_write_start(const struct radex_request *request, FILE *file);
void radex_write_block(const struct radex_request *request, const struct radex_block *block, bool first, FILE *file);
void radex_write_end(const struct radex_request *request, FILE *file);

#endif
