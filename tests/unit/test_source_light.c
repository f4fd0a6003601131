/* source_light.c: fractions of a spectrum against their definition: sums over channels, closed forms, and fine sums
 * over the density; the Voigt function from libcerf. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cerf.h>
#include <cmocka.h>

#include "base/constants.h"
#include "solve/imaging/source_light.h"

static double sum_of_shares(const struct spectrum *spectrum, double from, double to, int n, double a, double b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += spectrum_share(spectrum, from + (to - from) * i / n, from + (to - from) * (i + 1) / n, a, b);
    return sum;
}

static void test_shares_add_up_to_one(void **state)
{
    double shift[] = {-2e5, -1e5, 3e5};
    double density[] = {0, 4, 1};
    const struct spectrum spectra[] = {
        {.kind = SPECTRUM_MONOCHROMATIC, .centre = 1.234e5},
        {.kind = SPECTRUM_GAUSSIAN, .centre = -1e5, .width = 0.8e5},
        {.kind = SPECTRUM_BAND, .centre = 1e5, .width = 3e5},
        {.kind = SPECTRUM_TABLE, .n_table = 3, .shift = shift, .density = density},
    };
    (void)state;
    for (int s = 0; s < 4; s++)
        for (int n = 1; n <= 64; n *= 2)
            assert_true(fabs(sum_of_shares(&spectra[s], -10e5, 10e5, n, 0, 1e5) - 1) < 1e-13);
    const struct spectrum local = {.kind = SPECTRUM_LOCAL};
    /* the damping wings are infinite: 2 a b / (pi x) is left beyond x on both sides together */
    assert_true(fabs(sum_of_shares(&local, -1e8, 1e8, 8, 0.01, 1e5) - (1 - 2 * 0.01 / (LR_PI * 1e3))) < 2e-5);
}

static void test_an_edge_belongs_to_one_channel(void **state)
{
    const struct spectrum spectrum = {.kind = SPECTRUM_MONOCHROMATIC, .centre = 2e5};
    (void)state;
    assert_true(spectrum_share(&spectrum, 1e5, 2e5, 0, 1) + spectrum_share(&spectrum, 2e5, 3e5, 0, 1) == 1);
}

static void test_gaussian_and_band(void **state)
{
    const struct spectrum gaussian = {.kind = SPECTRUM_GAUSSIAN, .centre = 0.5e5, .width = 1e5};
    const struct spectrum band = {.kind = SPECTRUM_BAND, .centre = 0.5e5, .width = 4e5};
    (void)state;
    assert_true(fabs(spectrum_share(&gaussian, -0.5e5, 1.5e5, 0, 1) - 0.68268949213708590) < 1e-14);
    assert_true(fabs(spectrum_share(&gaussian, 0.5e5, 1e9, 0, 1) - 0.5) < 1e-14);
    assert_true(spectrum_share(&band, 0, 1e5, 0, 1) == 0.25);
    assert_true(fabs(spectrum_share(&band, 2e5, 9e5, 0, 1) - 0.125) < 1e-15); /* it ends at 2.5e5 */
    assert_true(spectrum_share(&band, 2.6e5, 9e5, 0, 1) == 0);
}

/* A triangle: 0 at -1, 1 at 0, 0 at 1. */
static void test_table_is_linear_in_between(void **state)
{
    double shift[] = {-1, 0, 1};
    double density[] = {0, 7, 0};
    const struct spectrum spectrum = {.kind = SPECTRUM_TABLE, .n_table = 3, .shift = shift, .density = density};
    (void)state;
    assert_true(fabs(spectrum_share(&spectrum, -1, 0, 0, 1) - 0.5) < 1e-15);
    assert_true(fabs(spectrum_share(&spectrum, 0, 0.5, 0, 1) - 0.375) < 1e-15);
    assert_true(fabs(spectrum_share(&spectrum, -0.5, 0.5, 0, 1) - 0.75) < 1e-15);
    assert_true(spectrum_share(&spectrum, 1, 5, 0, 1) == 0);
}

