/* Converts the job of the ray tracer to what its kernels read, as build_views.h does for transport. */
#ifndef LR_BACKEND_BUILD_TRACE_VIEW_H
#define LR_BACKEND_BUILD_TRACE_VIEW_H

#include "backend/build_views.h"
#include "kernel/trace_view.h"

/* The gas as rays see it. */
static inline int fill_trace_cells(const struct trace_job *job, int64_t first, int64_t count, struct trace_cell *cells)
{
    enum { PIECE = 4096 };
    struct trace_gas *piece = (struct trace_gas *)malloc(PIECE * sizeof(struct trace_gas));
    if (!piece)
        return 0;
    for (int64_t start = 0; start < count; start += PIECE) {
        const int64_t n = count - start < PIECE ? count - start : (int64_t)PIECE;
        job->read_gas(job->medium, first + start, n, piece);
        for (int64_t i = 0; i < n; i++) {
            struct trace_cell *to = &cells[start + i];
            to->alpha0 = (real)piece[i].alpha0;
            to->a = (real)piece[i].a;
            to->b = (real)piece[i].b;
            to->velocity = make_vector(piece[i].velocity);
            to->kappa = (real)piece[i].kappa;
            to->line_source = (real)piece[i].line_source;
        }
    }
    free(piece);
    return 1;
}

/* The lines of a group. Returns 0 if out of memory. */
static inline int make_group_view(const struct view_store *store, const struct trace_job *job, struct trace_view *view)
{
    enum { PIECE = 1024 };
    struct group_view *group = &view->group;
    const int64_t width = job->lte ? 1 : 2 * (int64_t)job->n_line;
    if (job->n_line == 0)
        return 1;
    struct group_line *line = (struct group_line *)calloc((size_t)job->n_line, sizeof *line);
    double *piece = (double *)malloc((size_t)(PIECE * width) * sizeof *piece);
    real *cell = (real *)malloc((size_t)(job->n_cell * width) * sizeof *cell);
    const int ready = line && piece && cell;
    for (int64_t first = 0; ready && first < job->n_cell; first += PIECE) {
        const int64_t n = job->n_cell - first < PIECE ? job->n_cell - first : (int64_t)PIECE;
        job->read_lines(job->medium, first, n, piece);
        for (int64_t i = 0; i < n * width; i++)
            cell[first * width + i] = (real)piece[i];
    }
    for (int l = 0; ready && l < job->n_line; l++) {
        const struct trace_line *from = &job->line[l];
        line[l].offset = (real)from->offset;
        line[l].squeeze = (real)(1 / (1 + from->d));
        line[l].damping = (real)from->damping;
        line[l].opacity = (real)from->opacity;
        line[l].shine = (real)from->shine;
        line[l].from_base = (real)from->from_base;
        line[l].lower = (real)from->lower;
    }
    if (ready) {
        group->n = job->n_line;
        group->lte = job->lte;
        group->stimulated = job->stimulated;
        group->line = (const struct group_line *)store->copy(store->owner, (size_t)job->n_line * sizeof *line, line);
        group->cell = (const real *)store->copy(store->owner, (size_t)(job->n_cell * width) * sizeof *cell, cell);
    }
    free(line);
    free(piece);
    free(cell);
    return ready && group->line && group->cell;
}

static inline int make_glow_views(const struct view_store *store, const struct trace_job *job, struct trace_view *view)
{
    int failed = 0;
    view->n_glow = job->n_glow;
    if (job->n_glow == 0)
        return 1;
    struct glow_view *glow = (struct glow_view *)calloc((size_t)job->n_glow, sizeof *glow);
    double *strength = (double *)calloc((size_t)job->n_cell, sizeof *strength);
    failed = !glow || !strength;
    for (int g = 0; !failed && g < job->n_glow; g++) {
        const struct trace_glow *from = &job->glow[g];
        job->read_glow(job->medium, g, 0, job->n_cell, strength);
        glow[g].strength = store_reals(store, job->n_cell, strength, &failed);
        glow[g].below = store_reals(store, from->n, from->below, &failed);
        glow[g].n = from->n;
        glow[g].first = (real)from->first;
        glow[g].inv_step = (real)(1 / from->step);
        glow[g].gas_frame = from->gas_frame;
    }
    if (!failed)
        view->glow = (const struct glow_view *)store->copy(store->owner, (size_t)job->n_glow * sizeof *glow, glow);
    free(glow);
    free(strength);
    return !failed && view->glow;
}

