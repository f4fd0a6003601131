/* Escape of photons through lines that overlap, from a uniform slab or sphere at rest, by plain Monte Carlo: the
 * reference of tests/physics/line_group, which compiles and runs it. It shares no code with linerad and uses the
 * simplest exact method: no mesh, double precision, velocities of atoms by rejection on a Lorentzian (Zheng &
 * Miralda-Escude 2002, ApJ 578, 33), directions by rejection on the phase function, H(a, x) from libcerf.
 *
 *     gcc -O2 group_escape.c -lcerf -lm -o group_escape
 *     ./group_escape sphere|slab central|uniform x=0|lines|flat:FROM:TO DEPTH PHOTONS SEED isotropic|pair < lines
 *
 * DEPTH: alpha_0 times the radius or half-thickness, without H(a, 0). The source is at x = 0, emits as the gas absorbs
 * (lines), or is flat in a range. A line
 * of input is a line of the spectrum: centre / b, width / b, a in its own units, opacity at its centre over that of the
 * first one, upper level, branching ratio, and K, H or - with the number of the other line of the pair. Frequencies are
 * in units of b. Output: one row of numbers, see main(). */
#include <cerf.h>
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MOST = 16 };

struct spectral_line {
    double centre, width, a, strength, branching;
    int upper, partner;
    char kind;
};

static struct spectral_line lines[MOST];
static int n_line;

static uint64_t state[2];

static double uniform(void) /* xorshift128+ (Vigna 2017) */
{
    uint64_t s = state[0];
    const uint64_t t = state[1];
    state[0] = t;
    s ^= s << 23;
    state[1] = s ^ t ^ (s >> 17) ^ (t >> 26);
    return ((double)((state[1] + t) >> 11) + 0.5) * 0x1p-53;
}

static double hjerting(double a, double x)
{
    if (fabs(x) > 40)
        return a / (sqrt(PI) * x * x) * (1 + (1.5 - a * a) / (x * x));
    return creal(w_of_z(x + I * a));
}

static double term(int l, double x)
{
    const struct spectral_line *line = &lines[l];
    return line->strength > 0 ? line->strength * hjerting(line->a, (x - line->centre) / line->width) : 0;
}

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

/* A frequency from the sum of the profiles. */
static double absorbed_frequency(void)
{
    double sum = 0;
    int l = 0;
    for (int k = 0; k < n_line; k++)
        sum += lines[k].strength * lines[k].width;
    for (double left = uniform() * sum; l < n_line - 1 && (left -= lines[l].strength * lines[l].width) > 0; l++) {
    }
    const double thermal = sqrt(-log(uniform())) * cos(2 * PI * uniform());
    return lines[l].centre + lines[l].width * (thermal + lines[l].a * tan(PI * (uniform() - 0.5)));
}

