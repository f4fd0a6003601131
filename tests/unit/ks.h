/* For tests that compare random draws with a distribution: Kolmogorov-Smirnov distance, chi-square bound, quadrature. A
 * correct sampler passes each bound with probability 1 - 1e-4; seeds are fixed, so a test that passes keeps passing. */
#ifndef LR_TESTS_KS_H
#define LR_TESTS_KS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define KS_DRAWS(n) ((n) / 200 + 1000) /* instrumented code is slow; statistics are left to the plain build */
#else
#define KS_DRAWS(n) (n)
#endif

#define KS_LAMBDA 2.23   /* 2 exp(-2 lambda^2) = 1e-4: the asymptotic distribution of sqrt(n) D (Kolmogorov 1933) */
#define KS_NORMAL 3.89   /* two-sided normal deviate with the same probability */
#define KS_NORMAL_1 3.72 /* one-sided */

/* Wilson & Hilferty 1931. */
static inline double chi_square_bound(int freedom)
{
    const double c = 2.0 / (9.0 * freedom);
    const double root = 1 - c + KS_NORMAL_1 * sqrt(c);
    return freedom * root * root * root;
}

/* ---- draws whose exact cumulative probability is known in closed form ------------------------------------------- */

enum { KS_BINS = 1024 };

struct ks {
    int64_t n;
    int64_t count[KS_BINS];
};

/* Add a draw, given as its exact cumulative probability: uniform in (0, 1) if the sampler is correct. */
static inline void ks_add(struct ks *ks, double probability)
{
    const int bin = probability > 0 ? (int)(probability * KS_BINS) : 0;
    ks->count[bin < KS_BINS ? bin : KS_BINS - 1]++;
    ks->n++;
}

/* sqrt(n) D, the largest distance at the edges of the bins; NaN draws went to bin 0. */
static inline double ks_distance(const struct ks *ks)
{
    double worst = 0;
    int64_t below = 0;
    for (int i = 0; i < KS_BINS; i++) {
        below += ks->count[i];
        worst = fmax(worst, fabs((double)below / (double)ks->n - (double)(i + 1) / KS_BINS));
    }
    return sqrt((double)ks->n) * worst;
}

/* Chi-square of counts against probabilities that add up to one; bins with fewer than 10 expected counts are pooled. */
static inline double chi_square(int n_bin, const int64_t *count, const double *probability, int *freedom)
{
    double n = 0;
    double sum = 0;
    double pool_count = 0;
    double pool_expected = 0;
    *freedom = -1;
    for (int i = 0; i < n_bin; i++)
        n += (double)count[i];
    for (int i = 0; i <= n_bin; i++) {
        const double expected = i < n_bin ? n * probability[i] : pool_expected;
        const double found = i < n_bin ? (double)count[i] : pool_count;
        if (i < n_bin && expected < 10) {
            pool_expected += expected;
            pool_count += found;
        } else if (expected > 0) {
            sum += (found - expected) * (found - expected) / expected;
            ++*freedom;
        } else if (found > 0) {
            sum = HUGE_VAL; /* the impossible happened */
        }
    }
    return sum;
}

/* ---- quadrature ------------------------------------------------------------------------------------------------- */

/* A density as a function of the distance from a centre, so that a peak much narrower than the rounding of the centre
 * is resolved. */
typedef double ks_density(const void *law, double offset);

/* How to integrate a density: its peak, if any, has width `scale`, and it is smooth over `step` away from it. */
struct ks_grid {
    double scale, step;
};

