/* The transfer equation along a ray for all its frequencies, as loops that the compiler turns into SIMD code. Inside
 * shells S changes along the radius: as that of the line does, or with an emissivity as between the shells on the way.
 * Included by cpu_trace.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_FORMAL_H
#define LR_BACKEND_CPU_FORMAL_H

#include "backend/cpu_ray.h"
#include "kernel/aspect.h"
#include "kernel/voigt.h"

/* ---- gas with nothing but its line: S is the same at all frequencies, and only the line's reach matters -------- */

/* How the profile is computed; BARE: damping is below LINE_FLOOR. */
enum shape { SHAPE_BARE, SHAPE_NARROW, SHAPE_BROAD };

static enum shape choose_shape(real a, real depth)
{
    return a * r_max(depth, R(1)) < LINE_FLOOR ? SHAPE_BARE : a <= LR_VOIGT_NARROW_MAX ? SHAPE_NARROW : SHAPE_BROAD;
}

/* Channels low..high of one node, over a part of a cell with this line-centre depth and this light at line centre. */
static inline __attribute__((always_inline)) void line_step(real *intensity, real *sum, int low, int high, real x_first,
                                                            real x_step, real a, real depth, real shine,
                                                            struct tilt tilt, const enum shape shape, const int flat)
{
#pragma omp simd
    for (int c = low; c < high; c++) {
        const real x = x_first - (real)c * x_step;
        const real profile = shape == SHAPE_BARE     ? r_exp(-r_min(x * x, LR_VOIGT_T_MAX))
                             : shape == SHAPE_NARROW ? voigt_narrow(a, x)
                                                     : voigt_broad(a, x);
        const real t = depth * profile;
        intensity[c] = flat ? formal_step_flat(intensity[c], t, shine * profile)
                            : formal_step(intensity[c], t, shine * profile, tilt.in, tilt.out);
        sum[c] += t;
    }
}

/* One compiled loop for each combination of shape and flatness. */
#define LINE_STEP(WANTED, FLAT)                                                                                        \
    if (shape == (WANTED) && flat == (FLAT))                                                                           \
        line_step(intensity, sum, low, high, x_first, view->step *inv_b, cell->a, depth, shine, tilt, WANTED, FLAT);

static void line_part(const struct pass *pass, struct desk *desk, const struct stretch *here, struct part part)
{
    const struct trace_view *view = &pass->view;
    const struct cell_view *cell = &pass->cell[here->way.cell];
    const real length = here->way.length * (part.to - part.from);
    const real depth = cell->alpha0 * length;
    const real shine = cell->eps * length;
    const struct tilt tilt = {between(here->tilt.in, here->tilt.out, part.from),
                              between(here->tilt.in, here->tilt.out, part.to)};
    const enum shape shape = choose_shape(cell->a, cell->alpha0 * here->way.length);
    const int flat = (tilt.in == R(0)) & (tilt.out == R(0));
    const real inv_b = R(1) / cell->b;
    const real half = line_reach(cell->a, cell->alpha0 * here->way.length) * cell->b / view->step;
    for (int node = 0; node < view->n_node; node++) {
        /* channel c is at the shift -(first + (c + node) step): those within reach of the line */
        const real middle = (-part.velocity - view->first) / view->step - view->node[node];
        const int low = (int)r_min(r_max(middle - half, R(0)), (real)view->n_channel) / VECTOR * VECTOR;
        const int high = padded((int)r_min(r_max(middle + half + R(1), R(0)), (real)view->n_channel));
        const real x_first = (-(view->first + view->node[node] * view->step) - part.velocity) * inv_b;
        real *intensity = node_row(desk, desk->intensity, node);
        real *sum = node_row(desk, desk->depth, node);
        LINE_STEP(SHAPE_BARE, 1)
        LINE_STEP(SHAPE_BARE, 0)
        LINE_STEP(SHAPE_NARROW, 1)
        LINE_STEP(SHAPE_NARROW, 0)
        LINE_STEP(SHAPE_BROAD, 1)
        LINE_STEP(SHAPE_BROAD, 0)
    }
}

static void trace_line(const struct pass *pass, struct desk *desk)
{
    for (int i = 0; i < desk->n_stretch; i++) {
        const struct stretch *here = &desk->stretch[i];
        const struct cell_view *cell = &pass->cell[here->way.cell];
        if (cell_is_empty(cell))
            continue;
        const int n = part_count(here, cell->b);
        for (int k = 0; k < n; k++)
            line_part(pass, desk, here, part_of(here, k, n));
    }
}

