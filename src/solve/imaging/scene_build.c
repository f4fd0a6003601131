#include "solve/imaging/scene_build.h"

#include <stdlib.h>
#include <string.h>

#include "model/excitation.h"
#include "model/field.h"
#include "model/species.h"
#include "solve/imaging/direct_light.h"

struct scene_group scene_group_of(const lr_model *model)
{
    if (model->group.n < 2)
        return (struct scene_group){0};
    struct scene_group group = {.lines = &model->group, .first = &model->line};
    if (model->species) {
        group.molecule = &model->species->molecule;
        group.temperature = &model->species->temperature;
        group.base = model->group.strength ? 0 : excitation_base(model);
        group.stimulated = model->species->options.stimulated;
    }
    for (int s = 0; s < model->n_source; s++)
        group.shines |= model->source[s].light == LIGHT_GAS;
    return group;
}

/* Sets up mesh, gas and cameras, with room for this many sources. */
static enum lr_status build_gas(lr_context *ctx, const lr_model *model, const struct window *window, int n_source,
                                struct scene *scene)
{
    const size_t n_camera = (size_t)window->n_camera;
    const size_t n_light = n_camera * (size_t)n_source;
    scene->nu0 = model->line.nu0;
    scene->reference_b = model->reference_b;
    scene->medium = model->medium;
    scene->borrowed = true;
    scene->group = scene_group_of(model);
    scene->channels = recorded_channels(model, window);
    scene->refined = channel_refinement(model);
    scene->rows = light_rows_make(&model->mesh, aspect_count(model));
    scene->escaped = follows_light_out(model);
    LR_TRY(mesh_copy(ctx, &model->mesh, &scene->mesh));
    LR_TRY(lr_allocate(ctx, (size_t)scene->channels.n * LIGHT_PARTS, sizeof(double), &scene->sky));
    LR_TRY(lr_allocate(ctx, (size_t)n_source, sizeof *scene->glow, &scene->glow));
    LR_TRY(lr_allocate(ctx, n_light, sizeof *scene->point, &scene->point));
    LR_TRY(lr_allocate(ctx, n_light, sizeof *scene->plane, &scene->plane));
    LR_TRY(lr_allocate(ctx, n_camera, sizeof *scene->camera, &scene->camera));
    LR_TRY(lr_allocate(ctx, n_camera, sizeof *scene->emissivity, &scene->emissivity));
    scene->n_camera = window->n_camera;
    memcpy(scene->camera, model->camera + window->camera, n_camera * sizeof *scene->camera);
    return LR_OK;
}

/* Opacity of several lines in LTE, and the emissivity of gas: those of the base. */
static enum lr_status take_base(lr_context *ctx, const lr_model *model, struct scene *scene, struct field *emissivity)
{
    struct inversion inversion;
    if (scene->group.base == 0)
        return LR_OK;
    LR_TRY(excitation_base_line(ctx, model, NULL, &scene->base_alpha0, emissivity, &inversion));
    scene->medium.alpha0 = scene->base_alpha0;
    return LR_OK;
}

static enum lr_status add_sources(lr_context *ctx, const lr_model *model, int n_source, const struct field *emissivity,
                                  struct scene *scene)
{
    for (int s = 0; s < n_source; s++) {
        struct source source = model->source[s];
        if (scene->group.base != 0 && source.light == LIGHT_GAS)
            source.emissivity = *emissivity;
        LR_TRY(direct_light_add(ctx, model, &source, scene));
    }
    return LR_OK;
}

/* With the first n_source sources of the model. */
static enum lr_status build(lr_context *ctx, const lr_model *model, const struct window *window, int n_source,
                            struct scene **out)
{
    struct scene *scene = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *scene, &scene));
    struct field emissivity = {0};
    enum lr_status status = build_gas(ctx, model, window, n_source, scene);
    if (status == LR_OK)
        status = take_base(ctx, model, scene, &emissivity);
    if (status == LR_OK)
        status = add_sources(ctx, model, n_source, &emissivity, scene);
    field_free(&emissivity);
    if (status != LR_OK) {
        scene_free(scene);
        return status;
    }
    field_compact(&scene->line_source, mesh_cell_count(&scene->mesh));
    *out = scene;
    return LR_OK;
}

enum lr_status scene_build(lr_context *ctx, const lr_model *model, const struct window *window, struct scene **scene)
{
    return build(ctx, model, window, model->n_source, scene);
}

enum lr_status scene_build_dark(lr_context *ctx, const lr_model *model, struct scene **scene)
{
    const struct window all = {0, model->n_camera, 0, model->channels.n};
    return build(ctx, model, &all, 0, scene);
}

static enum lr_status copy_field(lr_context *ctx, int64_t n_cell, struct field *field)
{
    const double *from = field->values;
    if (!from)
        return LR_OK;
    field->values = NULL;
    LR_TRY(lr_allocate(ctx, (size_t)n_cell, sizeof(double), &field->values));
    memcpy(field->values, from, (size_t)n_cell * sizeof(double));
    return LR_OK;
}

enum lr_status scene_own_medium(lr_context *ctx, struct scene *scene)
{
    const int64_t n_cell = mesh_cell_count(&scene->mesh);
    struct medium own = scene->medium;
    enum { N_FIELD = 8 };
    struct field *const fields[N_FIELD] = {&own.alpha0,      &own.b,           &own.a,     &own.velocity[0],
                                           &own.velocity[1], &own.velocity[2], &own.kappa, &own.eps};
    enum lr_status status = LR_OK;
    int copied = 0;
    for (; copied < N_FIELD && status == LR_OK; copied++)
        status = copy_field(ctx, n_cell, fields[copied]);
    if (status != LR_OK) {
        for (int i = 0; i < copied; i++)
            free(fields[i]->values);
        return status;
    }
    scene->medium = own;
    scene->borrowed = false;
    return LR_OK;
}
