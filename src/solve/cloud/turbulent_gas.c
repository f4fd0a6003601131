/* What follows from the random field g of a cloud (mean zero, standard deviation 1):
 *
 *     n(H2)    ~ exp(width g)                                              log-normal
 *     T        = T0 (n / <n>)^-index, clipped to the smallest and largest    T0 such that <T> is as requested
 *     x(CO)    ~ y / (1 + y),  x(OH) ~ 1 / (1 + y),  y = (n / n_t)^1.5     CO takes over from OH around n_t
 *
 * and all densities are scaled to their means. CGS. */
#include "solve/cloud/turbulent_gas.h"

#include <math.h>

static const double TRANSITION_POWER = 1.5;

static double mean_of(const float *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (double)values[i];
    return sum / (double)n;
}

/* Scale to a mean; twice, since rounding to single precision may shift it the first time. */
static void set_mean(float *values, size_t n, double mean)
{
    for (int round = 0; round < 2; round++) {
        const double now = mean_of(values, n), factor = now > 0.0 ? mean / now : 0.0;
        for (size_t i = 0; i < n; i++)
            values[i] = (float)((double)values[i] * factor);
    }
}

static void fill_density(struct lr_cloud *cloud, double deviation)
{
    const size_t n = cloud_size(cloud);
    float *density = cloud->field[CLOUD_H2];
    const double width = cloud->options.density_width / deviation;
    for (size_t i = 0; i < n; i++)
        density[i] = (float)exp(width * (double)density[i]);
    set_mean(density, n, cloud->options.mean_density);
}

/* ---- temperature ---- */

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* The mean temperature at x = ln T0, and d<T> / dx, to which cells at the limits do not contribute. ln_shape is -index
 * ln(n / <n>): a logarithm, since for a wide distribution the power exceeds the range of single precision. */
static double mean_temperature(const struct lr_cloud_options *o, const float *ln_shape, size_t n, double x,
                               double *slope)
{
    double sum = 0.0, change = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double t = (double)(float)clamp(exp(x + (double)ln_shape[i]), o->min_temperature, o->max_temperature);
        sum += t;
        change += t > o->min_temperature && t < o->max_temperature ? t : 0.0;
    }
    *slope = change / (double)n;
    return sum / (double)n;
}

/* <T> increases with ln T0 from the smallest to the largest temperature: bracketed Newton steps, with a bisection every
 * fourth step. */
static double find_ln_t0(const struct lr_cloud_options *o, const float *ln_shape, size_t n)
{
    enum { MOST_STEPS = 200 };
    double largest = -INFINITY, smallest = INFINITY;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, (double)ln_shape[i]);
        smallest = fmin(smallest, (double)ln_shape[i]);
    }
    double low = log(o->min_temperature) - largest, high = log(o->max_temperature) - smallest, x = 0.5 * (low + high);
    for (int i = 1; i <= MOST_STEPS && high - low > 1e-12; i++) {
        double slope = 0.0;
        const double excess = mean_temperature(o, ln_shape, n, x, &slope) - o->mean_temperature, last = x;
        if (excess == 0.0)
            break;
        *(excess < 0.0 ? &low : &high) = x;
        x -= excess / slope;
        if (i % 4 == 0 || !(x > low && x < high))
            x = 0.5 * (low + high);
        if (fabs(x - last) < 1e-12)
            break;
    }
    return x;
}

static enum lr_status fill_temperature(lr_context *ctx, struct lr_cloud *cloud)
{
    const struct lr_cloud_options *o = &cloud->options;
    const size_t n = cloud_size(cloud);
    const float *density = cloud->field[CLOUD_H2];
    float *temperature = cloud->field[CLOUD_TEMPERATURE];
    for (size_t i = 0; i < n; i++)
        temperature[i] = (float)(-o->temperature_index * log((double)density[i] / o->mean_density));
    const double x = find_ln_t0(o, temperature, n);
    for (size_t i = 0; i < n; i++)
        temperature[i] = (float)clamp(exp(x + (double)temperature[i]), o->min_temperature, o->max_temperature);
    const double mean = mean_of(temperature, n);
    if (!(fabs(mean - o->mean_temperature) <= 1e-5 * o->mean_temperature))
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "in this cloud, temperatures between %g and %g K that fall as n^-%g cannot have a mean of %g K; "
                       "the nearest is %g K",
                       o->min_temperature, o->max_temperature, o->temperature_index, o->mean_temperature, mean);
    return LR_OK;
}

/* ---- molecules ---- */

/* x(CO) and x(OH) at H2 density n, up to a factor. */
static double share_of_co(const struct lr_cloud_options *o, double n)
{
    const double y = pow(n / o->transition_density, TRANSITION_POWER);
    return isinf(y) ? 1.0 : y / (1.0 + y);
}

static double share_of_oh(const struct lr_cloud_options *o, double n)
{
    return 1.0 / (1.0 + pow(n / o->transition_density, TRANSITION_POWER));
}

/* to = n(H2) times the fraction, scaled to its mean before rounding, so that small values do not vanish. */
static void fill_molecule(const struct lr_cloud *cloud, double share(const struct lr_cloud_options *, double),
                          double mean, float *to)
{
    const size_t n = cloud_size(cloud);
    const float *density = cloud->field[CLOUD_H2];
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (double)density[i] * share(&cloud->options, (double)density[i]);
    const double factor = sum > 0.0 ? mean / (sum / (double)n) : 0.0;
    for (size_t i = 0; i < n; i++)
        to[i] = (float)(factor * (double)density[i] * share(&cloud->options, (double)density[i]));
    set_mean(to, n, mean);
}

