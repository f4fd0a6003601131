/* The standard error of an image from those of independent groups of packets. */
#ifndef LR_SOLVE_IMAGING_IMAGE_SPREAD_H
#define LR_SOLVE_IMAGING_IMAGE_SPREAD_H

#include "model/cube.h"

/* The images of independent groups of p_g packets, P in all, each an estimate of the same image:
 *
 *     error^2 of their mean = SUM p_g (I_g - mean)^2 / ((n - 1) P). */
struct image_spread {
    int n_group;
    double packets;
    double *sum, *square;
};

/* For the image and the errors of a cube. Freed also after an error. */
enum lr_status image_spread_create(lr_context *ctx, struct cube *cube, struct image_spread *spread);
/* The image of a group, which also adds to the fluxes of the cube. */
void image_spread_add(struct image_spread *spread, struct cube *cube, int group, const float *image, double packets);
/* The errors of the cube. */
void image_spread_finish(const struct image_spread *spread, struct cube *cube);
void image_spread_free(struct image_spread *spread);

#endif
