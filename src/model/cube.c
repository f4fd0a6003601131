#include "model/cube.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants.h"

void cube_free(struct cube *cube)
{
    free(cube->intensity);
    free(cube->error);
    free(cube->optical_depth);
    free(cube->column);
    free(cube->sky);
    free(cube->centroid);
    free(cube->group_image);
    *cube = (struct cube){0};
}

size_t cube_voxel_count(const struct cube *cube)
{
    return (size_t)cube->camera.pixels[0] * (size_t)cube->camera.pixels[1] * (size_t)cube->channels.n;
}

double cube_flux(const struct cube *cube, const float *intensity)
{
    const size_t n = cube_voxel_count(cube);
    const double pixel = camera_pixel_size(&cube->camera);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (double)intensity[i];
    return sum * cube->scale / (LR_PLANCK * LR_LIGHT_SPEED) * cube->channels.width * pixel * pixel;
}

void cube_drop(struct cube *cube, const struct image_options *options)
{
    if (!options->optical_depth) {
        free(cube->optical_depth);
        cube->optical_depth = NULL;
    }
    if (!options->column) {
        free(cube->column);
        cube->column = NULL;
    }
}

bool cube_exceeds_float(const float *values, size_t n, double factor)
{
    float largest = 0.0f;
    for (size_t i = 0; i < n; i++)
        largest = fmaxf(largest, fabsf(values[i])); /* fmaxf ignores NaN */
    const double size = (double)largest * fabs(factor);
    return largest > 0.0f && !(size >= 1e-30 && size <= 1e30);
}