static void isotropic(double n[3])
{
    const double mu = 2 * uniform() - 1;
    const double azimuth = 2 * PI * uniform();
    n[0] = sqrt(1 - mu * mu) * cos(azimuth);
    n[1] = sqrt(1 - mu * mu) * sin(azimuth);
    n[2] = mu;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Of the phase function 1 + E1 (3 g^2 - 1) / 4, in the field of both lines of a pair. */
static double dipole_part(int l, double q)
{
    const struct spectral_line *line = &lines[l];
    if (line->kind == '-')
        return 0;
    const double other = q - (lines[line->partner].centre - line->centre);
    const double k = line->kind == 'K' ? q : other;
    const double h = line->kind == 'K' ? other : q;
    return (2 * k * h + h * h) / (k * k + 2 * h * h);
}

/* Returns the line that emits. */
static int scatter(double *x, double n[3], int paired, int *absorbs)
{
    double sum = 0;
    double left;
    int in = 0;
    int out = 0;
    double to[3];
    for (int l = 0; l < n_line; l++)
        sum += term(l, *x);
    left = uniform() * sum;
    for (in = 0; in < n_line - 1 && (left -= term(in, *x)) > 0; in++) {
    }
    const struct spectral_line *line = &lines[in];
    const double u = line->width * atom_velocity(line->a, (*x - line->centre) / line->width);
    const double side = line->width * sqrt(-log(uniform())) * cos(2 * PI * uniform());
    for (left = uniform(), out = 0; out < n_line; out++)
        if (lines[out].upper == line->upper && (left -= lines[out].branching) <= 0)
            break;
    out = out < n_line ? out : in;
    const double e1 = paired ? dipole_part(in, *x - line->centre - u) : 0;
    do
        isotropic(to);
    while (paired && uniform() * 1.5 > 1 + e1 * (3 * dot(n, to) * dot(n, to) - 1) / 4);
    const double g = dot(n, to);
    *x += lines[out].centre - line->centre + u * (g - 1) + side * sqrt(fmax(1 - g * g, 0));
    memcpy(n, to, sizeof to);
    *absorbs = in;
    return out;
}

static double way_out(int sphere, const double at[3], const double n[3])
{
    if (!sphere)
        return ((n[2] > 0 ? 1 : -1) - at[2]) / n[2];
    const double along = dot(at, n);
    return -along + sqrt(fmax(along * along + 1 - dot(at, at), 0));
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_mean(double sum, double squares, double n)
{
    printf("%.8g %.3g ", sum / n, sqrt(fmax(squares / n - sum / n * sum / n, 0) / n));
}

int main(int argc, char **argv)
{
    double from = 0;
    double to = 0;
    char kind[4];
    if (argc != 8)
        return 1;
    const int sphere = argv[1][1] == 'p';
    const int spread = argv[2][0] == 'u';
    const int as_absorbed = argv[3][0] == 'l';
    const double depth = atof(argv[4]);
    const int64_t photons = atoll(argv[5]);
    const int paired = argv[7][0] == 'p';
    sscanf(argv[3], "flat:%lf:%lf", &from, &to);
    state[0] = strtoull(argv[6], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
    state[1] = 0x2545f4914f6cdd1du;
    for (int i = 0; i < 100; i++)
        (void)uniform();
    for (struct spectral_line *l = lines; n_line < MOST; l++, n_line++) {
        if (scanf("%lf %lf %lf %lf %d %lf %3s %d", &l->centre, &l->width, &l->a, &l->strength, &l->upper, &l->branching,
                  kind, &l->partner) != 8)
            break;
        l->kind = kind[0];
    }
    double *shift = malloc((size_t)photons * sizeof *shift);
    double sum[3] = {0};
    double squares[3] = {0};
    double last[MOST] = {0};
    double absorbed[MOST] = {0};
    double direct = 0;
    for (int64_t i = 0; i < photons; i++) {
        double at[3] = {0, 0, 0};
        double n[3];
        double x = as_absorbed ? absorbed_frequency() : from + (to - from) * uniform();
        double path = 0;
        double events = 0;
        int emits = -1;
        int absorbs = 0;
        isotropic(n);
        while (spread) {
            for (int k = 0; k < 3; k++)
                at[k] = 2 * uniform() - 1;
            if (!sphere || dot(at, at) < 1)
                break;
        }
        for (;;) {
            double opacity = 0;
            for (int l = 0; l < n_line; l++)
                opacity += term(l, x);
            const double flight = -log(uniform()) / (depth * opacity);
            const double out = way_out(sphere, at, n);
            path += fmin(flight, out);
            if (flight >= out)
                break;
            for (int k = 0; k < 3; k++)
                at[k] += flight * n[k];
            emits = scatter(&x, n, paired, &absorbs);
            absorbed[absorbs]++;
            events++;
        }
        shift[i] = x;
        const double value[3] = {events, path, x};
        for (int k = 0; k < 3; k++) {
            sum[k] += value[k];
            squares[k] += value[k] * value[k];
        }
        if (emits >= 0)
            last[emits]++;
        else
            direct++;
    }
    /* scatterings, path and shift with their errors; five quantiles of the shift; the part that never scattered; for
     * each line, the part of photons it emitted last, and its absorptions per photon */
    qsort(shift, (size_t)photons, sizeof *shift, by_size);
    for (int k = 0; k < 3; k++)
        print_mean(sum[k], squares[k], (double)photons);
    for (int k = 1; k <= 5; k++)
        printf("%.8g ", shift[(int64_t)((double)photons * (k == 1 ? 0.1 : k == 5 ? 0.9 : 0.25 * (k - 1)))]);
    printf("%.8g ", direct / (double)photons);
    for (int l = 0; l < n_line; l++)
        printf("%.8g %.8g ", last[l] / (double)photons, absorbed[l] / (double)photons);
    printf("\n");
    free(shift);
    return 0;
}
