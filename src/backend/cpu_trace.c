/* CPU ray tracer: one ray at a time, all frequencies of it in loops that the compiler turns into SIMD, rows of pixels
 * shared among threads. Compiled once per precision and instruction set; LR_CPU_VARIANT names the entry. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend/block_chain.h"
#include "backend/build_views.h"
#include "backend/cpu_variants.h"
#include "backend/flush_denormals.h"
#include "base/context.h"
#include "kernel/flight.h"
#include "kernel/formal_solution.h"
#include "kernel/voigt.h"

/* One cell on the way, and its projected velocity. */
struct stretch {
    int64_t cell;
    real length, velocity;
};

/* Rows of channels are padded to whole vectors, and the parts of them that are worked on begin and end at one. */
enum { VECTOR = 16 };

static int padded(int n_channel)
{
    return (n_channel + VECTOR - 1) / VECTOR * VECTOR;
}

/* What a thread works with: the ray's cells, and arrays over samples: a padded row of channels for each node. */
struct desk {
    int row_length;
    struct stretch *stretch;
    int n_stretch, room;
    real *intensity, *depth;
    real *profile[2];       /* H in the middle of this cell and of the one in front */
    real *source[3];        /* S behind, here and in front; negative = none */
    real *row;              /* emissivity of the cell */
    double *pixel, *opaque; /* [n_channel] sums over the rays of a pixel */
};

/* What the threads of a run share. */
struct pass {
    const struct trace_job *job;
    struct trace_view view;
    struct cell_view *cell;
    const real *sky;    /* [n_channel] */
    const real **plane; /* [n_plane][n_channel] */
    struct trace_image *image;
    int failed;
};

/* ---- the way --------------------------------------------------------------------------------------------------- */

static int walk_ray(const struct pass *pass, struct desk *desk, struct ray ray)
{
    desk->n_stretch = 0;
    for (int more = ray.hits; more;) {
        if (desk->n_stretch == desk->room) {
            const int room = desk->room ? 2 * desk->room : 1024;
            struct stretch *grown = realloc(desk->stretch, (size_t)room * sizeof *grown);
            if (!grown)
                return 0;
            desk->stretch = grown;
            desk->room = room;
        }
        struct stretch *stretch = &desk->stretch[desk->n_stretch];
        stretch->cell = walk_cell_index(&pass->view.mesh, ray.at);
        stretch->velocity = cell_velocity_along(&pass->cell[stretch->cell], ray.n);
        const struct ray_step step = ray_advance(&pass->view.mesh, &ray);
        stretch->length = step.length;
        desk->n_stretch += step.length > R(0);
        more = step.more;
    }
    return 1;
}

/* Where the velocity goes inside a cell: from the far face over the middle to the near face. */
struct course {
    real far, middle, near;
    int n_far, n_near; /* steps in each half; 0 and 1 for one step over the whole cell */
};

static struct course plan_course(const struct pass *pass, const struct desk *desk, int i)
{
    const struct stretch *here = &desk->stretch[i];
    const real b = pass->cell[here->cell].b;
    struct course course = {here->velocity, here->velocity, here->velocity, 0, 1};
    if (!pass->view.step_velocity)
        return course;
    if (i > 0)
        course.far = velocity_at_face(here[-1].velocity, here[-1].length, here->velocity, here->length);
    if (i + 1 < desk->n_stretch)
        course.near = velocity_at_face(here->velocity, here->length, here[1].velocity, here[1].length);
    const real in = course.middle - course.far;
    const real out = course.near - course.middle;
    if (R(4) * (r_abs(in) + r_abs(out)) > b) {
        course.n_far = velocity_steps(in, b);
        course.n_near = velocity_steps(out, b);
    }
    return course;
}

/* Step number `step` of a course: its middle velocity and the share of the cell it covers. */
struct course_step {
    real velocity, from, to;
};

