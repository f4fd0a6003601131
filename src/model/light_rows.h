/* The rows of channels in which light toward a camera is kept (kernel/sight.h):
 *
 *     boxes    one for each cell, then the screens: elements of the open faces across x, y and z, of the side that is
 *              turned to the camera
 *     shells   one for each shell and aspect, the cosine between radius and camera where light leaves the shell. Below
 * 0 that is its inner sphere, above 0 its outer one. */
#ifndef LR_MODEL_LIGHT_ROWS_H
#define LR_MODEL_LIGHT_ROWS_H

#include <stdint.h>

#include "mesh/mesh.h"

struct light_rows {
    int n_aspect;        /* 1, or of shells */
    int64_t n_cell;      /* rows of cells */
    int screen[3];       /* elements along each axis */
    int screen_first[3]; /* row of the first one across each axis; -1 = that axis has no open faces */
    int64_t n;           /* all rows */
};

struct light_rows light_rows_make(const struct mesh *mesh, int n_aspect);

/* What the light of a row is spread over, cm^3: the volume of its cell; for light on a surface the area of the surface,
 * times `length`. The projected area, on shells. */
double light_row_volume(const struct light_rows *rows, const struct mesh *mesh, int64_t row, double length);

#endif
