/* statistics.c: closed-form cases worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernel/rng.h"
#include "ks.h"
#include "solve/common/statistics.h"

static void assert_close(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        print_message("  %.12g instead of %.12g\n", found, expected);
    assert_true(fabs(found - expected) <= tolerance);
}

/* ---- ratio of sums over batches ---------------------------------------------------------------------------------- */

/* y = 1 3 2 over w = 2 2 4: r = 6/8, residuals -1/2 3/2 -1, error^2 = (3/2) (1/4 + 9/4 + 1) / 64. */
static void test_ratio_and_its_error_by_hand(void **state)
{
    const double y[] = {1, 3, 2};
    const double w[] = {2, 2, 4};
    const struct lr_estimate estimate = ratio_estimate(3, y, w);
    (void)state;
    assert_close(estimate.value, 0.75, 1e-15);
    assert_close(estimate.error, sqrt(1.5 * 3.5) / 8, 1e-15);
}

/* With equal weights it is the mean and its standard error s/sqrt(n): 1 2 3 4 5 has s^2 = 5/2. */
static void test_equal_weights_give_the_mean(void **state)
{
    const double y[] = {1, 2, 3, 4, 5};
    const double w[] = {1, 1, 1, 1, 1};
    const struct lr_estimate estimate = ratio_estimate(5, y, w);
    (void)state;
    assert_close(estimate.value, 3, 1e-15);
    assert_close(estimate.error, sqrt(0.5), 1e-15);
}

static void test_proportional_batches_have_no_error(void **state)
{
    const double y[] = {0.5, 1, 2, 8};
    const double w[] = {1, 2, 4, 16};
    const struct lr_estimate estimate = ratio_estimate(4, y, w);
    (void)state;
    assert_close(estimate.value, 0.5, 0);
    assert_close(estimate.error, 0, 0);
}

/* Batches left empty by an interrupt count neither in the sum nor as degrees of freedom. */
static void test_empty_batches_do_not_count(void **state)
{
    const double y[] = {1, 0, 3, 2, 0};
    const double w[] = {2, 0, 2, 4, 0};
    const struct lr_estimate estimate = ratio_estimate(5, y, w);
    (void)state;
    assert_close(estimate.error, sqrt(1.5 * 3.5) / 8, 1e-15);
    assert_true(isnan(ratio_estimate(1, y, w).error));
    assert_true(isnan(ratio_estimate(2, y, w).error)); /* one of the two is empty */
    const double nothing[] = {0, 0};
    assert_true(ratio_estimate(2, nothing, nothing).value == 0 && ratio_estimate(2, nothing, nothing).error == 0);
}

/* 10 batches of uniform numbers with mean 1/2, many times: the error is the observed scatter. */
static void test_error_is_the_scatter_of_repetitions(void **state)
{
    enum { N_BATCH = 10, N_REPEAT = 20000 };
    double square = 0;
    double variance = 0;
    (void)state;
    for (uint32_t repeat = 0; repeat < N_REPEAT; repeat++) {
        double y[N_BATCH];
        double w[N_BATCH];
        for (uint32_t b = 0; b < N_BATCH; b++) {
            const struct random4 random = rng_draw(rng_key_from_seed(1908), b, repeat, 0);
            y[b] = (double)rng_uniform(random.r0) + (double)rng_uniform(random.r1);
            w[b] = 2;
        }
        const struct lr_estimate estimate = ratio_estimate(N_BATCH, y, w);
        square += (estimate.value - 0.5) * (estimate.value - 0.5);
        variance += estimate.error * estimate.error;
    }
    assert_close(square / N_REPEAT, 1 / 240.0, KS_NORMAL * sqrt(2.0 / N_REPEAT) / 240);
    assert_close(variance / N_REPEAT, 1 / 240.0, KS_NORMAL * sqrt(2.0 / 9 / N_REPEAT) / 240);
}

/* ---- folded histograms ------------------------------------------------------------------------------------------- */

/* Four bins of width 1 from -2: counts 1 2 3 4. |x| < 1 contains 5, |x| < 2 all 10; linear within a bin. */
static void test_quantiles_of_a_folded_histogram(void **state)
{
    const double slots[] = {0, 1, 2, 3, 4, 0};
    (void)state;
    assert_close(folded_quantile(4, -2, 1, slots, 0.5), 1, 1e-12);
    assert_close(folded_quantile(4, -2, 1, slots, 0.25), 0.5, 1e-12);
    assert_close(folded_quantile(4, -2, 1, slots, 0.75), 1.5, 1e-12);
    assert_close(folded_quantile(4, -2, 1, slots, 0.1), 0.2, 1e-12);
    assert_close(folded_quantile(4, -2, 1, slots, 1), 2, 1e-12);
}

/* A range that is not centred on zero: 3 bins of width 1 from -1 with 1 1 2; |x| < 1 contains 2, then one side only. */
static void test_quantiles_of_a_lopsided_range(void **state)
{
    const double slots[] = {0, 1, 1, 2, 0};
    const double right[] = {0, 1, 1, 0}; /* from 2 to 4 */
    (void)state;
    assert_close(folded_quantile(3, -1, 1, slots, 0.5), 1, 1e-12);
    assert_close(folded_quantile(3, -1, 1, slots, 0.75), 1.5, 1e-12);
    assert_close(folded_quantile(2, 2, 1, right, 0.5), 3, 1e-12);
    assert_close(folded_quantile(2, -4, 1, right, 0.75), 3.5, 1e-12); /* from -4 to -2: farthest last */
}

static void test_quantiles_outside_the_range_are_infinite(void **state)
{
    const double slots[] = {3, 1, 1, 5};
    const double empty[] = {0, 0, 0, 0};
    (void)state;
    assert_close(folded_quantile(2, -1, 1, slots, 0.1), 0.5, 1e-12); /* 1 of 10 */
    assert_true(isinf(folded_quantile(2, -1, 1, slots, 0.5)));
    assert_true(isnan(folded_quantile(2, -1, 1, empty, 0.5)));
}

enum { N_BIN = 2000 };

/* Exact integrals of exp(-((|x| - 3)/s)^2 / 2) over bins, seen from both sides. */
static void fill_double_peak(double *slots, double first, double step, double s)
{
    for (int i = 0; i < N_BIN; i++) {
        const double low = first + i * step;
        slots[i + 1] = erf((low + step - 3) / s) - erf((low - 3) / s) + erf((low + step + 3) / s) - erf((low + 3) / s);
    }
}

static void test_quantiles_of_two_gaussians(void **state)
{
    double slots[N_BIN + 2] = {0};
    const double step = 0.01;
    (void)state;
    fill_double_peak(slots, -10, step, 0.5);
    assert_close(folded_quantile(N_BIN, -10, step, slots, 0.5), 3, 1e-6);
    assert_close(folded_quantile(N_BIN, -10, step, slots, 0.75), 3 + 0.47693627620446987 * 0.5, 1e-4); /* erf = 1/2 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ratio_and_its_error_by_hand),
        cmocka_unit_test(test_equal_weights_give_the_mean),
        cmocka_unit_test(test_proportional_batches_have_no_error),
        cmocka_unit_test(test_empty_batches_do_not_count),
        cmocka_unit_test(test_error_is_the_scatter_of_repetitions),
        cmocka_unit_test(test_quantiles_of_a_folded_histogram),
        cmocka_unit_test(test_quantiles_of_a_lopsided_range),
        cmocka_unit_test(test_quantiles_outside_the_range_are_infinite),
        cmocka_unit_test(test_quantiles_of_two_gaussians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
