#include "model/cloud.h"

#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/structure.h"

const struct cloud_field_text cloud_field_texts[N_CLOUD_FIELD] = {
    [CLOUD_H2] = {"n_H2", "cm-3", "number density of H2"},
    [CLOUD_TEMPERATURE] = {"temperature", "K", "of the gas"},
    [CLOUD_VELOCITY_X] = {"velocity_x", "cm s-1", "velocity along x"},
    [CLOUD_VELOCITY_Y] = {"velocity_y", "cm s-1", "velocity along y"},
    [CLOUD_VELOCITY_Z] = {"velocity_z", "cm s-1", "velocity along z"},
    [CLOUD_CO] = {"n_CO", "cm-3", "number density of CO in all levels"},
    [CLOUD_OH] = {"n_OH", "cm-3", "number density of OH in all levels"},
};

struct lr_cloud_options lr_cloud_defaults(void)
{
    return (struct lr_cloud_options){.cells = 128,
                                     .seed = 1,
                                     .size = 0.04 * LR_PARSEC,
                                     .sigma_v = 0.5e5,
                                     .velocity_slope = 4.0,
                                     .solenoidal = 2.0 / 3.0,
                                     .mean_density = 100.0,
                                     .density_width = 1.5,
                                     .density_slope = 11.0 / 3.0,
                                     .mean_temperature = 47.0,
                                     .min_temperature = 8.0,
                                     .max_temperature = 600.0,
                                     .temperature_index = 0.6,
                                     .transition_density = 100.0,
                                     .mean_co = 2.8e-5,
                                     .mean_oh = 5.8e-6};
}

void lr_cloud_free(lr_cloud *cloud)
{
    if (!cloud)
        return;
    for (int i = 0; i < N_CLOUD_FIELD; i++)
        free(cloud->field[i]);
    free(cloud);
}

void lr_cloud_measure(const lr_cloud *cloud, struct lr_cloud_statistics *statistics)
{
    *statistics = cloud->statistics;
}

const char *lr_cloud_array_name(const lr_cloud *cloud, int index)
{
    (void)cloud;
    return index >= 0 && index < N_CLOUD_FIELD ? cloud_field_texts[index].name : NULL;
}

int lr_cloud_array(const lr_cloud *cloud, const char *name, struct lr_array *array)
{
    int index = 0;
    while (index < N_CLOUD_FIELD && strcmp(cloud_field_texts[index].name, name) != 0)
        index++;
    if (index == N_CLOUD_FIELD)
        return 0;
    const int64_t n = cloud->options.cells, size = sizeof(float);
    const struct lr_array found = {.name = cloud_field_texts[index].name,
                                   .data = cloud->field[index],
                                   .type = LR_FLOAT32,
                                   .rank = 3,
                                   .shape = {n, n, n},
                                   .stride = {n * n * size, n * size, size},
                                   .units = cloud_field_texts[index].units};
    structure_give(&found, sizeof found, array);
    return 1;
}
