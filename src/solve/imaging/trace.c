#include "solve/imaging/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "model/field.h"
#include "solve/common/quadrature.h"
#include "solve/imaging/rings.h"
#include "solve/imaging/trace_choice.h"
#include "solve/transport/job.h"

/* A trace job and what it owns. */
struct prepared_trace {
    struct trace_job job;
    const struct scene *scene;
    double length_unit, velocity_unit, intensity_unit;
    bool shines; /* the line source counts */
    struct job_mesh mesh;
    int cavity;   /* 1: the first cell of the job is the empty cavity inside the shells */
    float *light; /* the emissivity with that cell */
    struct rings rings;
    double *sky;
    struct trace_plane *plane;
    struct trace_glow *glow;
    struct trace_probe *probe;
    int *probe_point; /* index of the scene's point behind each probe */
    double *owned;    /* brightness of the planes */
    struct quadrature rule;
};

static void read_cells(const void *user, int64_t first, int64_t count, struct transport_cell *cells)
{
    const struct prepared_trace *prepared = user;
    const struct medium *medium = &prepared->scene->medium;
    for (int64_t i = 0; i < count; i++) {
        const int64_t cell = first + i - prepared->cavity;
        if (cell < 0) {
            cells[i] = job_empty_cell(medium, prepared->velocity_unit);
            continue;
        }
        cells[i].alpha0 = field_at(&medium->alpha0, cell) * prepared->length_unit;
        cells[i].a = field_at(&medium->a, cell);
        cells[i].b = field_at(&medium->b, cell) / prepared->velocity_unit;
        for (int axis = 0; axis < 3; axis++)
            cells[i].velocity[axis] = field_at(&medium->velocity[axis], cell) / prepared->velocity_unit;
        cells[i].kappa = field_at(&medium->kappa, cell) * prepared->length_unit;
        cells[i].eps = prepared->shines ? field_at(&prepared->scene->line_source, cell) * prepared->length_unit /
                                              prepared->intensity_unit
                                        : 0;
    }
}

/* Photons per length, area, steradian and velocity, in code units. */
static void read_glow(const void *user, int glow, int64_t first, int64_t count, double *strength)
{
    const struct prepared_trace *prepared = user;
    const double unit = prepared->length_unit / (prepared->intensity_unit * prepared->velocity_unit);
    for (int64_t i = 0; i < count; i++) {
        const int64_t cell = first + i - prepared->cavity;
        strength[i] = cell < 0 ? 0 : field_at(&prepared->scene->glow[glow].strength, cell) * unit;
    }
}

/* I_v of a black body: photons s^-1 cm^-2 sr^-1 per unit velocity. */
static double background_light(double nu0, double temperature)
{
    if (!(temperature > 0))
        return 0;
    const double wavenumber = nu0 / LR_LIGHT_SPEED;
    return 2 * wavenumber * wavenumber * wavenumber / expm1(LR_PLANCK * nu0 / (LR_BOLTZMANN * temperature));
}

/* A unit that keeps intensities within the range of float: the brightest of what shines, roughly. */
static double choose_unit(const struct scene *scene, int origin, double background)
{
    const double length = 0.5 * mesh_size(&scene->mesh, 0);
    double unit = background;
    unit = fmax(unit, field_measure(&scene->line_source, &scene->mesh).high * length);
    if (scene->emissivity[origin].value || scene->emissivity[origin].kept)
        unit = fmax(unit, scene->emissivity[origin].unit * length);
    for (int g = 0; g < scene->n_glow; g++)
        unit = fmax(unit, field_measure(&scene->glow[g].strength, &scene->mesh).high * length / scene->reference_b);
    for (int c = 0; c < scene->channels.n * LIGHT_PARTS; c++) {
        unit = fmax(unit, scene->sky[c]);
        for (int p = 0; p < scene->n_plane; p++)
            unit = fmax(unit, scene->plane[p].brightness[c]);
        for (int p = 0; p < scene->n_point; p++)
            unit = fmax(unit, scene->point[p].strength[c] / (length * length));
    }
    return unit > 0 ? unit : 1;
}

