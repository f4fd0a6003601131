/* The rows of channels in which light toward a camera is kept (kernel/sight.h): one for each cell; for each shell and
 * aspect, the cosine between radius and camera where light leaves the shell. Below 0 that is its inner sphere, above 0
 * its outer one. */
#ifndef LR_MODEL_LIGHT_ROWS_H
#define LR_MODEL_LIGHT_ROWS_H

#include <stdint.h>

#include "mesh/mesh.h"

struct light_rows {
    int n_aspect; /* 1, or of shells */
    int64_t n;
};

struct light_rows light_rows_make(const struct mesh *mesh, int n_aspect);

/* What the light of a row is spread over, cm^3: the volume of its cell, or the area of its part of the sphere as the
 * observer sees it, times `length`. */
double light_row_volume(const struct light_rows *rows, const struct mesh *mesh, int64_t row, double length);

#endif