static struct course_step course_at(const struct course *course, int step)
{
    if (course->n_far == 0)
        return (struct course_step){course->middle, R(0), R(1)};
    const int second = step >= course->n_far;
    const int n = second ? course->n_near : course->n_far;
    const real k = (real)(second ? step - course->n_far : step);
    const real start = second ? course->middle : course->far;
    const real end = second ? course->near : course->middle;
    const real base = second ? R(0.5) : R(0);
    return (struct course_step){start + (end - start) * (k + R(0.5)) / (real)n, base + R(0.5) * k / (real)n,
                                base + R(0.5) * (k + R(1)) / (real)n};
}

/* ---- gas with nothing but its line: S is the same at all frequencies, and only the line's reach matters -------- */

/* How the profile is computed; BARE: damping adds less than LINE_DEPTH_FLOOR to the depth of the cell. */
enum shape { SHAPE_BARE, SHAPE_NARROW, SHAPE_BROAD };

static enum shape choose_shape(const struct cell_view *cell, real depth)
{
    return cell->a * depth < LINE_DEPTH_FLOOR ? SHAPE_BARE
           : cell->a <= LR_VOIGT_NARROW_MAX   ? SHAPE_NARROW
                                              : SHAPE_BROAD;
}

static inline __attribute__((always_inline)) void line_step(const struct trace_view *view, struct desk *desk, int node,
                                                            int low, int high, const struct cell_view *cell,
                                                            real velocity, real depth, real source, real tilt_in,
                                                            real tilt_out, const enum shape shape, const int flat)
{
    const real inv_b = R(1) / cell->b;
    const real first = -(view->first + view->node[node] * view->step) - velocity;
    const real spacing = view->step;
    const real a = cell->a;
    real *intensity = desk->intensity + (size_t)node * (size_t)desk->row_length;
    real *sum = desk->depth + (size_t)node * (size_t)desk->row_length;
#pragma omp simd
    for (int c = low; c < high; c++) {
        const real x = (first - (real)c * spacing) * inv_b;
        const real profile = shape == SHAPE_BARE     ? r_exp(-r_min(x * x, LR_VOIGT_T_MAX))
                             : shape == SHAPE_NARROW ? voigt_narrow(a, x)
                                                     : voigt_broad(a, x);
        const real t = depth * profile;
        intensity[c] = flat ? formal_step_flat(intensity[c], t, source * t)
                            : formal_step(intensity[c], t, source * t, tilt_in, tilt_out);
        sum[c] += t;
    }
}

static real line_only_source(const struct pass *pass, const struct desk *desk, int i)
{
    if (i < 0 || i >= desk->n_stretch)
        return R(-1);
    const struct cell_view *cell = &pass->cell[desk->stretch[i].cell];
    return cell->alpha0 > R(0) ? cell->eps / cell->alpha0 : R(-1);
}

/* One compiled loop for each combination of shape and flatness. */
#define LINE_STEP(WANTED, FLAT)                                                                                        \
    if (shape == (WANTED) && (flat == (FLAT) || (WANTED) == SHAPE_BROAD))                                              \
        line_step(view, desk, node, from, to, cell, step.velocity, part, source, tilt_in, tilt_out, WANTED, FLAT);

