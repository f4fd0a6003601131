#include "model/cube_beam.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <kiss_fftr.h>

#include "base/constants.h"
#include "model/cube_unit.h"

/* Empty sky on one side of the image, in standard deviations of the beam: exp(-6^2 / 2) = 1.5e-8. */
static const double padding = 6.0;

/* A Gaussian on the grid of pixels: its covariance in pixels squared. */
struct kernel {
    double xx, xy, yy;
    double sum; /* over all pixels */
};

/* Rows are real, columns of their transforms complex. kiss_fftnd could do all of it, but some packaged versions reject
 * valid sizes. */
struct transform {
    int m_y, m_x;                    /* padded size */
    int n_frequency;                 /* m_x / 2 + 1 */
    float *row;                      /* [m_x] */
    kiss_fft_cpx *wave;              /* [m_y][n_frequency] */
    kiss_fft_cpx *column, *filtered; /* [m_y] */
    float *filter;                   /* [n_frequency][m_y], with the 1 / (m_x m_y) of the two transforms */
    kiss_fftr_cfg forward_row, backward_row;
    kiss_fft_cfg forward_column, backward_column;
};

struct beam_grid cube_beam_grid(const struct camera *camera, int n_channel, const struct image_options *options)
{
    return (struct beam_grid){
        .n_channel = n_channel,
        .n_y = camera->pixels[1],
        .n_x = camera->pixels[0],
        .pixel = {cube_pixel_angle(camera, options->distance, 0), cube_pixel_angle(camera, options->distance, 1)},
        .beam = {options->beam[0], options->beam[1], options->beam[2]}};
}

static struct kernel beam_kernel(const struct beam_grid *grid)
{
    const double sigma_per_fwhm = 1.0 / sqrt(8.0 * log(2.0));
    const double major = grid->beam[0] * sigma_per_fwhm, minor = grid->beam[1] * sigma_per_fwhm;
    const double along[2] = {-sin(grid->beam[2]), cos(grid->beam[2])}, across[2] = {along[1], -along[0]};
    const double *pixel = grid->pixel;
    const double a = major * major, b = minor * minor;
    return (struct kernel){.xx = (a * along[0] * along[0] + b * across[0] * across[0]) / (pixel[0] * pixel[0]),
                           .xy = (a * along[0] * along[1] + b * across[0] * across[1]) / (pixel[0] * pixel[1]),
                           .yy = (a * along[1] * along[1] + b * across[1] * across[1]) / (pixel[1] * pixel[1]),
                           .sum = 1.0};
}

/* The transform at fx, fy cycles per pixel of a Gaussian density sampled at the pixel centres: that of the Gaussian
 * itself, exp(-2 pi^2 f.S.f), plus its aliases at integer numbers of cycles. These matter for beams of one or two
 * pixels, where without them the kernel would have negative rings. */
static double sampled_transform(const struct kernel *k, double fx, double fy)
{
    enum { COPIES = 2 };
    const double negligible = 4.0; /* exp(-2 pi^2 4) = 5e-35 */
    double sum = 0.0;
    for (int m = -COPIES; m <= COPIES; m++)
        for (int n = -COPIES; n <= COPIES; n++) {
            const double x = fx + m, y = fy + n;
            const double form = k->xx * x * x + 2.0 * k->xy * x * y + k->yy * y * y;
            if (form < negligible)
                sum += exp(-2.0 * LR_PI * LR_PI * form);
        }
    return sum;
}

/* The square of a Gaussian density is a Gaussian with half the covariance, over 4 pi sqrt(det). */
static struct kernel squared(struct kernel k)
{
    const double determinant = k.xx * k.yy - k.xy * k.xy, norm = sampled_transform(&k, 0.0, 0.0);
    struct kernel square = {.xx = 0.5 * k.xx, .xy = 0.5 * k.xy, .yy = 0.5 * k.yy};
    square.sum = sampled_transform(&square, 0.0, 0.0) / (4.0 * LR_PI * sqrt(determinant) * norm * norm);
    return square;
}

static void fill_filter(struct transform *t, const struct kernel *k)
{
    const double norm = k->sum / sampled_transform(k, 0.0, 0.0) / t->m_x / t->m_y;
    for (int i = 0; i < t->n_frequency; i++)
        for (int j = 0; j < t->m_y; j++) {
            const double fx = (double)i / t->m_x, fy = (double)(j <= t->m_y / 2 ? j : j - t->m_y) / t->m_y;
            t->filter[(size_t)i * (size_t)t->m_y + (size_t)j] = (float)(norm * sampled_transform(k, fx, fy));
        }
}

static void transform_free(struct transform *t)
{
    free(t->row);
    free(t->wave);
    free(t->column);
    free(t->filtered);
    free(t->filter);
    kiss_fftr_free(t->forward_row);
    kiss_fftr_free(t->backward_row);
    kiss_fft_free(t->forward_column);
    kiss_fft_free(t->backward_column);
}

static double padded(int n, double variance)
{
    return n + ceil(padding * sqrt(variance));
}

