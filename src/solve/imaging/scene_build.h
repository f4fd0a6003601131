/* From a model, and the light that its Monte Carlo pass recorded for the cameras, to a scene for the ray tracer. */
#ifndef LR_SOLVE_IMAGING_SCENE_BUILD_H
#define LR_SOLVE_IMAGING_SCENE_BUILD_H

#include "model/scene.h"
#include "solve/imaging/trace.h"

/* Some of the cameras and channels of a model. */
struct window {
    int camera, n_camera;
    int channel, n_channel;
};

struct channels window_channels(const lr_model *model, const struct window *window);

/* In a run with packets, each channel is recorded as this many narrower ones: a power of two. */
int channel_refinement(const lr_model *model);

/* For scattering shells, the number of aspects (kernel/aspect.h) of their emissivity; otherwise 1. */
int aspect_count(const lr_model *model);

/* Whether any cell is deeper than this, at line centre along its longest side. */
bool has_deep_cells(const lr_model *model, double depth);

/* Whether light toward cameras is followed out of the mesh, rather than out of its cell. */
bool follows_light_out(const lr_model *model);

/* The channels of a window as they are recorded. */
struct channels recorded_channels(const lr_model *model, const struct window *window);

/* A scene with all created light but no scattered light. It borrows the medium of the model. */
enum lr_status scene_build(lr_context *ctx, const lr_model *model, const struct window *window, struct scene **scene);

/* The gas alone, for depths: nothing in it emits, and nothing is stored per cell and channel. */
enum lr_status scene_build_dark(lr_context *ctx, const lr_model *model, struct scene **scene);

/* The sums from transport: photons toward cameras (kernel/sight.h), and the packets of each group. */
struct scattered {
    const float *sums; /* [n_group][n_camera][n_row of the job][n_channel] */
    int n_group, n_camera;
    int cavity; /* 1: the first cell of the job is the empty cavity inside the shells */
    const double *packets;
};

/* The sums of a group for a camera of the scene, from its first cell on. */
const float *scattered_sums(const struct scattered *scattered, const struct scene *scene, int group, int camera);

/* Add scattered light. With `errors`, the groups give a standard error per voxel. */
enum lr_status scene_add_scattered(lr_context *ctx, const lr_model *model, struct scene *scene,
                                   const struct scattered *scattered, bool errors);

/* Light toward a camera of the scene, from this many packets, that is kept on a device. */
struct trace_light kept_light(const lr_model *model, const struct scene *scene, int camera, const void *kept,
                              double packets);

/* Sums of one camera from this many packets, as an emissivity in the unit used by the scene. */
void scene_scale_sums(const lr_model *model, const struct scene *scene, const float *sums, double packets,
                      float *emissivity);

/* Copy the borrowed medium, so that the scene can outlive its model. */
enum lr_status scene_own_medium(lr_context *ctx, struct scene *scene);

/* Luminosity of all sources, photons/s. */
double model_luminosity(const lr_model *model);

#endif
