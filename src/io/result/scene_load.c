/* A stored scene and the images to be made from it: which cameras, which channels, and how. */
#include <stdlib.h>
#include <string.h>

#include "io/model/stored_observation.h"
#include "io/result/scene_match.h"
#include "io/result/scene_read.h"
#include "model/result.h"

static enum lr_status observe(lr_context *ctx, const char *path, const struct scene_settings *settings, lr_scene *scene)
{
    const struct scene *stored = scene->scene;
    const struct observed seen = {.mesh = &stored->mesh,
                                  .medium = &stored->medium,
                                  .scale = {stored->nu0, stored->reference_b},
                                  .molecule = true};
    const struct stored_text text = {path, scene->model_resolved, (const char *const *)settings->text, settings->n};
    struct observation wanted;
    enum lr_status status = read_stored_observation(ctx, &text, &seen, &scene->run, &wanted);
    if (status == LR_OK)
        status = scene_match_cameras(ctx, path, &wanted, settings->camera, scene);
    if (status == LR_OK)
        status = scene_match_channels(ctx, path, &settings->brief, &wanted.channels, scene);
    scene->image = wanted.image;
    scene->image.column = false; /* made by the run: a scene has no densities */
    free(wanted.camera);
    return status;
}

static enum lr_status choose(lr_context *ctx, const char *path, const char *const *texts, int n, lr_scene *scene)
{
    struct scene_settings settings;
    enum lr_status status = scene_settings_read(ctx, path, scene->scene, texts, n, &settings);
    if (status == LR_OK)
        status = observe(ctx, path, &settings, scene);
    scene_settings_free(&settings);
    return status;
}

enum lr_status lr_scene_load(lr_context *ctx, const char *path, const char *const *settings, int n_setting,
                             lr_scene **scene)
{
    LR_TRY(lr_allocate(ctx, 1, sizeof **scene, scene));
    enum lr_status status = scene_read(ctx, path, &(*scene)->scene, &(*scene)->model_text, &(*scene)->model_resolved);
    if (status == LR_OK)
        status = choose(ctx, path, settings, n_setting, *scene);
    if (status != LR_OK) {
        lr_scene_free(*scene);
        *scene = NULL;
    }
    return status;
}

/* ---- of a result in memory ---- */

/* Everything belongs to the result except the channels and their sky, which may be replaced. */
static enum lr_status share(lr_context *ctx, const lr_result *result, lr_scene *scene)
{
    const size_t n = (size_t)result->scene->channels.n * LIGHT_PARTS;
    LR_TRY(lr_allocate(ctx, 1, sizeof *scene->scene, &scene->scene));
    scene->shared = true;
    *scene->scene = *result->scene;
    scene->scene->sky = NULL;
    LR_TRY(lr_allocate(ctx, n, sizeof(double), &scene->scene->sky));
    memcpy(scene->scene->sky, result->scene->sky, n * sizeof(double));
    LR_TRY(lr_copy_text(ctx, result->model_text, &scene->model_text));
    return lr_copy_text(ctx, result->model_resolved, &scene->model_resolved);
}

enum lr_status lr_scene_from_result(lr_context *ctx, const lr_result *result, const char *const *settings,
                                    int n_setting, lr_scene **scene)
{
    *scene = NULL;
    if (!result->scene)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "the result does not contain the gas and its emission, which new images need; run the model "
                       "with image.emissivity: true, and load results from files with lr_scene_load()");
    LR_TRY(lr_allocate(ctx, 1, sizeof **scene, scene));
    enum lr_status status = share(ctx, result, *scene);
    if (status == LR_OK)
        status = choose(ctx, "result", settings, n_setting, *scene);
    if (status != LR_OK) {
        lr_scene_free(*scene);
        *scene = NULL;
    }
    return status;
}
