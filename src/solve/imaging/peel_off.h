/* Images of light that packets sent straight into pixels (image.method: peel-off). */
#ifndef LR_SOLVE_IMAGING_PEEL_OFF_H
#define LR_SOLVE_IMAGING_PEEL_OFF_H

#include "model/cube.h"
#include "model/model.h"

/* What groups of packets sent to one camera. */
struct peeled {
    const double *sums; /* [n_group][n_channel][n_y][n_x] of w P exp(-tau) */
    int n_group;
    const double *packets; /* [n_group] */
};

/* Adds it to a cube, with its errors. */
enum lr_status peel_off_add(lr_context *ctx, const lr_model *model, const struct peeled *peeled, struct cube *cube);

#endif
