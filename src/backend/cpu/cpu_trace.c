/* CPU ray tracer: one ray at a time, with all its frequencies in vector loops (cpu_formal.h); threads share the rows of
 * pixels. Compiled once per precision and instruction set; LR_CPU_VARIANT names the entry. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend/block_chain.h"
#include "backend/cpu/cpu_formal.h"
#include "backend/cpu/cpu_ray.h"
#include "backend/cpu/cpu_variants.h"
#include "backend/cpu/flush_denormals.h"
#include "backend/variant_name.h"
#include "base/context.h"

/* ---- pixels ---------------------------------------------------------------------------------------------------- */

/* Finds where planes lie on the path of a ray. */
static void find_sheets(const struct trace_view *view, struct desk *desk, const struct line3 *line,
                        const struct ray *ray)
{
    for (int p = 0; p < view->n_plane; p++) {
        const struct plane_meeting meeting = plane_meet(&view->mesh, &view->plane[p], line);
        struct sheet *sheet = &desk->sheet[p];
        double left = ray->hits && meeting.met ? fmax(meeting.t - ray->t_first, 0) : -1;
        sheet->stretch = -1;
        sheet->factor = meeting.factor;
        for (int i = 0; left >= 0 && i < desk->n_stretch; i++) {
            const double length = (double)desk->stretch[i].way.length;
            sheet->stretch = i;
            sheet->at = (real)fmin(left / length, 1);
            left -= length;
        }
    }
}

/* Traces the whole ray, into desk->intensity and desk->depth. */
static int trace_ray(const struct pass *pass, struct desk *desk, struct line3 line)
{
    const struct trace_view *view = &pass->view;
    const struct ray ray = ray_enter(&view->mesh, line.p, line.n, -RAY_FAR, line.t_last);
    for (int node = 0; node < view->n_node; node++)
        memcpy(node_row(desk, desk->intensity, node), view->sky + node * view->n_channel,
               (size_t)view->n_channel * sizeof(real));
    memset(desk->depth, 0, (size_t)desk->row_length * (size_t)view->n_node * sizeof(real));
    if (!walk_ray(pass, desk, ray))
        return 0;
    find_sheets(view, desk, &line, &ray);
    if (view->line_only && view->n_plane == 0)
        trace_line(pass, desk);
    else
        trace_general(pass, desk);
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
            if (!trace_ray(pass, desk, line))
                return 0;
            gather(view, desk->depth, desk->row_length, desk->opaque);
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
    const struct trace_view *view = &pass->probe_view;
    const struct trace_probe *probe = &pass->job->probe[p];
    double *out = pass->image->transmission + (size_t)p * (size_t)view->n_channel * (size_t)view->n_node;
    memset(desk->depth, 0, (size_t)desk->row_length * (size_t)view->n_node * sizeof(real));
    if (!walk_ray(pass, desk,
                  ray_enter(&view->mesh, make_point(probe->start), make_point(probe->direction), 0, probe->length)))
        return 0;
    trace_absorption(pass, desk);
    for (int c = 0; c < view->n_channel; c++)
        for (int node = 0; node < view->n_node; node++)
            out[c * view->n_node + node] = exp(-(double)desk->depth[node * desk->row_length + c]);
    return 1;
}

/* ---- a run ----------------------------------------------------------------------------------------------------- */

/* Slopes inside all cells, if needed. Returns 0 if out of memory. */
static int make_slopes(struct block **chain, const struct trace_job *job, int threads, struct trace_view *view)
{
    if (!job->step_velocity && !job->step_source)
        return 1;
    struct slope_view *slope = chain_copy(chain, (size_t)job->n_cell * sizeof *slope, NULL);
    if (!slope)
        return 0;
#pragma omp parallel for schedule(dynamic, 4096) num_threads(threads)
    for (int cell = 0; cell < (int)job->n_cell; cell++)
        slope[cell] = trace_slopes(view, cell);
    view->slope = slope;
    return 1;
}

static void run_thread(struct pass *pass, const struct transport_monitor *monitor, int *rows_done)
{
    const unsigned denormals = flush_denormals();
    struct desk desk = {0};
    int ok = make_desk(pass, &desk);
    double last_report = lr_seconds();
    const int step = pass->job->row_step > 0 ? pass->job->row_step : 1;
#pragma omp for schedule(dynamic, 1)
    for (int y = pass->job->row_first; y < pass->job->pixels[1]; y += step) {
        for (int x = 0; ok && !*monitor->stop && x < pass->job->pixels[0]; x++)
            ok = trace_pixel(pass, &desk, x, y);
        int done;
#pragma omp atomic capture
        done = ++*rows_done;
        if (omp_get_thread_num() == 0 && monitor->progress && lr_seconds() - last_report > 0.1) {
            last_report = lr_seconds();
            monitor->progress(monitor->user, done, 0);
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

enum lr_status VARIANT_NAME(cpu_trace_, LR_CPU_VARIANT)(lr_context *ctx, int threads, const struct trace_job *job,
                                                        const struct transport_monitor *monitor,
                                                        struct trace_image *image)
{
    struct block *chain = NULL;
    const struct view_store store = {&chain, chain_copy};
    struct pass pass = {.job = job, .image = image};
    int rows_done = 0;
    int failed = !make_trace_view(&store, job, &pass.view);
    struct trace_cell *cell = failed ? NULL : chain_copy(&chain, (size_t)job->n_cell * sizeof *cell, NULL);
    pass.view.cell = cell;
    failed = !cell || !fill_trace_cells(job, 0, job->n_cell, cell) || !make_slopes(&chain, job, threads, &pass.view);
    pass.view.emissivity = job->emissivity;
    pass.probe_view = make_probe_view(job, &pass.view);
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
        return lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped while tracing images; nothing was written");
    return LR_OK;
}
