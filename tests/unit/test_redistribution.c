/* redistribution.h against the exact laws of PHYSICS 2, computed here in double with libcerf's Faddeeva function:
 * p(u|x) ~ exp(-u^2) / (a^2 + (x-u)^2), the kernel K(x'|x,g) in closed form, Hummer's angle-averaged R_II and the Voigt
 * profile. voigt.h is not used: test_voigt.c checks it. */
/* variants: mixed double */
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

#include "kernel/redistribution.h"
#include "ks.h"

#define PI 3.14159265358979323846
#define SQRT_PI 1.77245385090551602730
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static inline struct random4 draw(uint32_t stream, uint32_t k)
{
    return rng_draw(rng_key_from_seed(20110515), k, stream, 0);
}

/* ---- the atom's velocity ----------------------------------------------------------------------------------------- */

struct velocity_case {
    double a, x;
    int narrow; /* the proposal used by drivers if a <= LR_NARROW_DAMPING everywhere */
    int64_t n;
};

struct velocity_sample {
    struct velocity_case set;
    int64_t proposed;
    double largest_chance;
    struct two_scale u;
    struct ks rest;                           /* uniform / chance for accepted proposals */
    double sum_u2, sum_u4, cross_u, cross_u2; /* cross: with rest - 1/2 */
    double distance, total;
};

struct velocity_law {
    double a, x, norm;
};

static double velocity_density(const void *user, double offset)
{
    const struct velocity_law *law = user;
    const double u = law->x + offset;
    return law->norm * exp(-u * u) / (law->a * law->a + offset * offset);
}

static void velocity_add(struct velocity_sample *s, struct velocity_proposal p, real x)
{
    const double u = (double)p.u;
    const double rest = (double)(p.uniform / p.chance);
    two_scale_add(&s->u, u, (double)(p.u - x));
    ks_add(&s->rest, rest);
    s->sum_u2 += u * u;
    s->sum_u4 += u * u * u * u;
    s->cross_u += (rest - 0.5) * u;
    s->cross_u2 += (rest - 0.5) * u * u;
}

/* In blocks, so that proposals are made in a loop without branches. */
static void velocity_fill(struct velocity_sample *s, uint32_t stream)
{
    enum { BLOCK = 256 };
    struct velocity_proposal block[BLOCK];
    const real a = (real)s->set.a;
    const real x = (real)s->set.x;
    const int narrow = s->set.narrow;
    real largest = 0;
    for (uint32_t first = 0; s->u.n < s->set.n; first += BLOCK) {
        for (uint32_t k = 0; k < BLOCK; k++)
            block[k] = propose_velocity(a, x, draw(stream, first + k), narrow);
        for (int k = 0; k < BLOCK; k++) {
            largest = r_max(largest, block[k].chance);
            if (block[k].uniform <= block[k].chance)
                velocity_add(s, block[k], x);
        }
        s->proposed += BLOCK;
    }
    s->largest_chance = (double)largest;
}

/* In single precision u has the spacing of numbers near x, and for a = 1e-10 the whole resonance falls into one of
 * them. The distribution is therefore compared at least eight spacings away from x: the resonance then counts as one
 * lump, of which the total probability is tested. At x = 0 and in double its shape is tested, too. */
static void velocity_compare(struct velocity_sample *s)
{
    const double a = (double)(real)s->set.a;
    const double x = s->set.x;
    const struct velocity_law law = {a, x, a / (PI * re_w_of_z(x, a))};
    const struct ks_grid grid = {a, 0.125};
    const double blind = 8 * x * (double)R_EPSILON;
    double total;
    s->distance = two_scale_distance(&s->u, TWO_SCALE_BULK, velocity_density, &law, grid, x, 0, blind, &total);
    s->distance = fmax(
        s->distance, two_scale_distance(&s->u, TWO_SCALE_AROUND, velocity_density, &law, grid, x, 0, blind, &s->total));
    s->total = fabs(total - 1) > fabs(s->total - 1) ? total : s->total;
}

/* The 44 pairs required by the project, with 1e7 draws each, then a few others: the limit of the narrow proposal, the
 * general proposal at small damping (used everywhere in a medium with varying a), damping up to 5. */