/* The view for the transmission of probes: with other frequencies, and without emission. */
static inline struct trace_view make_probe_view(const struct trace_job *job, const struct trace_view *from)
{
    struct trace_view view = *from;
    view.n_node = job->n_probe_node;
    for (int i = 0; i < view.n_node; i++)
        view.node[i] = ((real)i + R(0.5)) / (real)view.n_node;
    return view;
}

static inline int make_plane_views(const struct view_store *store, const struct trace_job *job, struct trace_view *view)
{
    int failed = 0;
    view->n_plane = job->n_plane;
    if (job->n_plane == 0)
        return 1;
    struct plane_view *plane = (struct plane_view *)calloc((size_t)job->n_plane, sizeof *plane);
    if (!plane)
        return 0;
    for (int p = 0; p < job->n_plane; p++) {
        const struct trace_plane *from = &job->plane[p];
        plane[p].axis = from->axis;
        plane[p].offset = from->offset;
        plane[p].isotropic = from->isotropic;
        plane[p].side = from->side;
        plane[p].brightness = store_reals(store, (int64_t)job->n_channel * job->n_node, from->brightness, &failed);
    }
    view->plane = (const struct plane_view *)store->copy(store->owner, (size_t)job->n_plane * sizeof *plane, plane);
    free(plane);
    return !failed && view->plane;
}

/* Everything but the cells and the emissivity. Returns 0 if out of memory. */
static inline int make_trace_view(const struct view_store *store, const struct trace_job *job, struct trace_view *view)
{
    int failed = 0;
    memset(view, 0, sizeof *view);
    view->mesh = make_mesh_view(store, &job->mesh, &failed);
    view->eye.toward = make_point(job->toward);
    view->eye.right = make_point(job->right);
    view->eye.up = make_point(job->up);
    view->eye.origin = make_point(job->origin);
    view->eye.step = job->pixel / job->rays;
    view->eye.perspective = job->perspective;
    view->eye.n_ray[0] = job->pixels[0] * job->rays;
    view->eye.n_ray[1] = job->pixels[1] * job->rays;
    if (job->impact) {
        const size_t n = (size_t)job->pixels[0] * (size_t)job->pixels[1];
        view->eye.impact = (const double *)store->copy(store->owner, n * sizeof(double), job->impact);
        failed |= !view->eye.impact;
    }
    view->rays = job->rays;
    view->n_channel = job->n_channel;
    view->n_node = job->n_node;
    view->merge = job->merge;
    view->first = (real)job->velocity_first;
    view->step = (real)job->velocity_step;
    for (int i = 0; i < job->n_node; i++) {
        view->node[i] = (real)job->node[i];
        view->share[i] = (real)job->weight[i];
        view->weight[i] = (real)(job->weight[i] / ((double)job->merge * job->rays * job->rays));
        view->part[i + 1] = view->part[i] + (real)job->weight[i];
    }
    view->stride = job->stride;
    view->emissivity_unit = (real)job->emissivity_unit;
    view->step_velocity = job->step_velocity;
    view->step_source = job->step_source;
    view->line_only = !job->emissivity && !job->kept && !job->grey && job->n_glow == 0;
    view->n_aspect = job->n_aspect;
    view->escaped = job->escaped;
    view->sky = store_reals(store, (int64_t)job->n_channel * job->n_node, job->sky, &failed);
    return !failed && make_group_view(store, job, view) && make_glow_views(store, job, view) &&
           make_plane_views(store, job, view);
}

#endif