static void trace_line(const struct pass *pass, struct desk *desk)
{
    const struct trace_view *view = &pass->view;
    for (int i = 0; i < desk->n_stretch; i++) {
        const struct stretch *here = &desk->stretch[i];
        const struct cell_view *cell = &pass->cell[here->cell];
        const real depth = cell->alpha0 * here->length;
        const real reach = line_reach(cell->a, depth) * cell->b;
        if (reach <= R(0))
            continue;
        const real source = line_only_source(pass, desk, i);
        real tilt = R(0);
        if (view->step_source)
            tilt = source_tilt(line_only_source(pass, desk, i - 1), source, line_only_source(pass, desk, i + 1),
                               i > 0 ? here[-1].length : R(1), here->length,
                               i + 1 < desk->n_stretch ? here[1].length : R(1));
        const enum shape shape = choose_shape(cell, depth);
        const int flat = tilt == R(0);
        const struct course course = plan_course(pass, desk, i);
        for (int k = 0; k < course.n_far + course.n_near; k++) {
            const struct course_step step = course_at(&course, k);
            const real tilt_in = tilt * (R(2) * step.from - R(1));
            const real tilt_out = tilt * (R(2) * step.to - R(1));
            for (int node = 0; node < view->n_node; node++) {
                /* channel c is at the shift -(first + (c + node) step): those within reach of the line */
                const real middle = (-step.velocity - view->first) / view->step - view->node[node];
                const real half = reach / view->step;
                const real low = r_min(r_max(middle - half, R(0)), (real)view->n_channel);
                const real high = r_min(r_max(middle + half + R(1), R(0)), (real)view->n_channel);
                const int from = (int)low / VECTOR * VECTOR;
                const int to = padded((int)high);
                const real part = depth * (step.to - step.from);
                LINE_STEP(SHAPE_BARE, 1)
                LINE_STEP(SHAPE_BARE, 0)
                LINE_STEP(SHAPE_NARROW, 1)
                LINE_STEP(SHAPE_NARROW, 0)
                LINE_STEP(SHAPE_BROAD, 0)
            }
        }
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

static void emissivity_row(const struct pass *pass, int64_t cell, real *row)
{
    const struct trace_view *view = &pass->view;
    if (!view->emissivity) {
        memset(row, 0, (size_t)view->n_channel * sizeof *row);
        return;
    }
    const float *from = view->emissivity + cell * view->stride;
    for (int c = 0; c < view->n_channel; c++)
        row[c] = (real)from[c] * view->emissivity_unit;
}

/* H and S in the middle of a cell, for all samples; without a cell S is negative. */
static void look_ahead(const struct pass *pass, struct desk *desk, int i)
{
    const struct trace_view *view = &pass->view;
    const int n = desk->row_length;
    if (i >= desk->n_stretch) {
        for (int s = 0; s < n * view->n_node; s++)
            desk->source[2][s] = R(-1);
        return;
    }
    const struct cell_view *cell = &pass->cell[desk->stretch[i].cell];
    emissivity_row(pass, desk->stretch[i].cell, desk->row);
    for (int node = 0; node < view->n_node; node++) {
        real *profile = desk->profile[1] + (size_t)node * (size_t)n;
        real *source = desk->source[2] + (size_t)node * (size_t)n;
        profile_row(view, cell, desk->stretch[i].velocity, node, n, profile);
#pragma omp simd
        for (int c = 0; c < n; c++) {
            const real opacity = cell->alpha0 * profile[c] + cell->kappa;
            source[c] = opacity > R(0) ? (cell->eps * profile[c] + desk->row[c]) / opacity : R(-1);
        }
    }
}

static inline void swap(real **p, real **q)
{
    real *keep = *p;
    *p = *q;
    *q = keep;
}

static void general_step(const struct pass *pass, struct desk *desk, int i, struct course_step step,
                         const real *profile_all)
{
    const struct trace_view *view = &pass->view;
    const int n = desk->row_length;
    const struct stretch *here = &desk->stretch[i];
    const struct cell_view *cell = &pass->cell[here->cell];
    const real l_behind = i > 0 ? here[-1].length : R(1);
    const real l_front = i + 1 < desk->n_stretch ? here[1].length : R(1);
    const real length = here->length * (step.to - step.from);
    const real lean_in = R(2) * step.from - R(1);
    const real lean_out = R(2) * step.to - R(1);
    const int flat = !view->step_source;
    for (int node = 0; node < view->n_node; node++) {
        const size_t at = (size_t)node * (size_t)n;
        const real *profile = profile_all + at;
        real *intensity = desk->intensity + at;
        real *depth = desk->depth + at;
        const real *behind = desk->source[0] + at;
        const real *source = desk->source[1] + at;
        const real *front = desk->source[2] + at;
#pragma omp simd
        for (int c = 0; c < n; c++) {
            const real t = (cell->alpha0 * profile[c] + cell->kappa) * length;
            const real glow = (cell->eps * profile[c] + desk->row[c]) * length;
            const real tilt =
                flat ? R(0) : source_tilt(behind[c], source[c], front[c], l_behind, here->length, l_front);
            intensity[c] = formal_step(intensity[c], t, glow, tilt * lean_in, tilt * lean_out);
            depth[c] += t;
        }
    }
}

static void trace_general(const struct pass *pass, struct desk *desk)
{
    const struct trace_view *view = &pass->view;
    const int n_sample = desk->row_length * view->n_node;
    for (int s = 0; s < n_sample; s++)
        desk->source[1][s] = R(-1);
    look_ahead(pass, desk, 0);
    for (int i = 0; i < desk->n_stretch; i++) {
        real *oldest = desk->source[0];
        desk->source[0] = desk->source[1];
        desk->source[1] = desk->source[2];
        desk->source[2] = oldest;
        swap(&desk->profile[0], &desk->profile[1]);
        look_ahead(pass, desk, i + 1);
        const struct stretch *here = &desk->stretch[i];
        const struct course course = plan_course(pass, desk, i);
        emissivity_row(pass, here->cell, desk->row);
        if (course.n_far == 0) {
            general_step(pass, desk, i, course_at(&course, 0), desk->profile[0]);
            continue;
        }
        for (int k = 0; k < course.n_far + course.n_near; k++) {
            const struct course_step step = course_at(&course, k);
            for (int node = 0; node < view->n_node; node++)
                profile_row(view, &pass->cell[here->cell], step.velocity, node, desk->row_length,
                            desk->profile[0] + (size_t)node * (size_t)desk->row_length);
            general_step(pass, desk, i, step, desk->profile[0]);
        }
    }
}

/* The depth of gas that only absorbs, for light that starts inside it. */
static void trace_absorption(const struct pass *pass, struct desk *desk)
{
    const struct trace_view *view = &pass->view;
    for (int i = 0; i < desk->n_stretch; i++) {
        const struct stretch *here = &desk->stretch[i];
        const struct cell_view *cell = &pass->cell[here->cell];
        const struct course course = plan_course(pass, desk, i);
        for (int k = 0; k < course.n_far + course.n_near; k++) {
            const struct course_step step = course_at(&course, k);
            const real length = here->length * (step.to - step.from);
            for (int node = 0; node < view->n_node; node++) {
                const size_t at = (size_t)node * (size_t)desk->row_length;
                profile_row(view, cell, step.velocity, node, desk->row_length, desk->profile[0] + at);
                for (int c = 0; c < view->n_channel; c++)
                    desk->depth[at + (size_t)c] +=
                        (cell->alpha0 * desk->profile[0][at + (size_t)c] + cell->kappa) * length;
            }
        }
    }
}

/* ---- pixels ---------------------------------------------------------------------------------------------------- */

/* The whole ray, into desk->intensity and desk->depth. */
static int trace_ray(const struct pass *pass, struct desk *desk, struct ray ray)
{
    const struct trace_view *view = &pass->view;
    for (int node = 0; node < view->n_node; node++)
        memcpy(desk->intensity + (size_t)node * (size_t)desk->row_length, pass->sky,
               (size_t)view->n_channel * sizeof(real));
    memset(desk->depth, 0, (size_t)desk->row_length * (size_t)view->n_node * sizeof(real));
    if (!walk_ray(pass, desk, ray))
        return 0;
    if (view->line_only)
        trace_line(pass, desk);
    else
        trace_general(pass, desk);
    return 1;
}

/* Light of a plane that this ray crosses, dimmed on its way out; added to desk->intensity. */
static int add_plane(const struct pass *pass, struct desk *desk, struct line3 line, int p)
{
    const struct trace_plane *plane = &pass->job->plane[p];
    const struct trace_view *view = &pass->view;
    const double mu = line.n.x[plane->axis];
    if (mu == 0 || (plane->side != 0 && mu * plane->side < 0))
        return 1;
    const double t = (plane->offset - line.p.x[plane->axis]) / mu;
    for (int axis = 0; axis < 3; axis++) {
        const double x = line.p.x[axis] + t * line.n.x[axis];
        const int bounded = axis != plane->axis && view->mesh.face[2 * axis] != FACE_IS_PERIODIC;
        if (bounded && !(x >= 0 && x < (double)view->mesh.edge[axis][view->mesh.n[axis]]))
            return 1;
    }
    if (t > line.t_last)
        return 1;
    memset(desk->depth, 0, (size_t)desk->row_length * (size_t)view->n_node * sizeof(real));
    if (!walk_ray(pass, desk, ray_enter(&view->mesh, line.p, line.n, t, line.t_last)))
        return 0;
    trace_absorption(pass, desk);
    const real factor = plane->isotropic ? (real)(1 / fabs(mu)) : R(1);
    for (int node = 0; node < view->n_node; node++)
        for (int c = 0; c < view->n_channel; c++) {
            const size_t s = (size_t)node * (size_t)desk->row_length + (size_t)c;
            desk->intensity[s] += factor * pass->plane[p][c] * r_exp(-r_min(desk->depth[s], R(80)));
        }
    return 1;
}

static void gather(const struct trace_view *view, const real *samples, int row_length, double *channels)
{
    for (int node = 0; node < view->n_node; node++) {
        const real *row = samples + (size_t)node * (size_t)row_length;
        const double weight = (double)view->weight[node];
        if (view->merge == 1)
            for (int c = 0; c < view->n_channel; c++)
                channels[c] += weight * (double)row[c];
        else
            for (int c = 0; c < view->n_channel; c++)
                channels[c / view->merge] += weight * (double)row[c];
    }
}

static int trace_pixel(const struct pass *pass, struct desk *desk, int x, int y)
{
    const struct trace_view *view = &pass->view;
    const int n_out = view->n_channel / view->merge;
    memset(desk->pixel, 0, (size_t)n_out * sizeof(double));
    memset(desk->opaque, 0, (size_t)n_out * sizeof(double));
    for (int ry = 0; ry < view->rays; ry++)
        for (int rx = 0; rx < view->rays; rx++) {
            const struct line3 line = eye_line(&view->eye, x * view->rays + rx, y * view->rays + ry);
            if (!trace_ray(pass, desk, ray_enter(&view->mesh, line.p, line.n, -RAY_FAR, line.t_last)))
                return 0;
            gather(view, desk->depth, desk->row_length, desk->opaque);
            for (int p = 0; p < pass->job->n_plane; p++)
                if (!add_plane(pass, desk, line, p))
                    return 0;
            gather(view, desk->intensity, desk->row_length, desk->pixel);
        }
    const size_t plane = (size_t)pass->job->pixels[0] * (size_t)pass->job->pixels[1];
    const size_t at = (size_t)y * (size_t)pass->job->pixels[0] + (size_t)x;
    for (int c = 0; c < n_out; c++) {
        pass->image->intensity[(size_t)c * plane + at] = (float)desk->pixel[c];
        if (pass->image->optical_depth)
            pass->image->optical_depth[(size_t)c * plane + at] = (float)desk->opaque[c];
    }
    return 1;
}

static int trace_probe(const struct pass *pass, struct desk *desk, int p)
{
    const struct trace_view *view = &pass->view;
    const struct trace_probe *probe = &pass->job->probe[p];
    double *out = pass->image->transmission + (size_t)p * (size_t)view->n_channel;
    memset(desk->depth, 0, (size_t)desk->row_length * (size_t)view->n_node * sizeof(real));
    if (!walk_ray(pass, desk,
                  ray_enter(&view->mesh, make_point(probe->start), make_point(probe->direction), 0, probe->length)))
        return 0;
    trace_absorption(pass, desk);
    memset(out, 0, (size_t)view->n_channel * sizeof *out);
    for (int node = 0; node < view->n_node; node++)
        for (int c = 0; c < view->n_channel; c++)
            out[c] += pass->job->weight[node] * exp(-(double)desk->depth[node * desk->row_length + c]);
    return 1;
}

/* ---- a run ----------------------------------------------------------------------------------------------------- */

static int make_desk(const struct pass *pass, struct desk *desk)
{
    const size_t n = (size_t)padded(pass->view.n_channel);
    const size_t n_sample = n * (size_t)pass->view.n_node;
    real *memory = calloc(7 * n_sample + n, sizeof *memory);
    desk->row_length = (int)n;
    desk->pixel = calloc(2 * n, sizeof *desk->pixel);
    desk->intensity = memory;
    if (!memory || !desk->pixel)
        return 0;
    desk->opaque = desk->pixel + n;
    desk->depth = memory + n_sample;
    for (size_t i = 0; i < 2; i++)
        desk->profile[i] = memory + (2 + i) * n_sample;
    for (size_t i = 0; i < 3; i++)
        desk->source[i] = memory + (4 + i) * n_sample;
    desk->row = memory + 7 * n_sample;
    return 1;
}

static void desk_free(struct desk *desk)
{
    free(desk->stretch);
    free(desk->intensity);
    free(desk->pixel);
}

static void run_thread(struct pass *pass, const struct transport_monitor *monitor, int *rows_done)
{
    const unsigned denormals = flush_denormals();
    struct desk desk = {0};
    int ok = make_desk(pass, &desk);
    double last_report = lr_seconds();
#pragma omp for schedule(dynamic, 1)
    for (int y = 0; y < pass->job->pixels[1]; y++) {
        for (int x = 0; ok && !*monitor->stop && x < pass->job->pixels[0]; x++)
            ok = trace_pixel(pass, &desk, x, y);
        int done;
#pragma omp atomic capture
        done = ++*rows_done;
        if (omp_get_thread_num() == 0 && monitor->progress && lr_seconds() - last_report > 0.1) {
            last_report = lr_seconds();
            monitor->progress(monitor->user, done);
        }
    }
#pragma omp single
    for (int p = 0; ok && p < pass->job->n_probe; p++)
        ok = trace_probe(pass, &desk, p);
    if (!ok)
#pragma omp atomic write
        pass->failed = 1;
    desk_free(&desk);
    restore_denormals(denormals);
}

#define NAME_JOIN(prefix, variant) prefix##variant
#define NAME_EXPAND(prefix, variant) NAME_JOIN(prefix, variant)

enum lr_status NAME_EXPAND(cpu_trace_, LR_CPU_VARIANT)(lr_context *ctx, int threads, const struct trace_job *job,
                                                       const struct transport_monitor *monitor,
                                                       struct trace_image *image)
{
    struct block *chain = NULL;
    const struct view_store store = {&chain, chain_copy};
    struct pass pass = {.job = job, .image = image};
    int rows_done = 0;
    int failed = !make_trace_view(&store, job, &pass.view);
    pass.cell = failed ? NULL : chain_copy(&chain, (size_t)job->n_cell * sizeof *pass.cell, NULL);
    pass.plane = chain_copy(&chain, ((size_t)job->n_plane + 1) * sizeof *pass.plane, NULL);
    failed = !pass.cell || !pass.plane || !fill_cells(job->read_cells, job->medium, 0, job->n_cell, pass.cell);
    if (!failed) {
        pass.sky = store_reals(&store, job->n_channel, job->sky, &failed);
        for (int p = 0; p < job->n_plane; p++)
            pass.plane[p] = store_reals(&store, job->n_channel, job->plane[p].brightness, &failed);
        pass.view.cell = pass.cell;
        pass.view.emissivity = job->emissivity;
    }
    if (!failed) {
        const double start = lr_seconds();
#pragma omp parallel num_threads(threads)
        run_thread(&pass, monitor, &rows_done);
        image->seconds += lr_seconds() - start;
    }
    chain_free(chain);
    if (failed || pass.failed)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the ray tracing of %lld cells", (long long)job->n_cell);
    if (*monitor->stop)
        return lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped while images were traced; nothing was written");
    return LR_OK;
}
