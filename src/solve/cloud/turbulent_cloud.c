/* Random fields of a turbulent cloud.
 *
 * A wave c(k) is k^(-n/2) times two normal deviates, its real and imaginary parts, which depend only on the seed and on
 * k; c(-k) = conj(c(k)), and c = 0 beyond |k| = cells / 2. The velocity has three components, whose part along k is
 * reduced or enhanced (Helmholtz); ln n(H2) is an independent field. The rest of the gas follows from the density
 * (turbulent_gas.c). */
#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "kernel/rng.h"
#include "model/fourier.h"
#include "solve/cloud/turbulent_gas.h"

enum { SMALLEST = 8, LARGEST = 1024, N_COMPONENT = 3 };

/* ---- waves ---- */

struct vector_wave {
    double re[N_COMPONENT], im[N_COMPONENT];
};

/* Two normal deviates (Box & Muller 1958). */
static void normal_pair(uint32_t first, uint32_t second, double *re, double *im)
{
    const double step = 0x1p-32;
    const double radius = sqrt(-2.0 * log(((double)first + 0.5) * step));
    const double angle = 2.0 * LR_PI * (((double)second + 0.5) * step);
    *re = radius * cos(angle);
    *im = radius * sin(angle);
}

/* Only one of k and -k is drawn; the other is its conjugate. */
static bool is_drawn(const int k[3])
{
    return k[2] != 0 ? k[2] > 0 : k[1] != 0 ? k[1] > 0 : k[0] > 0;
}

/* Four normal complex numbers for wave k: three velocity components, and the density. */
static struct vector_wave draw_wave(const struct rng_key *key, const int k[3], double *density_re, double *density_im)
{
    const int sign = is_drawn(k) ? 1 : -1;
    const uint32_t id_low = (uint32_t)(sign * k[0] + LARGEST) | (uint32_t)(sign * k[1] + LARGEST) << 16;
    const uint32_t id_high = (uint32_t)(sign * k[2] + LARGEST);
    const struct random4 a = rng_draw(*key, 0, id_low, id_high), b = rng_draw(*key, 1, id_low, id_high);
    struct vector_wave wave;
    normal_pair(a.r0, a.r1, &wave.re[0], &wave.im[0]);
    normal_pair(a.r2, a.r3, &wave.re[1], &wave.im[1]);
    normal_pair(b.r0, b.r1, &wave.re[2], &wave.im[2]);
    normal_pair(b.r2, b.r3, density_re, density_im);
    for (int c = 0; c < N_COMPONENT; c++)
        wave.im[c] *= sign;
    *density_im *= sign;
    return wave;
}

/* How much of the parts across and along k is kept. A random field has two thirds of its power across. */
struct mixture {
    double across, along;
};

static struct mixture mixture_of(double solenoidal)
{
    return (struct mixture){sqrt(solenoidal * 1.5), sqrt((1.0 - solenoidal) * 3.0)};
}

/* v = across (a - k (k.a) / k^2) + along k (k.a) / k^2; adds the power of both parts. */
static void project(struct mixture mixture, const int k[3], double k2, double amplitude, struct vector_wave *wave,
                    double power[2])
{
    double re = 0.0, im = 0.0;
    for (int c = 0; c < N_COMPONENT; c++) {
        re += k[c] * wave->re[c];
        im += k[c] * wave->im[c];
    }
    for (int c = 0; c < N_COMPONENT; c++) {
        const double along_re = mixture.along * amplitude * re * k[c] / k2;
        const double along_im = mixture.along * amplitude * im * k[c] / k2;
        const double across_re = mixture.across * amplitude * (wave->re[c] - re * k[c] / k2);
        const double across_im = mixture.across * amplitude * (wave->im[c] - im * k[c] / k2);
        power[0] += across_re * across_re + across_im * across_im;
        power[1] += along_re * along_re + along_im * along_im;
        wave->re[c] = across_re + along_re;
        wave->im[c] = across_im + along_im;
    }
}

struct spectra {
    struct wave *velocity[N_COMPONENT], *density; /* [n][n][n / 2 + 1] */
    double power[2];                              /* across and along k */
};

/* exp(pi i (k_x + k_y + k_z) / n) moves the waves from corners of cells to their centres, so that a cloud with more
 * cells is the same function of position. */
static struct wave at_centre(double re, double im, double phase)
{
    const double c = cos(phase), s = sin(phase);
    return (struct wave){(float)(re * c - im * s), (float)(re * s + im * c)};
}

