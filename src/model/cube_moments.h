/* Moment maps of a cube along its velocity axis, and its spectrum over the image. */
#ifndef LR_MODEL_CUBE_MOMENTS_H
#define LR_MODEL_CUBE_MOMENTS_H

#include <stddef.h>

#include "base/context.h"

/* Of values[n_channel][n_pixel] in channels of `width` km/s, the first centred at `first` km/s. */
struct cube_axis {
    int n_channel;
    size_t n_pixel;
    double first, width;
};

/* [n_pixel] each. */
struct cube_moments {
    float *integral;   /* moment 0: sum of values times width, unit of the values times km/s */
    float *mean;       /* moment 1: mean velocity weighted by the values, km/s; NaN where moment 0 <= 0 */
    float *dispersion; /* moment 2: standard deviation about the mean, km/s; NaN where undefined */
    float *peak;       /* the largest value */
};

enum lr_status cube_moments_make(lr_context *ctx, const struct cube_axis *axis, const float *values,
                                 struct cube_moments *moments);
void cube_moments_free(struct cube_moments *moments);

/* sum[n_channel] over all pixels. */
void cube_sum_pixels(const struct cube_axis *axis, const float *values, const float *weights, double *sum);
/* Standard error of that sum if the errors of different pixels are independent. */
void cube_sum_errors(const struct cube_axis *axis, const float *errors, const float *weights, double *error);

#endif