/* The profile of the gas, against a fine sum over the Voigt function of another library. */
static void test_local_is_the_voigt_profile(void **state)
{
    enum { STEPS = 20000 };
    const struct spectrum local = {.kind = SPECTRUM_LOCAL};
    const double b = 2e5;
    static const double damping[] = {0, 1e-3, 0.1, 1};
    static const double edge[][2] = {{-1, 1}, {0.2, 0.3}, {2, 6}, {-9, -3}};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            double sum = 0;
            for (int step = 0; step < STEPS; step++) {
                const double x = edge[k][0] + (edge[k][1] - edge[k][0]) * (step + 0.5) / STEPS;
                sum += voigt(x, sqrt(0.5), damping[i]) * (edge[k][1] - edge[k][0]) / STEPS;
            }
            const double share = spectrum_share(&local, edge[k][0] * b, edge[k][1] * b, damping[i], b);
            assert_true(fabs(share / sum - 1) < 1e-4);
        }
}

/* Gas that approaches the observer is seen at negative radio velocity. */
static void test_channels_count_the_other_way(void **state)
{
    const struct spectrum spectrum = {.kind = SPECTRUM_MONOCHROMATIC, .centre = 0.25e5};
    const struct channels channels = {.n = 10, .first = -5e5, .width = 1e5};
    (void)state;
    const double approach[] = {0, 3e5, -2.5e5};
    const int channel[] = {4, 1, 7}; /* at rest v = -0.25e5: -1e5 to 0 */
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 10; k++) {
            double sum = 0;
            for (int part = 0; part < LIGHT_PARTS; part++)
                sum += channel_share(&spectrum, &channels, k, part, approach[i], 0, 1e5);
            assert_true(sum == (k == channel[i]));
        }
}

/* Parts are sixteenths of a channel, from its lower velocity on, and contain what is between their edges. */
static void test_parts_of_a_channel(void **state)
{
    const struct spectrum line = {.kind = SPECTRUM_MONOCHROMATIC, .centre = 0.22e5};
    const struct spectrum gaussian = {.kind = SPECTRUM_GAUSSIAN, .centre = 0.5e5, .width = 0.3e5};
    const struct channels channels = {.n = 10, .first = -5e5, .width = 1e5};
    (void)state;
    for (int part = 0; part < LIGHT_PARTS; part++) {
        const double low = -1e5 + part * 1e5 / LIGHT_PARTS, high = low + 1e5 / LIGHT_PARTS; /* of channel 4 */
        const double scale = 0.3e5 * sqrt(2);
        const double expected = 0.5 * (erf((-low - 0.2e5 - 0.5e5) / scale) - erf((-high - 0.2e5 - 0.5e5) / scale));
        assert_true(channel_share(&line, &channels, 4, part, 0, 0, 1e5) == (low < -0.22e5 && high > -0.22e5));
        assert_true(fabs(channel_share(&gaussian, &channels, 4, part, 0.2e5, 0, 1e5) - expected) < 1e-14);
    }
}

/* No part of a spectrum is outside its extent. */
static void test_extent(void **state)
{
    double shift[] = {-2e5, -1e5, 3e5};
    double density[] = {0, 4, 1};
    const struct spectrum spectra[] = {
        {.kind = SPECTRUM_MONOCHROMATIC, .centre = 1.234e5},
        {.kind = SPECTRUM_GAUSSIAN, .centre = -1e5, .width = 0.8e5},
        {.kind = SPECTRUM_BAND, .centre = 1e5, .width = 3e5},
        {.kind = SPECTRUM_TABLE, .n_table = 3, .shift = shift, .density = density},
    };
    (void)state;
    for (int s = 0; s < 4; s++) {
        double low, high;
        spectrum_extent(&spectra[s], &low, &high);
        assert_true(low < high && high - low < 20e5);
        assert_true(fabs(spectrum_share(&spectra[s], low, high, 0, 1e5) - 1) < 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_add_up_to_one),       cmocka_unit_test(test_an_edge_belongs_to_one_channel),
        cmocka_unit_test(test_gaussian_and_band),          cmocka_unit_test(test_table_is_linear_in_between),
        cmocka_unit_test(test_local_is_the_voigt_profile), cmocka_unit_test(test_channels_count_the_other_way),
        cmocka_unit_test(test_parts_of_a_channel),         cmocka_unit_test(test_extent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
