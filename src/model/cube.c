#include "model/cube.h"

#include <math.h>
#include <stdlib.h>

void cube_free(struct cube *cube)
{
    free(cube->intensity);
    free(cube->error);
    free(cube->optical_depth);
    free(cube->column);
    free(cube->centroid);
    *cube = (struct cube){0};
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
        largest = fmaxf(largest, fabsf(values[i])); /* fmaxf passes over NaN */
    const double size = (double)largest * fabs(factor);
    return largest > 0.0f && !(size >= 1e-30 && size <= 1e30);
}
