#include "model/cube_moments.h"

#include <math.h>
#include <stdlib.h>

/* Sums over velocity of one pixel: values times 1, u and u^2, with u in channels from the middle of the cube so that
 * the variance keeps its precision. */
struct sums {
    double s0, s1, s2;
    float peak;
};

void cube_moments_free(struct cube_moments *moments)
{
    free(moments->integral);
    free(moments->mean);
    free(moments->dispersion);
    free(moments->peak);
    *moments = (struct cube_moments){NULL, NULL, NULL, NULL};
}

static enum lr_status allocate(lr_context *ctx, size_t n, struct cube_moments *moments)
{
    LR_TRY(lr_allocate(ctx, n, sizeof(float), &moments->integral));
    LR_TRY(lr_allocate(ctx, n, sizeof(float), &moments->mean));
    LR_TRY(lr_allocate(ctx, n, sizeof(float), &moments->dispersion));
    return lr_allocate(ctx, n, sizeof(float), &moments->peak);
}

/* Where there is almost no signal, means are dominated by rounding errors (a beam leaves about 1e-7 of the peak). */
static const double DARK = 1e-6; /* of the brightest pixel */

static void finish(const struct cube_axis *axis, const struct sums *sums, size_t pixel, double brightest,
                   struct cube_moments *moments)
{
    const double middle = axis->first + 0.5 * (axis->n_channel - 1) * axis->width;
    const double mean = sums->s1 / sums->s0, variance = sums->s2 / sums->s0 - mean * mean;
    const bool exists = sums->s0 > DARK * brightest;
    moments->integral[pixel] = (float)(sums->s0 * axis->width);
    moments->mean[pixel] = exists ? (float)(middle + mean * axis->width) : NAN;
    moments->dispersion[pixel] = exists && variance >= 0.0 ? (float)(sqrt(variance) * axis->width) : NAN;
    moments->peak[pixel] = sums->peak;
}

enum lr_status cube_moments_make(lr_context *ctx, const struct cube_axis *axis, const float *values,
                                 struct cube_moments *moments)
{
    struct sums *sums = NULL;
    *moments = (struct cube_moments){NULL, NULL, NULL, NULL};
    enum lr_status status = allocate(ctx, axis->n_pixel, moments);
    if (status == LR_OK)
        status = lr_allocate(ctx, axis->n_pixel, sizeof *sums, &sums);
    if (status != LR_OK) {
        cube_moments_free(moments);
        return status;
    }
    for (int channel = 0; channel < axis->n_channel; channel++) {
        const double u = channel - 0.5 * (axis->n_channel - 1);
        const float *plane = values + (size_t)channel * axis->n_pixel;
        for (size_t pixel = 0; pixel < axis->n_pixel; pixel++) {
            const double value = (double)plane[pixel];
            sums[pixel].s0 += value;
            sums[pixel].s1 += value * u;
            sums[pixel].s2 += value * u * u;
            sums[pixel].peak = channel ? fmaxf(sums[pixel].peak, plane[pixel]) : plane[pixel];
        }
    }
    double brightest = 0.0;
    for (size_t pixel = 0; pixel < axis->n_pixel; pixel++)
        brightest = fmax(brightest, sums[pixel].s0);
    for (size_t pixel = 0; pixel < axis->n_pixel; pixel++)
        finish(axis, &sums[pixel], pixel, brightest, moments);
    free(sums);
    return LR_OK;
}

void cube_sum_pixels(const struct cube_axis *axis, const float *values, const float *weights, double *sum)
{
    for (int channel = 0; channel < axis->n_channel; channel++) {
        const float *plane = values + (size_t)channel * axis->n_pixel;
        sum[channel] = 0.0;
        for (size_t pixel = 0; pixel < axis->n_pixel; pixel++)
            sum[channel] += (double)plane[pixel] * (weights ? (double)weights[pixel] : 1.0);
    }
}

void cube_sum_errors(const struct cube_axis *axis, const float *errors, const float *weights, double *error)
{
    for (int channel = 0; channel < axis->n_channel; channel++) {
        const float *plane = errors + (size_t)channel * axis->n_pixel;
        double square = 0.0;
        for (size_t pixel = 0; pixel < axis->n_pixel; pixel++)
            square += pow((double)plane[pixel] * (weights ? (double)weights[pixel] : 1.0), 2.0);
        error[channel] = sqrt(square);
    }
}
