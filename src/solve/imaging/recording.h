/* How light toward the cameras is recorded while packets fly: in which channels, by how many aspects, and how far it is
 * followed. */
#ifndef LR_SOLVE_IMAGING_RECORDING_H
#define LR_SOLVE_IMAGING_RECORDING_H

#include "model/model.h"

/* Some of the cameras and channels of a model. */
struct window {
    int camera, n_camera;
    int channel, n_channel;
};

/* The channels of a window, as requested. */
struct channels window_channels(const lr_model *model, const struct window *window);

/* In a run with packets, each channel is recorded as this many narrower ones: a power of two. */
int channel_refinement(const lr_model *model);

/* For scattering shells, the number of aspects (kernel/aspect.h) of their emissivity; otherwise 1. */
int aspect_count(const lr_model *model);

/* Whether any cell is deeper than this, at line centre along its longest side. */
bool has_deep_cells(const lr_model *model, double depth);

/* Whether light toward cameras is followed out of the mesh, rather than out of its cell. */
bool follows_light_out(const lr_model *model);

/* The narrower channels of a window. */
struct channels recorded_channels(const lr_model *model, const struct window *window);

#endif
