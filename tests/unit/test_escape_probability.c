/* Escape probabilities: limits, asymptotes, continuity, slopes, and the properties that make Newton's method safe. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "kernel/escape_probability.h"

static double beta_of(int geometry, double tau)
{
    return escape_probability(geometry, tau, 1).value;
}

static void assert_relative(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected)))
        fail_msg("%.17g instead of %.17g", value, expected);
}

/* Mean over directions and starting points of exp(-depth to the surface) in a sphere of diameter tau, by the midpoint
 * rule: an integral over volume, not the closed form. */
static double sphere_by_quadrature(double tau)
{
    enum { N = 600 };
    const double radius = tau / 2;
    double sum = 0;
    double volume = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            const double r = (i + 0.5) / N;
            const double mu = -1 + 2 * (j + 0.5) / N;
            const double path = -r * mu + sqrt(1 - r * r * (1 - mu * mu));
            sum += r * r * exp(-radius * path);
            volume += r * r;
        }
    return sum / volume;
}

static void test_sphere_is_the_mean_over_a_sphere(void **state)
{
    (void)state;
    const double taus[] = {-1, -0.3, 0.01, 0.4, 0.6, 3, 10};
    for (int i = 0; i < 7; i++)
        assert_relative(beta_of(ESCAPE_SPHERE, taus[i]), sphere_by_quadrature(taus[i]), 3e-4);
}

/* INT_0^1 mu (1 - exp(-tau/mu)) dmu / tau, by the midpoint rule in sqrt(mu). */
static double layer_by_quadrature(double tau)
{
    enum { N = 20000 };
    double sum = 0;
    for (int i = 0; i < N; i++) {
        const double root = (i + 0.5) / N, mu = root * root;
        sum += mu * -expm1(-tau / mu) * 2 * root / N;
    }
    return sum / tau;
}

static void test_layer_is_the_mean_over_directions(void **state)
{
    (void)state;
    const double taus[] = {1e-3, 0.03, 0.4, 0.999, 1, 1.001, 3, 10, 100, 1e4};
    for (int i = 0; i < 10; i++) {
        assert_relative(beta_of(ESCAPE_LAYER, taus[i]), layer_by_quadrature(taus[i]), 1e-7);
        assert_relative(beta_of(ESCAPE_LAYER, -fmin(taus[i], 1)) + beta_of(ESCAPE_LAYER, fmin(taus[i], 1)), 2, 1e-14);
    }
    /* Abramowitz & Stegun, table 5.4: E2(1) = .1484955068, E3(1) = .1096919672 */
    assert_relative(beta_of(ESCAPE_LAYER, 1), 0.5 - 0.1096919672, 2e-10);
    assert_relative(escape_probability(ESCAPE_LAYER, 1, 1).slope, 0.1484955068 - (0.5 - 0.1096919672), 1e-9);
    assert_relative(escape_layer_thin(1).value, escape_layer_thick(1).value, 1e-14);
    assert_relative(escape_layer_thin(1).slope, escape_layer_thick(1).slope, 1e-13);
    assert_true(beta_of(ESCAPE_LAYER, 0) == 1);
    assert_relative(1e9 * beta_of(ESCAPE_LAYER, 1e9), 0.5, 1e-14);
}

static void test_closed_forms(void **state)
{
    (void)state;
    for (double tau = -1; tau < 13; tau += 0.137) {
        const double slab = -expm1(-3 * tau) / (3 * tau);
        const double lvg = -expm1(-2.34 * tau / 2) / (2.34 * tau / 2);
        assert_relative(beta_of(ESCAPE_SLAB, tau), slab, 1e-13);
        assert_relative(beta_of(ESCAPE_LVG, tau), lvg, 1e-13);
        assert_relative(beta_of(ESCAPE_EXPANSION, tau), -expm1(-tau) / tau, 1e-13);
    }
    assert_relative(beta_of(ESCAPE_LVG, 40), 1 / (40 * sqrt(log(20 / 1.7724538509055160))), 1e-14);
}

