/* One FITS file: a cube, or a map from the same camera. It is either complete or absent. */
#ifndef LR_IO_FITS_FITS_IMAGE_H
#define LR_IO_FITS_FITS_IMAGE_H

#include <stdbool.h>

#include "base/context.h"
#include "model/cube.h"

struct fits_image {
    const struct cube *cube; /* its camera, channels and line */
    const struct image_options *options;
    const float *data; /* [n_channel][n_y][n_x], or [n_y][n_x] of a map */
    double factor;     /* the file holds data times this */
    bool map;          /* no velocity axis */
    bool convolved;    /* with the beam of the options */
    const char *unit;  /* BUNIT, "" when dimensionless */
    const char *type;  /* BTYPE, one of casacore's terms if there is one */
    const char *object;
    const char *const *history;
    int n_history;
};

enum lr_status fits_image_write(lr_context *ctx, const struct fits_image *image, const char *path);

/* Whether a file is FITS and its ORIGIN is linerad. */
bool fits_image_recognise(const char *path);

#endif
