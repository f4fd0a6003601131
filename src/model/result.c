#include "model/result.h"

#include <stdlib.h>

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
    *summary = result->summary;
}

void lr_result_spectrum(const lr_result *result, int *n_bin, const double **edges, const double **values,
                        const double **errors)
{
    *n_bin = result->n_bin;
    *edges = result->x_edge;
    *values = result->total.value;
    *errors = result->total.error;
}

void lr_result_image(const lr_result *result, int cube, struct lr_image *image)
{
    *image = result->cube[cube].report;
}

int lr_result_cube_count(const lr_result *result)
{
    return result->n_cube;
}
