/* How finely an image is traced if the model does not say. Lines matter where gas absorbs or emits in them;
 * `line_source` may be NULL. */
#ifndef LR_SOLVE_IMAGING_TRACE_CHOICE_H
#define LR_SOLVE_IMAGING_TRACE_CHOICE_H

#include "base/context.h"
#include "model/camera.h"
#include "model/medium.h"

/* Frequencies in each channel. */
int trace_choose_samples(lr_context *ctx, const struct mesh *mesh, const struct medium *gas,
                         const struct field *line_source, double channel_width, int wanted);
/* Rays along each side of a pixel. */
int trace_choose_rays(lr_context *ctx, const struct mesh *mesh, const struct camera *view);
/* Largest speed of the gas in shells, in Doppler parameters: for their rings. */
double trace_largest_speed(const struct mesh *mesh, const struct medium *gas, const struct field *line_source);

#endif
