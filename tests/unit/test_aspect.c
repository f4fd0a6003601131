/* aspect.h: bins of mu have equal width and hold their ends, and interpolation reproduces what is linear in mu. */
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

/* A function a + c mu, given in the middles of bins; flat beyond the first and the last of them. */
static void test_interpolation(void **state)
{
    enum { N = 20 };
    double value[N];
    (void)state;
    for (int bin = 0; bin < N; bin++)
        value[bin] = 3 + 2 * ((bin + 0.5) * 2 / N - 1);
    for (double mu = -1; mu <= 1; mu += 0.001) {
        const struct aspects at = aspects_about(N, (real)mu);
        assert_true(at.low >= 0 && at.high < N && at.share >= R(0) && at.share < R(1) + R_EPSILON);
        const double found = value[at.low] + (value[at.high] - value[at.low]) * (double)at.share;
        const double inside = fmin(fmax(mu, 1.0 / N - 1), 1 - 1.0 / N);
        assert_true(fabs(found - (3 + 2 * inside)) < 1e-5);
    }
    assert_int_equal(aspects_about(1, R(-0.7)).high, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bins),
        cmocka_unit_test(test_interpolation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
