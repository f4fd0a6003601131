/* What follows from the random field g of a cloud (mean zero, standard deviation 1):
 *
 *     n(H2)    ~ exp(width g)                                              log-normal
 *     T        = T0 (n / <n>)^-index, held between the smallest and the largest    T0 such that <T> is as asked
 *     x(CO)    ~ y / (1 + y),  x(OH) ~ 1 / (1 + y),  y = (n / n_t)^1.5     CO takes over from OH around n_t
 *
 * and all densities are scaled to their means. CGS. */
#include "solve/cloud_gas.h"

#include <math.h>

static const double TRANSITION_POWER = 1.5;

static double mean_of(const float *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (double)values[i];
    return sum / (double)n;
}

/* Scales to a mean; twice, since the first rounding to single precision may move it. */
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

/* The mean temperature for T0; shape is (n / <n>)^-index. */
static double mean_temperature(const struct lr_cloud_options *o, const float *shape, size_t n, double t0)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (double)(float)clamp(t0 * (double)shape[i], o->min_temperature, o->max_temperature);
    return sum / (double)n;
}

/* <T> grows with T0 from the smallest to the largest temperature: bisection in ln T0. */
static double find_t0(const struct lr_cloud_options *o, const float *shape, size_t n)
{
    enum { HALVINGS = 60 };
    double largest = 0.0, smallest = INFINITY;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, (double)shape[i]);
        smallest = fmin(smallest, (double)shape[i]);
    }
    double low = log(o->min_temperature / largest), high = log(o->max_temperature / smallest);
    for (int i = 0; i < HALVINGS && high - low > 1e-12; i++) {
        const double middle = 0.5 * (low + high);
        if (mean_temperature(o, shape, n, exp(middle)) < o->mean_temperature)
            low = middle;
        else
            high = middle;
    }
    return exp(0.5 * (low + high));
}

static void fill_temperature(struct lr_cloud *cloud)
{
    const struct lr_cloud_options *o = &cloud->options;
    const size_t n = cloud_size(cloud);
    const float *density = cloud->field[CLOUD_H2];
    float *temperature = cloud->field[CLOUD_TEMPERATURE];
    for (size_t i = 0; i < n; i++)
        temperature[i] = (float)pow((double)density[i] / o->mean_density, -o->temperature_index);
    const double t0 = find_t0(o, temperature, n);
    for (size_t i = 0; i < n; i++)
        temperature[i] = (float)clamp(t0 * (double)temperature[i], o->min_temperature, o->max_temperature);
}

/* ---- molecules ---- */

static void fill_molecules(struct lr_cloud *cloud)
{
    const size_t n = cloud_size(cloud);
    const float *density = cloud->field[CLOUD_H2];
    for (size_t i = 0; i < n; i++) {
        const double y = pow((double)density[i] / cloud->options.transition_density, TRANSITION_POWER);
        cloud->field[CLOUD_CO][i] = (float)((double)density[i] * y / (1.0 + y));
        cloud->field[CLOUD_OH][i] = (float)((double)density[i] / (1.0 + y));
    }
    set_mean(cloud->field[CLOUD_CO], n, cloud->options.mean_co);
    set_mean(cloud->field[CLOUD_OH], n, cloud->options.mean_oh);
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

/* Sums for correlations between the logarithms of four numbers of a cell. */
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
    struct lr_cloud_statistics *s = &cloud->statistics;
    s->density_width = sqrt(covariance[LN_DENSITY][LN_DENSITY]);
    double *const result[] = {&s->temperature_with_density, &s->co_with_density, &s->oh_with_density, &s->co_with_oh};
    const int pair[][2] = {{LN_DENSITY, LN_TEMPERATURE}, {LN_DENSITY, LN_CO}, {LN_DENSITY, LN_OH}, {LN_CO, LN_OH}};
    for (int i = 0; i < 4; i++) {
        const int a = pair[i][0], b = pair[i][1];
        *result[i] = covariance[a][b] / sqrt(covariance[a][a] * covariance[b][b]);
    }
}

enum lr_status cloud_gas_fill(lr_context *ctx, struct lr_cloud *cloud, double deviation)
{
    const size_t n = cloud_size(cloud);
    fill_density(cloud, deviation);
    fill_temperature(cloud);
    fill_molecules(cloud);
    struct lr_cloud_statistics *s = &cloud->statistics;
    measure_velocity(cloud);
    measure_range(cloud->field[CLOUD_H2], n, s->density);
    measure_range(cloud->field[CLOUD_TEMPERATURE], n, s->temperature);
    measure_range(cloud->field[CLOUD_CO], n, s->co);
    measure_range(cloud->field[CLOUD_OH], n, s->oh);
    measure_correlations(cloud);
    if (!isfinite(s->density[2]) || !(s->density[0] > 0.0))
        return lr_fail(ctx, LR_ERROR_INPUT, "densities of this cloud go from %g to %g cm^-3, beyond single precision",
                       s->density[0], s->density[2]);
    return LR_OK;
}
