/* The origin of SPHERE, EXPANDING_SHELL and SKIPPED in reference.py: escape of line photons from a uniform sphere, a
 * slab, or a hollow shell that expands at a constant speed, by plain Monte Carlo. It shares no code with linerad and
 * uses the simplest exact method throughout: no mesh, double precision, velocities of atoms by rejection on a
 * Lorentzian (Zheng & Miralda-Escude 2002, ApJ 578, 33), H(a, x) from libcerf. Not built by CMake.
 *
 *     gcc -O3 exact_escape.c -lcerf -lm -o exact_escape
 *     ./exact_escape sphere 0.149 1000 400000 7        geometry, a, line-centre depth to the surface, photons, seed
 *     ./exact_escape slab 0.015 1e5 400000 7 2.2894 0.105374    ... , x_crit of core skipping, depth of absorption
 *     ./exact_escape shell 1.5152e-4 1.8945e5 20000 7 5 2.5     ... , speed / b, sigma of the source / b
 *
 * The shell extends from 0.9 to 1 around a central source with a Gaussian spectrum; quantiles are then those of the
 * velocity / b (positive = red), not of |x|. */
#include <cerf.h>
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* xoshiro256** (Blackman & Vigna 2021, ACM TOMS 47, 36). */
static uint64_t state[4];

