/* One camera of a scene to one cube. */
#ifndef LR_SOLVE_IMAGING_TRACE_H
#define LR_SOLVE_IMAGING_TRACE_H

#include "model/cube.h"
#include "model/scene.h"
#include "solve/common/worker.h"

/* `view` has the pixels, `origin` is the camera of the scene whose light it sees; channels are stored ones cropped or
 * merged. */
enum lr_status trace_cube(lr_context *ctx, const struct worker *worker, const struct scene *scene, int origin,
                          const struct camera *view, const struct channels *channels,
                          const struct image_options *options, struct cube *cube);

/* Optical depth, mean over pixel and channel, [n_channel][n_y][n_x]. `view` has its number of rays. `as_one`: velocity
 * does not change inside cells, as where light is scattered. Tracing adds to *seconds. */
enum lr_status trace_depth(lr_context *ctx, const struct worker *worker, const struct scene *scene, int origin,
                           const struct camera *view, const struct channels *channels, bool as_one, float *depth,
                           double *seconds);

/* The image of another emissivity alone, of the same shape as the scene's, added up into
 * SUM (I_g - mean)^2 by the caller: same geometry and unit as `like`. */
enum lr_status trace_emissivity(lr_context *ctx, const struct worker *worker, const struct scene *scene, int origin,
                                const struct emissivity *emissivity, const struct image_options *options,
                                const struct cube *like, float *intensity);

/* About how many cells and frequencies the rays of an image step through. Of the scene, mesh, gas and channels count.
 */
enum lr_status trace_count(lr_context *ctx, const struct scene *scene, const struct camera *view, double *steps);

#endif
