/* Scattered light: from the sums that packets recorded for the cameras to emissivities of a scene. */
#ifndef LR_SOLVE_IMAGING_SCATTERED_LIGHT_H
#define LR_SOLVE_IMAGING_SCATTERED_LIGHT_H

#include "model/scene.h"
#include "solve/imaging/trace.h"

/* The sums from transport: photons toward cameras (kernel/sight.h), and the packets of each group. */
struct scattered {
    const float *sums; /* [n_group][n_camera][n_row of the job][n_channel] */
    int n_group, n_camera;
    int cavity; /* 1: the first cell of the job is the empty cavity inside the shells */
    const double *packets;
};

/* The sums of a group for a camera of the scene, from its first cell on. */
const float *scattered_sums(const struct scattered *scattered, const struct scene *scene, int group, int camera);

/* Adds scattered light. With `errors` the groups give a standard error per voxel. */
enum lr_status scene_add_scattered(lr_context *ctx, const lr_model *model, struct scene *scene,
                                   const struct scattered *scattered, bool errors);

/* Light toward a camera of the scene that stays on the device, from this many packets. */
struct trace_light kept_light(const lr_model *model, const struct scene *scene, int camera, const void *kept,
                              double packets);

/* Sums of one camera from this many packets, as an emissivity in the unit of the scene. */
void scene_scale_sums(const lr_model *model, const struct scene *scene, const float *sums, double packets,
                      float *emissivity);

#endif
