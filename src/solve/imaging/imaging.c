#include "solve/imaging/imaging.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/context.h"

static const double GIB = 1024.0 * 1024.0 * 1024.0;
static const double MIB = 1024.0 * 1024.0;

/* Shares of scatterings are summed in double where voxels are few and each gets many; 2^25 doubles are 256 MiB. */
static const double WIDE_VOXELS = 33554432;

/* Segments of a smaller scattering depth leave their mean with the cameras (kernel/deposit.h): measured in
 * docs/imaging.md. In a mesh with thick cells packets scatter often enough, but for the thinnest of its gas. */
static const double THICK = 2;
static const double FORCE_BELOW = 0.3, FORCE_BELOW_AMONG_THICK = 0.01;

/* Of light that is followed out of the mesh. */
static const double SHARE_LEAST = 0.005;

/* ---- passes ----------------------------------------------------------------------------------------------------- */

/* What a pass over some cameras takes per row (model/light_rows.h) and recorded channel. Transport has sums, a float
 * for each group and a double where they are wide, on the device and on the host; for every camera, or once for all
 * observers of shells. The host makes an emissivity of them for every camera, and its error. */
struct voxel_cost {
    double sums, emissivity; /* bytes */
    bool shared;             /* one set of sums for all cameras */
    bool kept;               /* the host has none */
};

static struct voxel_cost voxel_cost(const lr_model *model, const struct imaging_plan *plan, bool shared)
{
    return (struct voxel_cost){plan->n_group * (plan->wide ? 12.0 : 4.0), model->image.errors ? 8.0 : 4.0, shared,
                               plan->keep};
}

static double device_bytes_of(const struct voxel_cost *cost, int n_camera)
{
    return cost->sums * (cost->shared ? 1 : n_camera);
}

static double host_bytes_of(const struct voxel_cost *cost, int n_camera)
{
    return cost->kept ? 0 : device_bytes_of(cost, n_camera) + cost->emissivity * n_camera;
}

/* Whether the emissivity can stay with the device that rays are traced on: nobody else wants it. */
static bool can_keep(const lr_model *model, const struct imaging_plan *plan)
{
    return model->mesh.kind != MESH_SHELLS && model->image.method != IMAGE_PEEL_OFF && plan->n_group == 1 &&
           !plan->wide && !model->image.emissivity;
}

/* The most cameras whose `voxels` fit at once, 0 when not even one does. */
static int cameras_that_fit(const struct voxel_cost *cost, double voxels, int n_camera, double on_device,
                            double on_host)
{
    while (n_camera > 0 &&
           (voxels * device_bytes_of(cost, n_camera) > on_device || voxels * host_bytes_of(cost, n_camera) > on_host))
        n_camera--;
    return n_camera;
}

/* The cubes themselves: intensity, and what else is kept of them. */
static enum lr_status check_cubes(lr_context *ctx, const lr_model *model, double host_bytes)
{
    const double per_voxel =
        4 * (1 + (model->image.optical_depth || model->image.report) + (model->image.errors ? 6 : 0));
    double bytes = 0;
    const struct camera *largest = &model->camera[0];
    for (int c = 0; c < model->n_camera; c++) {
        const struct camera *camera = &model->camera[c];
        bytes += (double)camera->pixels[0] * camera->pixels[1] * model->channels.n * per_voxel;
        if ((double)camera->pixels[0] * camera->pixels[1] > (double)largest->pixels[0] * largest->pixels[1])
            largest = camera;
    }
    if (bytes <= host_bytes)
        return LR_OK;
    return lr_fail(ctx, LR_ERROR_MEMORY,
                   "%s: the cubes need %.3g GiB and only %.3g GiB may be used; use fewer channels, or fewer pixels "
                   "than the %d x %d of camera '%s'",
                   model->path, bytes / GIB, host_bytes / GIB, largest->pixels[0], largest->pixels[1], largest->name);
}