/* Rays at some distances from the centre stand for all pixels. Light that spheres send out changes with their velocity
 * toward the observer more abruptly than light from all over a shell. */
static enum lr_status prepare_rings(lr_context *ctx, const struct camera *view, struct prepared_trace *prepared)
{
    struct trace_job *job = &prepared->job;
    const double fine = prepared->scene->rows.n_aspect > 1 ? 4 : 1;
    LR_TRY(
        rings_make(ctx, &prepared->scene->mesh, fine * trace_largest_speed(prepared->scene), view, &prepared->rings));
    for (int i = 0; i < prepared->rings.n_row * RAYS_PER_ROW; i++)
        prepared->rings.impact[i] /= prepared->length_unit;
    memcpy(job->toward, view->toward, sizeof job->toward);
    job->impact = prepared->rings.impact;
    job->pixels[0] = RAYS_PER_ROW;
    job->pixels[1] = prepared->rings.n_row;
    job->pixel = 1;
    job->rays = 1;
    return LR_OK;
}

static enum lr_status prepare_eye(lr_context *ctx, const struct camera *view, struct prepared_trace *prepared)
{
    const struct mesh *mesh = &prepared->scene->mesh;
    struct trace_job *job = &prepared->job;
    if (mesh->kind == MESH_SHELLS)
        return prepare_rings(ctx, view, prepared);
    job->perspective = view->kind == CAMERA_PERSPECTIVE;
    for (int axis = 0; axis < 3; axis++) {
        job->toward[axis] = view->toward[axis];
        job->right[axis] = view->right[axis];
        job->up[axis] = view->up[axis];
        const double origin = job->perspective ? view->position[axis] : view->centre[axis];
        job->origin[axis] = job_coordinate(mesh, axis, origin, prepared->length_unit);
    }
    const double size = camera_pixel_size(view);
    job->pixel = job->perspective ? size : size / prepared->length_unit;
    job->pixels[0] = view->pixels[0];
    job->pixels[1] = view->pixels[1];
    job->rays = trace_choose_rays(ctx, prepared->scene, view);
    return LR_OK;
}

static enum lr_status prepare_mesh(lr_context *ctx, struct prepared_trace *prepared)
{
    const struct mesh *mesh = &prepared->scene->mesh;
    struct trace_job *job = &prepared->job;
    LR_TRY(job_mesh_make(ctx, mesh, prepared->length_unit, &prepared->mesh));
    prepared->cavity = job_cavity(mesh);
    job->mesh = prepared->mesh.kind;
    memcpy(job->n, prepared->mesh.n, sizeof job->n);
    memcpy(job->face, prepared->mesh.face, sizeof job->face);
    for (int axis = 0; axis < 3; axis++)
        job->width[axis] = prepared->mesh.width[axis];
    job->tree = job_mesh_tree(&prepared->mesh);
    job->n_cell = mesh_cell_count(mesh) + prepared->cavity;
    job->medium = prepared;
    job->read_cells = read_cells;
    job->grey = !field_is_zero(&prepared->scene->medium.kappa, mesh_cell_count(mesh));
    return LR_OK;
}

/* Stored channels [first, first + n) make up those of the cube, `merge` at a time. */
static int prepare_channels(lr_context *ctx, const struct channels *channels, struct prepared_trace *prepared)
{
    const struct channels *stored = &prepared->scene->channels;
    struct trace_job *job = &prepared->job;
    const int first = (int)lround((channels->first - stored->first) / stored->width);
    job->merge = (int)lround(channels->width / stored->width);
    job->n_channel = channels->n * job->merge;
    job->velocity_first = (stored->first + first * stored->width) / prepared->velocity_unit;
    job->velocity_step = stored->width / prepared->velocity_unit;
    quadrature_make(trace_choose_samples(ctx, prepared->scene, channels), &prepared->rule);
    job->n_node = prepared->rule.n;
    job->node = prepared->rule.node;
    job->weight = prepared->rule.weight;
    job->stride = stored->n;
    return first;
}