/* ---- gas that also absorbs or shines away from its line --------------------------------------------------------- */

static void profile_row(const struct trace_view *view, const struct cell_view *cell, real velocity, int node,
                        int row_length, real *profile)
{
    const real inv_b = R(1) / cell->b;
    const real first = -(view->first + view->node[node] * view->step) - velocity;
    const real spacing = view->step;
    const real a = cell->a;
    if (a <= LR_VOIGT_NARROW_MAX) {
#pragma omp simd
        for (int c = 0; c < row_length; c++)
            profile[c] = voigt_narrow(a, (first - (real)c * spacing) * inv_b);
    } else {
#pragma omp simd
        for (int c = 0; c < row_length; c++)
            profile[c] = voigt_broad(a, (first - (real)c * spacing) * inv_b);
    }
}

static void stored_row(const struct pass *pass, const struct passage *way, real *row)
{
    const struct trace_view *view = &pass->view;
    if (WALK_IS_RADIAL) {
        const struct aspects aspects = aspects_about(view->n_aspect, passage_mu(way));
        const float *cell = view->emissivity + (int64_t)way->cell * view->n_aspect * view->stride;
        const float *low = cell + aspects.low * view->stride;
        const float *high = cell + aspects.high * view->stride;
        for (int c = 0; c < view->n_channel; c++)
            row[c] = between((real)low[c], (real)high[c], aspects.share) * view->emissivity_unit;
        return;
    }
    const float *from = view->emissivity + way->cell * view->stride;
    for (int c = 0; c < view->n_channel; c++)
        row[c] = (real)from[c] * view->emissivity_unit;
}

/* Light of stored channels, desk->row, at all nodes. Scattered light is spread as the profile is: S, not the
 * emissivity, is smooth across a channel wider than the features of the line. The mean over the channel stays. */
static void spread_light(const struct trace_view *view, struct desk *desk, real *profiles, real *lights)
{
    const int n = desk->row_length;
    real *mean = desk->mean;
    const real *row = desk->row;
    memset(mean, 0, (size_t)n * sizeof *mean);
    for (int node = 0; view->spread && node < view->n_node; node++) {
        const real *profile = node_row(desk, profiles, node);
        const real share = view->share[node];
        for (int c = 0; c < n; c++)
            mean[c] += share * profile[c];
    }
    for (int node = 0; node < view->n_node; node++) {
        const real *profile = node_row(desk, profiles, node);
        real *light = node_row(desk, lights, node);
#pragma omp simd
        for (int c = 0; c < n; c++)
            light[c] = row[c] * (mean[c] > R(1e-30) ? profile[c] / mean[c] : R(1));
    }
}

/* Whether the line of one stretch is that of the next. */
static int same_line(const struct pass *pass, const struct stretch *p, const struct stretch *q)
{
    const struct cell_view *first = &pass->cell[p->way.cell];
    const struct cell_view *second = &pass->cell[q->way.cell];
    return first->a == second->a && first->b == second->b && p->middle == q->middle;
}

/* H, emissivity and S in the middle of a stretch, for all samples; beyond the last one S is negative. */
static void look_ahead(const struct pass *pass, struct desk *desk, int i)
{
    const struct trace_view *view = &pass->view;
    const int n = desk->row_length;
    if (i >= desk->n_stretch) {
        for (int s = 0; s < n * view->n_node; s++)
            desk->source[2][s] = R(-1);
        return;
    }
    const struct stretch *front = &desk->stretch[i];
    const struct cell_view *cell = &pass->cell[front->way.cell];
    if (i > 0 && same_line(pass, front - 1, front))
        memcpy(desk->profile[1], desk->profile[0], (size_t)(n * view->n_node) * sizeof(real));
    else
        for (int node = 0; node < view->n_node; node++)
            profile_row(view, cell, front->middle, node, n, node_row(desk, desk->profile[1], node));
    if (view->emissivity) {
        stored_row(pass, &front->way, desk->row);
        spread_light(view, desk, desk->profile[1], desk->light[1]);
    }
    const real *profile = desk->profile[1];
    const real *light = desk->light[1];
    real *source = desk->source[2];
#pragma omp simd
    for (int s = 0; s < n * view->n_node; s++) {
        const real opacity = cell->alpha0 * profile[s] + cell->kappa;
        source[s] = opacity > R(0) ? (cell->eps * profile[s] + light[s]) / opacity : R(-1);
    }
}