enum lr_status imaging_plan(lr_context *ctx, const lr_model *model, double free_bytes, double host_bytes,
                            struct imaging_plan *plan)
{
    const double cells = (double)mesh_cell_count(&model->mesh);
    const int n_camera = model->n_camera;
    const int n_channel = model->channels.n;
    const int refined = channel_refinement(model);
    const struct light_rows rows = light_rows_make(&model->mesh, aspect_count(model));
    const int n_aspect = rows.n_aspect;
    const int n_emissivity = n_aspect > 1 ? 1 : n_camera; /* all observers of shells share one */
    const double slice = (double)rows.n * refined;        /* voxels of one channel */
    const double all = slice * n_channel * n_emissivity;
    LR_TRY(check_cubes(ctx, model, host_bytes));
    plan->n_group = model->image.errors ? IMAGE_GROUPS : 1;
    plan->wide = plan->n_group * all <= WIDE_VOXELS;
    plan->keep = plan->keep && can_keep(model, plan);
    const bool stored = model->run.packets > 0 && model->image.method == IMAGE_TWO_STEP;
    const struct voxel_cost cost = voxel_cost(model, plan, n_emissivity < n_camera);
    int cameras = n_camera; /* in one pass */
    int channels = n_channel;
    if (stored)
        cameras = cameras_that_fit(&cost, slice * n_channel, n_camera, free_bytes, host_bytes);
    if (cameras < 1) {
        cameras = 1;
        const double on_host = cost.kept ? n_channel : host_bytes / (slice * host_bytes_of(&cost, 1));
        channels = (int)fmin(free_bytes / (slice * device_bytes_of(&cost, 1)), on_host);
    }
    if (channels < 1)
        return lr_fail(ctx, LR_ERROR_MEMORY,
                       "%s: one channel of %g cells needs %.3g GiB and only %.3g GiB may be used; use a smaller mesh%s",
                       model->path, cells, slice * fmax(device_bytes_of(&cost, 1), host_bytes_of(&cost, 1)) / GIB,
                       fmin(free_bytes, host_bytes) / GIB, model->image.errors ? " or 'image.errors: false'" : "");
    const int camera_parts = (n_camera + cameras - 1) / cameras;
    const int channel_parts = (n_channel + channels - 1) / channels;
    plan->n_window = camera_parts * channel_parts;
    LR_TRY(lr_allocate(ctx, (size_t)plan->n_window, sizeof *plan->window, &plan->window));
    for (int w = 0; w < plan->n_window; w++) {
        struct window *window = &plan->window[w];
        window->camera = w / channel_parts * cameras;
        window->channel = w % channel_parts * channels;
        window->n_camera = n_camera - window->camera < cameras ? n_camera - window->camera : cameras;
        window->n_channel = n_channel - window->channel < channels ? n_channel - window->channel : channels;
    }
    if (stored)
        lr_log(ctx, LR_LOG_INFO, "emissivity: %g %s x %d channel%s x %d %s%s x 4 bytes%s = %.3g MiB", cells,
               n_aspect > 1 ? "shells" : "cells", n_channel * refined, n_channel * refined == 1 ? "" : "s",
               n_aspect > 1 ? n_aspect : n_camera, n_aspect > 1 ? "aspect" : "camera",
               n_aspect > 1 || n_camera > 1 ? "s" : "", plan->n_group > 1 ? " x 8 groups for errors" : "",
               all * 4 * plan->n_group / MIB);
    if (plan->n_window > 1)
        lr_log(ctx, LR_LOG_INFO, "this does not fit in memory at once; making %d passes over the same packets",
               plan->n_window);
    if (plan->n_window > 1 && model->image.emissivity)
        return lr_fail(ctx, LR_ERROR_MEMORY,
                       "%s: 'image.emissivity: true' stores all of it, which does not fit in %.3g GiB; remove it, or "
                       "use fewer cameras or channels",
                       model->path, fmin(free_bytes, host_bytes) / GIB);
    return LR_OK;
}

void imaging_plan_free(struct imaging_plan *plan)
{
    free(plan->window);
    plan->window = NULL;
}

/* ---- what transport records ------------------------------------------------------------------------------------- */

static void prepare_peel(const lr_model *model, const struct camera *camera, struct transport_peel *peel)
{
    const double length = 0.5 * mesh_size(&model->mesh, 0);
    const double pixel = camera_pixel_size(camera) / length;
    peel->pixel = pixel;
    peel->n_x = camera->pixels[0];
    peel->n_y = camera->pixels[1];
    for (int axis = 0; axis < 3; axis++) {
        peel->right[axis] = camera->right[axis];
        peel->up[axis] = camera->up[axis];
        peel->corner[axis] = (camera->centre[axis] - mesh_lower(&model->mesh, axis)) / length -
                             0.5 * pixel * (peel->n_x * camera->right[axis] + peel->n_y * camera->up[axis]);
    }
}

