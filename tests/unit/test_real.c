/* The elementary functions of real.h against the C library in long double. */
/* variants: mixed double */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/real.h"

#define TWO_PI 6.283185307179586476925286766559005768L
#define EPSILON ((long double)R_EPSILON)
#ifdef LR_REAL_DOUBLE
#define EXP_LIMIT 708.0
#define SMALLEST DBL_MIN
#define LARGEST DBL_MAX
#else
#define EXP_LIMIT 87.0
#define SMALLEST ((double)FLT_MIN)
#define LARGEST ((double)FLT_MAX)
#endif

/* Errors in units of R_EPSILON: 1 is one unit in the last place of a number just above a power of two. */
static double exp_error(double x)
{
    const real rounded = (real)x;
    return (double)(fabsl((long double)r_exp_host(rounded) / expl((long double)rounded) - 1) / EPSILON);
}

static double log_error(double x)
{
    const real rounded = (real)x;
    const long double exact = logl((long double)rounded);
    const long double error = fabsl((long double)r_log_host(rounded) - exact);
    return exact == 0 ? (double)(error / EPSILON) : (double)(error / fabsl(exact) / EPSILON);
}

/* Single precision neglects r^7/5040, up to 1.4 epsilon. */
static void test_exp_is_good_to_the_last_places(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = -200000; i <= 200000; i++) {
        worst = fmax(worst, exp_error(EXP_LIMIT * i / 200000));
        worst = fmax(worst, exp_error(i / 200000.0));
    }
    for (double x = 1e-12; x < 1; x *= 1.5)
        worst = fmax(worst, fmax(exp_error(x), exp_error(-x)));
    print_message("  largest error: %.2f epsilon\n", worst);
    assert_true(worst < (sizeof(real) == sizeof(float) ? 2.5 : 1));
    assert_true(r_exp_host(0) == R(1));
}

/* Beyond its range exp stays at the last normal value: no infinity, no denormal, no wrapped exponent. */
static void test_exp_is_held_within_its_range(void **state)
{
    static const double beyond[] = {1.001, 2, 100, 1e10, 1e30};
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_true(r_exp_host((real)(EXP_LIMIT * beyond[i])) == r_exp_host((real)EXP_LIMIT));
        assert_true(r_exp_host((real)(-EXP_LIMIT * beyond[i])) == r_exp_host((real)-EXP_LIMIT));
    }
    assert_true((double)r_exp_host((real)-EXP_LIMIT) >= SMALLEST && isfinite(r_exp_host((real)EXP_LIMIT)));
}

static void test_log_is_good_to_the_last_places(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i <= 400000; i++) {
        worst = fmax(worst, log_error(SMALLEST * pow(LARGEST / SMALLEST * (1 - 1e-6), i / 400000.0)));
        worst = fmax(worst, log_error(0.5 + i / 200000.0));
        worst = fmax(worst, log_error((i + 0.5) / 4294967296.0)); /* the smallest uniform numbers */
    }
    for (int i = -1000; i <= 1000; i++)
        worst = fmax(worst, log_error(1 + i * (double)R_EPSILON));
    print_message("  largest error: %.2f epsilon\n", worst);
    assert_true(worst < 3);
    assert_true(r_log_host(R(1)) == 0);
}

/* The mantissa is split at sqrt(1/2): both sides of it, in every octave. */
static void test_log_is_continuous_where_the_exponent_changes(void **state)
{
    (void)state;
    double worst = 0;
    for (int e = -100; e <= 100; e++)
        for (int i = -50; i <= 50; i++)
            worst = fmax(worst, log_error(ldexp(sqrt(0.5) * (1 + i * (double)R_EPSILON), e)));
    assert_true(worst < 3);
}

static void test_sine_and_cosine_of_turns(void **state)
{
    (void)state;
    long double worst = 0;
    long double circle = 0;
    for (int i = 0; i <= 400000; i++) {
        const real u = (real)(i / 400000.0);
        const struct r_sincos found = r_sincos_turn(u);
        worst = fmaxl(worst, fabsl((long double)found.sin - sinl(TWO_PI * (long double)u)));
        worst = fmaxl(worst, fabsl((long double)found.cos - cosl(TWO_PI * (long double)u)));
        circle = fmaxl(circle, fabsl((long double)found.sin * (long double)found.sin +
                                     (long double)found.cos * (long double)found.cos - 1));
    }
    print_message("  largest error: %.2f epsilon\n", (double)(worst / EPSILON));
    assert_true(worst < 1.5L * EPSILON && circle < 3 * EPSILON);
}

static void test_quarter_turns_are_exact(void **state)
{
    static const real sine[] = {0, 1, 0, -1, 0};
    (void)state;
    for (int quarter = 0; quarter <= 4; quarter++) {
        const struct r_sincos found = r_sincos_turn((real)quarter * R(0.25));
        assert_true(found.sin == sine[quarter] && found.cos == sine[(quarter + 1) % 4]);
    }
    const struct r_sincos tiny = r_sincos_turn(R(1e-10)); /* relative precision near zero */
    assert_true(fabs((double)tiny.sin / (double)(TWO_PI * (long double)R(1e-10)) - 1) < 2 * (double)R_EPSILON);
}

/* Nearest integer, halves to even, as nearbyint in the default mode. */
static void test_round_is_to_nearest(void **state)
{
    (void)state;
    for (double x = -2097152; x <= 2097152; x += 1000.37) {
        const real rounded = (real)x;
        assert_true((double)r_round(rounded) == nearbyint((double)rounded));
    }
    for (int i = -4000; i <= 4000; i++) {
        const real eighth = (real)(i / 8.0);
        assert_true((double)r_round(eighth) == nearbyint((double)eighth));
    }
}

static void test_small_functions(void **state)
{
    (void)state;
    assert_true(r_sqrt(R(2.25)) == R(1.5) && r_abs(R(-2)) == R(2) && r_div(R(1), R(4)) == R(0.25));
    assert_true(r_min(R(1), R(2)) == R(1) && r_max(R(1), R(2)) == R(2));
    assert_true(r_min(R(2), R(1)) == R(1) && r_max(R(2), R(1)) == R(2));
    assert_true(r_exp(R(1)) == r_exp_host(R(1)) && r_log(R(3)) == r_log_host(R(3)));
    assert_true(sizeof(real) == (EXP_LIMIT > 100 ? sizeof(double) : sizeof(float)));
    assert_true(R(1) + R_EPSILON > R(1) && (real)(R(1) + R_EPSILON / 2) == R(1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_is_good_to_the_last_places),
        cmocka_unit_test(test_exp_is_held_within_its_range),
        cmocka_unit_test(test_log_is_good_to_the_last_places),
        cmocka_unit_test(test_log_is_continuous_where_the_exponent_changes),
        cmocka_unit_test(test_sine_and_cosine_of_turns),
        cmocka_unit_test(test_quarter_turns_are_exact),
        cmocka_unit_test(test_round_is_to_nearest),
        cmocka_unit_test(test_small_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
