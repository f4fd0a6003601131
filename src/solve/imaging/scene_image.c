/* lr_scene_image: the images of a stored scene, without a Monte Carlo pass. */
#include "backend/select.h"
#include "model/result.h"
#include "solve/common/describe.h"
#include "solve/imaging/trace.h"

enum lr_status lr_scene_image(lr_context *ctx, const lr_scene *scene, lr_result **result)
{
    struct worker worker = {0};
    struct transport_device description;
    struct lr_result *made = NULL;
    enum lr_status status = LR_OK;
    const double start = lr_seconds();
    *result = NULL;
    LR_TRY(backend_select(ctx, scene->run.device, &worker.backend, &worker.devices));
    LR_TRY(worker.backend->device_describe(ctx, worker_device(&worker), &description));
    LR_TRY_OR(fail, status, lr_allocate(ctx, 1, sizeof *made, &made));
    LR_TRY_OR(fail, status,
              describe_run(ctx, &scene->run, &worker, &description, scene->model_text, scene->model_resolved, made));
    LR_TRY_OR(fail, status, lr_allocate(ctx, (size_t)scene->n_camera, sizeof *made->cube, &made->cube));
    made->image = scene->image;
    if (scene->image.errors)
        lr_log(ctx, LR_LOG_WARNING, "image errors come only from the run itself; there are none here");
    made->summary.reference_b = scene->scene->reference_b;
    for (int c = 0; c < scene->n_camera; c++) {
        made->n_cube = c + 1;
        const struct trace_request request = {.scene = scene->scene,
                                              .gas = &scene->scene->medium,
                                              .origin = scene->origin[c],
                                              .scattered = trace_light_of(scene->scene, scene->origin[c]),
                                              .view = &scene->camera[c],
                                              .channels = &scene->channels,
                                              .options = &scene->image};
        LR_TRY_OR(fail, status, trace_cube(ctx, &worker, &request, &made->cube[c]));
        made->summary.seconds_images += made->cube[c].seconds;
        cube_drop(&made->cube[c], &scene->image);
    }
    LR_TRY_OR(fail, status, result_check_finite(ctx, made));
    made->summary.seconds_total = lr_seconds() - start;
    *result = made;
    return LR_OK;
fail:
    ctx->stop = 0;
    lr_result_free(made);
    return status;
}