enum lr_status cube_beam_check(lr_context *ctx, const struct beam_grid *grid)
{
    const struct kernel k = beam_kernel(grid);
    if (!(padded(grid->n_x, k.xx) * padded(grid->n_y, k.yy) < INT32_MAX / 4))
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "a beam of %.3g by %.3g pixels is too large for an image of %d x %d: use larger pixels",
                       grid->beam[0] / grid->pixel[0], grid->beam[1] / grid->pixel[1], grid->n_x, grid->n_y);
    return LR_OK;
}

static enum lr_status transform_make(lr_context *ctx, const struct beam_grid *grid, const struct kernel *k,
                                     struct transform *t)
{
    LR_TRY(cube_beam_check(ctx, grid));
    t->m_y = kiss_fft_next_fast_size((int)padded(grid->n_y, k->yy));
    t->m_x = 2 * kiss_fft_next_fast_size(((int)padded(grid->n_x, k->xx) + 1) / 2); /* real transforms: even */
    t->n_frequency = t->m_x / 2 + 1;
    const size_t m_y = (size_t)t->m_y, n_wave = m_y * (size_t)t->n_frequency;
    LR_TRY(lr_allocate(ctx, (size_t)t->m_x, sizeof *t->row, &t->row));
    LR_TRY(lr_allocate(ctx, n_wave, sizeof *t->wave, &t->wave));
    LR_TRY(lr_allocate(ctx, m_y, sizeof *t->column, &t->column));
    LR_TRY(lr_allocate(ctx, m_y, sizeof *t->filtered, &t->filtered));
    LR_TRY(lr_allocate(ctx, n_wave, sizeof *t->filter, &t->filter));
    t->forward_row = kiss_fftr_alloc(t->m_x, 0, NULL, NULL);
    t->backward_row = kiss_fftr_alloc(t->m_x, 1, NULL, NULL);
    t->forward_column = kiss_fft_alloc(t->m_y, 0, NULL, NULL);
    t->backward_column = kiss_fft_alloc(t->m_y, 1, NULL, NULL);
    if (!t->forward_row || !t->backward_row || !t->forward_column || !t->backward_column)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for a Fourier transform of %d x %d pixels", t->m_x, t->m_y);
    fill_filter(t, k);
    return LR_OK;
}

/* Rows outside the image are empty, and so are their transforms. */
static void convolve_plane(struct transform *t, const struct beam_grid *grid, float *values)
{
    const size_t n_x = (size_t)grid->n_x, n_y = (size_t)grid->n_y, m_x = (size_t)t->m_x, m_y = (size_t)t->m_y;
    const size_t n_f = (size_t)t->n_frequency;
    memset(t->wave, 0, m_y * n_f * sizeof *t->wave);
    memset(t->row, 0, m_x * sizeof *t->row);
    for (size_t y = 0; y < n_y; y++) {
        memcpy(t->row, values + y * n_x, n_x * sizeof *values);
        kiss_fftr(t->forward_row, t->row, t->wave + y * n_f);
    }
    for (size_t i = 0; i < n_f; i++) {
        kiss_fft_stride(t->forward_column, t->wave + i, t->column, t->n_frequency);
        for (size_t j = 0; j < m_y; j++) {
            t->column[j].r *= t->filter[i * m_y + j];
            t->column[j].i *= t->filter[i * m_y + j];
        }
        kiss_fft(t->backward_column, t->column, t->filtered);
        for (size_t j = 0; j < n_y; j++)
            t->wave[j * n_f + i] = t->filtered[j];
    }
    for (size_t y = 0; y < n_y; y++) {
        kiss_fftri(t->backward_row, t->wave + y * n_f, t->row);
        memcpy(values + y * n_x, t->row, n_x * sizeof *values);
    }
}

typedef void plane_fn(struct transform *t, const struct beam_grid *grid, float *plane);

static enum lr_status each_plane(lr_context *ctx, const struct beam_grid *grid, struct kernel kernel,
                                 plane_fn *convolve, float *values)
{
    struct transform t = {0};
    enum lr_status status = transform_make(ctx, grid, &kernel, &t);
    for (int channel = 0; status == LR_OK && channel < grid->n_channel; channel++)
        convolve(&t, grid, values + (size_t)channel * (size_t)grid->n_y * (size_t)grid->n_x);
    transform_free(&t);
    return status;
}

enum lr_status cube_convolve(lr_context *ctx, const struct beam_grid *grid, float *values)
{
    return each_plane(ctx, grid, beam_kernel(grid), convolve_plane, values);
}

/* Errors are divided by the largest before squaring, to stay in the range of float. */
static void convolve_error_plane(struct transform *t, const struct beam_grid *grid, float *errors)
{
    const size_t n = (size_t)grid->n_y * (size_t)grid->n_x;
    float largest = 0.0f;
    for (size_t i = 0; i < n; i++)
        largest = fmaxf(largest, errors[i]);
    if (largest == 0.0f)
        return;
    for (size_t i = 0; i < n; i++)
        errors[i] = errors[i] / largest * (errors[i] / largest);
    convolve_plane(t, grid, errors);
    for (size_t i = 0; i < n; i++) /* rounding leaves small negative numbers where there is no signal */
        errors[i] = errors[i] < 0.0f ? 0.0f : largest * sqrtf(errors[i]);
}

enum lr_status cube_convolve_error(lr_context *ctx, const struct beam_grid *grid, float *errors)
{
    return each_plane(ctx, grid, squared(beam_kernel(grid)), convolve_error_plane, errors);
}