enum { N_X = 11, N_A = 4, N_MAIN = N_X * N_A, N_X_MORE = 5, N_A_MORE = 5, N_CASE = N_MAIN + N_X_MORE * N_A_MORE };

static void make_cases(struct velocity_sample *sample)
{
    static const double x[N_X] = {0, 0.5, 1, 2, 3, 4, 6, 8, 12, 50, 300};
    static const double a[N_A] = {1e-10, 4.7e-4, 4.7e-3, 0.15};
    static const double x_more[N_X_MORE] = {0, 1, 2.5, 4.5, 30};
    static const double a_more[N_A_MORE] = {LR_NARROW_DAMPING, 4.7e-3, 0.05, 1, 5};
    for (int i = 0; i < N_MAIN; i++)
        sample[i].set =
            (struct velocity_case){a[i / N_X], x[i % N_X], a[i / N_X] <= LR_NARROW_DAMPING, KS_DRAWS(10000000)};
    for (int i = 0; i < N_CASE - N_MAIN; i++)
        sample[N_MAIN + i].set =
            (struct velocity_case){a_more[i / N_X_MORE], x_more[i % N_X_MORE], i / N_X_MORE == 0, KS_DRAWS(1000000)};
}

static int draw_velocities(void **state)
{
    struct velocity_sample *sample = calloc(N_CASE, sizeof *sample);
    if (!sample)
        return -1;
    make_cases(sample);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N_CASE; i++) {
        velocity_fill(&sample[i], (uint32_t)i);
        velocity_compare(&sample[i]);
    }
    *state = sample;
    return 0;
}

static int free_velocities(void **state)
{
    free(*state);
    return 0;
}

static void test_velocity_follows_the_exact_law(void **state)
{
    const struct velocity_sample *sample = *state;
    double worst = 0;
    for (int i = 0; i < N_CASE; i++) {
        const struct velocity_sample *s = &sample[i];
        if (s->distance >= KS_LAMBDA)
            print_message("  a %g, x %g: sqrt(n) D = %.2f\n", s->set.a, s->set.x, s->distance);
        assert_true(fabs(s->total - 1) < 1e-9); /* the law itself */
        worst = fmax(worst, s->distance);
    }
    print_message("  largest sqrt(n) D of %d samples: %.2f\n", N_CASE, worst);
    assert_true(worst < KS_LAMBDA);
}

/* The chance must not exceed 1, or the envelope is invalid; the acceptance is as stated in the header. */
static void test_proposals_are_accepted_as_stated(void **state)
{
    const struct velocity_sample *sample = *state;
    double least = 1;
    double least_narrow = 1;
    for (int i = 0; i < N_CASE; i++) {
        const struct velocity_sample *s = &sample[i];
        const double rate = (double)s->u.n / (double)s->proposed;
        assert_true(s->largest_chance < 1 + 100 * (double)R_EPSILON);
        if (i >= N_MAIN)
            continue;
        least = fmin(least, rate);
        if (s->set.a <= 5e-3)
            least_narrow = fmin(least_narrow, rate);
        if (s->set.x > 4)
            assert_true(rate > 0.9);
    }
    print_message("  least acceptance: %.3f, for a <= 5e-3: %.3f\n", least, least_narrow);
    assert_true(least_narrow > 0.795 && least > 0.59);
}

/* uniform / chance serves as the next free path: uniform, and independent of the velocity. The mean of (rest - 1/2) u^k
 * then has variance <u^2k>/12n. */
static void test_what_is_left_of_the_chance_is_uniform_and_independent(void **state)
{
    const struct velocity_sample *sample = *state;
    double worst = 0;
    double deviate = 0;
    for (int i = 0; i < N_CASE; i++) {
        const struct velocity_sample *s = &sample[i];
        worst = fmax(worst, ks_distance(&s->rest));
        deviate = fmax(deviate, fabs(s->cross_u) / sqrt(s->sum_u2 / 12));
        deviate = fmax(deviate, fabs(s->cross_u2) / sqrt(s->sum_u4 / 12));
    }
    print_message("  largest sqrt(n) D %.2f, correlation %.2f standard deviations\n", worst, deviate);
    assert_true(worst < KS_LAMBDA && deviate < KS_NORMAL);
}

