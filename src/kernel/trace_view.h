/* What the ray tracer reads; code units as in views.h, intensities in a unit chosen by the job. */
#ifndef LR_KERNEL_TRACE_VIEW_H
#define LR_KERNEL_TRACE_VIEW_H

#include "kernel/line_group.h"
#include "kernel/ray.h"
#include "kernel/shining_plane.h"
#include "kernel/slope.h"

enum { TRACE_MAX_NODE = 64 };

/* Gas that emits with a spectrum of its own. */
struct glow_view {
    const real *strength; /* [n_cell] */
    const real *below;    /* [n] fraction of the spectrum below a shift */
    int n;
    real first, inv_step; /* of the shifts */
    int gas_frame;        /* shifts are relative to the gas, otherwise to the mesh */
};

/* Fraction of the spectrum between two shifts. Within one interval it is not a difference of large numbers. */
LR_FN real glow_between(const struct glow_view *glow, real low, real high)
{
    const real last = (real)(glow->n - 1);
    const real p = r_min(r_max((low - glow->first) * glow->inv_step, R(0)), last);
    const real q = r_min(r_max((high - glow->first) * glow->inv_step, R(0)), last);
    const int i = (int)p < glow->n - 2 ? (int)p : glow->n - 2;
    const int j = (int)q < glow->n - 2 ? (int)q : glow->n - 2;
    const real rise_p = glow->below[i + 1] - glow->below[i];
    const real rise_q = glow->below[j + 1] - glow->below[j];
    const int whole = p > R(0) && q < last; /* nothing is cut off */
    if (i == j)
        return rise_p * (whole ? (high - low) * glow->inv_step : q - p);
    return (glow->below[j] - glow->below[i]) + (q - (real)j) * rise_q - (p - (real)i) * rise_p;
}

/* A sample is one traced frequency: sample s = node * n_channel + channel, at a given fraction of the channel. */
struct trace_view {
    struct mesh_view mesh;
    const struct trace_cell *cell; /* [n_cell] */
    struct group_view group;
    struct eye eye;
    int rays;                      /* per pixel, along each side */
    int n_channel, n_node;         /* channels of the emissivity to trace; frequencies in each */
    int merge;                     /* how many of these channels form one channel of the image */
    real first, step;              /* radio velocity of the lower edge of channel 0; width */
    real node[TRACE_MAX_NODE];     /* fraction of the channel */
    real weight[TRACE_MAX_NODE];   /* of one sample in a pixel */
    real share[TRACE_MAX_NODE];    /* of the node in its channel; sums to 1 */
    real part[TRACE_MAX_NODE + 1]; /* the node represents the channel from this fraction to the next */
    const float *emissivity;       /* [n_row][stride] (sight.h), from the first traced channel on; or NULL */
    int64_t stride;
    int escaped; /* the emissivity has left the mesh: nothing attenuates it any more */
    real emissivity_unit;
    const real *sky; /* [n_node][n_channel] */
    int n_plane, n_glow;
    const struct plane_view *plane;
    const struct glow_view *glow;
    int step_velocity, step_source;
    const struct slope_view *slope; /* [n_cell], or NULL if cells are uniform */
    int line_only;                  /* no grey absorption and no emissivity: nothing happens away from the line */
    int n_aspect;                   /* SHELLS: of the emissivity (aspect.h) */
};

/* Shift of a sample in the mesh frame: minus the radio velocity. */
LR_FN real sample_shift_at(const struct trace_view *view, int node, int channel)
{
    return -(view->first + ((real)channel + view->node[node]) * view->step);
}

/* The same in units of b, in the frame of gas that moves toward the observer with `velocity`. */
LR_FN real sample_x(real shift, real velocity, real inv_b)
{
    return (shift - velocity) * inv_b;
}

/* The same for all channels: x = first - channel step. */
struct sample_row {
    real first, step;
};

LR_FN struct sample_row sample_row_of(const struct trace_view *view, int node, real velocity, real inv_b)
{
    struct sample_row row;
    row.first = sample_x(sample_shift_at(view, node, 0), velocity, inv_b);
    row.step = view->step * inv_b;
    return row;
}

LR_FN real sample_row_x(struct sample_row row, int channel)
{
    return row.first - (real)channel * row.step;
}

/* The same for one line of a group: x = first - channel step from its own centre. */
LR_FN struct sample_row sample_row_of_line(const struct trace_view *view, const struct group_line *line, int node,
                                           real velocity, real inv_b)
{
    struct sample_row row;
    row.first = sample_x(group_shift(line, sample_shift_at(view, node, 0)), velocity, inv_b);
    row.step = view->step * line->squeeze * inv_b;
    return row;
}

/* Light per length of all glows at a sample, for gas that moves toward the observer with `velocity`: the mean over the
 * part of the channel that the node represents. */
LR_FN real sample_glow(const struct trace_view *view, int cell, int node, int channel, real velocity)
{
    const real near = view->first + ((real)channel + view->part[node]) * view->step;
    const real far = view->first + ((real)channel + view->part[node + 1]) * view->step;
    real sum = R(0);
    for (int g = 0; g < view->n_glow; g++) {
        const struct glow_view *glow = &view->glow[g];
        const real frame = glow->gas_frame ? velocity : R(0);
        sum += glow->strength[cell] * glow_between(glow, -far - frame, -near - frame);
    }
    return r_div(sum, view->share[node] * view->step);
}

/* Slopes in a cell, for the observer of this view. */
LR_FN struct slope_view trace_slopes(const struct trace_view *view, int cell)
{
    const int row = cell / view->mesh.n[2];
    int at[3];
    at[0] = row / view->mesh.n[1];
    at[1] = row % view->mesh.n[1];
    at[2] = cell % view->mesh.n[2];
    return cell_slopes(&view->mesh, view->cell, at, eye_direction(&view->eye, &view->mesh, at));
}

#endif
