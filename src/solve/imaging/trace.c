#include "solve/imaging/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "solve/common/progress.h"
#include "solve/imaging/trace_prepare.h"
#include "solve/team/team_trace.h"

/* The pixel that shows a point; false if it is outside the image. For a near observer, also the solid angle of the
 * pixel and the square of the distance. */
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
    /* from photons s^-1 sr^-1 to intensity: by the area of the pixel, or by solid angle x distance^2 */
    const double cosine = near ? ahead / sqrt(square) : 1;
    *dilution = near ? 1 / (size * size * cosine * cosine * cosine * square) : 1 / (size * size);
    return true;
}

/* Unresolved light goes into a single pixel. Returns its flux, photons s^-1 sr^-1. */
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

/* The sky in the channels of the cube. */
static void merge_sky(const struct trace_job *job, double *sky)
{
    for (int node = 0; node < job->n_node; node++)
        for (int c = 0; c < job->n_channel; c++)
            sky[c / job->merge] += job->weight[node] * job->sky[node * job->n_channel + c] / job->merge;
}

/* None of it is then left in the intensity. */
static void subtract_sky(int n_channel, size_t plane, double *sky, float *intensity)
{
    for (int c = 0; c < n_channel; c++) {
        for (size_t i = 0; i < plane; i++)
            intensity[(size_t)c * plane + i] -= (float)sky[c];
        sky[c] = 0;
    }
}

static enum lr_status run_job(lr_context *ctx, const struct worker *worker, const struct trace_job *job,
                              const struct camera *view, struct trace_image *image)
{
    char what[96];
    snprintf(what, sizeof what, "rows of image '%s'", view->name);
    struct progress progress = progress_start(ctx, what, job->pixels[1]);
    const struct transport_monitor monitor = progress_monitor(&progress);
    return team_trace(ctx, worker, job, &monitor, image);
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

/* Parallel rays through infinite layers all see the same: one represents all pixels. Points are not included. */
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
    if (prepared->job.mesh.kind == MESH_SHELLS)
        return run_shells(ctx, worker, prepared, view, image);
    return is_one_for_all(prepared) ? run_layers(ctx, worker, prepared, view, image)
                                    : run_job(ctx, worker, &prepared->job, view, image);
}

static void report_image(lr_context *ctx, const struct prepared_trace *prepared, const struct camera *view,
                         int n_channel, double seconds)
{
    const struct trace_job *job = &prepared->job;
    if (job->mesh.kind == MESH_SHELLS)
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

struct trace_light trace_light_of(const struct scene *scene, int camera)
{
    const struct emissivity *from = &scene->emissivity[camera];
    return (struct trace_light){.value = from->value, .unit = from->unit};
}

enum lr_status trace_cube(lr_context *ctx, const struct worker *worker, const struct trace_request *request,
                          struct cube *cube)
{
    const struct scene *scene = request->scene;
    const struct camera *view = request->view;
    const struct channels *channels = request->channels;
    const struct image_options *options = request->options;
    const size_t plane = (size_t)view->pixels[0] * (size_t)view->pixels[1];
    const size_t n = plane * (size_t)channels->n;
    struct prepared_trace prepared = {0};
    struct trace_image image = {0};
    double *sky = NULL;
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, trace_prepare(ctx, request, true, &prepared));
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
    cube->camera.rays = job->mesh.kind == MESH_SHELLS ? view->rays : job->rays;
    cube->channels.samples = job->n_node;
    image.intensity = image.optical_depth = NULL;
    sky = NULL;
done:
    free(image.intensity);
    free(image.optical_depth);
    free(image.transmission);
    free(sky);
    trace_prepared_free(&prepared);
    return status;
}

enum lr_status trace_scattered(lr_context *ctx, const struct worker *worker, const struct trace_request *request,
                               float *intensity)
{
    struct prepared_trace prepared = {0};
    struct trace_image image = {.intensity = intensity};
    enum lr_status status = trace_prepare(ctx, request, false, &prepared);
    if (status == LR_OK)
        status = run(ctx, worker, &prepared, request->view, &image);
    trace_prepared_free(&prepared);
    return status;
}

enum lr_status trace_depth(lr_context *ctx, const struct worker *worker, const struct trace_request *request,
                           float *depth, double *seconds)
{
    const struct camera *view = request->view;
    const size_t n = (size_t)view->pixels[0] * (size_t)view->pixels[1] * (size_t)request->channels->n;
    struct prepared_trace prepared = {0};
    struct trace_image image = {.optical_depth = depth};
    LR_TRY(lr_allocate(ctx, n, sizeof(float), &image.intensity));
    enum lr_status status = trace_prepare(ctx, request, false, &prepared);
    if (status == LR_OK)
        status = run(ctx, worker, &prepared, view, &image);
    *seconds += image.seconds;
    trace_prepared_free(&prepared);
    free(image.intensity);
    return status;
}