static void test_velocity_changes_sign_with_the_frequency(void **state)
{
    (void)state;
    for (uint32_t k = 1; k < 1000; k++) {
        const real x = (real)(0.01 * k);
        const struct velocity_proposal right = propose_velocity(R(4.7e-3), x, draw(100, k), 0);
        const struct velocity_proposal left = propose_velocity(R(4.7e-3), -x, draw(100, k), 0);
        assert_true(left.u == -right.u && left.chance == right.chance);
    }
}

static real sample_velocity(real a, real x, uint32_t stream, uint32_t *next)
{
    for (;;) {
        const struct velocity_proposal p = propose_velocity(a, x, draw(stream, (*next)++), 0);
        if (p.uniform <= p.chance)
            return p.u;
    }
}

static void test_atom_is_at_resonance_without_damping(void **state)
{
    (void)state;
    uint32_t next = 0;
    for (int i = 0; i < 20000; i++) {
        const real x = (real)(0.003 * (i % 1000));
        const real u = sample_velocity(R(0), x, 101, &next);
        assert_true(r_abs(u - x) <= R(2) * R_EPSILON * x + R(1e-9));
    }
}

/* ---- the kernel -------------------------------------------------------------------------------------------------- */

struct kernel_law {
    double a, x, g;
};

/* K(x'|x,g), x' = x + kick. */
static double kernel_density(const void *user, double kick)
{
    const struct kernel_law *law = user;
    const double half_sin = sqrt((1 - law->g) / 2);
    const double half_cos = sqrt((1 + law->g) / 2);
    const double gauss = exp(-kick * kick / (4 * half_sin * half_sin));
    return gauss * re_w_of_z((2 * law->x + kick) / (2 * half_cos), law->a / half_cos) /
           (SQRT_PI * 2 * half_sin * half_cos * re_w_of_z(law->x, law->a));
}

static struct ks_grid kernel_grid(const struct kernel_law *law)
{
    return (struct ks_grid){0.3 * sqrt((1 - law->g) / 2), 0.1};
}

static double header_kernel(const struct kernel_law *law, double kick)
{
    return (double)redistribution_kernel((real)law->a, (real)law->x, (real)(law->x + kick), (real)law->g);
}

static const double KERNEL_A[] = {1e-10, 4.7e-4, 4.7e-3, 0.15};
static const double KERNEL_X[] = {0, 0.5, 1, 2, 3, 4, 8, 50};
static const double KERNEL_G[] = {-0.96875, -0.5, 0, 0.25, 0.875, 0.9921875}; /* numbers that are exact in float */

static void test_kernel_has_unit_norm(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < LENGTH(KERNEL_A) * LENGTH(KERNEL_X) * LENGTH(KERNEL_G); i++) {
        const struct kernel_law law = {KERNEL_A[i % 4], KERNEL_X[i / 4 % 8], KERNEL_G[i / 32]};
        const double reach = 14 * sqrt((1 - law.g) / 2);
        worst = fmax(worst, fabs(ks_integral(kernel_density, &law, kernel_grid(&law), -reach, reach) - 1));
    }
    print_message("  largest departure from 1: %.1e\n", worst);
    assert_true(worst < 1e-6);
}

/* Rounding of x + kick is removed; what remains is that of the exponents, up to 20, and of voigt.h. */
static void test_kernel_in_the_header_is_the_closed_form(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < LENGTH(KERNEL_A) * LENGTH(KERNEL_X) * LENGTH(KERNEL_G); i++) {
        const double a = (double)(real)KERNEL_A[i % 4];
        const struct kernel_law law = {a, KERNEL_X[i / 4 % 8], KERNEL_G[i / 32]};
        for (int k = -12; k <= 12; k++) {
            const double wanted = k / 3.0 * sqrt((1 - law.g) / 2);
            const double kick = (double)(real)(law.x + wanted) - law.x;
            worst = fmax(worst, fabs(header_kernel(&law, kick) / kernel_density(&law, kick) - 1));
        }
    }
    print_message("  largest relative error: %.1e\n", worst);
    assert_true(worst < 1e-4);
}

