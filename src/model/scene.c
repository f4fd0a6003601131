#include "model/scene.h"

#include <stdlib.h>

#include "model/field.h"
#include "model/medium.h"

size_t scene_voxel_count(const struct scene *scene)
{
    return (size_t)scene->rows.n * (size_t)scene->channels.n;
}

bool scene_is_gas_alone(const struct scene *scene)
{
    bool alone = scene->n_point == 0 && scene->n_plane == 0 && scene->n_glow == 0 && !scene->external;
    for (int i = 0; i < scene->n_camera; i++)
        alone &= !scene->emissivity[i].value;
    return alone;
}

void scene_free(struct scene *scene)
{
    if (!scene)
        return;
    mesh_free(&scene->mesh);
    if (!scene->borrowed)
        medium_free(&scene->medium);
    field_free(&scene->base_alpha0);
    field_free(&scene->line_source);
    free(scene->sky);
    for (int i = 0; i < scene->n_point; i++)
        free(scene->point[i].strength);
    for (int i = 0; i < scene->n_plane; i++)
        free(scene->plane[i].brightness);
    for (int i = 0; i < scene->n_glow; i++) {
        field_free(&scene->glow[i].strength);
        free(scene->glow[i].below);
    }
    for (int i = 0; scene->emissivity && i < scene->n_camera; i++) {
        free(scene->emissivity[i].value);
        free(scene->emissivity[i].error);
    }
    free(scene->point);
    free(scene->plane);
    free(scene->glow);
    free(scene->emissivity);
    free(scene->camera);
    free(scene);
}

void lr_scene_free(lr_scene *scene)
{
    if (!scene)
        return;
    if (scene->shared) {
        free(scene->scene->sky);
        free(scene->scene);
    } else {
        scene_free(scene->scene);
    }
    free(scene->camera);
    free(scene->origin);
    free(scene->model_text);
    free(scene->model_resolved);
    free(scene);
}
