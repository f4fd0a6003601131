/* redistribution.h against the exact laws of PHYSICS 2, computed here in double with libcerf's Faddeeva function:
 * p(u|x) ~ exp(-u^2) / (a^2 + (x-u)^2), the kernel K(x'|x,g) in closed form, Hummer's angle-averaged R_II, the Voigt
 * profile. Nothing is compared with voigt.h, which test_voigt.c checks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define voigt cerf_voigt /* libcerf has a voigt(x, sigma, gamma) */
#include <cerf.h>
#undef voigt

#include "kernel/phase.h"
#include "kernel/redistribution.h"
#include "ks.h"
/* variants: mixed double */

#define PI 3.14159265358979323846
#define SQRT_PI 1.77245385090551602730
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

/* Random numbers of a test: draw k of stream `stream`. */
static struct random4 draw(uint32_t stream, uint32_t k)
{
    return rng_draw(rng_key_from_seed(20240229), k, stream, 0);
}

/* What a driver does: propose until accepted. `next` counts the draws of the stream. */
static real sample_velocity(real a, real x, uint32_t stream, uint32_t *next)
{
    for (;;) {
        const struct velocity_proposal p = propose_velocity(a, x, draw(stream, (*next)++), (double)a <= LR_NARROW_DAMPING);
        if (p.uniform <= p.chance)
            return p.u;
    }
}

/* ---- the velocity of the atom ------------------------------------------------------------------------------------ */

static const double X[] = {0, 0.5, 1, 2, 3, 4, 6, 8, 12, 50, 300};
static const double A[] = {1e-10, 4.7e-4, 4.7e-3, 0.15};
enum { N_X = LENGTH(X), N_A = LENGTH(A), N_CASE = N_X * N_A };

struct velocity_law {
    double a, x, norm;
};

static double velocity_density(const void *user, double offset)
{
    const struct velocity_law *law = user;
    const double u = law->x + offset;
    return law->norm * exp(-u * u) / (law->a * law->a + offset * offset);
}

struct velocity_sample {
    real a, x;
    int narrow;
    uint32_t stream;
    int64_t n_wanted;
    int64_t proposed;
    double largest_chance;
    struct two_scale u;
    struct ks rest;                              /* uniform / chance */
    double sum_u2, sum_u4, cross_u, cross_u2;    /* of (rest - 1/2) with u and u^2 */
    double distance, total, deviate_u, deviate_u2; /* results */
};

static void sample_add(struct velocity_sample *s, struct velocity_proposal p)
{
    const double u = (double)p.u;
    const double rest = (double)(p.uniform / p.chance);
    two_scale_add(&s->u, u, (double)(p.u - s->x));
    ks_add(&s->rest, rest);
    s->sum_u2 += u * u;
    s->sum_u4 += u * u * u * u;
    s->cross_u += (rest - 0.5) * u;
    s->cross_u2 += (rest - 0.5) * u * u;
}

/* Plain scalar code: with a and x fixed the compiler moves half of the work out of the loop. */
static void sample_fill(struct velocity_sample *s)
{
    const real a = s->a;
    const real x = s->x;
    const int narrow = s->narrow;
    for (uint32_t k = 0; s->u.n < s->n_wanted; k++) {
        const struct velocity_proposal p = propose_velocity(a, x, draw(s->stream, k), narrow);
        s->proposed++;
        s->largest_chance = fmax(s->largest_chance, (double)p.chance);
        if (p.uniform <= p.chance)
            sample_add(s, p);
    }
}

/* In single precision u has the spacing of numbers near x, and for a = 1e-10 the resonance falls into one of them: the
 * distribution is compared at edges at least eight spacings from x. What lies nearer is one atom of probability, whose
 * size is seen. In double, and at x = 0, nothing is left out that matters. */
static void sample_compare(struct velocity_sample *s)
{
    const double a = (double)s->a;
    const double x = (double)s->x;
    const struct velocity_law law = {a, x, a / (PI * re_w_of_z(x, a))};
    const double blind = 8 * x * (double)R_EPSILON;
    double total_bulk;
    const double n = (double)s->u.n;
    const double bulk =
        two_scale_distance(&s->u, TWO_SCALE_BULK, velocity_density, &law, x, a, 0, blind, &total_bulk);
    const double around =
        two_scale_distance(&s->u, TWO_SCALE_AROUND, velocity_density, &law, x, a, 0, blind, &s->total);
    s->distance = fmax(bulk, around);
    s->total = fabs(total_bulk - 1) > fabs(s->total - 1) ? total_bulk : s->total;
    s->deviate_u = s->cross_u / sqrt(s->sum_u2 / 12);
    s->deviate_u2 = s->cross_u2 / sqrt(s->sum_u4 / 12);
    (void)n;
}
