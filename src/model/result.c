#include "model/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/structure.h"

static void measured_free(struct measured *measured)
{
    free(measured->value);
    free(measured->error);
}

static void packet_list_free(struct packet_list *list)
{
    free(list->id);
    free(list->weight);
    free(list->shift);
    free(list->path);
    free(list->scatterings);
    free(list->face);
    free(list->position);
    free(list->direction);
    free(list->last_scattering);
}

void lr_result_free(lr_result *result)
{
    if (!result)
        return;
    free(result->x_edge);
    measured_free(&result->total);
    measured_free(&result->face);
    measured_free(&result->direction);
    measured_free(&result->mean_intensity);
    measured_free(&result->scattering_rate);
    packet_list_free(&result->packets);
    stored_free(&result->sums);
    population_result_free(result->populations);
    mesh_free(&result->mesh);
    for (int i = 0; i < result->n_cube; i++)
        cube_free(&result->cube[i]);
    free(result->cube);
    scene_free(result->scene);
    free(result->model_text);
    free(result->model_resolved);
    free(result);
}

void lr_result_summary(const lr_result *result, struct lr_summary *summary)
{
    structure_give(&result->summary, sizeof result->summary, summary);
}

const char *lr_result_camera(const lr_result *result, int index)
{
    return index >= 0 && index < result->n_cube ? result->cube[index].camera.name : NULL;
}

const struct cube *result_find_cube(const lr_result *result, const char *camera)
{
    for (int i = 0; i < result->n_cube; i++)
        if (strcmp(result->cube[i].camera.name, camera) == 0)
            return &result->cube[i];
    return NULL;
}

int lr_result_image(const lr_result *result, const char *camera, struct lr_image *image)
{
    const struct cube *cube = result_find_cube(result, camera);
    if (cube)
        structure_give(&cube->report, sizeof cube->report, image);
    return cube != NULL;
}

int lr_result_check(const lr_result *result, const char *camera, struct lr_check *check)
{
    const struct cube *cube = result_find_cube(result, camera);
    if (cube)
        structure_give(&cube->check, sizeof cube->check, check);
    return cube != NULL;
}