void imaging_prepare_job(const lr_model *model, const struct window *window, const struct imaging_plan *plan,
                         struct transport_camera *camera, struct transport_peel *peel, struct transport_job *job)
{
    const double length = 0.5 * mesh_size(&model->mesh, 0);
    const struct channels channels = recorded_channels(model, window);
    const bool peels = model->image.method == IMAGE_PEEL_OFF;
    for (int c = 0; c < window->n_camera; c++) {
        const struct camera *from = &model->camera[window->camera + c];
        camera[c].perspective = from->kind == CAMERA_PERSPECTIVE;
        for (int axis = 0; axis < 3; axis++) {
            camera[c].toward[axis] = from->toward[axis];
            camera[c].position[axis] = (from->position[axis] - mesh_lower(&model->mesh, axis)) / length;
        }
        if (peels)
            prepare_peel(model, from, &peel[c]);
    }
    const struct light_rows rows = light_rows_make(&model->mesh, aspect_count(model));
    job->n_aspect = rows.n_aspect;
    job->n_row = rows.n + job_cavity(&model->mesh) * rows.n_aspect;
    job->escaped = peels || follows_light_out(model);
    job->n_camera = job->n_aspect > 1 ? 1 : window->n_camera;
    job->camera = camera;
    job->channel_begin = window->channel * channel_refinement(model);
    job->n_channel = channels.n;
    job->velocity_first = model->channels.first / model->reference_b;
    job->velocity_step = channels.width / model->reference_b;
    job->n_deposit_group = peels ? IMAGE_GROUPS : plan->n_group;
    job->deposit_wide = plan->wide;
    job->keep_emissivity = plan->keep;
    const bool thick = has_deep_cells(model, THICK);
    job->force_below = peels ? 0 : thick ? FORCE_BELOW_AMONG_THICK : FORCE_BELOW;
    job->share_least = job->escaped ? SHARE_LEAST : 0;
    job->peel = peels ? peel : NULL;
}

static size_t peel_count(const struct transport_job *job, int camera)
{
    return (size_t)job->n_deposit_group * (size_t)job->n_channel * (size_t)job->peel[camera].n_x *
           (size_t)job->peel[camera].n_y;
}

enum lr_status imaging_allocate(lr_context *ctx, const struct transport_job *job, struct transport_tally *tally)
{
    if (job->keep_emissivity)
        return LR_OK;
    if (!job->peel)
        return lr_allocate(ctx, transport_voxel_count(job), sizeof(float), &tally->emissivity);
    LR_TRY(lr_allocate(ctx, (size_t)job->n_camera, sizeof *tally->peel, &tally->peel));
    for (int c = 0; c < job->n_camera; c++)
        LR_TRY(lr_allocate(ctx, peel_count(job, c), sizeof(double), &tally->peel[c]));
    return LR_OK;
}