static double gaussian(double t, double variance)
{
    return exp(-t * t / (2 * variance)) / sqrt(2 * PI * variance);
}

/* a -> 0: every atom is at resonance, x' - g x is Gaussian with variance sin^2(gamma)/2. |x| -> infinity: any atom will
 * do, x' - x has variance 1 - g. */
static void test_kernel_has_its_limits(void **state)
{
    (void)state;
    for (int i = 0; i < LENGTH(KERNEL_G); i++) {
        const double g = KERNEL_G[i];
        const double sine = sqrt(1 - g * g);
        const struct kernel_law far = {1e-3, 16384, g};
        for (int k = -8; k <= 8; k++) {
            const struct kernel_law narrow = {1e-12, 1, g};
            const double kick = (double)(real)(g + k / 4.0 * sine) - 1;
            assert_true(fabs(kernel_density(&narrow, kick) / gaussian(1 + kick - g, sine * sine / 2) - 1) < 1e-8);
            assert_true(fabs(header_kernel(&narrow, kick) / gaussian(1 + kick - g, sine * sine / 2) - 1) < 1e-4);
            const double wing = (double)(real)(far.x + k / 2.0 * sqrt(1 - g)) - far.x;
            assert_true(fabs(kernel_density(&far, wing) / gaussian(wing, 1 - g) - 1) < 2 * 6 / far.x);
            assert_true(fabs(header_kernel(&far, wing) / gaussian(wing, 1 - g) - 1) < 2 * 6 / far.x);
        }
    }
}

/* One scattering by a fixed angle or, with NAN, by a random one. */
static double scatter(real a, real x, double g, uint32_t stream, uint32_t *next)
{
    const real u = sample_velocity(a, x, stream, next);
    const struct random4 random = draw(stream, (*next)++);
    const real cosine = isnan(g) ? R(2) * rng_uniform(random.r0) - R(1) : (real)g;
    return (double)redistributed_frequency(x, u, thermal_pair(random.r2, random.r3).first, cosine, R(0));
}

enum { KICK_BINS = 176 };

/* Chi-square of n scatterings against a density of the kick, in bins of 1/8 from -11 to 11, over its bound. */
static double chi_square_of_kicks(ks_density *density, const void *law, struct ks_grid grid, double a, double x,
                                  double g, uint32_t stream, int n)
{
    int64_t count[KICK_BINS + 1] = {0};
    double probability[KICK_BINS + 1] = {0};
    uint32_t next = 0;
    double rest = 1;
    for (int k = 0; k < n; k++) {
        const double position = (scatter((real)a, (real)x, g, stream, &next) - x + 11) * 8;
        count[position >= 0 && position < KICK_BINS ? (int)position : KICK_BINS]++;
    }
    for (int i = 0; i < KICK_BINS; i++) {
        probability[i] = ks_integral(density, law, grid, i / 8.0 - 11, (i + 1) / 8.0 - 11);
        rest -= probability[i];
    }
    probability[KICK_BINS] = fmax(rest, 0);
    int freedom;
    const double sum = chi_square(KICK_BINS + 1, count, probability, &freedom);
    return sum / chi_square_bound(freedom);
}

static void test_scattered_frequencies_follow_the_kernel(void **state)
{
    static const double a[] = {1e-10, 4.7e-3, 0.15};
    static const double x[] = {0, 1, 3, 8};
    static const double g[] = {-0.96875, 0, 0.875};
    enum { N = 36 };
    (void)state;
    double worst = 0;
#pragma omp parallel for schedule(dynamic) reduction(max : worst)
    for (int i = 0; i < N; i++) {
        const struct kernel_law law = {(double)(real)a[i % 3], x[i / 3 % 4], g[i / 12]};
        worst = fmax(worst, chi_square_of_kicks(kernel_density, &law, kernel_grid(&law), law.a, law.x, law.g,
                                                200 + (uint32_t)i, KS_DRAWS(500000)));
    }
    print_message("  largest chi-square over its bound: %.2f\n", worst);
    assert_true(worst < 1);
}

/* ---- the angle average: Hummer 1962 ------------------------------------------------------------------------------ */