/* The light of each node: the mean over the part of the channel that the node stands for. `light` is that of the
 * LIGHT_PARTS of all stored channels. */
static void light_of_nodes(const struct prepared_trace *prepared, int first, const double *light, double *nodes)
{
    const struct trace_job *job = &prepared->job;
    double low = 0;
    for (int node = 0; node < job->n_node; node++) {
        const double high = low + job->weight[node];
        for (int c = 0; c < job->n_channel; c++) {
            const double *parts = light + (size_t)(first + c) * LIGHT_PARTS;
            double sum = 0;
            for (int p = 0; p < LIGHT_PARTS; p++) {
                const double overlap = fmin(high * LIGHT_PARTS, p + 1) - fmax(low * LIGHT_PARTS, p);
                sum += overlap > 0 ? overlap / LIGHT_PARTS * parts[p] : 0;
            }
            nodes[node * job->n_channel + c] = sum / (job->weight[node] * prepared->intensity_unit);
        }
        low = high;
    }
}

static enum lr_status prepare_planes(lr_context *ctx, int origin, int first, struct prepared_trace *prepared)
{
    const struct scene *scene = prepared->scene;
    struct trace_job *job = &prepared->job;
    const size_t n = (size_t)job->n_channel * (size_t)job->n_node;
    LR_TRY(lr_allocate(ctx, (size_t)scene->n_plane, sizeof *prepared->plane, &prepared->plane));
    LR_TRY(lr_allocate(ctx, (size_t)scene->n_plane * n, sizeof(double), &prepared->owned));
    for (int p = 0; p < scene->n_plane; p++) {
        const struct scene_plane *from = &scene->plane[p];
        if (from->camera != origin)
            continue;
        double *brightness = prepared->owned + (size_t)job->n_plane * n;
        light_of_nodes(prepared, first, from->brightness, brightness);
        prepared->plane[job->n_plane++] = (struct trace_plane){
            from->axis, job_coordinate(&scene->mesh, from->axis, from->offset, prepared->length_unit), from->isotropic,
            from->side, brightness};
    }
    job->plane = prepared->plane;
    return LR_OK;
}

static enum lr_status prepare_glows(lr_context *ctx, struct prepared_trace *prepared)
{
    const struct scene *scene = prepared->scene;
    LR_TRY(lr_allocate(ctx, (size_t)scene->n_glow, sizeof *prepared->glow, &prepared->glow));
    for (int g = 0; g < scene->n_glow; g++) {
        const struct scene_glow *from = &scene->glow[g];
        prepared->glow[g] = (struct trace_glow){from->n, from->first / prepared->velocity_unit,
                                                from->step / prepared->velocity_unit, from->below, from->gas_frame};
    }
    prepared->job.n_glow = scene->n_glow;
    prepared->job.glow = prepared->glow;
    prepared->job.read_glow = read_glow;
    return LR_OK;
}

static enum lr_status prepare_probes(lr_context *ctx, int origin, const struct camera *view,
                                     struct prepared_trace *prepared)
{
    const struct scene *scene = prepared->scene;
    struct trace_job *job = &prepared->job;
    LR_TRY(lr_allocate(ctx, (size_t)scene->n_point, sizeof *prepared->probe, &prepared->probe));
    LR_TRY(lr_allocate(ctx, (size_t)scene->n_point, sizeof *prepared->probe_point, &prepared->probe_point));
    for (int p = 0; p < scene->n_point; p++) {
        const struct scene_point *from = &scene->point[p];
        if (from->camera != origin)
            continue;
        struct trace_probe *probe = &prepared->probe[job->n_probe];
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            probe->start[axis] = job_coordinate(&scene->mesh, axis, from->position[axis], prepared->length_unit);
            probe->direction[axis] = job->perspective
                                         ? (view->position[axis] - from->position[axis]) / prepared->length_unit
                                         : view->toward[axis];
            square += probe->direction[axis] * probe->direction[axis];
        }
        for (int axis = 0; axis < 3; axis++)
            probe->direction[axis] /= sqrt(square);
        probe->length = job->perspective ? sqrt(square) : (double)INFINITY;
        prepared->probe_point[job->n_probe++] = p;
    }
    job->probe = prepared->probe;
    job->n_probe_node = LIGHT_PARTS;
    return LR_OK;
}