static void test_limits(void **state)
{
    (void)state;
    const double thin_slope[] = {-3.0 / 8, -1.17 / 2, -1.5, -0.5};
    const double thick[] = {1.5, 0, 1.0 / 3, 1}; /* tau beta */
    for (int g = 0; g < ESCAPE_LAYER; g++) {     /* whose slope is infinite at 0 */
        assert_relative(beta_of(g, 0), 1, 4e-16);
        for (double tau = 1e-12; tau < 1e-5; tau *= 10) {
            assert_relative((beta_of(g, tau) - 1) / tau, thin_slope[g], 1e-4 + 1e-15 / tau);
            assert_relative(escape_probability(g, tau, 1).slope, thin_slope[g], 1e-4);
        }
        for (double tau = 1e3; tau < 1e12 && g != ESCAPE_LVG; tau *= 10)
            assert_relative(tau * beta_of(g, tau), thick[g], 1e-4);
    }
}

/* No jumps where one expression takes over from another; slopes are consistent with the values. */
static void test_smooth_everywhere(void **state)
{
    (void)state;
    for (int g = 0; g < N_ESCAPE_GEOMETRY; g++)
        for (double tau = -4; tau < 40; tau += 0.003) {
            const double h = 1e-4;
            const double difference = (beta_of(g, tau + h) - beta_of(g, tau - h)) / (2 * h);
            const struct escape_beta beta = escape_probability(g, tau, 1);
            if (!(fabs(beta.slope - difference) < 2e-4 * fabs(beta.slope) + 1e-9) && fabs(tau + 1) > h &&
                fabs(tau - ESCAPE_LVG_NEAR) > h && fabs(tau - ESCAPE_LVG_FAR) > h &&
                (g != ESCAPE_LAYER || fabs(tau) > 0.02))
                fail_msg("geometry %d, tau %g: slope %g, difference %g", g, tau, beta.slope, difference);
            assert_true(fabs(beta_of(g, tau + 1e-9) - beta.value) < 1e-6 * beta.value);
        }
}

/* beta > 0 decreases with tau and tau beta increases, except at the far end of the RADEX expanding sphere. */
static void test_monotone(void **state)
{
    (void)state;
    for (int g = 0; g < N_ESCAPE_GEOMETRY; g++)
        for (double tau = -50; tau < 1e4; tau += 0.01 + 0.01 * fabs(tau)) {
            const struct escape_beta beta = escape_probability(g, tau, 1);
            assert_true(beta.value > 0 && beta.slope < 0);
            if (g != ESCAPE_LVG || tau < ESCAPE_LVG_NEAR)
                assert_true(beta.value + tau * beta.slope >= -1e-14);
        }
}

/* The join of the expanding sphere stays close to the forms it connects. */
static void test_join_of_expanding_sphere(void **state)
{
    (void)state;
    for (double tau = ESCAPE_LVG_NEAR; tau < ESCAPE_LVG_FAR; tau += 0.01) {
        const double radex = tau < 14 ? escape_lvg_near(tau).value : escape_lvg_far(tau).value;
        assert_relative(beta_of(ESCAPE_LVG, tau), radex, 5e-3);
    }
}

/* Strong inversion: the tangent at -limit. */
static void test_strong_inversion_is_tamed(void **state)
{
    (void)state;
    const struct escape_beta edge = escape_probability(ESCAPE_SLAB, -0.5, 0.5);
    assert_relative(edge.value, expm1(1.5) / 1.5, 1e-13);
    const struct escape_beta beyond = escape_probability(ESCAPE_SLAB, -30, 0.5);
    assert_relative(beyond.value, edge.value - 29.5 * edge.slope, 1e-13);
    assert_true(beyond.slope == edge.slope);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sphere_is_the_mean_over_a_sphere),
        cmocka_unit_test(test_layer_is_the_mean_over_directions),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_smooth_everywhere),
        cmocka_unit_test(test_monotone),
        cmocka_unit_test(test_join_of_expanding_sphere),
        cmocka_unit_test(test_strong_inversion_is_tamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
