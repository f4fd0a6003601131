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

/* The channels of a window, as they are asked for. */
struct channels window_channels(const lr_model *model, const struct window *window);

/* Each channel is recorded as so many narrower ones, in a run with packets: a power of two. */
int channel_refinement(const lr_model *model);

/* Shells that scatter: how many aspects (kernel/aspect.h) their emissivity has; otherwise 1. */
int aspect_count(const lr_model *model);

/* Whether any cell is deeper than this, at line centre and along its longest side. */
bool has_deep_cells(const lr_model *model, double depth);

/* Whether light toward cameras is followed out of the mesh, rather than out of its cell. */
bool follows_light_out(const lr_model *model);

/* The narrower channels of a window. */
struct channels recorded_channels(const lr_model *model, const struct window *window);

#endif