/* How S lies in a cell: flat; SHELLS: as that of the line; along the way. */
enum slant { SLANT_NONE, SLANT_LINE, SLANT_WAY };

static inline __attribute__((always_inline)) void general_step(const struct desk *desk, const struct cell_view *cell,
                                                               int n_sample, const struct passage *way,
                                                               struct part part, struct lean lean, struct tilt line,
                                                               const enum slant slant)
{
    const real *profile = desk->profile[0];
    const real *light = desk->light[0];
    const real *behind = desk->source[0];
    const real *source = desk->source[1];
    const real *front = desk->source[2];
    const real *past_x = desk->past[0];
    const real *past_y = desk->past[1];
    const real *past_z = desk->past[2];
    real *intensity = desk->intensity;
    real *depth = desk->depth;
    const real length = way->length * (part.to - part.from);
    const real span = passage_span(way);
    const real alpha0 = cell->alpha0;
    const real kappa = cell->kappa;
    const real q = cell->eps;
#pragma omp simd
    for (int s = 0; s < n_sample; s++) {
        const real opacity = alpha0 * profile[s] + kappa;
        const real t = opacity * length;
        const real glow = (q * profile[s] + light[s]) * length;
        if (slant == SLANT_NONE) {
            intensity[s] = formal_step_flat(intensity[s], t, glow);
        } else {
            const struct tilt tilt = slant == SLANT_LINE ? line
                                     : WALK_IS_RADIAL
                                         ? source_tilt_radial(behind[s], source[s], front[s], lean, opacity * span)
                                         : source_tilt(behind[s], source[s], front[s], lean,
                                                       vec3_make(past_x[s], past_y[s], past_z[s]), opacity * span);
            intensity[s] = formal_step(intensity[s], t, glow, between(tilt.in, tilt.out, part.from),
                                       between(tilt.in, tilt.out, part.to));
        }
        depth[s] += t;
    }
}

static real width_along(const struct stretch *stretch, int axis)
{
    return vec3_along(stretch->way.width, axis);
}

/* 1 / (how much farther out the first lies than the second), 0 when they are of one shell, or one is none. */
static real inverse_rise(const struct desk *desk, int first, int second)
{
    if (first < 0 || second < 0 || first >= desk->n_stretch || second >= desk->n_stretch)
        return R(0);
    const struct passage *p = &desk->stretch[first].way;
    const struct passage *q = &desk->stretch[second].way;
    return p->cell == q->cell ? R(0) : R(1) / (passage_radius(p) - passage_radius(q));
}

static struct lean lean_at(const struct desk *desk, int i)
{
    const struct stretch *here = &desk->stretch[i];
    if (WALK_IS_RADIAL)
        return lean_radial(here->way, inverse_rise(desk, i, desk->shell_behind), inverse_rise(desk, i + 1, i));
    return lean_of(here->way, desk->n, width_along(i > 0 ? here - 1 : here, here->way.axis_in),
                   width_along(i + 1 < desk->n_stretch ? here + 1 : here, here->way.axis_out),
                   desk->known[here->way.axis_out]);
}

/* The ray goes on to the next cell: remember how S rises across the face between. */
static void remember_rise(struct desk *desk, int i, int n_sample)
{
    const struct lean lean = lean_at(desk, i);
    const real *source = desk->source[1];
    const real *front = desk->source[2];
    real *past = desk->past[lean.axis_out];
    desk->known[lean.axis_out] = 1;
#pragma omp simd
    for (int s = 0; s < n_sample; s++)
        past[s] = source_rise(source[s], front[s], lean.inv_front);
}

static void general_part(const struct pass *pass, struct desk *desk, int i, struct part part)
{
    const struct stretch *here = &desk->stretch[i];
    const struct cell_view *cell = &pass->cell[here->way.cell];
    const int n_sample = desk->row_length * pass->view.n_node;
    const struct lean lean = lean_at(desk, i);
    if (!pass->view.step_source)
        general_step(desk, cell, n_sample, &here->way, part, lean, here->tilt, SLANT_NONE);
    else if (WALK_IS_RADIAL && !pass->view.emissivity)
        general_step(desk, cell, n_sample, &here->way, part, lean, here->tilt, SLANT_LINE);
    else
        general_step(desk, cell, n_sample, &here->way, part, lean, here->tilt, SLANT_WAY);
}

