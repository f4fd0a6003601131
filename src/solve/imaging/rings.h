/* Images of spherical shells. The intensity depends only on the distance p from the image centre: it is traced on
 * rings, each inside the shadow of one shell, and distributed over the pixels by overlapping area. The light of rings
 * smaller than a pixel is kept, however small they are. */
#ifndef LR_SOLVE_IMAGING_RINGS_H
#define LR_SOLVE_IMAGING_RINGS_H

#include "base/context.h"
#include "mesh/mesh.h"
#include "model/camera.h"

enum { RING_NODES = 2, RAYS_PER_ROW = 8 };

struct rings {
    int n;
    double *edge;   /* [n + 1] p, from 0 to the radius of the mesh, cm */
    double *impact; /* [n_row][RAYS_PER_ROW] p of the rays, RING_NODES per ring; padding is beyond the mesh */
    double *weight; /* [n][RING_NODES] weights of the rays in the mean over the ring */
    int n_row;
};

/* Rings narrow enough for the pixels of the view and for gas that moves at `speed` Doppler parameters; view->rays times
 * finer than that, if set. */
enum lr_status rings_make(lr_context *ctx, const struct mesh *mesh, double speed, const struct camera *view,
                          struct rings *rings);
void rings_free(struct rings *rings);

/* From values on the rays [n_plane][n_row][RAYS_PER_ROW] to means over the pixels of the view; `beyond` [n_plane] is
 * the value outside the mesh. */
enum lr_status rings_to_pixels(lr_context *ctx, const struct rings *rings, const struct camera *view, int threads,
                               int n_plane, const float *rays, const double *beyond, float *pixels);

#endif