/* R_II(x,x') = pi^-1.5 INT exp(-u^2) [atan((x_min+u)/a) - atan((x_max-u)/a)] du from |x-x'|/2. With p the larger of |x|
 * and |x'|, q = |x+x'| and u = p + t, the bracket is atan2(a (q + 2t), a^2 - (q + t) t), and t starts at -q/2. */
struct average_law {
    double a, x, p, q;
};

static double average_integrand(const void *user, double t)
{
    const struct average_law *law = user;
    const double u = law->p + t;
    return exp(-u * u) * atan2(law->a * (law->q + 2 * t), law->a * law->a - (law->q + t) * t);
}

/* Density of x' = x + kick: R_II over the profile H/sqrt(pi). */
static double average_density(const void *user, double kick)
{
    struct average_law law = *(const struct average_law *)user;
    law.p = fmax(fabs(law.x), fabs(law.x + kick));
    law.q = fabs(2 * law.x + kick);
    const double start = -0.5 * law.q;
    const struct ks_grid grid = {law.a, 0.75};
    return ks_integral(average_integrand, &law, grid, start, fmax(start + 6, 8 - law.p)) /
           (PI * re_w_of_z(law.x, law.a));
}

static void test_angle_average_follows_hummer(void **state)
{
    static const double a[] = {4.7e-4, 0.15};
    static const double x[] = {0, 1, 2.5, 4};
    enum { N = 8 };
    (void)state;
    double worst = 0;
    double norm = 0;
#pragma omp parallel for schedule(dynamic) reduction(max : worst, norm)
    for (int i = 0; i < N; i++) {
        const struct average_law law = {.a = (double)(real)a[i % 2], .x = x[i / 2]};
        const struct ks_grid grid = {1, 0.5};
        double sum = 0;
        for (int k = -88; k < 88; k++) /* edges at the kink |x'| = |x| */
            sum += ks_integral(average_density, &law, grid, k / 8.0, (k + 1) / 8.0);
        norm = fmax(norm, fabs(sum - 1));
        worst = fmax(worst, chi_square_of_kicks(average_density, &law, grid, law.a, law.x, (double)NAN,
                                                300 + (uint32_t)i, KS_DRAWS(500000)));
    }
    print_message("  norm within %.1e, largest chi-square over its bound: %.2f\n", norm, worst);
    assert_true(norm < 1e-5 && worst < 1);
}

/* Photons with the absorption profile go from x to x' as often as back, whatever the angle. */
static void test_sampled_pairs_are_in_detailed_balance(void **state)
{
    enum { N = 24 }; /* bins of 1/2 from -6 to 6 */
    static const double a[] = {4.7e-3, 0.15};
    static const double g[] = {-0.5, 0.5, (double)NAN};
    (void)state;
    for (int i = 0; i < 6; i++) {
        int64_t count[N][N] = {{0}};
        uint32_t next = 0;
        for (int k = 0; k < KS_DRAWS(1000000); k++) {
            const real x = sample_voigt_profile((real)a[i % 2], draw(400 + (uint32_t)i, next++));
            const double from = ((double)x + 6) * 2;
            const double to = (scatter((real)a[i % 2], x, g[i / 2], 400 + (uint32_t)i, &next) + 6) * 2;
            if (from >= 0 && from < N && to >= 0 && to < N)
                count[(int)from][(int)to]++;
        }
        double sum = 0;
        int freedom = 0;
        for (int m = 0; m < N * N; m++) {
            const double there = (double)count[m / N][m % N];
            const double back = (double)count[m % N][m / N];
            if (m / N < m % N && there + back >= 20) {
                sum += (there - back) * (there - back) / (there + back);
                freedom++;
            }
        }
        assert_true(freedom > 5);
        assert_true(sum < chi_square_bound(freedom));
    }
}

/* To second order in 1/x, isotropic: <dx> = -(1 + 1.5/x^2)/x and <dx^2> = 1 + 2/x^2, from
 * p(u) ~ exp(-u^2) (1 + 2u/x + 3u^2/x^2 + ...). */
