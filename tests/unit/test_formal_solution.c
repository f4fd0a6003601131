/* formal_solution.h: steps against the closed form in long double and against a fine integration, the shape of
 * scattered light against its definition, the extent of a line against the Voigt function. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/formal_solution.h"
#include "kernel/voigt.h"

/* I exp(-t) + glow INT (1 + tilt(u)) exp(-t (1 - u)) du over u = 0..1 from the far end to the near one. The integrals
 * are m and, for the part that grows with u, (1 - m) / t; both by their series where t is small. */
static long double exact_step(long double intensity, long double t, long double glow, long double tilt_in,
                              long double tilt_out)
{
    long double m = 0;
    long double lag = 0;
    if (t < 1) {
        long double term = 1; /* (-t)^k / k! */
        for (int k = 0; k < 40; k++) {
            m += term / (k + 1);
            lag += term / ((k + 1) * (k + 2));
            term *= -t / (k + 1);
        }
    } else {
        m = -expm1l(-t) / t;
        lag = (1 - m) / t;
    }
    return intensity * expl(-t) + glow * ((1 + tilt_in) * m + (tilt_out - tilt_in) * lag);
}

/* The same by brute force: many thin sheets. */
static double integrated_step(double intensity, double t, double glow, double tilt_in, double tilt_out)
{
    enum { SHEETS = 20000 };
    for (int k = 0; k < SHEETS; k++) {
        const double u = (k + 0.5) / SHEETS;
        const double out = exp(-t / SHEETS);
        const double emitted = glow / SHEETS * (1 + tilt_in + (tilt_out - tilt_in) * u) * exp(-0.5 * t / SHEETS);
        intensity = intensity * out + emitted;
    }
    return intensity;
}

static void test_closed_form_is_the_integral(void **state)
{
    (void)state;
    static const double depth[] = {0, 1e-3, 0.3, 2, 30};
    static const double tilt[][2] = {{0, 0}, {-0.5, 0.5}, {1, -1}, {0.25, 0.5}};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            const double exact = (double)exact_step(0.7L, depth[i], 1.3L, tilt[k][0], tilt[k][1]);
            assert_true(fabs(integrated_step(0.7, depth[i], 1.3, tilt[k][0], tilt[k][1]) - exact) < 1e-6);
        }
}

/* In single precision the series ends at t^5/720 (tilted: t^5/5040 in the lag) below t = 0.25, which leaves 5e-8; a
 * constant S has its own switch at 0.1 and ends at t^4/120: 1.4e-8. Above, (1 - exp(-t)) / t has lost a few bits and (1
 * - m) / t a few more. In double the switches are lower, and the same terms leave 1e-13. */
static double allowed(double single)
{
    return sizeof(real) == sizeof(double) ? 1e-12 : single;
}

static void test_steps_are_exact(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 6000; i++) {
        const double depth = i < 3000 ? 1e-4 * i : 1e-12 * pow(1e15, (i - 3000) / 3000.0);
        const real t = (real)depth;
        const double flat = (double)exact_step(0.4L, (long double)t, 1, 0, 0);
        for (int k = -2; k <= 2; k++) {
            const double tilt = 0.5 * k;
            const double exact = (double)exact_step(0.4L, (long double)t, 1, -tilt, tilt);
            const double error = fabs((double)formal_step(R(0.4), t, R(1), (real)-tilt, (real)tilt) - exact) / flat;
            worst = fmax(worst, error);
            assert_true(error < allowed(1e-7 + 60 * (double)R_EPSILON));
        }
        assert_true(fabs((double)formal_step_flat(R(0.4), t, R(1)) / flat - 1) <
                    allowed(2e-8 + 40 * (double)R_EPSILON));
    }
    print_message("  largest error over that without a slope: %.1e\n", worst);
}

static void test_limits(void **state)
{
    (void)state;
    assert_true(formal_step(R(3), R(0), R(0), R(0.5), R(-0.5)) == R(3)); /* nothing there */
    assert_true(formal_step_flat(R(3), R(0), R(0)) == R(3));
    assert_true(fabs((double)formal_step(R(0), R(0), R(2), R(-0.7), R(0.7)) - 2) <
                1e-6); /* thin: the mean, tilted or not */
    /* thick: S of the near side, one free path deep; glow = S t */
    for (double t = 1e2; t < 1e30; t *= 10) {
        const double tilted = (double)formal_step(R(5), (real)t, (real)t, R(-0.5), R(0.5));
        assert_true(fabs(tilted - (1.5 - 1 / t)) < 1e-5);
        assert_true(fabs((double)formal_step_flat(R(5), (real)t, (real)t) - 1) < 1e-5);
    }
}