static void prepared_free(struct prepared_trace *prepared)
{
    job_mesh_free(&prepared->mesh);
    rings_free(&prepared->rings);
    free(prepared->light);
    free(prepared->sky);
    free(prepared->plane);
    free(prepared->glow);
    free(prepared->probe);
    free(prepared->probe_point);
    free(prepared->owned);
}

/* The emissivity of the job: nothing shines in the cavity. */
static enum lr_status add_cavity(lr_context *ctx, const float *from, struct prepared_trace *prepared,
                                 const float **light)
{
    const size_t row = (size_t)(prepared->scene->rows.n_aspect * prepared->scene->channels.n);
    const size_t n = scene_voxel_count(prepared->scene);
    LR_TRY(lr_allocate(ctx, n + row, sizeof(float), &prepared->light));
    memcpy(prepared->light + row, from, n * sizeof(float));
    *light = prepared->light;
    return LR_OK;
}

static enum lr_status prepare(lr_context *ctx, const struct scene *scene, int origin,
                              const struct emissivity *emissivity, const struct camera *view,
                              const struct channels *channels, const struct image_options *options, bool shines,
                              struct prepared_trace *prepared)
{
    const double background = background_light(scene->nu0, options->background);
    prepared->scene = scene;
    prepared->shines = shines;
    prepared->length_unit = 0.5 * mesh_size(&scene->mesh, 0);
    prepared->velocity_unit = scene->reference_b;
    prepared->intensity_unit = choose_unit(scene, origin, background);
    struct trace_job *job = &prepared->job;
    LR_TRY(prepare_mesh(ctx, prepared));
    LR_TRY(prepare_eye(ctx, view, prepared));
    const int first = prepare_channels(ctx, channels, prepared);
    LR_TRY(lr_allocate(ctx, (size_t)job->n_channel * (size_t)job->n_node, sizeof(double), &prepared->sky));
    job->sky = prepared->sky;
    const float *light = emissivity->value;
    if (light && prepared->cavity)
        LR_TRY(add_cavity(ctx, light, prepared, &light));
    job->emissivity = light ? light + first : NULL;
    job->emissivity_unit = emissivity->unit * prepared->length_unit / prepared->intensity_unit;
    if (emissivity->kept) {
        job->kept = emissivity->kept;
        job->kept_first = emissivity->first + first;
        job->emissivity_unit *= emissivity->scale;
    }
    job->n_aspect = light ? scene->rows.n_aspect : 1;
    job->n_row = scene->rows.n + (int64_t)prepared->cavity * scene->rows.n_aspect;
    job->escaped = scene->escaped;
    /* Packets are created and scattered in cells that are even and move as one: rays see the same cells. */
    const bool with_packets = job->emissivity || job->kept || options->method == IMAGE_PEEL_OFF;
    job->step_source = options->step_source && !with_packets;
    job->step_velocity = options->step_velocity && !with_packets;
    if (!shines)
        return LR_OK;
    light_of_nodes(prepared, first, scene->sky, prepared->sky);
    for (int i = 0; i < job->n_channel * job->n_node; i++)
        prepared->sky[i] += background / prepared->intensity_unit;
    LR_TRY(prepare_planes(ctx, origin, first, prepared));
    LR_TRY(prepare_glows(ctx, prepared));
    return prepare_probes(ctx, origin, view, prepared);
}

/* ---- after tracing ---------------------------------------------------------------------------------------------- */

/* Which pixel shows a point; false when it is outside the image. For a near observer also the solid angle of the pixel
 * and the square of the distance. */
