/* How finely an image is traced when the model leaves it open. `gas` is that of the scene, or other gas on its mesh. */
#ifndef LR_SOLVE_IMAGING_TRACE_CHOICE_H
#define LR_SOLVE_IMAGING_TRACE_CHOICE_H

#include "base/context.h"
#include "model/scene.h"

/* Frequencies in each channel. */
int trace_choose_samples(lr_context *ctx, const struct scene *scene, const struct medium *gas,
                         const struct channels *channels);
/* Rays along each side of a pixel. */
int trace_choose_rays(lr_context *ctx, const struct scene *scene, const struct camera *view);
/* Of the gas of shells, in Doppler parameters: for their rings. */
double trace_largest_speed(const struct scene *scene, const struct medium *gas);

#endif
