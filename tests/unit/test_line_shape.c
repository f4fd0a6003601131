/* The shape of lines whose mean, peaks and red and blue light are known, and the errors of these numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/rng.h"
#include "ks.h"
#include "solve/common/line_shape.h"

enum { N_BIN = 2000, N_BATCH = 16, N_SLOT = N_BIN + 2 };
static const double FIRST = -10, STEP = 0.01;

static void assert_close(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.10g is not %.10g within %.3g", value, expected, tolerance);
}

/* The same spectrum in every batch. */
static struct line_shape repeat(int n_batch, int n_bin, double first, double step, const double *one)
{
    const size_t n = (size_t)n_bin + 2;
    double *slots = calloc((size_t)(n_batch + 1) * n, sizeof *slots);
    assert_non_null(slots);
    for (int b = 0; b <= n_batch; b++)
        for (size_t i = 0; i < n; i++)
            slots[(size_t)b * n + i] = one[i] * (b < n_batch ? 1 : n_batch);
    const struct line_shape shape = line_shape_measure(n_batch, n_bin, first, step, slots);
    free(slots);
    return shape;
}

static void add_gaussian(double *slots, double centre, double sigma, double height)
{
    for (int i = 0; i < N_BIN; i++)
        slots[i + 1] += height * exp(-0.5 * pow((FIRST + (i + 0.5) * STEP - centre) / sigma, 2));
}

static void a_symmetric_line_has_one_peak_in_x(void **state)
{
    double slots[N_SLOT] = {0};
    (void)state;
    add_gaussian(slots, -3, 0.5, 1);
    add_gaussian(slots, 3, 0.5, 1);
    const struct line_shape shape = repeat(4, N_BIN, FIRST, STEP, slots);
    assert_false(shape.asymmetric);
    assert_close(shape.peak.value, 3, 0.005);
    assert_close(shape.red_peak.value, 3, 0.005);
    assert_close(shape.blue_peak.value, 3, 0.005);
    assert_close(shape.red_blue.value, 1, 1e-12);
    assert_close(shape.mean.value, 0, 1e-12);
    assert_close(shape.peak.error, 0, 1e-12);
}

static void two_unequal_peaks_are_both_found(void **state)
{
    double slots[N_SLOT] = {0};
    (void)state;
    add_gaussian(slots, -4, 0.7, 3);
    add_gaussian(slots, 2.5, 0.5, 1);
    const struct line_shape shape = repeat(4, N_BIN, FIRST, STEP, slots);
    assert_true(shape.asymmetric);
    assert_close(shape.red_peak.value, 4, 0.01);
    assert_close(shape.blue_peak.value, 2.5, 0.01);
    assert_close(shape.red_blue.value, 3 * 0.7 / 0.5, 1e-4);
    assert_close(shape.mean.value, (-4 * 2.1 + 2.5 * 0.5) / 2.6, 1e-6);
}

/* One peak, shifted to the red: the blue side falls from line centre and has none. */
static void a_shifted_line_has_a_peak_on_one_side(void **state)
{
    double slots[N_SLOT] = {0};
    (void)state;
    add_gaussian(slots, -0.4, 1, 1);
    const struct line_shape shape = repeat(4, N_BIN, FIRST, STEP, slots);
    assert_true(shape.asymmetric);
    assert_close(shape.mean.value, -0.4, 1e-6);
    assert_close(shape.red_peak.value, 0.4, 0.01);
    assert_true(isnan(shape.blue_peak.value));
    assert_close(shape.red_blue.value, erfc(-0.4 / sqrt(2)) / erfc(0.4 / sqrt(2)), 2e-4); /* the central bins share */
}

/* A parabola is fitted exactly: coarse bins, with the peak anywhere within one. */
static void a_peak_is_refined_within_its_bin(void **state)
{
    (void)state;
    for (double top = 4; top < 5; top += 0.05) {
        double slots[42] = {0};
        for (int i = 0; i < 40; i++)
            slots[i + 1] = fmax(4 - pow(fabs(-10 + (i + 0.5) * 0.5) - top, 2), 0);
        assert_close(repeat(2, 40, -10, 0.5, slots).peak.value, top, 1e-9);
    }
}

/* Light that was never scattered is exactly at line centre, in the bin above it: neither red nor blue. */
static void light_at_line_centre_has_no_side(void **state)
{
    double slots[N_SLOT] = {0};
    (void)state;
    slots[N_BIN / 2 + 1] = 1000;
    struct line_shape shape = repeat(4, N_BIN, FIRST, STEP, slots);
    assert_false(shape.asymmetric);
    assert_close(shape.mean.value, 0, 1e-12);
    assert_close(shape.red_blue.value, 1, 1e-12);
    assert_true(isnan(shape.peak.value) && isnan(shape.red_peak.value) && isnan(shape.blue_peak.value));
    add_gaussian(slots, -4, 0.5, 10); /* and does not hide a peak of scattered light */
    shape = repeat(4, N_BIN, FIRST, STEP, slots);
    assert_true(shape.asymmetric);
    assert_close(shape.red_peak.value, 4, 0.01);
}