/* A cell cut into parts, each with its part of the depth and of the slope, is the same cell. */
static void test_parts_of_a_cell_make_the_whole(void **state)
{
    (void)state;
    for (double t = 1e-3; t < 100; t *= 3) {
        const real whole = formal_step(R(0.3), (real)t, (real)t, R(-0.6), R(0.6));
        real parts = R(0.3);
        for (int k = 0; k < 8; k++)
            parts = formal_step(parts, (real)(t / 8), (real)(t / 8), (real)(0.6 * (k / 4.0 - 1)),
                                (real)(0.6 * ((k + 1) / 4.0 - 1)));
        assert_true(fabs((double)(whole - parts)) < allowed(4e-7 + 100 * (double)R_EPSILON));
    }
}

/* ---- scattered light --------------------------------------------------------------------------------------------- */

/* In single precision the series ends at 1 - t^3/24 below 0.02, in double below 2e-4; above, the difference of 1 and
 * exp(-t) has lost some bits. */
static void test_light_leaves_as_it_is_absorbed(void **state)
{
    (void)state;
    assert_true(exit_shape(R(0)) == R(0));
    for (double t = 1e-12; t < 1e12; t *= 1.01) {
        const real depth = (real)t;
        assert_true(fabs((double)exit_shape(depth) / -expm1(-(double)depth) - 1) <
                    allowed(4e-7 + 60 * (double)R_EPSILON));
    }
}

/* Whatever the depths in a channel, its mean light is conserved; in the thin limit it follows the profile, in the thick
 * limit it is flat. */
static void test_light_of_a_channel_stays(void **state)
{
    enum { NODES = 8 };
    (void)state;
    for (double depth = 1e-10; depth < 1e10; depth *= 10) {
        real shape[NODES], mean = R(0);
        double sum = 0;
        for (int k = 0; k < NODES; k++) {
            shape[k] = exit_shape((real)(depth * exp(-0.1 * k * k)));
            mean += shape[k] / (real)NODES;
        }
        for (int k = 0; k < NODES; k++)
            sum += (double)exit_factor(shape[k], mean) / NODES;
        assert_true(fabs(sum - 1) < 10 * (double)R_EPSILON);
        const double steepest = (double)exit_factor(shape[0], mean) / (double)exit_factor(shape[NODES - 1], mean);
        if (depth < 1e-5)
            assert_true(fabs(steepest / exp(4.9) - 1) < 1e-4);
        if (depth > 1e4)
            assert_true(fabs(steepest - 1) < 1e-6);
    }
    assert_true(exit_factor(R(0), R(0)) == R(1)); /* no line at all: flat */
}

/* The velocity changes by b/4 in a step, and the steps are no smaller than necessary. */
static void test_steps_of_velocity(void **state)
{
    (void)state;
    assert_int_equal(velocity_steps(R(0), R(2)), 1);
    for (double change = -90; change < 90; change += 0.37) {
        const int n = velocity_steps((real)change, R(1.5));
        assert_true(fabs(change) / n <= 0.25 * 1.5 && (n == 1 || fabs(change) / (n - 1) >= 0.25 * 1.5 * (1 - 1e-6)));
    }
    assert_int_equal(velocity_steps(R(1e9), R(1)), MOST_VELOCITY_STEPS);
}

/* ---- reach of the line ------------------------------------------------------------------------------------------- */

/* Beyond it the line adds less than the limit, for any damping and depth. */
static void test_nothing_is_left_beyond_the_reach(void **state)
{
    (void)state;
    for (double t = 1e-7; t < 1e8; t *= 4)
        for (double a = 1e-9; a < 2; a *= 3) {
            const double reach = (double)line_reach((real)a, (real)t);
            for (double x = reach; x < 3 * reach + 3; x += 0.1 + 0.1 * reach)
                assert_true(fmax(t, 1) * (double)voigt((real)a, (real)x) < 1.3 * (double)LINE_FLOOR);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_form_is_the_integral),
        cmocka_unit_test(test_steps_are_exact),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_parts_of_a_cell_make_the_whole),
        cmocka_unit_test(test_light_leaves_as_it_is_absorbed),
        cmocka_unit_test(test_light_of_a_channel_stays),
        cmocka_unit_test(test_steps_of_velocity),
        cmocka_unit_test(test_nothing_is_left_beyond_the_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
