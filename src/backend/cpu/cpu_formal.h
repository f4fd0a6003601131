/* The transfer equation along a ray for all its frequencies, as loops that the compiler turns into SIMD code. Included
 * by cpu_trace.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_FORMAL_H
#define LR_BACKEND_CPU_CPU_FORMAL_H

#include "backend/cpu/cpu_ray.h"
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

/* Neighbouring cells often have the same line. */
struct line_shape {
    real a, b, velocity;
};

static int same_line(struct line_shape p, struct line_shape q)
{
    return (p.a == q.a) & (p.b == q.b) & (p.velocity == q.velocity);
}

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

/* What the gas creates with spectra of its own, per length. */
static void glow_rows(const struct trace_view *view, struct desk *desk, int cell, real velocity)
{
    for (int node = 0; node < view->n_node; node++) {
        real *light = node_row(desk, desk->light, node);
        for (int c = 0; c < view->n_channel; c++)
            light[c] = sample_glow(view, cell, node, c, velocity);
    }
}

static inline __attribute__((always_inline)) void general_step(const struct desk *desk, const struct cell_view *cell,
                                                               int n_sample, real length, struct tilt tilt,
                                                               const int flat, const int glows)
{
    const real *profile = desk->profile;
    const real *light = desk->light;
    real *intensity = desk->intensity;
    real *depth = desk->depth;
    real *thick = desk->thick;
    const real alpha0 = cell->alpha0;
    const real kappa = cell->kappa;
    const real q = cell->eps;
#pragma omp simd
    for (int s = 0; s < n_sample; s++) {
        const real line = alpha0 * profile[s] * length;
        const real t = line + kappa * length;
        const real created = (q * profile[s] + (glows ? light[s] : R(0))) * length;
        intensity[s] = flat ? formal_step_flat(intensity[s], t, created)
                            : formal_step(intensity[s], t, created, tilt.in, tilt.out);
        depth[s] += t;
        thick[s] += line;
    }
}

static void general_part(const struct pass *pass, struct desk *desk, int i, struct part part)
{
    const struct stretch *here = &desk->stretch[i];
    const struct cell_view *cell = &pass->cell[here->way.cell];
    const int n_sample = desk->row_length * pass->view.n_node;
    const real length = here->way.length * (part.to - part.from);
    const struct tilt tilt = {between(here->tilt.in, here->tilt.out, part.from),
                              between(here->tilt.in, here->tilt.out, part.to)};
    const int flat = (tilt.in == R(0)) & (tilt.out == R(0));
    if (pass->view.n_glow > 0)
        general_step(desk, cell, n_sample, length, tilt, 0, 1);
    else if (flat)
        general_step(desk, cell, n_sample, length, tilt, 1, 0);
    else
        general_step(desk, cell, n_sample, length, tilt, 0, 0);
}

/* Scattered light of a cell as it is stored, over the way of the ray through the cell; SHELLS: where it leaves one. */
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
    const real factor = way->length * view->emissivity_unit;
    for (int c = 0; c < view->n_channel; c++)
        row[c] = (real)from[c] * factor;
}

/* Scattered light that leaves the cell with the ray. */
static void add_scattered(const struct pass *pass, struct desk *desk, const struct passage *way)
{
    const struct trace_view *view = &pass->view;
    const int n = desk->row_length;
    real *mean = desk->mean;
    stored_row(pass, way, desk->row);
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

/* Scattered light that has left the mesh. */
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
                desk->sheet[p].factor * pass->plane[p][node * view->n_channel + c];
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

/* Whether the ray leaves its cell after stretch i; the way through a shell can be several stretches. */
static int leaves_cell(const struct desk *desk, int i)
{
    return !WALK_IS_RADIAL || i + 1 == desk->n_stretch || desk->stretch[i + 1].way.cell != desk->stretch[i].way.cell;
}

static void trace_general(const struct pass *pass, struct desk *desk)
{
    const struct trace_view *view = &pass->view;
    const size_t samples = (size_t)desk->row_length * (size_t)view->n_node * sizeof(real);
    struct line_shape known = {R(0), R(0), R(0)};
    memset(desk->thick, 0, samples);
    memset(desk->arrived, 0, (size_t)desk->row_length * sizeof(real));
    for (int i = 0; i < desk->n_stretch; i++) {
        const struct stretch *here = &desk->stretch[i];
        const struct cell_view *cell = &pass->cell[here->way.cell];
        const int n = part_count(here, cell->b);
        for (int k = 0; k < n; k++) {
            const struct part part = part_of(here, k, n);
            const struct line_shape shape = {cell->a, cell->b, part.velocity};
            for (int node = 0; !same_line(shape, known) && node < view->n_node; node++)
                profile_row(view, cell, part.velocity, node, desk->row_length, node_row(desk, desk->profile, node));
            known = shape;
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

/* Optical depth of the way, for light that starts inside the gas. */
static void trace_absorption(const struct pass *pass, struct desk *desk)
{
    const struct trace_view *view = &pass->probe_view;
    for (int i = 0; i < desk->n_stretch; i++) {
        const struct stretch *here = &desk->stretch[i];
        const struct cell_view *cell = &pass->cell[here->way.cell];
        const int n = part_count(here, cell->b);
        for (int k = 0; k < n; k++) {
            const struct part part = part_of(here, k, n);
            const real length = here->way.length * (part.to - part.from);
            for (int node = 0; node < view->n_node; node++) {
                real *profile = node_row(desk, desk->profile, node);
                real *depth = node_row(desk, desk->depth, node);
                profile_row(view, cell, part.velocity, node, desk->row_length, profile);
                for (int c = 0; c < desk->row_length; c++)
                    depth[c] += (cell->alpha0 * profile[c] + cell->kappa) * length;
            }
        }
    }
}

#endif
