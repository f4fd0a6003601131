/* What the ray tracer reads; code units as in views.h, intensities in a unit of the job's choice. */
#ifndef LR_KERNEL_TRACE_VIEW_H
#define LR_KERNEL_TRACE_VIEW_H

#include "kernel/ray.h"
#include "kernel/views.h"

enum { TRACE_MAX_NODE = 16 };

/* A sample is one traced frequency: sample s = node * n_channel + channel, at the given fraction of the channel. */
struct trace_view {
    struct mesh_view mesh;
    const struct cell_view *cell; /* `eps` holds q, the line source */
    struct eye eye;
    int rays;                  /* per pixel and direction */
    int n_channel, n_node;     /* channels of the emissivity that are traced; frequencies in each */
    int merge;                 /* of them make one channel of the image */
    real first, step;          /* radio velocity of the lower edge of channel 0; width */
    real node[TRACE_MAX_NODE]; /* fraction of the channel */
    real weight[TRACE_MAX_NODE];
    const float *emissivity; /* [n_cell][stride], from the first traced channel on; or NULL */
    int64_t stride;
    real emissivity_unit;
    int step_velocity, step_source;
    int line_only; /* no grey absorption and no emissivity: nothing happens away from the line */
};

/* Shift of a sample in the mesh frame. */
LR_FN real sample_shift_at(const struct trace_view *view, int node, int channel)
{
    return -(view->first + ((real)channel + view->node[node]) * view->step);
}

#endif
