/* aspect.h: bins of mu have equal widths and include their ends, their centres are means over the visible area, and
 * interpolation reproduces functions that are linear in mu on each sphere. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/aspect.h"

static void test_bins(void **state)
{
    (void)state;
    assert_int_equal(aspect_of(32, R(-1)), 0);
    assert_int_equal(aspect_of(32, R(1)), 31);
    assert_int_equal(aspect_of(32, R(1.001)), 31); /* rounding */
    assert_int_equal(aspect_of(32, R(-1.1)), 0);
    assert_int_equal(aspect_of(1, R(0.3)), 0);
    for (int bin = 0; bin < 32; bin++)
        assert_int_equal(aspect_of(32, (real)((bin + 0.5) / 16 - 1)), bin);
}

/* The centre of a bin is the mean of mu over the visible area: a ring of projected area mu dmu. */
static void test_middles(void **state)
{
    enum { STEPS = 1000 };
    (void)state;
    for (int bin = 0; bin < 20; bin++) {
        double first = 0, second = 0;
        for (int k = 0; k < STEPS; k++) {
            const double mu = bin + (k + 0.5) / STEPS;
            first += mu;
            second += mu * mu;
        }
        assert_true(fabs((double)aspect_middle((real)bin) * first / second - 1) < 1e-6);
    }
}

/* A function a + c |mu| on each sphere, given at the bin centres; flat beyond the first and the last of them, and one
 * sphere does not affect the other. */
static void test_interpolation(void **state)
{
    enum { N = 20, HALF = N / 2 };
    double value[N];
    (void)state;
    for (int bin = 0; bin < HALF; bin++) {
        const double middle = (double)aspect_middle((real)bin) / HALF;
        value[HALF + bin] = 3 + 2 * middle;
        value[HALF - 1 - bin] = 50 - 7 * middle;
    }
    for (int k = 0; k <= 2000; k++) {
        const double mu = k / 1000.0 - 1;
        const struct aspects at = aspects_about(N, (real)mu);
        assert_true(at.share >= R(0) && at.share < R(1) + R_EPSILON);
        assert_true(mu < 0 ? at.low >= 0 && at.high >= 0 && at.low < HALF && at.high < HALF
                           : at.low >= HALF && at.high >= HALF && at.low < N && at.high < N);
        const double found = value[at.low] + (value[at.high] - value[at.low]) * (double)at.share;
        const double inside =
            fmin(fmax(fabs(mu), (double)aspect_middle(R(0)) / HALF), (double)aspect_middle((real)(HALF - 1)) / HALF);
        assert_true(fabs(found - (mu < 0 ? 50 - 7 * inside : 3 + 2 * inside)) < 1e-5);
    }
    assert_int_equal(aspects_about(2, R(-0.7)).high, 0); /* one bin for each sphere */
    assert_int_equal(aspects_about(2, R(0.7)).low, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bins),
        cmocka_unit_test(test_middles),
        cmocka_unit_test(test_interpolation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
