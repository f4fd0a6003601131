/* What the ray tracer reads; code units as in views.h, intensities in a unit of the job's choice. */
#ifndef LR_KERNEL_TRACE_VIEW_H
#define LR_KERNEL_TRACE_VIEW_H

#include "kernel/ray.h"
#include "kernel/slope.h"
#include "kernel/views.h"

enum { TRACE_MAX_NODE = 64 };

/* A sample is one traced frequency: sample s = node * n_channel + channel, at the given fraction of the channel. */
struct trace_view {
    struct mesh_view mesh;
    const struct cell_view *cell; /* `eps` holds q, the line source */
    struct eye eye;
    int rays;                    /* per pixel and direction */
    int n_channel, n_node;       /* channels of the emissivity that are traced; frequencies in each */
    int merge;                   /* of them make one channel of the image */
    real first, step;            /* radio velocity of the lower edge of channel 0; width */
    real node[TRACE_MAX_NODE];   /* fraction of the channel */
    real weight[TRACE_MAX_NODE]; /* in a pixel */
    real share[TRACE_MAX_NODE];  /* of the channel; sums to 1 */
    const float *emissivity;     /* [n_cell][n_aspect][stride], from the first traced channel on; or NULL */
    int64_t stride;
    real emissivity_unit;
    int spread; /* emissivity follows the profile inside a channel; otherwise it is flat */
    int step_velocity, step_source;
    const struct slope_view *slope; /* [n_cell], or NULL when nothing changes inside cells */
    int line_only;                  /* no grey absorption and no emissivity: nothing happens away from the line */
    int n_aspect;                   /* SHELLS: of the emissivity (aspect.h) */
};

/* Shift of a sample in the mesh frame. */
LR_FN real sample_shift_at(const struct trace_view *view, int node, int channel)
{
    return -(view->first + ((real)channel + view->node[node]) * view->step);
}

/* The observer of a trace, as deposits know it. */
LR_FN struct camera_view trace_camera(const struct trace_view *view)
{
    struct camera_view camera;
    camera.perspective = view->eye.perspective;
    camera.toward = vec3_make((real)view->eye.toward.x[0], (real)view->eye.toward.x[1], (real)view->eye.toward.x[2]);
    camera.position = vec3_make((real)view->eye.origin.x[0], (real)view->eye.origin.x[1], (real)view->eye.origin.x[2]);
    return camera;
}

#endif