void imaging_release(const struct worker *worker, const struct transport_job *job, struct transport_tally *tally)
{
    if (tally->kept)
        worker->backend->drop(tally->kept);
    tally->kept = NULL;
    free(tally->emissivity);
    for (int c = 0; tally->peel && c < job->n_camera; c++)
        free(tally->peel[c]);
    free(tally->peel);
    tally->emissivity = NULL;
    tally->peel = NULL;
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

/* The images of independent groups of p_g packets, P in all, each an estimate of the same image:
 *
 *     error^2 of their mean = SUM p_g (I_g - mean)^2 / ((n - 1) P). */
struct spread {
    int n;
    double packets;
    double *sum, *square;
};

static enum lr_status spread_create(lr_context *ctx, size_t n, struct spread *spread)
{
    LR_TRY(lr_allocate(ctx, n, sizeof(double), &spread->sum));
    return lr_allocate(ctx, n, sizeof(double), &spread->square);
}

static void spread_add(struct spread *spread, size_t n, const float *image, double packets)
{
    spread->n++;
    spread->packets += packets;
    for (size_t i = 0; i < n; i++) {
        spread->sum[i] += packets * (double)image[i];
        spread->square[i] += packets * (double)image[i] * (double)image[i];
    }
}

static void spread_error(const struct spread *spread, size_t n, float *error)
{
    for (size_t i = 0; i < n; i++) {
        const double mean = spread->sum[i] / spread->packets;
        const double variance = fmax(spread->square[i] / spread->packets - mean * mean, 0);
        error[i] = spread->n > 1 ? (float)sqrt(variance / (spread->n - 1)) : NAN;
    }
}

static void spread_free(struct spread *spread)
{
    free(spread->sum);
    free(spread->square);
}

static void group_packets(const struct transport_job *job, const struct transport_tally *tally, double *packets)
{
    for (int g = 0; g < job->n_deposit_group; g++)
        packets[g] = 0;
    for (int b = 0; b < job->n_batch; b++)
        packets[b % job->n_deposit_group] += tally->batch[b].packets;
}

/* Trace the scattered light of each group alone: the image is linear in it. */
static enum lr_status add_errors(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                 const struct scene *scene, int camera, const struct scattered *scattered,
                                 struct cube *cube)
{
    const size_t n = (size_t)cube->camera.pixels[0] * (size_t)cube->camera.pixels[1] * (size_t)cube->channels.n;
    struct spread spread = {0};
    float *image = NULL;
    float *light = NULL;
    struct trace_request request = {.scene = scene,
                                    .gas = &scene->medium,
                                    .origin = camera,
                                    .scattered = {.unit = scene->emissivity[camera].unit},
                                    .view = &cube->camera,
                                    .channels = &cube->channels,
                                    .options = &model->image};
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, spread_create(ctx, n, &spread));
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof *image, &image));
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof *cube->error, &cube->error));
    LR_TRY_OR(done, status, lr_allocate(ctx, scene_voxel_count(scene), sizeof *light, &light));
    request.scattered.value = light;
    for (int g = 0; g < scattered->n_group; g++) {
        const double packets = scattered->packets[g];
        if (!(packets > 0))
            continue;
        scene_scale_sums(model, scene, scattered_sums(scattered, scene, g, camera), packets, light);
        LR_TRY_OR(done, status, trace_scattered(ctx, worker, &request, image));
        spread_add(&spread, n, image, packets);
        cube->group_flux[g] = cube_flux(cube, image);
        cube->group_packets[g] = packets;
    }
    spread_error(&spread, n, cube->error);
done:
    spread_free(&spread);
    free(image);
    free(light);
    return status;
}

/* ---- peel-off --------------------------------------------------------------------------------------------------- */

/* Sums of w P exp(-tau) per pixel and channel are an intensity: L / (4 pi A dv) SUM / N. */
static enum lr_status add_peeled(lr_context *ctx, const lr_model *model, const struct transport_job *job,
                                 const double *sums, const double *packets, struct cube *cube)
{
    const size_t n = (size_t)cube->camera.pixels[0] * (size_t)cube->camera.pixels[1] * (size_t)cube->channels.n;
    const double pixel = camera_pixel_size(&cube->camera);
    const double unit = model_luminosity(model) / (4 * LR_PI * pixel * pixel * cube->channels.width) * LR_PLANCK *
                        LR_LIGHT_SPEED / cube->scale;
    struct spread spread = {0};
    float *image = NULL;
    double all = 0;
    for (int g = 0; g < job->n_deposit_group; g++)
        all += packets[g];
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, spread_create(ctx, n, &spread));
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof *image, &image));
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof *cube->error, &cube->error));
    for (int g = 0; g < job->n_deposit_group; g++) {
        const double *group = sums + (size_t)g * n;
        if (!(packets[g] > 0))
            continue;
        for (size_t i = 0; i < n; i++) {
            cube->intensity[i] += (float)(group[i] * unit / all);
            image[i] = (float)(group[i] * unit / packets[g]);
        }
        spread_add(&spread, n, image, packets[g]);
        cube->group_flux[g] = cube_flux(cube, image);
        cube->group_packets[g] = packets[g];
    }
    spread_error(&spread, n, cube->error);
done:
    spread_free(&spread);
    free(image);
    return status;
}

/* ---- cubes ------------------------------------------------------------------------------------------------------ */