/* ---- statistics ---- */

static void measure_range(const float *values, size_t n, double range[3])
{
    range[0] = INFINITY;
    range[2] = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        range[0] = fmin(range[0], (double)values[i]);
        range[2] = fmax(range[2], (double)values[i]);
    }
    range[1] = mean_of(values, n);
}

static void measure_velocity(struct lr_cloud *cloud)
{
    const size_t n = cloud_size(cloud);
    for (int c = 0; c < 3; c++) {
        const float *v = cloud->field[CLOUD_VELOCITY_X + c];
        const double mean = mean_of(v, n);
        double sum = 0.0;
        for (size_t i = 0; i < n; i++) {
            sum += ((double)v[i] - mean) * ((double)v[i] - mean);
            cloud->statistics.fastest = fmax(cloud->statistics.fastest, fabs((double)v[i]));
        }
        cloud->statistics.sigma_v[c] = sqrt(sum / (double)n);
    }
}

/* Sums for correlations between the logarithms of four quantities of a cell. */
enum { LN_DENSITY, LN_TEMPERATURE, LN_CO, LN_OH, N_LN };

static void measure_correlations(struct lr_cloud *cloud)
{
    const size_t n = cloud_size(cloud);
    double sum[N_LN] = {0.0}, product[N_LN][N_LN] = {{0.0}};
    const double offset[N_LN] = {log(cloud->options.mean_density), log(cloud->options.mean_temperature),
                                 log(cloud->options.mean_co / cloud->options.mean_density),
                                 log(cloud->options.mean_oh / cloud->options.mean_density)};
    for (size_t i = 0; i < n; i++) {
        const double h2 = (double)cloud->field[CLOUD_H2][i];
        const double value[N_LN] = {log(h2) - offset[0], log((double)cloud->field[CLOUD_TEMPERATURE][i]) - offset[1],
                                    log((double)cloud->field[CLOUD_CO][i] / h2) - offset[2],
                                    log((double)cloud->field[CLOUD_OH][i] / h2) - offset[3]};
        for (int a = 0; a < N_LN; a++) {
            sum[a] += value[a];
            for (int b = a; b < N_LN; b++)
                product[a][b] += value[a] * value[b];
        }
    }
    double covariance[N_LN][N_LN] = {{0.0}};
    for (int a = 0; a < N_LN; a++)
        for (int b = a; b < N_LN; b++)
            covariance[a][b] = product[a][b] / (double)n - sum[a] / (double)n * (sum[b] / (double)n);
    const double rounding = 1e-12; /* of single precision, in variances of logarithms of equal numbers */
    struct lr_cloud_statistics *s = &cloud->statistics;
    s->density_width = sqrt(fmax(covariance[LN_DENSITY][LN_DENSITY], 0.0));
    double *const result[] = {&s->temperature_with_density, &s->co_with_density, &s->oh_with_density, &s->co_with_oh};
    const int pair[][2] = {{LN_DENSITY, LN_TEMPERATURE}, {LN_DENSITY, LN_CO}, {LN_DENSITY, LN_OH}, {LN_CO, LN_OH}};
    for (int i = 0; i < 4; i++) {
        const int a = pair[i][0], b = pair[i][1];
        const bool vary = covariance[a][a] > rounding && covariance[b][b] > rounding;
        *result[i] = vary ? covariance[a][b] / sqrt(covariance[a][a] * covariance[b][b]) : (double)NAN;
    }
}

static enum lr_status check_range(lr_context *ctx, const char *name, const double range[3])
{
    if (isfinite(range[2]) && range[0] > 0.0)
        return LR_OK;
    return lr_fail(ctx, LR_ERROR_INPUT,
                   "densities of %s in this cloud range from %g to %g cm^-3, beyond single precision", name, range[0],
                   range[2]);
}

enum lr_status cloud_gas_fill(lr_context *ctx, struct lr_cloud *cloud, double deviation)
{
    const size_t n = cloud_size(cloud);
    const struct lr_cloud_options *o = &cloud->options;
    struct lr_cloud_statistics *s = &cloud->statistics;
    fill_density(cloud, deviation);
    measure_range(cloud->field[CLOUD_H2], n, s->density);
    LR_TRY(check_range(ctx, "H2", s->density));
    LR_TRY(fill_temperature(ctx, cloud));
    fill_molecule(cloud, share_of_co, o->mean_co, cloud->field[CLOUD_CO]);
    fill_molecule(cloud, share_of_oh, o->mean_oh, cloud->field[CLOUD_OH]);
    measure_range(cloud->field[CLOUD_TEMPERATURE], n, s->temperature);
    measure_range(cloud->field[CLOUD_CO], n, s->co);
    measure_range(cloud->field[CLOUD_OH], n, s->oh);
    LR_TRY(check_range(ctx, "CO", s->co));
    LR_TRY(check_range(ctx, "OH", s->oh));
    measure_velocity(cloud);
    measure_correlations(cloud);
    return LR_OK;
}
