/* level_transfer.h: weights of a step against exact expressions, light through pieces of a ray, opacity and source
 * function of a line, including inverted ones. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/level_transfer.h"

#ifdef LR_REAL_DOUBLE
static const double TOLERANCE = 1e-6, EPSILON = 2.3e-16;
#else
static const double TOLERANCE = 2e-6, EPSILON = 1.2e-7;
#endif

/* Weights of the source function at both ends, without cancellation: integrals of t exp(-t) and so on by three-point
 * Gauss-Legendre quadrature in many panels. */
static void by_quadrature(double h, double *from, double *to)
{
    enum { PANELS = 20000 };
    const double node[3] = {0.5 - 0.5 * sqrt(0.6), 0.5, 0.5 + 0.5 * sqrt(0.6)};
    const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    *from = *to = 0;
    for (int p = 0; p < PANELS; p++)
        for (int i = 0; i < 3; i++) {
            const double s = (p + node[i]) / PANELS; /* fraction of the path */
            const double light = h * exp(-h * (1 - s)) * weight[i] / PANELS;
            *from += light * (1 - s);
            *to += light * s;
        }
}

static void weights_are_integrals(void **state)
{
    (void)state;
    const double depths[] = {1e-6, 1e-3, 0.1, 0.2499, 0.2501, 1, 5, 30, 300, 3000, -1e-3, -0.2, -0.3, -1};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        double from, to;
        by_quadrature(depths[i], &from, &to);
        const struct step_weights weights = step_weights_of((real)depths[i]);
        /* rounding of single precision, and of 1 - exp(-h) just above a quarter */
        assert_true(fabs((double)weights.from / from - 1) < 3e-6);
        assert_true(fabs((double)weights.to / to - 1) < 3e-6);
        assert_true(fabs((double)weights.through - exp(-depths[i])) < 1e-6);
        assert_true(fabs((double)(weights.through + weights.from + weights.to) - 1) < 5e-7);
    }
}

/* Without opacity nothing changes; deep inside, light is the source function one mean free path upstream. */
static void limits(void **state)
{
    (void)state;
    const struct step_weights none = step_weights_of(R(0));
    assert_true(none.through == R(1) && none.from == R(0) && none.to == R(0));
    const struct step_weights thick = step_weights_of(R(1e6));
    assert_true(fabs((double)thick.from - 1e-6) < 1e-12);
    assert_true(fabs((double)thick.through - 0) < 1e-30);
}

/* In long double, with a separate series where the closed forms cancel. */
static void exact_weights(long double h, long double *through, long double *from, long double *to)
{
    *through = expl(-h);
    if (fabsl(h) > 0.5L) {
        const long double m = -expm1l(-h) / h;
        *from = m - *through;
        *to = 1 - m;
        return;
    }
    long double term = 1; /* (-h)^k / (k + 1)! */
    long double one_minus_m = 0;
    for (int k = 0; k < 30; k++) {
        if (k > 0)
            one_minus_m -= term;
        term *= -h / (k + 2);
    }
    *to = one_minus_m;
    *from = 0; /* m - e = SUM (-h)^k (1 / (k + 1)! - 1 / k!) */
    term = 1;
    for (int k = 0; k < 30; k++) {
        *from += term * (1.0L / (k + 1) - 1);
        term *= -h / (k + 1);
    }
}

static void assert_near(const char *what, double h, double value, long double expected, double scale)
{
    if (!(fabs(value - (double)expected) <= TOLERANCE * scale))
        fail_msg("%s at h = %.9g: %.12g, expected %.12Lg", what, h, value, expected);
}

