/* level_profile.h: the mean profile against the error function, and the frequencies that a line extends to. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/level_profile.h"

static const double PI = 3.14159265358979323846, INV_B = 1.7;

/* The mean of exp(-x^2) from x0 to x1 is sqrt(pi) / 2 (erf(x1) - erf(x0)) / (x1 - x0). */
static double exact_mean(double x0, double x1)
{
    return x0 == x1 ? exp(-x0 * x0) : 0.5 * sqrt(PI) * (erf(x1) - erf(x0)) / (x1 - x0);
}

/* Frequency 3 of a band. */
static double found_mean(double shift, real v0, real v1)
{
    const struct band band = band_make(8, shift - 3 * 0.125, 0.125);
    const struct slide slide = slide_over(&band, v0, v1, (real)INV_B);
    return (double)(slide_scale(&slide) * slide_sum(&slide, R(3), slide.panels));
}

static void means_are_those_of_the_error_function(void **state)
{
    (void)state;
    for (double width = 1e-3; width < 40; width *= 1.3)
        for (double start = -4; start <= 4; start += 0.25) {
            const real v0 = (real)(start / INV_B), v1 = (real)((start + width) / INV_B);
            const double shift = 0.25;
            const double expected = exact_mean((shift - (double)v0) * INV_B, (shift - (double)v1) * INV_B);
            const double found = found_mean(shift, v0, v1);
            if (!(fabs(found - expected) < 6e-4 / fmax(1, width)))
                fail_msg("from %g over %g: %.9g, expected %.9g", start, width, found, expected);
        }
}

static void one_velocity_has_one_profile(void **state)
{
    (void)state;
    const struct band band = band_make(8, 0.5, 0.25);
    const struct slide slide = slide_over(&band, R(0.5), R(0.5), R(2));
    assert_int_equal(slide.panels, 0);
    assert_true(fabs((double)slide_still(&slide, R(2)) - exp(-1.0)) < 1e-6);
    assert_true(profile_panels(R(-1e6), R(1e6), R(1)) <= PROFILE_MOST_PANELS);
}

/* A single node for the path is at its centre: the remaining error is of second order. */
static void hardly_any_motion_is_that_of_the_middle(void **state)
{
    (void)state;
    for (double x = -3; x <= 3; x += 0.25) {
        const real v0 = R(0), v1 = (real)(0.9e-4 / INV_B);
        const struct band band = band_make(8, x / INV_B, 0.125);
        const struct slide slide = slide_over(&band, v0, v1, (real)INV_B);
        assert_int_equal(slide.panels, 0);
        const double expected = exact_mean(x, x - 0.9e-4);
        const double rounding = 8 * (double)R_EPSILON;
        assert_true(fabs((double)slide_still(&slide, R(0)) - expected) < 1e-8 + rounding);
        assert_true(fabs((double)(slide_scale(&slide) * slide_sum(&slide, R(0), 0)) - expected) < 1e-8 + rounding);
    }
}

/* Within its extent a line is deeper than the cutoff, beyond it nowhere. */
static void lines_reach_as_far_as_they_count(void **state)
{
    (void)state;
    const struct band band = band_make(201, -10, 0.1);
    for (double depth = 0.5; depth < 1e6; depth *= 30) {
        const double thickest = fmax(depth, 1);
        const struct interval at = line_interval(&band, R(0.3), R(-0.2), (real)INV_B, profile_reach((real)depth));
        assert_true(at.low > 0 && at.high < band.n);
        for (int f = 0; f < band.n; f++) {
            const double shift = -10 + 0.1 * f;
            const double away = fmax(fmax(shift - 0.3, -0.2 - shift), 0) * INV_B;
            if (f < at.low || f >= at.high)
                assert_true(thickest * exp(-away * away) < FAINTEST_DEPTH * (1 + 1e-4));
            else if (f > at.low && f + 1 < at.high)
                assert_true(thickest * exp(-away * away) > FAINTEST_DEPTH * (1 - 1e-4));
        }
    }
}

static void lines_outside_the_band_reach_nothing(void **state)
{
    (void)state;
    const struct band band = band_make(21, -1, 0.1);
    const struct interval below = line_interval(&band, R(-50), R(-60), R(1), R(4));
    const struct interval above = line_interval(&band, R(50), R(60), R(1), R(4));
    const struct interval all = line_interval(&band, R(-50), R(50), R(1), R(4));
    assert_true(below.low >= below.high && above.low >= above.high);
    assert_true(all.low == 0 && all.high == 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_are_those_of_the_error_function),   cmocka_unit_test(one_velocity_has_one_profile),
        cmocka_unit_test(hardly_any_motion_is_that_of_the_middle), cmocka_unit_test(lines_reach_as_far_as_they_count),
        cmocka_unit_test(lines_outside_the_band_reach_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
