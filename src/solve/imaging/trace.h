/* From one camera of a scene to one cube. */
#ifndef LR_SOLVE_IMAGING_TRACE_H
#define LR_SOLVE_IMAGING_TRACE_H

#include "model/cube.h"
#include "model/scene.h"
#include "solve/common/worker.h"

/* Scattered light toward one camera, as seen by rays: an emissivity with the shape of the scene, or one kept on a
 * device (backend.h), from element `first` on and in units of unit x scale. */
struct trace_light {
    const float *value; /* NULL: none, or kept */
    double unit;
    const void *kept;
    int64_t first;
    double scale;
};

/* The light for a camera of the scene. */
struct trace_light trace_light_of(const struct scene *scene, int camera);

/* What to trace. `view` has the pixels; channels are stored ones, cropped or merged. */
struct trace_request {
    const struct scene *scene;
    const struct medium *gas; /* of the scene, or other gas on its mesh */
    struct scene_group group; /* its lines */
    int origin;               /* the camera of the scene whose light is seen */
    struct trace_light scattered;
    const struct camera *view;
    const struct channels *channels;
    const struct image_options *options;
};

/* All of the light. */
enum lr_status trace_cube(lr_context *ctx, const struct worker *worker, const struct trace_request *request,
                          struct cube *cube);

/* Scattered light alone, [n_channel][n_y][n_x] in the unit of the cube. */
enum lr_status trace_scattered(lr_context *ctx, const struct worker *worker, const struct trace_request *request,
                               float *intensity);

/* Optical depth, mean over pixel and channel, [n_channel][n_y][n_x]. `view` sets the number of rays. Adds the time
 * taken to *seconds. */
enum lr_status trace_depth(lr_context *ctx, const struct worker *worker, const struct trace_request *request,
                           float *depth, double *seconds);

/* Roughly how many cells and frequencies the rays of an image step through. */
enum lr_status trace_count(lr_context *ctx, const struct mesh *mesh, const struct medium *gas,
                           const struct channels *channels, const struct camera *view, double *steps);

#endif