static void test_wing_photons_drift_back_to_the_line(void **state)
{
    static const double x[] = {12, 50, 300};
    (void)state;
    for (int i = 0; i < LENGTH(x); i++) {
        const int n = KS_DRAWS(2000000);
        const double offset = 1.5 / (x[i] * x[i]);
        uint32_t next = 0;
        double sum = 0;
        double square = 0;
        double fourth = 0;
        for (int k = 0; k < n; k++) {
            const double dx = scatter(R(4.7e-3), (real)x[i], (double)NAN, 500 + (uint32_t)i, &next) - x[i];
            sum += dx;
            square += dx * dx;
            fourth += dx * dx * dx * dx;
        }
        const double error = sqrt(square / n / n);
        const double square_error = sqrt((fourth / n - square / n * (square / n)) / n);
        assert_true(fabs(sum / n + (1 + offset) / x[i]) < KS_NORMAL * error);
        assert_true(fabs(square / n - 1 - 4 * offset / 3) < KS_NORMAL * square_error);
    }
}

/* The photon keeps its frequency in the frame of the atom, except for the recoil h nu/(m c) (1 - g). */
static void test_scattering_is_coherent_in_the_frame_of_the_atom(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 10000; k++) {
        const struct random4 random = draw(600, k);
        const real g = R(1.98) * (rng_uniform(random.r0) - R(0.5));
        const real u = R(3) * (rng_uniform(random.r1) - R(0.5));
        const real u_perp = R(3) * (rng_uniform(random.r2) - R(0.5));
        const real x = R(20) * (rng_uniform(random.r3) - R(0.5));
        const double cosine = (double)g;
        const double along_out = (double)u * cosine + (double)u_perp * sqrt(1 - cosine * cosine);
        const double expected = (double)x - (double)u + along_out - 0.01 * (1 - cosine);
        const double found = (double)redistributed_frequency(x, u, u_perp, g, R(0.01));
        assert_true(fabs(found - expected) < 40 * (double)R_EPSILON);
    }
}

/* ---- complete redistribution --------------------------------------------------------------------------------------*/

static double profile_density(const void *user, double x)
{
    return re_w_of_z(x, *(const double *)user) / SQRT_PI;
}

static void test_complete_redistribution_follows_the_profile(void **state)
{
    static const double a[] = {0, 1e-10, 4.7e-3, 0.15, 1, 5};
    (void)state;
    for (int i = 0; i < LENGTH(a); i++) {
        const double damping = (double)(real)a[i];
        const struct ks_grid grid = {1, 100};
        struct two_scale counts = {0};
        for (uint32_t k = 0; k < KS_DRAWS(1000000); k++) {
            const double x = (double)sample_voigt_profile((real)a[i], draw(700 + (uint32_t)i, k));
            two_scale_add(&counts, x, x);
        }
        const double tail = damping / (PI * 512); /* beyond 512: the Lorentz wing */
        double total;
        const double distance =
            two_scale_distance(&counts, TWO_SCALE_AROUND, profile_density, &damping, grid, 0, tail, 0, &total);
        assert_true(fabs(total + 2 * tail - 1) < 1e-6);
        assert_true(distance < KS_LAMBDA);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocity_follows_the_exact_law),
        cmocka_unit_test(test_proposals_are_accepted_as_stated),
        cmocka_unit_test(test_what_is_left_of_the_chance_is_uniform_and_independent),
        cmocka_unit_test(test_velocity_changes_sign_with_the_frequency),
        cmocka_unit_test(test_atom_is_at_resonance_without_damping),
        cmocka_unit_test(test_kernel_has_unit_norm),
        cmocka_unit_test(test_kernel_in_the_header_is_the_closed_form),
        cmocka_unit_test(test_kernel_has_its_limits),
        cmocka_unit_test(test_scattered_frequencies_follow_the_kernel),
        cmocka_unit_test(test_angle_average_follows_hummer),
        cmocka_unit_test(test_sampled_pairs_are_in_detailed_balance),
        cmocka_unit_test(test_wing_photons_drift_back_to_the_line),
        cmocka_unit_test(test_scattering_is_coherent_in_the_frame_of_the_atom),
        cmocka_unit_test(test_complete_redistribution_follows_the_profile),
    };
    return cmocka_run_group_tests(tests, draw_velocities, free_velocities);
}