static bool find_pixel(const struct camera *view, const double point[3], int64_t *pixel, double *dilution)
{
    const double size = camera_pixel_size(view);
    const bool near = view->kind == CAMERA_PERSPECTIVE;
    const double *origin = near ? view->position : view->centre;
    double u = 0;
    double v = 0;
    double ahead = 0;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double offset = point[axis] - origin[axis];
        u += offset * view->right[axis];
        v += offset * view->up[axis];
        ahead -= offset * view->toward[axis];
        square += offset * offset;
    }
    if (near && !(ahead > 0))
        return false;
    const double scale = near ? size * ahead : size;
    const double x = floor(u / scale + 0.5 * view->pixels[0]);
    const double y = floor(v / scale + 0.5 * view->pixels[1]);
    if (!(x >= 0 && x < view->pixels[0] && y >= 0 && y < view->pixels[1]))
        return false;
    *pixel = (int64_t)y * view->pixels[0] + (int64_t)x;
    /* photons s^-1 sr^-1 to intensity: by the area of the pixel, or by solid angle x distance^2 */
    const double cosine = near ? ahead / sqrt(square) : 1;
    *dilution = near ? 1 / (size * size * cosine * cosine * cosine * square) : 1 / (size * size);
    return true;
}

/* Unresolved light: all of it in one pixel. Returns its flux, photons s^-1 sr^-1. */
static double add_points(const struct prepared_trace *prepared, int first, const struct camera *view,
                         const double *transmission, float *intensity)
{
    const struct trace_job *job = &prepared->job;
    const int64_t plane = (int64_t)view->pixels[0] * view->pixels[1];
    double flux = 0;
    for (int p = 0; p < job->n_probe; p++) {
        const struct scene_point *point = &prepared->scene->point[prepared->probe_point[p]];
        int64_t pixel;
        double dilution;
        if (!find_pixel(view, point->position, &pixel, &dilution))
            continue;
        for (int c = 0; c < job->n_channel; c++) {
            double seen = 0;
            for (int part = 0; part < LIGHT_PARTS; part++)
                seen += point->strength[(first + c) * LIGHT_PARTS + part] *
                        transmission[(p * job->n_channel + c) * LIGHT_PARTS + part] / LIGHT_PARTS;
            intensity[c / job->merge * plane + pixel] +=
                (float)(seen * dilution / (job->merge * prepared->intensity_unit));
            flux += seen * prepared->scene->channels.width;
        }
    }
    return flux;
}

/* That of the channels of the cube. */
static void merge_sky(const struct trace_job *job, double *sky)
{
    for (int node = 0; node < job->n_node; node++)
        for (int c = 0; c < job->n_channel; c++)
            sky[c / job->merge] += job->weight[node] * job->sky[node * job->n_channel + c] / job->merge;
}

/* Nothing of it is left in the intensity, then. */
static void subtract_sky(int n_channel, size_t plane, double *sky, float *intensity)
{
    for (int c = 0; c < n_channel; c++) {
        for (size_t i = 0; i < plane; i++)
            intensity[(size_t)c * plane + i] -= (float)sky[c];
        sky[c] = 0;
    }
}

struct report {
    lr_context *ctx;
    char what[96];
    int64_t total;
    double start;
};

static void forward_progress(void *user, int64_t done)
{
    const struct report *report = user;
    if (report->ctx->progress)
        report->ctx->progress(report->ctx->progress_user, report->what, done, report->total,
                              lr_seconds() - report->start);
}

static enum lr_status run_job(lr_context *ctx, const struct worker *worker, const struct trace_job *job,
                              const struct camera *view, struct trace_image *image)
{
    struct report report = {.ctx = ctx, .total = job->pixels[1], .start = lr_seconds()};
    snprintf(report.what, sizeof report.what, "rows of image '%s'", view->name);
    const struct transport_monitor monitor = {&ctx->stop, forward_progress, &report};
    return worker->backend->trace(ctx, worker->device, worker->threads, worker->double_precision, job, &monitor, image);
}