static void fill_wave(const struct lr_cloud_options *options, const struct rng_key *key, struct mixture mixture,
                      const int k[3], size_t place, struct spectra *spectra)
{
    const double k2 = (double)(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
    const double phase = LR_PI * (k[0] + k[1] + k[2]) / options->cells;
    const double amplitude = pow(k2, -0.25 * options->velocity_slope), detail = pow(k2, -0.25 * options->density_slope);
    double re = 0.0, im = 0.0;
    struct vector_wave wave = draw_wave(key, k, &re, &im);
    double power[2] = {0.0, 0.0};
    project(mixture, k, k2, amplitude, &wave, power);
    for (int part = 0; part < 2; part++)
        spectra->power[part] += (k[2] ? 2.0 : 1.0) * power[part]; /* -k_z is not in the array */
    for (int c = 0; c < N_COMPONENT; c++)
        spectra->velocity[c][place] = at_centre(wave.re[c], wave.im[c], phase);
    spectra->density[place] = at_centre(detail * re, detail * im, phase);
}

/* All waves with 0 < |k| < n / 2; the arrays are zero elsewhere. */
static void fill_waves(const struct lr_cloud_options *options, struct spectra *spectra)
{
    const int n = options->cells, half = fourier_half(n);
    const struct rng_key key = rng_key_from_seed(options->seed);
    const struct mixture mixture = mixture_of(options->solenoidal);
    for (int x = 0; x < n; x++)
        for (int y = 0; y < n; y++)
            for (int z = 0; z < half; z++) {
                const int k[3] = {x <= n / 2 ? x : x - n, y <= n / 2 ? y : y - n, z};
                const int k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
                if (k2 > 0 && 4 * k2 < n * n)
                    fill_wave(options, &key, mixture, k, ((size_t)x * (size_t)n + (size_t)y) * (size_t)half + (size_t)z,
                              spectra);
            }
}

/* ---- fields ---- */

static double mean_square(const float *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (double)values[i] * (double)values[i];
    return sum / (double)n;
}

/* There is no wave k = 0, so the mean velocity is zero and mean squares are variances. */
static void scale_velocity(struct lr_cloud *cloud)
{
    const size_t n = cloud_size(cloud);
    double variance = 0.0;
    for (int c = 0; c < N_COMPONENT; c++)
        variance += mean_square(cloud->field[CLOUD_VELOCITY_X + c], n) / N_COMPONENT;
    const double factor = cloud->options.sigma_v / sqrt(variance);
    for (int c = 0; c < N_COMPONENT; c++)
        for (size_t i = 0; i < n; i++)
            cloud->field[CLOUD_VELOCITY_X + c][i] = (float)((double)cloud->field[CLOUD_VELOCITY_X + c][i] * factor);
}

static enum lr_status allocate(lr_context *ctx, struct lr_cloud *cloud, struct spectra *spectra)
{
    const size_t n = (size_t)cloud->options.cells, n_wave = n * n * (size_t)fourier_half(cloud->options.cells);
    for (int c = 0; c < N_COMPONENT; c++)
        LR_TRY(lr_allocate(ctx, n_wave, sizeof *spectra->velocity[c], &spectra->velocity[c]));
    LR_TRY(lr_allocate(ctx, n_wave, sizeof *spectra->density, &spectra->density));
    for (int i = 0; i < N_CLOUD_FIELD; i++)
        LR_TRY(lr_allocate(ctx, cloud_size(cloud), sizeof *cloud->field[i], &cloud->field[i]));
    return LR_OK;
}

static enum lr_status fill(lr_context *ctx, struct lr_cloud *cloud, struct spectra *spectra)
{
    const int n = cloud->options.cells;
    LR_TRY(allocate(ctx, cloud, spectra));
    fill_waves(&cloud->options, spectra);
    for (int c = 0; c < N_COMPONENT; c++)
        LR_TRY(fourier_to_space(ctx, n, spectra->velocity[c], cloud->field[CLOUD_VELOCITY_X + c]));
    LR_TRY(fourier_to_space(ctx, n, spectra->density, cloud->field[CLOUD_H2]));
    scale_velocity(cloud);
    cloud->statistics.solenoidal = spectra->power[0] / (spectra->power[0] + spectra->power[1]);
    const double deviation = sqrt(mean_square(cloud->field[CLOUD_H2], cloud_size(cloud)));
    return cloud_gas_fill(ctx, cloud, deviation);
}

/* ---- options ---- */

struct bound {
    const char *name;
    double value, low, high;
};

static enum lr_status check_options(lr_context *ctx, const struct lr_cloud_options *o)
{
    const struct bound bounds[] = {{"size", o->size, 1e-30, 1e40},
                                   {"sigma_v", o->sigma_v, 1e-6, 1e9},
                                   {"velocity slope", o->velocity_slope, 0.0, 20.0},
                                   {"density slope", o->density_slope, 0.0, 20.0},
                                   {"solenoidal fraction", o->solenoidal, 0.0, 1.0},
                                   {"mean density", o->mean_density, 1e-20, 1e20},
                                   {"width of ln n", o->density_width, 0.0, 5.0},
                                   {"smallest temperature", o->min_temperature, 0.1, 1e9},
                                   {"largest temperature", o->max_temperature, o->min_temperature, 1e9},
                                   {"mean temperature", o->mean_temperature, o->min_temperature, o->max_temperature},
                                   {"temperature index", o->temperature_index, 0.0, 5.0},
                                   {"transition density", o->transition_density, 1e-20, 1e20},
                                   {"mean density of CO", o->mean_co, 1e-20, 1e15},
                                   {"mean density of OH", o->mean_oh, 1e-20, 1e15}};
    if (o->cells < SMALLEST || o->cells > LARGEST || o->cells % 2)
        return lr_fail(ctx, LR_ERROR_INPUT, "a cloud has an even number of cells along each axis, %d to %d, not %d",
                       SMALLEST, LARGEST, o->cells);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (!(bounds[i].value >= bounds[i].low && bounds[i].value <= bounds[i].high))
            return lr_fail(ctx, LR_ERROR_INPUT, "%s of the cloud: %g is not between %g and %g (CGS)", bounds[i].name,
                           bounds[i].value, bounds[i].low, bounds[i].high);
    return LR_OK;
}

enum lr_status lr_cloud_create(lr_context *ctx, const struct lr_cloud_options *options, lr_cloud **out)
{
    struct lr_cloud *cloud = NULL;
    struct spectra spectra = {0};
    *out = NULL;
    LR_TRY(check_options(ctx, options));
    LR_TRY(lr_allocate(ctx, 1, sizeof *cloud, &cloud));
    cloud->options = *options;
    enum lr_status status = fill(ctx, cloud, &spectra);
    for (int c = 0; c < N_COMPONENT; c++)
        free(spectra.velocity[c]);
    free(spectra.density);
    if (status != LR_OK) {
        lr_cloud_free(cloud);
        return status;
    }
    *out = cloud;
    return LR_OK;
}
