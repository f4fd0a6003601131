/* A traced cube as observed: convolved with the beam, weighted and scaled to the requested unit. */
#ifndef LR_MODEL_CUBE_FINISH_H
#define LR_MODEL_CUBE_FINISH_H

#include "model/cube.h"
#include "model/cube_moments.h"

struct finished_cube {
    const struct cube *cube;
    const struct image_options *options;
    const float *intensity, *error; /* those of the cube, or their convolution; error may be NULL */
    float *own_intensity, *own_error;
    double factor; /* from these values to the requested unit */
};

/* Release with cube_finish_free(), also after a failure. */
enum lr_status cube_finish(lr_context *ctx, const struct cube *cube, const struct image_options *options,
                           struct finished_cube *finished);
void cube_finish_free(struct finished_cube *finished);

/* Its moments, in values to be multiplied by `factor`; velocities include the systemic velocity. */
enum lr_status cube_finish_moments(lr_context *ctx, const struct finished_cube *finished, struct cube_moments *moments);

#endif