/* Relative to the largest weight, which dominates intensities. For small h also relative to each. */
static void test_step_weights(void **state)
{
    (void)state;
    for (int i = 0; i <= 21000; i++) {
        const double h = -5 + i * 0.005;
        long double through, from, to;
        const real rounded = (real)h;
        const struct step_weights w = step_weights_of(rounded);
        exact_weights((long double)rounded, &through, &from, &to);
        const double scale = fmax(1, (double)through);
        assert_near("through", h, (double)w.through, through, scale);
        assert_near("from", h, (double)w.from, from, fmax(1, fabs((double)from)));
        assert_near("to", h, (double)w.to, to, fmax(1, fabs((double)to)));
        assert_near("sum", h, (double)w.through + (double)w.from + (double)w.to, 1, 4 * scale);
    }
}

static void test_thin_steps_keep_their_digits(void **state)
{
    (void)state;
    for (double size = 1e-12; size < 0.24; size *= 1.7)
        for (int sign = -1; sign <= 1; sign += 2) {
            const real h = (real)(sign * size);
            long double through, from, to;
            exact_weights((long double)h, &through, &from, &to);
            const struct step_weights w = step_weights_of(h);
            /* the first term neglected in each series, against its leading one */
            const double left_out = pow(size, 5) / 400;
            assert_true(fabs((double)w.from / (double)from - 1) < 3 * EPSILON + left_out);
            assert_true(fabs((double)w.to / (double)to - 1) < 3 * EPSILON + left_out);
        }
}

/* 1 / h and 1 - 1 / h: deep inside, light is the source function one mean free path upstream. */
static void test_thick_steps(void **state)
{
    (void)state;
    for (double h = 30; h < 1e30; h *= 3) {
        const struct step_weights w = step_weights_of((real)h);
        assert_true((double)w.through >= 0 && (double)w.through < 1e-12);
        assert_true(fabs((double)w.from * h - 1) < 1e-5);
        assert_true(fabs((double)w.to - (1 - 1 / h)) < 1e-6);
    }
}

/* One piece next to the target: thin, clear and dusty gas are three ways to the same light, I e + S0 (m - e) + S1 (1 -
 * m). */
static void test_light_through_a_piece(void **state)
{
    (void)state;
    const struct piece_ends ends = {R(0.75), R(2.5), R(1), R(0.5)};
    const struct line_light start = {R(1.25), R(0.5)};
    for (double h = -0.2499; h < 0.25; h += 0.0357) {
        long double through, from, to;
        exact_weights((long double)(real)h, &through, &from, &to);
        const double entering = (double)(1.25L * through + 0.75L * from + 2.5L * to);
        const double lost = (double)(0.5L * through + from + 0.5L * to);
        for (int matter = MATTER_DUSTY; matter <= MATTER_THIN; matter++) {
            const struct piece_weights weights = piece_weights_of((enum matter)matter, (real)h, R(0));
            const struct line_light light = light_cross((enum matter)matter, start, weights, ends, R(7));
            assert_near("entering", h, (double)light.entering, entering, 0.5);
            assert_near("lost", h, (double)light.lost, lost, 0.5);
        }
    }
}

/* If all source functions and the light from behind are equal, nothing changes, whichever cell is the target. */
static void test_equilibrium_stays(void **state)
{
    (void)state;
    const real source = R(0.625);
    for (int which = 0; which < 4; which++)
        for (double h = 0.03; h < 100; h *= 3)
            for (double u = 0; u <= 1; u += 0.25) {
                const struct piece_ends ends =
                    piece_ends_of(which & 1, which >> 1, (real)u, (real)(1 - u), source, source);
                const struct line_light start = {source, R(1)};
                const struct piece_weights clear = piece_weights_of(MATTER_CLEAR, (real)h, R(0));
                const struct piece_weights dusty = piece_weights_of(MATTER_DUSTY, (real)h, R(0.3));
                assert_near("clear", h,
                            (double)light_leaving(light_cross(MATTER_CLEAR, start, clear, ends, R(0)), source),
                            (long double)source, 1);
                assert_near("dusty", h,
                            (double)light_leaving(light_cross(MATTER_DUSTY, start, dusty, ends, source), source),
                            (long double)source, 1);
            }
}