/* Channels of a window into the whole cube; scales may differ. */
static enum lr_status store_part(lr_context *ctx, const lr_model *model, const struct window *window, struct cube *part,
                                 struct cube *whole)
{
    if (window->n_channel == model->channels.n) {
        *whole = *part;
        *part = (struct cube){0};
        return LR_OK;
    }
    const size_t plane = (size_t)part->camera.pixels[0] * (size_t)part->camera.pixels[1];
    const size_t n = plane * (size_t)model->channels.n;
    const size_t at = plane * (size_t)window->channel;
    if (!whole->intensity) {
        whole->camera = part->camera;
        whole->channels = model->channels;
        whole->channels.samples = part->channels.samples;
        whole->nu0 = part->nu0;
        whole->scale = part->scale;
        whole->background = part->background;
        LR_TRY(lr_allocate(ctx, n, sizeof(float), &whole->intensity));
        LR_TRY(lr_allocate(ctx, (size_t)model->channels.n, sizeof(double), &whole->sky));
        if (part->error)
            LR_TRY(lr_allocate(ctx, n, sizeof(float), &whole->error));
        if (part->optical_depth)
            LR_TRY(lr_allocate(ctx, n, sizeof(float), &whole->optical_depth));
    }
    const float factor = (float)(part->scale / whole->scale);
    for (size_t i = 0; i < plane * (size_t)window->n_channel; i++) {
        whole->intensity[at + i] = part->intensity[i] * factor;
        if (part->error)
            whole->error[at + i] = part->error[i] * factor;
        if (part->optical_depth)
            whole->optical_depth[at + i] = part->optical_depth[i];
    }
    for (int c = 0; c < window->n_channel; c++)
        whole->sky[window->channel + c] = part->sky[c] * part->scale / whole->scale;
    for (int g = 0; g < IMAGE_GROUPS; g++) {
        whole->group_flux[g] += part->group_flux[g];
        whole->group_packets[g] = part->group_packets[g];
    }
    whole->point_flux += part->point_flux;
    whole->seconds += part->seconds;
    return LR_OK;
}

enum lr_status imaging_finish(lr_context *ctx, const struct worker *worker, const lr_model *model,
                              const struct window *window, const struct transport_job *job,
                              const struct transport_tally *tally, struct lr_result *result)
{
    const struct channels channels = window_channels(model, window);
    double packets[TRANSPORT_MAX_BATCH] = {0};
    struct scene *scene = NULL;
    struct cube part = {0};
    enum lr_status status = LR_OK;
    const bool emissivity = tally && tally->emissivity;
    const bool errors = emissivity && model->image.errors;
    if (tally)
        group_packets(job, tally, packets);
    const struct scattered scattered = {emissivity ? tally->emissivity : NULL, job ? job->n_deposit_group : 0,
                                        job ? job->n_camera : 0, job_cavity(&model->mesh), packets};
    LR_TRY_OR(done, status, scene_build(ctx, model, window, &scene));
    if (emissivity)
        LR_TRY_OR(done, status, scene_add_scattered(ctx, model, scene, &scattered, errors && model->image.emissivity));
    if (model->image.emissivity) { /* first, so that a stop of the rays does not lose it */
        LR_TRY_OR(done, status, scene_own_medium(ctx, scene));
        result->scene = scene;
    }
    for (int c = 0; c < window->n_camera; c++) {
        const struct trace_request request = {.scene = scene,
                                              .gas = &scene->medium,
                                              .origin = c,
                                              .scattered = tally && tally->kept
                                                               ? kept_light(model, scene, c, tally->kept, packets[0])
                                                               : trace_light_of(scene, c),
                                              .view = &scene->camera[c],
                                              .channels = &channels,
                                              .options = &model->image};
        LR_TRY_OR(done, status, trace_cube(ctx, worker, &request, &part));
        if (errors)
            LR_TRY_OR(done, status, add_errors(ctx, worker, model, scene, c, &scattered, &part));
        if (tally && tally->peel)
            LR_TRY_OR(done, status, add_peeled(ctx, model, job, tally->peel[c], packets, &part));
        if (!model->image.errors) {
            free(part.error);
            part.error = NULL;
        }
        result->summary.seconds_images += part.seconds;
        LR_TRY_OR(done, status, store_part(ctx, model, window, &part, &result->cube[window->camera + c]));
        cube_free(&part);
    }
done:
    cube_free(&part);
    if (scene != result->scene)
        scene_free(scene);
    return status;
}
