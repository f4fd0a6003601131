/* The transfer equation along a ray for all its frequencies, in loops that the compiler vectorises. Included by
 * cpu_trace.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_FORMAL_H
#define LR_BACKEND_CPU_CPU_FORMAL_H

#include "backend/cpu/cpu_ray.h"

/* ---- gas with nothing but its line: S is the same at all frequencies, and only the line's reach matters -------- */

/* Channels low..high of one node. */
static inline __attribute__((always_inline)) void line_step(real *intensity, real *sum, int low, int high,
                                                            struct sample_row row, real a, struct part_gas gas,
                                                            const enum line_shape shape, const int flat)
{
#pragma omp simd
    for (int c = low; c < high; c++) {
        const struct passed passed = pass_line(gas, intensity[c], shape_profile(a, sample_row_x(row, c), shape), flat);
        intensity[c] = passed.intensity;
        sum[c] += passed.depth;
    }
}

/* One compiled loop for each combination of line shape and flatness. */
#define LINE_STEP(WANTED, FLAT)                                                                                        \
    if (seen.shape == (WANTED) && gas.flat == (FLAT))                                                                  \
        line_step(intensity, sum, low, high, row, cell->a, gas, WANTED, FLAT);

static void line_part(const struct pass *pass, struct desk *desk, const struct stretch *here, struct part part)
{
    const struct trace_view *view = &pass->view;
    const struct trace_cell *cell = &view->cell[here->way.cell];
    const struct part_gas gas = part_gas_of(cell, here, part);
    const struct line_seen seen = line_of_stretch(cell, here);
    const real half = seen.reach * cell->b / view->step;
    for (int node = 0; node < view->n_node; node++) {
        /* channel c is at the shift -(first + (c + node) step); take those within reach of the line */
        const real middle = (-part.velocity - view->first) / view->step - view->node[node];
        const int low = (int)r_min(r_max(middle - half, R(0)), (real)view->n_channel) / VECTOR * VECTOR;
        const int high = padded((int)r_min(r_max(middle + half + R(1), R(0)), (real)view->n_channel));
        const struct sample_row row = sample_row_of(view, node, part.velocity, gas.inv_b);
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

/* ---- several lines in one gas ------------------------------------------------------------------------------- */

struct channel_range {
    int low, high;
};

/* Channels of one node that a line reaches, in whole vectors. */
static struct channel_range channels_of_line(const struct trace_view *view, const struct group_line *line,
                                             const struct line_part *own, int node, real velocity, real b)
{
    const real stretch = r_div(R(1), line->squeeze);
    const real middle = (-(velocity * stretch + line->offset) - view->first) / view->step - view->node[node];
    const real half = own->seen.reach * b * stretch / view->step;
    struct channel_range range;
    range.low = (int)r_min(r_max(middle - half, R(0)), (real)view->n_channel) / VECTOR * VECTOR;
    range.high = padded((int)r_min(r_max(middle + half + R(1), R(0)), (real)view->n_channel));
    return range;
}

static inline __attribute__((always_inline)) void add_profile(const struct line_part *own, struct sample_row row,
                                                              struct channel_range range, real *profile, real *bright,
                                                              const enum line_shape shape)
{
    const struct group_share share = own->share;
    const real a = own->a;
#pragma omp simd
    for (int c = range.low; c < range.high; c++) {
        const real h = shape_profile(a, sample_row_x(row, c), shape);
        profile[c] += share.opacity * h;
        bright[c] += share.shine * h;
    }
}

/* The profiles of all lines together, into desk->profile and desk->bright. Returns the channels that any of them
 * reaches. */
static struct channel_range group_profiles(const struct trace_view *view, struct desk *desk,
                                           const struct trace_cell *cell, const struct stretch *here, real velocity)
{
    const size_t bytes = (size_t)desk->row_length * (size_t)view->n_node * sizeof(real);
    const real inv_b = r_div(R(1), cell->b);
    struct channel_range reached = {desk->row_length, 0};
    memset(desk->profile, 0, bytes);
    memset(desk->bright, 0, bytes);
    for (int l = 0; l < view->group.n; l++) {
        const struct group_line *line = &view->group.line[l];
        const struct line_part own = line_part_of(&view->group, cell, here, l);
        for (int node = 0; node < view->n_node; node++) {
            const struct channel_range range = channels_of_line(view, line, &own, node, velocity, cell->b);
            const struct sample_row row = sample_row_of_line(view, line, node, velocity, inv_b);
            real *profile = node_row(desk, desk->profile, node);
            real *bright = node_row(desk, desk->bright, node);
            if (own.seen.shape == SHAPE_BARE)
                add_profile(&own, row, range, profile, bright, SHAPE_BARE);
            else if (own.seen.shape == SHAPE_NARROW)
                add_profile(&own, row, range, profile, bright, SHAPE_NARROW);
            else
                add_profile(&own, row, range, profile, bright, SHAPE_BROAD);
            reached.low = range.low < reached.low ? range.low : reached.low;
            reached.high = range.high > reached.high ? range.high : reached.high;
        }
    }
    return reached;
}

static inline __attribute__((always_inline)) void group_step(const struct desk *desk, struct part_gas gas, int first,
                                                             int end, const int flat)
{
    const real *profile = desk->profile;
    const real *bright = desk->bright;
    real *intensity = desk->intensity;
    real *depth = desk->depth;
#pragma omp simd
    for (int s = first; s < end; s++) {
        const struct passed passed = pass_lines(gas, intensity[s], profile[s], bright[s], R(0), flat);
        intensity[s] = passed.intensity;
        depth[s] += passed.depth;
    }
}

static void group_part(const struct pass *pass, struct desk *desk, const struct stretch *here, struct part part)
{
    const struct trace_view *view = &pass->view;
    const struct trace_cell *cell = &view->cell[here->way.cell];
    const struct part_gas gas = part_gas_of(cell, here, part);
    const struct channel_range reached = group_profiles(view, desk, cell, here, part.velocity);
    for (int node = 0; node < view->n_node; node++) {
        const int row = node * desk->row_length;
        if (gas.flat)
            group_step(desk, gas, row + reached.low, row + reached.high, 1);
        else
            group_step(desk, gas, row + reached.low, row + reached.high, 0);
    }
}

static void trace_line(const struct pass *pass, struct desk *desk)
{
    for (int i = 0; i < desk->n_stretch; i++) {
        const struct stretch *here = &desk->stretch[i];
        const struct trace_cell *cell = &pass->view.cell[here->way.cell];
        if (cell_is_empty(cell))
            continue;
        const int n = part_count(here, cell->b);
        for (int k = 0; k < n; k++)
            if (pass->view.group.n > 0)
                group_part(pass, desk, here, part_of(here, k, n));
            else
                line_part(pass, desk, here, part_of(here, k, n));
    }
}

/* ---- gas that also absorbs or shines away from its line --------------------------------------------------------- */

/* Neighbouring cells often have the same line. */
struct line {
    real a, b, velocity;
};

static int same_line(struct line p, struct line q)
{
    return (p.a == q.a) & (p.b == q.b) & (p.velocity == q.velocity);
}

static void profile_row(const struct trace_view *view, const struct trace_cell *cell, real velocity, int node,
                        int row_length, real *profile)
{
    const struct sample_row row = sample_row_of(view, node, velocity, r_div(R(1), cell->b));
    const real a = cell->a;
    if (a <= LR_VOIGT_NARROW_MAX) {
#pragma omp simd
        for (int c = 0; c < row_length; c++)
            profile[c] = voigt_narrow(a, sample_row_x(row, c));
    } else {
#pragma omp simd
        for (int c = 0; c < row_length; c++)
            profile[c] = voigt_broad(a, sample_row_x(row, c));
    }
}

/* Emission per length of gas that has a spectrum of its own. */
static void glow_rows(const struct trace_view *view, struct desk *desk, int cell, real velocity)
{
    for (int node = 0; node < view->n_node; node++) {
        real *light = node_row(desk, desk->light, node);
        for (int c = 0; c < view->n_channel; c++)
            light[c] = sample_glow(view, cell, node, c, velocity);
    }
}

static inline __attribute__((always_inline)) void general_step(const struct desk *desk, struct part_gas gas,
                                                               int n_sample, const int flat, const int glows,
                                                               const int group)
{
    const real *profile = desk->profile;
    const real *bright = desk->bright;
    const real *light = desk->light;
    real *intensity = desk->intensity;
    real *depth = desk->depth;
    real *thick = desk->thick;
#pragma omp simd
    for (int s = 0; s < n_sample; s++) {
        const real glow = glows ? light[s] : R(0);
        const struct passed passed = group ? pass_lines(gas, intensity[s], profile[s], bright[s], glow, flat)
                                           : pass_gas(gas, intensity[s], profile[s], glow, flat);
        intensity[s] = passed.intensity;
        depth[s] += passed.depth;
        thick[s] += passed.line;
    }
}

#define GENERAL_STEP(FLAT, GLOWS)                                                                                      \
    if (gas.flat == (FLAT) && glows == (GLOWS) && !group)                                                              \
        general_step(desk, gas, n_sample, FLAT, GLOWS, 0);                                                             \
    if (gas.flat == (FLAT) && glows == (GLOWS) && group)                                                               \
        general_step(desk, gas, n_sample, FLAT, GLOWS, 1);

static void general_part(const struct pass *pass, struct desk *desk, int i, struct part part)
{
    const struct stretch *here = &desk->stretch[i];
    const int n_sample = desk->row_length * pass->view.n_node;
    const struct part_gas gas = part_gas_of(&pass->view.cell[here->way.cell], here, part);
    const int glows = pass->view.n_glow > 0, group = pass->view.group.n > 0;
    GENERAL_STEP(0, 0)
    GENERAL_STEP(0, 1)
    GENERAL_STEP(1, 0)
    GENERAL_STEP(1, 1)
}

/* Adds the scattered light that leaves the cell along the ray. */
static void add_scattered(const struct pass *pass, struct desk *desk, const struct passage *way)
{
    const struct trace_view *view = &pass->view;
    const int n = desk->row_length;
    const struct stored_light stored = passage_light(way, view->n_aspect, view->stride, view->emissivity_unit);
    real *mean = desk->mean;
    for (int c = 0; c < view->n_channel; c++)
        desk->row[c] = stored_light_at(stored, view->emissivity, c);
    if (view->escaped) {
        for (int c = 0; c < n; c++)
            desk->arrived[c] += desk->row[c];
        return;
    }
    memset(mean, 0, (size_t)n * sizeof *mean);
    for (int node = 0; node < view->n_node; node++) {
        real *shape = node_row(desk, desk->thick, node);
        const real share = view->share[node];
#pragma omp simd
        for (int c = 0; c < n; c++) {
            shape[c] = exit_shape(shape[c]);
            mean[c] += share * shape[c];
        }
    }
    for (int node = 0; node < view->n_node; node++) {
        const real *shape = node_row(desk, desk->thick, node);
        real *intensity = node_row(desk, desk->intensity, node);
#pragma omp simd
        for (int c = 0; c < n; c++)
            intensity[c] += desk->row[c] * exit_factor(shape[c], mean[c]);
    }
}

/* Adds the scattered light that has left the mesh. */
static void add_arrived(const struct trace_view *view, struct desk *desk)
{
    for (int node = 0; node < view->n_node; node++)
        for (int c = 0; c < view->n_channel; c++)
            node_row(desk, desk->intensity, node)[c] += desk->arrived[c];
}

static void add_sheet(const struct pass *pass, struct desk *desk, int p)
{
    const struct trace_view *view = &pass->view;
    for (int node = 0; node < view->n_node; node++)
        for (int c = 0; c < view->n_channel; c++)
            node_row(desk, desk->intensity, node)[c] +=
                desk->sheet[p].factor * view->plane[p].brightness[node * view->n_channel + c];
}

/* One part of a stretch, divided where planes add their light. */
static void part_past_sheets(const struct pass *pass, struct desk *desk, int i, struct part part)
{
    for (;;) {
        int next = -1;
        for (int p = 0; p < pass->view.n_plane; p++) {
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

/* Adds planes on the face where the ray leaves a cell. */
static void add_sheets_at_end(const struct pass *pass, struct desk *desk, int i)
{
    for (int p = 0; p < pass->view.n_plane; p++)
        if (desk->sheet[p].stretch == i) {
            add_sheet(pass, desk, p);
            desk->sheet[p].stretch = -1;
        }
}

/* Whether the ray leaves its cell after stretch i. */
static int leaves_cell(const struct desk *desk, int i)
{
    const struct passage none = {.length = R(0)};
    return passage_leaves(&desk->stretch[i].way, i + 1 < desk->n_stretch ? &desk->stretch[i + 1].way : &none);
}

static void trace_general(const struct pass *pass, struct desk *desk)
{
    const struct trace_view *view = &pass->view;
    const size_t samples = (size_t)desk->row_length * (size_t)view->n_node * sizeof(real);
    struct line known = {R(0), R(0), R(0)};
    memset(desk->thick, 0, samples);
    memset(desk->arrived, 0, (size_t)desk->row_length * sizeof(real));
    for (int i = 0; i < desk->n_stretch; i++) {
        const struct stretch *here = &desk->stretch[i];
        const struct trace_cell *cell = &pass->view.cell[here->way.cell];
        const int n = part_count(here, cell->b);
        for (int k = 0; k < n; k++) {
            const struct part part = part_of(here, k, n);
            const struct line line = {cell->a, cell->b, part.velocity};
            if (view->group.n > 0)
                group_profiles(view, desk, cell, here, part.velocity);
            for (int node = 0; view->group.n == 0 && !same_line(line, known) && node < view->n_node; node++)
                profile_row(view, cell, part.velocity, node, desk->row_length, node_row(desk, desk->profile, node));
            known = line;
            if (view->n_glow > 0)
                glow_rows(view, desk, here->way.cell, part.velocity);
            part_past_sheets(pass, desk, i, part);
        }
        add_sheets_at_end(pass, desk, i);
        if (!leaves_cell(desk, i))
            continue;
        if (view->emissivity)
            add_scattered(pass, desk, &here->way);
        memset(desk->thick, 0, samples);
    }
    if (view->emissivity && view->escaped)
        add_arrived(view, desk);
}

static void absorbing_part(const struct pass *pass, struct desk *desk, const struct stretch *here, struct part part)
{
    const struct trace_view *view = &pass->probe_view;
    const struct trace_cell *cell = &pass->view.cell[here->way.cell];
    const struct part_gas gas = part_gas_of(cell, here, part);
    if (view->group.n > 0)
        group_profiles(view, desk, cell, here, part.velocity);
    for (int node = 0; node < view->n_node; node++) {
        real *profile = node_row(desk, desk->profile, node);
        real *depth = node_row(desk, desk->depth, node);
        if (view->group.n == 0)
            profile_row(view, cell, part.velocity, node, desk->row_length, profile);
        for (int c = 0; c < desk->row_length; c++)
            depth[c] += pass_gas(gas, R(0), profile[c], R(0), 1).depth;
    }
}

/* Optical depth along the ray, for light that starts inside the gas. */
static void trace_absorption(const struct pass *pass, struct desk *desk)
{
    for (int i = 0; i < desk->n_stretch; i++) {
        const struct stretch *here = &desk->stretch[i];
        const int n = part_count(here, pass->view.cell[here->way.cell].b);
        for (int k = 0; k < n; k++)
            absorbing_part(pass, desk, here, part_of(here, k, n));
    }
}

#endif