static uint64_t rotated(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static double uniform(void)
{
    const uint64_t result = rotated(state[1] * 5, 7) * 9;
    const uint64_t t = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= t;
    state[3] = rotated(state[3], 45);
    return ((double)(result >> 11) + 0.5) * 0x1p-53;
}

/* H(a, x): cubic interpolation in a fine table, an asymptotic series beyond it; accurate to 1e-9. */
enum { N_TABLE = 40001 };
static const double TABLE_END = 100;
static double table[N_TABLE];

static void fill_table(double a)
{
    for (int i = 0; i < N_TABLE; i++)
        table[i] = creal(w_of_z(TABLE_END * i / (N_TABLE - 1) + I * a));
}

static double hjerting(double a, double x)
{
    const double size = fabs(x);
    if (size > TABLE_END - 0.01)
        return a / (sqrt(PI) * x * x) * (1 + (1.5 - a * a) / (x * x) + 3.75 / (x * x * x * x));
    const double position = size / TABLE_END * (N_TABLE - 1);
    int i = (int)position;
    i = i < 1 ? 1 : i > N_TABLE - 3 ? N_TABLE - 3 : i;
    const double f = position - i;
    const double *y = table + i;
    const double third = 3 * (y[0] - y[1]) + y[2] - y[-1];
    const double second = 2 * y[-1] - 5 * y[0] + 4 * y[1] - y[2];
    return y[0] + 0.5 * f * (y[1] - y[-1] + f * (second + f * third));
}

/* u from exp(-u^2) / (a^2 + (x-u)^2): a Lorentzian proposal, accepted with exp(-u^2) below u0, exp(u0^2 - u^2) above.
 */
static double atom_velocity(double a, double x_signed)
{
    const double x = fabs(x_signed);
    const double u0 = x < 1 ? 0 : x < 3 ? x - 0.9 : 2.2;
    const double split = atan((u0 - x) / a);
    const double drop = exp(-u0 * u0);
    const double below = (split + PI / 2) / ((1 - drop) * split + (1 + drop) * PI / 2);
    for (;;) {
        const int low = uniform() <= below;
        const double angle = low ? -PI / 2 + (split + PI / 2) * uniform() : split + (PI / 2 - split) * uniform();
        const double u = x + a * tan(angle);
        if (uniform() < (low ? exp(-u * u) : exp(-u * u) / drop))
            return x_signed < 0 ? -u : u;
    }
}

static void isotropic(double n[3])
{
    const double mu = 2 * uniform() - 1;
    const double azimuth = 2 * PI * uniform();
    const double sine = sqrt(1 - mu * mu);
    n[0] = sine * cos(azimuth);
    n[1] = sine * sin(azimuth);
    n[2] = mu;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct escape {
    double x, path, scatterings;
};

/* Scatter in gas of this velocity (/ b): replaces n and x by a new direction and frequency. Photons below x_crit meet
 * atoms with perpendicular velocities above it only (Ahn, Lee & Lee 2002, ApJ 567, 922). */
static void scatter(double a, double x_crit, double *x, double n[3], const double gas[3])
{
    const double comoving = *x - dot(gas, n);
    const double u = atom_velocity(a, comoving);
    double out[3];
    isotropic(out);
    const double g = dot(n, out);
    const double least = fabs(comoving) < x_crit ? x_crit : 0;
    const double u_perp = sqrt(least * least - log(uniform())) * cos(2 * PI * uniform());
    *x = comoving + u * (g - 1) + u_perp * sqrt(fmax(1 - g * g, 0)) + dot(gas, out);
    memcpy(n, out, 3 * sizeof *n);
}

/* Distance to a sphere of this radius around the origin: the near side from outside, the far side from inside; negative
 * if the ray misses it. */
static double to_sphere_of(double radius, const double at[3], const double n[3], int near_side)
{
    const double along = dot(at, n);
    const double left = along * along + radius * radius - dot(at, at);
    return left < 0 ? -1 : -along + (near_side ? -sqrt(left) : sqrt(left));
}

/* The hollow shell. The velocity along a straight line changes direction, so depth is summed in steps of at most 0.003
 * radii, in which the frequency seen by the gas changes by less than 0.02 for 5 b; each step uses the frequency at its
 * midpoint. */
static struct escape follow_shell(double a, double depth, double speed, double sigma)
{
    const double inner = 0.9;
    const double opacity = depth / (1 - inner);
    struct escape photon = {sigma * sqrt(-2 * log(uniform())) * cos(2 * PI * uniform()), 0, 0};
    double at[3] = {0, 0, 0};
    double n[3];
    isotropic(n);
    double left = -log(uniform());
    for (;;) {
        const double r = sqrt(dot(at, at));
        if (r < inner) {
            const double step = to_sphere_of(inner, at, n, 0) * (1 + 1e-12) + 1e-12;
            for (int k = 0; k < 3; k++)
                at[k] += step * n[k];
            photon.path += step;
            continue;
        }
        const double hole = dot(at, n) < 0 ? to_sphere_of(inner, at, n, 1) : -1;
        const double out = to_sphere_of(1, at, n, 0);
        const double end = hole > 0 ? hole + 1e-12 : out;
        double step = fmin(end, 0.003);
        double middle[3];
        for (int k = 0; k < 3; k++)
            middle[k] = at[k] + 0.5 * step * n[k];
        double alpha = opacity * hjerting(a, photon.x - speed * dot(middle, n) / sqrt(dot(middle, middle)));
        if (left < 1e-3 * alpha * step) /* a flight so short that it stays in the gas where it began */
            alpha = opacity * hjerting(a, photon.x - speed * dot(at, n) / r);
        const int scatters = left < alpha * step;
        step = scatters ? left / alpha : step;
        left -= alpha * step;
        for (int k = 0; k < 3; k++)
            at[k] += step * n[k];
        photon.path += step;
        if (scatters) {
            const double size = sqrt(dot(at, at));
            const double gas[3] = {speed * at[0] / size, speed * at[1] / size, speed * at[2] / size};
            scatter(a, 0, &photon.x, n, gas);
            photon.scatterings++;
            left = -log(uniform());
        } else if (end == out && step == end) {
            return photon;
        }
    }
}

/* Unit of length: the radius, or half the thickness of the slab. */
static struct escape follow(double a, double depth, int slab, double x_crit)
{
    struct escape photon = {0, 0, 0};
    double at[3] = {0, 0, 0};
    double n[3];
    isotropic(n);
    for (;;) {
        const double flight = -log(uniform()) / (depth * hjerting(a, photon.x));
        const double along = dot(at, n);
        const double to_sphere = -along + sqrt(along * along + 1 - dot(at, at));
        const double to_slab = n[0] > 0 ? (1 - at[0]) / n[0] : (1 + at[0]) / -n[0];
        const double to_surface = slab ? to_slab : to_sphere;
        photon.path += fmin(flight, to_surface);
        if (flight >= to_surface)
            return photon;
        photon.scatterings++;
        for (int k = 0; k < 3; k++)
            at[k] += flight * n[k];
        scatter(a, x_crit, &photon.x, n, (const double[3]){0, 0, 0});
    }
}

static int ascending(const void *p, const void *q)
{
    const double difference = *(const double *)p - *(const double *)q;
    return (difference > 0) - (difference < 0);
}

/* A sample quantile and its standard error, from the local density. */
static void print_quantile(const char *name, const double *sorted, int n, double p)
{
    const double span = 0.02;
    const double slope = (sorted[(int)(n * (p + span))] - sorted[(int)(n * (p - span))]) / (2 * span);
    printf("%s below which %.2f escapes: %.4f +- %.4f\n", name, p, sorted[(int)(n * p)], sqrt(p * (1 - p) / n) * slope);
}

int main(int argc, char **argv)
{
    const int shell = argc > 1 && strcmp(argv[1], "shell") == 0;
    if (argc != 8 && (shell || argc != 6))
        return 1;
    const int slab = strcmp(argv[1], "slab") == 0;
    const double a = atof(argv[2]);
    const double depth = atof(argv[3]);
    const int n = atoi(argv[4]);
    const double x_crit = !shell && argc == 8 ? atof(argv[6]) : 0;
    const double absorption = !shell && argc == 8 ? atof(argv[7]) : 0;
    state[0] = (uint64_t)atoi(argv[5]) * 0x9E3779B97F4A7C15u + 1;
    state[1] = 2;
    state[2] = 3;
    state[3] = 4;
    for (int i = 0; i < 100; i++)
        uniform();
    fill_table(a);

    double *x = malloc((size_t)n * sizeof *x);
    double sum[3] = {0, 0, 0};
    double square[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        const struct escape photon =
            shell ? follow_shell(a, depth, atof(argv[6]), atof(argv[7])) : follow(a, depth, slab, x_crit);
        const double value[3] = {photon.scatterings / depth, photon.path, exp(-absorption * photon.path)};
        x[i] = shell ? -photon.x : fabs(photon.x);
        for (int k = 0; k < 3; k++) {
            sum[k] += value[k];
            square[k] += value[k] * value[k];
        }
    }
    qsort(x, (size_t)n, sizeof *x, ascending);
    for (int k = 1; k < 4; k++)
        print_quantile(shell ? "velocity / b" : "|x|", x, n, 0.25 * k);
    for (int k = 0; k < 3; k++)
        printf("%s: %.6f +- %.6f\n", (const char *[]){"scatterings / depth", "path / half-size", "escaping"}[k],
               sum[k] / n, sqrt((square[k] / n - sum[k] * sum[k] / n / n) / n));
    free(x);
    return 0;
}
