#include "model/cloud.h"

#include <stdlib.h>

#include "base/constants.h"

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