static void add_sheet(const struct pass *pass, struct desk *desk, int p)
{
    const struct trace_view *view = &pass->view;
    for (int node = 0; node < view->n_node; node++)
        for (int c = 0; c < view->n_channel; c++)
            node_row(desk, desk->intensity, node)[c] += desk->sheet[p].factor * pass->plane[p][c];
}

/* One part of a stretch, interrupted where planes add their light. */
static void part_past_sheets(const struct pass *pass, struct desk *desk, int i, struct part part)
{
    for (;;) {
        int next = -1;
        for (int p = 0; p < pass->job->n_plane; p++) {
            const struct sheet *sheet = &desk->sheet[p];
            if (sheet->stretch == i && sheet->at >= part.from && sheet->at < part.to &&
                (next < 0 || sheet->at < desk->sheet[next].at))
                next = p;
        }
        if (next < 0)
            break;
        general_part(pass, desk, i, (struct part){part.velocity, part.from, desk->sheet[next].at});
        add_sheet(pass, desk, next);
        desk->sheet[next].stretch = -1;
        part.from = desk->sheet[next].at;
    }
    general_part(pass, desk, i, part);
}

/* Planes on the face where the ray leaves a cell. */
static void add_sheets_at_end(const struct pass *pass, struct desk *desk, int i)
{
    for (int p = 0; p < pass->job->n_plane; p++)
        if (desk->sheet[p].stretch == i) {
            add_sheet(pass, desk, p);
            desk->sheet[p].stretch = -1;
        }
}

static void swap(real **p, real **q)
{
    real *keep = *p;
    *p = *q;
    *q = keep;
}

/* What was in front is here, and what was here behind; on shells that is kept while the ray is in the same one. */
static void move_sources(struct desk *desk, int i)
{
    const int same = WALK_IS_RADIAL && i > 0 && desk->stretch[i - 1].way.cell == desk->stretch[i].way.cell;
    if (!same) {
        swap(&desk->source[0], &desk->source[1]);
        desk->shell_behind = i - 1;
    }
    swap(&desk->source[1], &desk->source[2]);
}

static void trace_general(const struct pass *pass, struct desk *desk)
{
    const struct trace_view *view = &pass->view;
    const int n_sample = desk->row_length * view->n_node;
    for (int s = 0; s < n_sample; s++)
        desk->source[1][s] = R(-1);
    desk->shell_behind = -1;
    for (int axis = 0; axis < 3; axis++) {
        desk->known[axis] = 0;
        memset(desk->past[axis], 0, (size_t)n_sample * sizeof(real));
    }
    look_ahead(pass, desk, 0);
    for (int i = 0; i < desk->n_stretch; i++) {
        move_sources(desk, i);
        swap(&desk->profile[0], &desk->profile[1]);
        swap(&desk->light[0], &desk->light[1]);
        look_ahead(pass, desk, i + 1);
        const struct stretch *here = &desk->stretch[i];
        const struct cell_view *cell = &pass->cell[here->way.cell];
        const int n = part_count(here, cell->b);
        for (int k = 0; k < n; k++) {
            const struct part part = part_of(here, k, n);
            for (int node = 0; n > 1 && node < view->n_node; node++)
                profile_row(view, cell, part.velocity, node, desk->row_length, node_row(desk, desk->profile[0], node));
            part_past_sheets(pass, desk, i, part);
        }
        add_sheets_at_end(pass, desk, i);
        if (view->step_source && !WALK_IS_RADIAL)
            remember_rise(desk, i, n_sample);
    }
}

/* Optical depth of the way, for light that starts inside the gas. */
static void trace_absorption(const struct pass *pass, struct desk *desk)
{
    const struct trace_view *view = &pass->view;
    for (int i = 0; i < desk->n_stretch; i++) {
        const struct stretch *here = &desk->stretch[i];
        const struct cell_view *cell = &pass->cell[here->way.cell];
        const int n = part_count(here, cell->b);
        for (int k = 0; k < n; k++) {
            const struct part part = part_of(here, k, n);
            const real length = here->way.length * (part.to - part.from);
            for (int node = 0; node < view->n_node; node++) {
                real *profile = node_row(desk, desk->profile[0], node);
                real *depth = node_row(desk, desk->depth, node);
                profile_row(view, cell, part.velocity, node, desk->row_length, profile);
                for (int c = 0; c < desk->row_length; c++)
                    depth[c] += (cell->alpha0 * profile[c] + cell->kappa) * length;
            }
        }
    }
}

#endif