/* Shells: rays to rings to pixels. */
static enum lr_status run_shells(lr_context *ctx, const struct worker *worker, const struct prepared_trace *prepared,
                                 const struct camera *view, struct trace_image *image)
{
    const struct trace_job *job = &prepared->job;
    const int n_plane = job->n_channel / job->merge;
    const size_t n_ray = (size_t)job->pixels[0] * (size_t)job->pixels[1] * (size_t)n_plane;
    struct trace_image rays = *image;
    double *beyond = NULL;
    double *nothing = NULL;
    enum lr_status status = LR_OK;
    rays.intensity = rays.optical_depth = NULL;
    LR_TRY_OR(done, status, lr_allocate(ctx, n_ray, sizeof(float), &rays.intensity));
    if (image->optical_depth)
        LR_TRY_OR(done, status, lr_allocate(ctx, n_ray, sizeof(float), &rays.optical_depth));
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)n_plane, sizeof(double), &beyond));
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)n_plane, sizeof(double), &nothing));
    merge_sky(job, beyond);
    LR_TRY_OR(done, status, run_job(ctx, worker, job, view, &rays));
    image->seconds = rays.seconds;
    LR_TRY_OR(done, status,
              rings_to_pixels(ctx, &prepared->rings, view, worker->threads, n_plane, rays.intensity, beyond,
                              image->intensity));
    if (image->optical_depth)
        status = rings_to_pixels(ctx, &prepared->rings, view, worker->threads, n_plane, rays.optical_depth, nothing,
                                 image->optical_depth);
done:
    free(rays.intensity);
    free(rays.optical_depth);
    free(beyond);
    free(nothing);
    return status;
}

/* Parallel rays through layers without an end all see the same: one stands for all pixels. Points are no part of it. */
static bool is_one_for_all(const struct prepared_trace *prepared)
{
    return mesh_layer_axis(&prepared->scene->mesh) >= 0 && !prepared->job.perspective;
}

static void spread(const float *from, int n_plane, size_t n_pixel, float *to)
{
    for (int c = 0; c < n_plane; c++)
        for (size_t i = 0; i < n_pixel; i++)
            to[(size_t)c * n_pixel + i] = from[c];
}

static enum lr_status run_layers(lr_context *ctx, const struct worker *worker, const struct prepared_trace *prepared,
                                 const struct camera *view, struct trace_image *image)
{
    struct trace_job job = prepared->job;
    struct trace_image one = *image;
    const size_t n_pixel = (size_t)job.pixels[0] * (size_t)job.pixels[1];
    const int n_plane = job.n_channel / job.merge;
    enum lr_status status = LR_OK;
    job.pixels[0] = job.pixels[1] = 1;
    one.intensity = one.optical_depth = NULL;
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)n_plane, sizeof(float), &one.intensity));
    if (image->optical_depth)
        LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)n_plane, sizeof(float), &one.optical_depth));
    LR_TRY_OR(done, status, run_job(ctx, worker, &job, view, &one));
    image->seconds = one.seconds;
    spread(one.intensity, n_plane, n_pixel, image->intensity);
    if (image->optical_depth)
        spread(one.optical_depth, n_plane, n_pixel, image->optical_depth);
done:
    free(one.intensity);
    free(one.optical_depth);
    return status;
}

static enum lr_status run(lr_context *ctx, const struct worker *worker, const struct prepared_trace *prepared,
                          const struct camera *view, struct trace_image *image)
{
    if (prepared->job.mesh == TRANSPORT_SHELLS)
        return run_shells(ctx, worker, prepared, view, image);
    return is_one_for_all(prepared) ? run_layers(ctx, worker, prepared, view, image)
                                    : run_job(ctx, worker, &prepared->job, view, image);
}

static void report_image(lr_context *ctx, const struct prepared_trace *prepared, const struct camera *view,
                         int n_channel, double seconds)
{
    const struct trace_job *job = &prepared->job;
    if (job->mesh == TRANSPORT_SHELLS)
        lr_log(ctx, LR_LOG_INFO,
               "image '%s': %d x %d pixels from %d rings of %d rays, %d channels of %d frequencies, traced in %.3g s",
               view->name, view->pixels[0], view->pixels[1], prepared->rings.n, RING_NODES, n_channel,
               job->merge * job->n_node, seconds);
    else
        lr_log(ctx, LR_LOG_INFO,
               "image '%s': %d x %d pixels of %d x %d rays%s, %d channels of %d frequencies, traced in %.3g s",
               view->name, view->pixels[0], view->pixels[1], job->rays, job->rays,
               is_one_for_all(prepared) ? " (layers: one pixel for all)" : "", n_channel, job->merge * job->n_node,
               seconds);
}

