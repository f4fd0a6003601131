#include "solve/imaging/camera_job.h"

#include <stdlib.h>

#include "model/light_rows.h"
#include "solve/transport/job.h"

/* Segments of smaller scattering depth leave their mean with the cameras (kernel/deposit.h); measured in
 * docs/imaging.md. In a mesh with thick cells packets scatter often enough, except in the thinnest gas. */
static const double THICK = 2;
static const double FORCE_BELOW = 0.3, FORCE_BELOW_AMONG_THICK = 0.01;

/* For light that is followed out of the mesh. */
static const double SHARE_LEAST = 0.005;

static void prepare_peel(const struct mesh *mesh, const struct camera *camera, struct transport_peel *peel)
{
    const double length = code_length(mesh);
    const double pixel = camera_pixel_size(camera) / length;
    peel->pixel = pixel;
    peel->n_x = camera->pixels[0];
    peel->n_y = camera->pixels[1];
    for (int axis = 0; axis < 3; axis++) {
        peel->right[axis] = camera->right[axis];
        peel->up[axis] = camera->up[axis];
        peel->corner[axis] = (camera->centre[axis] - mesh_lower(mesh, axis)) / length -
                             0.5 * pixel * (peel->n_x * camera->right[axis] + peel->n_y * camera->up[axis]);
    }
}

static void prepare_camera(const struct mesh *mesh, const struct camera *from, struct transport_camera *camera)
{
    const double length = code_length(mesh);
    camera->perspective = from->kind == CAMERA_PERSPECTIVE;
    for (int axis = 0; axis < 3; axis++) {
        camera->toward[axis] = from->toward[axis];
        camera->position[axis] = (from->position[axis] - mesh_lower(mesh, axis)) / length;
    }
}

void camera_job_prepare(const lr_model *model, const struct window *window, const struct imaging_plan *plan,
                        struct camera_list *cameras, struct transport_job *job)
{
    const struct channels channels = recorded_channels(model, window);
    const bool peels = model->image.method == IMAGE_PEEL_OFF;
    for (int c = 0; c < window->n_camera; c++) {
        const struct camera *from = &model->camera[window->camera + c];
        prepare_camera(&model->mesh, from, &cameras->camera[c]);
        if (peels)
            prepare_peel(&model->mesh, from, &cameras->peel[c]);
    }
    const struct light_rows rows = light_rows_make(&model->mesh, aspect_count(model));
    job->cameras.n_aspect = rows.n_aspect;
    job->cameras.n_row = rows.n + job_cavity(&model->mesh) * rows.n_aspect;
    job->cameras.escaped = peels || follows_light_out(model);
    job->cameras.n = job->cameras.n_aspect > 1 ? 1 : window->n_camera;
    job->cameras.camera = cameras->camera;
    job->cameras.channel_begin = window->channel * channel_refinement(model);
    job->cameras.n_channel = channels.n;
    job->cameras.velocity_first = model->channels.first / model->reference_b;
    job->cameras.velocity_step = channels.width / model->reference_b;
    job->cameras.n_group = peels ? IMAGE_GROUPS : plan->n_group;
    job->cameras.wide = plan->wide;
    job->cameras.keep = plan->keep;
    const bool thick = has_deep_cells(model, THICK);
    job->cameras.force_below = peels ? 0 : thick ? FORCE_BELOW_AMONG_THICK : FORCE_BELOW;
    job->cameras.share_least = job->cameras.escaped ? SHARE_LEAST : 0;
    job->cameras.peel = peels ? cameras->peel : NULL;
}

static size_t peel_count(const struct transport_job *job, int camera)
{
    return (size_t)job->cameras.n_group * (size_t)job->cameras.n_channel * (size_t)job->cameras.peel[camera].n_x *
           (size_t)job->cameras.peel[camera].n_y;
}

enum lr_status camera_job_allocate(lr_context *ctx, const struct transport_job *job, struct transport_tally *tally)
{
    if (job->cameras.keep)
        return LR_OK;
    if (!job->cameras.peel && job->cameras.wide)
        return lr_allocate(ctx, transport_voxel_count(job), sizeof(double), &tally->emissivity_wide);
    if (!job->cameras.peel)
        return lr_allocate(ctx, transport_voxel_count(job), sizeof(float), &tally->emissivity);
    LR_TRY(lr_allocate(ctx, (size_t)job->cameras.n, sizeof *tally->peel, &tally->peel));
    for (int c = 0; c < job->cameras.n; c++)
        LR_TRY(lr_allocate(ctx, peel_count(job, c), sizeof(double), &tally->peel[c]));
    return LR_OK;
}

enum lr_status camera_job_narrow(lr_context *ctx, const struct transport_job *job, struct transport_tally *tally)
{
    const size_t n = transport_voxel_count(job);
    if (!tally->emissivity_wide)
        return LR_OK;
    LR_TRY(lr_allocate(ctx, n, sizeof(float), &tally->emissivity));
    for (size_t i = 0; i < n; i++)
        tally->emissivity[i] = (float)tally->emissivity_wide[i];
    free(tally->emissivity_wide);
    tally->emissivity_wide = NULL;
    return LR_OK;
}

void camera_job_release(const struct worker *worker, const struct transport_job *job, struct transport_tally *tally)
{
    if (tally->kept)
        worker->backend->drop(tally->kept);
    tally->kept = NULL;
    free(tally->emissivity);
    free(tally->emissivity_wide);
    for (int c = 0; tally->peel && c < job->cameras.n; c++)
        free(tally->peel[c]);
    free(tally->peel);
    tally->emissivity = NULL;
    tally->emissivity_wide = NULL;
    tally->peel = NULL;
}
