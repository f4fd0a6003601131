/* The rows of channels that store light toward a camera (kernel/sight.h): one per cell; on shells one per shell and
 * aspect, the cosine between radius and camera where light leaves the shell: below 0 through its inner sphere, above 0
 * through its outer one. */
#ifndef LR_MODEL_LIGHT_ROWS_H
#define LR_MODEL_LIGHT_ROWS_H

#include <stdint.h>

#include "mesh/mesh.h"

struct light_rows {
    int n_aspect; /* 1, or of shells */
    int64_t n;
};

struct light_rows light_rows_make(const struct mesh *mesh, int n_aspect);

/* The volume over which the light of a row is spread, cm^3: that of its cell, or the projected area of its part of the
 * sphere, times `length`. */
double light_row_volume(const struct light_rows *rows, const struct mesh *mesh, int64_t row, double length);

#endif