enum lr_status trace_cube(lr_context *ctx, const struct worker *worker, const struct scene *scene, int origin,
                          const struct camera *view, const struct channels *channels,
                          const struct image_options *options, struct cube *cube)
{
    const size_t plane = (size_t)view->pixels[0] * (size_t)view->pixels[1];
    const size_t n = plane * (size_t)channels->n;
    struct prepared_trace prepared = {0};
    struct trace_image image = {0};
    double *sky = NULL;
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status,
              prepare(ctx, scene, origin, &scene->emissivity[origin], view, channels, options, true, &prepared));
    const struct trace_job *job = &prepared.job;
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof(float), &image.intensity));
    if (options->optical_depth || options->report)
        LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof(float), &image.optical_depth));
    LR_TRY_OR(done, status,
              lr_allocate(ctx, (size_t)job->n_probe * (size_t)job->n_channel * LIGHT_PARTS, sizeof(double),
                          &image.transmission));
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)channels->n, sizeof *sky, &sky));
    LR_TRY_OR(done, status, run(ctx, worker, &prepared, view, &image));
    const int first = (int)lround((channels->first - scene->channels.first) / scene->channels.width);
    const double point_flux = add_points(&prepared, first, view, image.transmission, image.intensity);
    merge_sky(job, sky);
    if (options->subtract)
        subtract_sky(channels->n, plane, sky, image.intensity);
    *cube = (struct cube){.camera = *view,
                          .channels = *channels,
                          .nu0 = scene->nu0,
                          .intensity = image.intensity,
                          .optical_depth = image.optical_depth,
                          .sky = sky,
                          .point_flux = point_flux,
                          .scale = prepared.intensity_unit * LR_PLANCK * LR_LIGHT_SPEED,
                          .background = options->background,
                          .seconds = image.seconds};
    report_image(ctx, &prepared, view, channels->n, image.seconds);
    cube->camera.rays = job->mesh == TRANSPORT_SHELLS ? view->rays : job->rays;
    cube->channels.samples = job->n_node;
    image.intensity = image.optical_depth = NULL;
    sky = NULL;
done:
    free(image.intensity);
    free(image.optical_depth);
    free(image.transmission);
    free(sky);
    prepared_free(&prepared);
    return status;
}

enum lr_status trace_emissivity(lr_context *ctx, const struct worker *worker, const struct scene *scene, int origin,
                                const struct emissivity *emissivity, const struct image_options *options,
                                const struct cube *like, float *intensity)
{
    struct prepared_trace prepared = {0};
    struct trace_image image = {.intensity = intensity};
    enum lr_status status =
        prepare(ctx, scene, origin, emissivity, &like->camera, &like->channels, options, false, &prepared);
    if (status == LR_OK)
        status = run(ctx, worker, &prepared, &like->camera, &image);
    prepared_free(&prepared);
    return status;
}

enum lr_status trace_depth(lr_context *ctx, const struct worker *worker, const struct scene *scene, int origin,
                           const struct camera *view, const struct channels *channels, bool as_one, float *depth,
                           double *seconds)
{
    const size_t n = (size_t)view->pixels[0] * (size_t)view->pixels[1] * (size_t)channels->n;
    const struct image_options options = {.step_velocity = !as_one};
    const struct emissivity nothing = {0};
    struct prepared_trace prepared = {0};
    struct trace_image image = {.optical_depth = depth};
    LR_TRY(lr_allocate(ctx, n, sizeof(float), &image.intensity));
    enum lr_status status = prepare(ctx, scene, origin, &nothing, view, channels, &options, false, &prepared);
    if (status == LR_OK)
        status = run(ctx, worker, &prepared, view, &image);
    *seconds += image.seconds;
    prepared_free(&prepared);
    free(image.intensity);
    return status;
}