static void nothing_is_known_of_nothing(void **state)
{
    double slots[N_SLOT] = {0};
    (void)state;
    struct line_shape shape = repeat(4, N_BIN, FIRST, STEP, slots);
    assert_true(isnan(shape.mean.value) && isnan(shape.red_blue.value) && isnan(shape.peak.value));
    assert_false(shape.asymmetric);
    add_gaussian(slots, -4, 0.5, 1);
    shape = repeat(1, N_BIN, FIRST, STEP, slots); /* one batch has no errors */
    assert_false(shape.asymmetric);
    assert_true(isfinite(shape.mean.value) && isnan(shape.mean.error) && isnan(shape.red_peak.error));
}

/* ---- Errors, by many repetitions of a small run: two Gaussians of width 0.7 at -3 and 3 + shift ---- */

enum { N_PACKET = 1000, N_REPEAT = 150 };

static struct line_shape random_line(uint32_t repeat, double shift)
{
    static double slots[(N_BATCH + 1) * N_SLOT];
    memset(slots, 0, sizeof slots);
    for (uint32_t b = 0; b < N_BATCH; b++)
        for (uint32_t packet = 0; packet < N_PACKET; packet++) {
            const struct random4 random = rng_draw(rng_key_from_seed(77), repeat, packet, b);
            const double u = 1 - (double)rng_uniform(random.r0),
                         angle = 6.283185307179586 * (double)rng_uniform(random.r1);
            const double x = 0.7 * sqrt(-2 * log(u)) * cos(angle) + (random.r2 & 1 ? 3 + shift : -3);
            const int slot = (int)((x - FIRST) / STEP) + 1;
            slots[b * N_SLOT + (uint32_t)slot] += 1;
            slots[N_BATCH * N_SLOT + slot] += 1;
        }
    return line_shape_measure(N_BATCH, N_BIN, FIRST, STEP, slots);
}

static void errors_are_the_scatter_of_repetitions(void **state)
{
    double peak = 0, red = 0, mean = 0, ratio = 0;
    int asymmetric = 0;
    (void)state;
    for (uint32_t i = 0; i < N_REPEAT; i++) {
        const struct line_shape shape = random_line(i, 0);
        peak += pow((shape.peak.value - 3) / shape.peak.error, 2);
        red += pow((shape.red_peak.value - 3) / shape.red_peak.error, 2);
        mean += pow(shape.mean.value / shape.mean.error, 2);
        ratio += pow((shape.red_blue.value - 1) / shape.red_blue.error, 2);
        asymmetric += shape.asymmetric;
    }
    /* t of 15 degrees of freedom: variance 15 / 13, kurtosis 3 + 6 / 11 */
    const double variance = 15.0 / 13, spread = variance * sqrt((2 + 6.0 / 11) / N_REPEAT);
    assert_close(mean / N_REPEAT, variance, KS_NORMAL * spread);
    assert_close(ratio / N_REPEAT, variance, KS_NORMAL * spread);
    assert_true(asymmetric <= 3); /* 0.2 % each */
    /* the window moves with the noise, which the error does not know: within a factor of 1.5 */
    assert_true(peak / N_REPEAT > 0.7 && peak / N_REPEAT < 2.3);
    assert_true(red / N_REPEAT > 0.7 && red / N_REPEAT < 2.3);
}

static void a_real_difference_is_found(void **state)
{
    (void)state;
    const struct line_shape shape = random_line(1, 1);
    assert_true(shape.asymmetric);
    assert_close(shape.red_blue.value, 1, KS_NORMAL * shape.red_blue.error); /* as many photons on either side */
    assert_close(shape.mean.value, 0.5, KS_NORMAL * shape.mean.error);
    assert_close(shape.blue_peak.value, 4, KS_NORMAL * shape.blue_peak.error);
    assert_close(shape.red_peak.value, 3, KS_NORMAL * shape.red_peak.error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_symmetric_line_has_one_peak_in_x),    cmocka_unit_test(two_unequal_peaks_are_both_found),
        cmocka_unit_test(a_shifted_line_has_a_peak_on_one_side), cmocka_unit_test(a_peak_is_refined_within_its_bin),
        cmocka_unit_test(light_at_line_centre_has_no_side),      cmocka_unit_test(nothing_is_known_of_nothing),
        cmocka_unit_test(errors_are_the_scatter_of_repetitions), cmocka_unit_test(a_real_difference_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
