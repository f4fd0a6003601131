/* One FITS file of a set: a cube, or a map from the same camera. */
#ifndef LR_IO_FITS_FITS_IMAGE_H
#define LR_IO_FITS_FITS_IMAGE_H

#include <stdbool.h>

#include "base/context.h"
#include "io/files/file_set.h"
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
    const char *run, *partial; /* RUNID and PARTIAL; "" = none */
    const char *const *history;
    int n_history;
};

enum lr_status fits_image_write(struct file_set *set, const struct fits_image *image, const char *path);

/* Whether a file is FITS and its ORIGIN is linerad. */
bool fits_image_recognise(const char *path);

#endif