/* At the centre of the target its own weight is 1. */
static void test_arrival(void **state)
{
    (void)state;
    const struct piece_ends ends = piece_ends_of(1, 0, R(0.25), R(0), R(3), R(2));
    const struct line_light start = {R(1.5), R(0.75)};
    assert_true(ends.lost0 == R(0.25) && ends.rest0 == R(0.5) && ends.lost1 == R(0) && ends.rest1 == R(0));
    for (int matter = MATTER_DUSTY; matter <= MATTER_THIN; matter++) {
        const struct piece_weights weights = piece_weights_of((enum matter)matter, R(0.2), R(0.1));
        const struct line_light all = light_cross((enum matter)matter, start, weights, ends, R(4));
        const struct line_light light = light_arrive((enum matter)matter, start, weights, ends.lost0, ends.rest0, R(4));
        assert_near("entering", 0.2, (double)light.entering, (long double)all.entering, 1);
        assert_near("lost", 0.2, (double)light.lost, (long double)all.lost, 1);
    }
}

/* A negative source function is not interpolated; amplification is limited to BRIGHTEST, and in half a cell to half the
 * limit of a cell. */
static void test_inverted_pieces(void **state)
{
    (void)state;
    const struct piece_ends ends = piece_ends_of(0, 1, R(0.25), R(0.5), R(-3), R(2));
    assert_true(ends.rest0 == R(-3) && ends.rest1 == R(-3) && ends.lost0 == R(1) && ends.lost1 == R(1));
    assert_true(piece_depth(R(-5), R(2), piece_least_depth(3)) == R(-1.5));
    assert_true(piece_depth(R(5), R(2), piece_least_depth(3)) == R(10));
    const struct line_light bright = light_limited((struct line_light){R(1e12), R(2)});
    assert_true(bright.entering == BRIGHTEST && bright.lost == R(2));
}

/* alpha = strength ((g_u / g_l) x_l - x_u), S = x_u / ((g_u / g_l) x_l - x_u); alpha S is the emission, always. */
static void test_glow(void **state)
{
    (void)state;
    const struct line_glow glow = line_glow_of(0.2, 0.5, 3, 7, 1e-3);
    assert_true(fabs((double)glow.alpha - 7 * 1.3) < 1e-5);
    assert_true(fabs((double)glow.source - 0.2 / 1.3) < 1e-6);
    const struct line_glow empty = line_glow_of(0, 0, 3, 7, 1e-3);
    assert_true((double)empty.alpha == 0 && (double)empty.source == 0);
}

static void test_glow_of_an_inversion(void **state)
{
    (void)state;
    const double upper = 0.4, lower = 0.1;
    for (double most_gain = 1e-3; most_gain < 1e3; most_gain *= 10) {
        const struct line_glow glow = line_glow_of(upper, lower, 1, 5, most_gain);
        assert_true((double)glow.alpha < 0 && (double)glow.alpha >= -most_gain * (1 + 1e-6));
        assert_true((double)glow.source < 0);
        assert_true(fabs((double)glow.alpha * (double)glow.source / (5 * upper) - 1) < 1e-5);
    }
    for (double excess = -1e-9; excess <= 1e-9; excess += 5e-10) { /* equal populations: finite */
        const struct line_glow glow = line_glow_of(0.25 + excess, 0.25, 1, 5, 1e3);
        assert_true(isfinite((double)glow.source));
        assert_true(fabs((double)glow.alpha * (double)glow.source / (5 * 0.25) - 1) < 1e-5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_integrals),     cmocka_unit_test(limits),
        cmocka_unit_test(test_step_weights),         cmocka_unit_test(test_thin_steps_keep_their_digits),
        cmocka_unit_test(test_thick_steps),          cmocka_unit_test(test_light_through_a_piece),
        cmocka_unit_test(test_equilibrium_stays),    cmocka_unit_test(test_arrival),
        cmocka_unit_test(test_inverted_pieces),      cmocka_unit_test(test_glow),
        cmocka_unit_test(test_glow_of_an_inversion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
