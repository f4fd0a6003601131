#include "solve/imaging/imaging.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "solve/imaging/cube_join.h"
#include "solve/imaging/image_spread.h"
#include "solve/imaging/peel_off.h"
#include "solve/imaging/scattered_light.h"
#include "solve/imaging/scene_build.h"
#include "solve/transport/job.h"

/* Everything that the cubes of a window are made from. */
struct material {
    const struct worker *worker;
    const lr_model *model;
    const struct transport_tally *tally; /* NULL without packets */
    struct scene *scene;
    struct channels channels;            /* of the cubes */
    double packets[TRANSPORT_MAX_BATCH]; /* of each group */
    struct scattered scattered;
};

static void count_packets(const struct transport_job *job, const struct transport_tally *tally, double *packets)
{
    for (int b = 0; b < job->tally.n_batch; b++)
        packets[b % job->cameras.n_group] += tally->batch[b].packets;
}

static void gather(const struct worker *worker, const lr_model *model, const struct imaging_pass *pass,
                   struct material *material)
{
    const struct transport_job *job = pass->job;
    *material = (struct material){.worker = worker,
                                  .model = model,
                                  .tally = pass->tally,
                                  .channels = window_channels(model, pass->window),
                                  .scattered = {.sums = pass->tally ? pass->tally->emissivity : NULL,
                                                .n_group = job->cameras.n_group,
                                                .n_camera = job->cameras.n,
                                                .cavity = job_cavity(&model->mesh),
                                                .packets = material->packets}};
    if (pass->tally)
        count_packets(job, pass->tally, material->packets);
}

/* What all rays to a camera have in common. */
static struct trace_request request_of(const struct material *material, int camera)
{
    const struct scene *scene = material->scene;
    return (struct trace_request){.scene = scene,
                                  .gas = &scene->medium,
                                  .group = scene->group,
                                  .origin = camera,
                                  .view = &scene->camera[camera],
                                  .channels = &material->channels,
                                  .options = &material->model->image};
}

static struct trace_light light_of(const struct material *material, int camera)
{
    const struct transport_tally *tally = material->tally;
    return tally && tally->kept
               ? kept_light(material->model, material->scene, camera, tally->kept, material->packets[0])
               : trace_light_of(material->scene, camera);
}

/* Trace the scattered light of each group alone: the image is linear in it. */
static enum lr_status add_errors(lr_context *ctx, const struct material *material, int camera, struct cube *cube)
{
    const struct scene *scene = material->scene;
    const struct scattered *scattered = &material->scattered;
    struct trace_request request = request_of(material, camera);
    struct image_spread spread;
    float *image = NULL;
    float *light = NULL;
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, image_spread_create(ctx, cube, &spread));
    LR_TRY_OR(done, status, lr_allocate(ctx, cube_voxel_count(cube), sizeof *image, &image));
    LR_TRY_OR(done, status, lr_allocate(ctx, scene_voxel_count(scene), sizeof *light, &light));
    if (material->model->output.sums)
        LR_TRY_OR(done, status,
                  lr_allocate(ctx, IMAGE_GROUPS * cube_voxel_count(cube), sizeof *image, &cube->group_image));
    request.view = &cube->camera;
    request.channels = &cube->channels;
    request.scattered = (struct trace_light){.unit = scene->emissivity[camera].unit, .value = light};
    for (int g = 0; g < scattered->n_group; g++) {
        const double packets = scattered->packets[g];
        if (!(packets > 0))
            continue;
        scene_scale_sums(material->model, scene, scattered_sums(scattered, scene, g, camera), packets, light);
        LR_TRY_OR(done, status, trace_scattered(ctx, material->worker, &request, image));
        image_spread_add(&spread, cube, g, image, packets);
        if (cube->group_image)
            memcpy(cube->group_image + (size_t)g * cube_voxel_count(cube), image,
                   cube_voxel_count(cube) * sizeof *image);
    }
    image_spread_finish(&spread, cube);
done:
    image_spread_free(&spread);
    free(image);
    free(light);
    return status;
}

static enum lr_status make_cube(lr_context *ctx, const struct material *material, int camera, struct cube *cube)
{
    const lr_model *model = material->model;
    const struct transport_tally *tally = material->tally;
    struct trace_request request = request_of(material, camera);
    request.scattered = light_of(material, camera);
    LR_TRY(trace_cube(ctx, material->worker, &request, cube));
    if (material->scattered.sums && model->image.errors)
        LR_TRY(add_errors(ctx, material, camera, cube));
    if (tally && tally->peel) {
        const struct peeled peeled = {tally->peel[camera], material->scattered.n_group, material->packets};
        LR_TRY(peel_off_add(ctx, model, &peeled, cube));
    }
    if (!model->image.errors) {
        free(cube->error);
        cube->error = NULL;
    }
    return LR_OK;
}

/* The scene, which the result takes over if it is to be stored: first, so that a stop of the rays does not lose it. */
static enum lr_status make_scene(lr_context *ctx, const struct window *window, struct material *material,
                                 struct lr_result *result)
{
    const lr_model *model = material->model;
    LR_TRY(scene_build(ctx, model, window, &material->scene));
    if (material->scattered.sums)
        LR_TRY(scene_add_scattered(ctx, model, material->scene, &material->scattered,
                                   model->image.errors && model->image.emissivity));
    if (!model->image.emissivity)
        return LR_OK;
    LR_TRY(scene_own_medium(ctx, material->scene));
    result->scene = material->scene;
    return LR_OK;
}

enum lr_status imaging_finish(lr_context *ctx, const struct worker *worker, const lr_model *model,
                              const struct imaging_pass *pass, struct lr_result *result)
{
    const struct window *window = pass->window;
    struct material material;
    struct cube part = {0};
    enum lr_status status = LR_OK;
    gather(worker, model, pass, &material);
    LR_TRY_OR(done, status, make_scene(ctx, window, &material, result));
    for (int c = 0; c < window->n_camera; c++) {
        LR_TRY_OR(done, status, make_cube(ctx, &material, c, &part));
        result->summary.seconds_images += part.seconds;
        LR_TRY_OR(done, status,
                  cube_join(ctx, &part, window->channel, &model->channels, &result->cube[window->camera + c]));
        cube_free(&part);
    }
done:
    cube_free(&part);
    if (material.scene != result->scene)
        scene_free(material.scene);
    return status;
}