/* INT density over offsets low..high: 8-point Gauss-Legendre steps in s, offset = scale sinh(s). */
static inline double ks_integral(ks_density *density, const void *law, struct ks_grid grid, double low, double high)
{
    static const double node[] = {0.18343464249564980, 0.52553240991632899, 0.79666647741362674, 0.96028985649753623};
    static const double weight[] = {0.36268378337836198, 0.31370664587788729, 0.22238103445337447, 0.10122853629037626};
    const double s_low = asinh(low / grid.scale);
    const double length = asinh(high / grid.scale) - s_low;
    const double reach = fmax(fabs(low), fabs(high));
    const int n = (int)ceil(length * fmax(2, reach / grid.step));
    double sum = 0;
    for (int step = 0; step < n; step++)
        for (int k = 0; k < 8; k++) {
            const double at = k < 4 ? node[k] : -node[k - 4];
            const double s = s_low + (step + 0.5 + 0.5 * at) * length / n;
            sum += weight[k % 4] * density(law, grid.scale * sinh(s)) * cosh(s);
        }
    return 0.5 * sum * grid.scale * length / n;
}

/* ---- draws counted on two scales: the bulk and, logarithmically, the distance from a centre ---------------------- */

enum {
    KS_BULK = 4096, /* from -8 to 8 */
    KS_SIDE = 848,  /* 16 per octave, from 2^-44 to 2^9, on each side of the centre */
    KS_FIRST_BITS = (127 - 44) << 4
};
#define KS_BULK_EDGE 8.0

struct two_scale {
    int64_t n;
    int64_t bulk[KS_BULK];
    int64_t around[2 * KS_SIDE];
};

/* Sixteenths of octaves are the leading bits of the floating-point form. */
static inline void two_scale_add(struct two_scale *counts, double value, double offset)
{
    const double position = (value + KS_BULK_EDGE) * (KS_BULK / (2 * KS_BULK_EDGE));
    const int bulk = position > 0 ? (position < KS_BULK ? (int)position : KS_BULK - 1) : 0;
    const float distance = (float)fabs(offset);
    uint32_t bits;
    memcpy(&bits, &distance, sizeof bits);
    const int octave = (int)(bits >> 19) - KS_FIRST_BITS;
    const int side = octave < 0 ? 0 : octave < KS_SIDE ? octave : KS_SIDE - 1;
    counts->bulk[bulk]++;
    counts->around[offset < 0 ? KS_SIDE - 1 - side : KS_SIDE + side]++;
    counts->n++;
}

static inline double two_scale_side_edge(int i)
{
    const uint32_t bits = (uint32_t)(KS_FIRST_BITS + i) << 19;
    float edge;
    memcpy(&edge, &bits, sizeof edge);
    return i == 0 ? 0 : (double)edge;
}

enum two_scale_part { TWO_SCALE_BULK, TWO_SCALE_AROUND };

/* Edge i of a part, as its distance from the centre. */
static inline double two_scale_edge(enum two_scale_part part, int i, double centre)
{
    if (part == TWO_SCALE_BULK)
        return i * (2 * KS_BULK_EDGE / KS_BULK) - KS_BULK_EDGE - centre;
    return i < KS_SIDE ? -two_scale_side_edge(KS_SIDE - i) : two_scale_side_edge(i - KS_SIDE);
}

/* sqrt(n) D of one part, at the edges that are at least `blind` away from the centre. `tail` is the probability below
 * the first edge; the total probability of the range is stored in `total`. */
static inline double two_scale_distance(const struct two_scale *counts, enum two_scale_part part, ks_density *density,
                                        const void *law, struct ks_grid grid, double centre, double tail, double blind,
                                        double *total)
{
    const int n = part == TWO_SCALE_BULK ? KS_BULK : 2 * KS_SIDE;
    const int64_t *count = part == TWO_SCALE_BULK ? counts->bulk : counts->around;
    double cumulative = tail;
    double worst = 0;
    int64_t below = 0;
    for (int i = 0; i < n; i++) {
        const double edge = two_scale_edge(part, i + 1, centre);
        cumulative += ks_integral(density, law, grid, two_scale_edge(part, i, centre), edge);
        below += count[i];
        if (i + 1 < n && fabs(edge) >= blind)
            worst = fmax(worst, fabs((double)below / (double)counts->n - cumulative));
    }
    *total = cumulative - tail;
    return sqrt((double)counts->n) * worst;
}

#endif
