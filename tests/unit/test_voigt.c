/* voigt.h against libcerf's Faddeeva function (double, relative accuracy about 1e-13; here checked once more in the
 * wings at tiny a, where Re w is 1e-5 .. 1e-17 of |w|, against its asymptotic series). Compiled twice: single precision
 * as is, double with -DLR_REAL_DOUBLE. The same approximations serve both, hence one bound. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the four headers it needs */
#include <cmocka.h>

#define voigt cerf_voigt /* libcerf has a voigt(x, sigma, gamma) */
#include <cerf.h>
#undef voigt

#include "kernel/voigt.h"

#define BOUND 2e-5 /* the project asks for 1e-4 */
#define SQRT_PI 1.77245385090551602730
#define A_MIN 1e-12
#define A_MAX 10.0
#define X_MAX 1e5

struct worst {
    double error, a, x;
};

static double relative_error(double value, double reference)
{
    return fabs(value / reference - 1);
}

/* The arguments are rounded first, so that only the error of the function itself is seen. */
static struct worst worse_of(struct worst worst, double a, double x)
{
    const real a_real = (real)a;
    const real x_real = (real)x;
    const double error = relative_error((double)voigt(a_real, x_real), re_w_of_z((double)x_real, (double)a_real));
    if (!(error <= worst.error)) {
        worst = (struct worst){error, a, x};
    }
    return worst;
}

static struct worst worst_over_x(double a)
{
    const int n_core = 2400;
    const int n_log = 1600;
    struct worst worst = {0, a, 0};
    for (int i = 0; i <= n_core; i++) {
        worst = worse_of(worst, a, 12.0 * i / n_core);
    }
    for (int i = 0; i <= n_log; i++) {
        worst = worse_of(worst, a, 1e-6 * pow(X_MAX / 1e-6, (double)i / n_log));
    }
    return worst;
}

static void print_worst(const char *range, struct worst worst)
{
    print_message("  a in %s: largest relative error %.2e at a = %.4g, x = %.4g\n", range, worst.error, worst.a,
                  worst.x);
}

static void check_range(const char *name, double a_low, double a_high, int n)
{
    struct worst worst = {0, 0, 0};
    for (int i = 0; i <= n; i++) {
        const struct worst here = worst_over_x(a_low * pow(a_high / a_low, (double)i / n));
        worst = here.error <= worst.error ? worst : here;
    }
    print_worst(name, worst);
    assert_true(worst.error < BOUND);
}

static void test_agrees_with_libcerf_for_all_a_and_x(void **state)
{
    (void)state;
    check_range("1e-12 .. 1e-6", A_MIN, 1e-6, 60);
    check_range("1e-6  .. 1e-3", 1e-6, 1e-3, 60);
    check_range("1e-3  .. 0.01", 1e-3, 0.01, 60);
    check_range("0.01  .. 0.1 ", 0.01, 0.1, 120);
    check_range("0.1   .. 0.2 ", 0.1, 0.2, 120);
    check_range("0.2   .. 10  ", 0.2, A_MAX, 120);
}

/* The two pieces meet at LR_VOIGT_NARROW_MAX: each must be accurate one rounding error to either side of it. */
static void test_pieces_agree_where_they_meet(void **state)
{
    (void)state;
    for (int i = 0; i <= 3000; i++) {
        const real x = (real)(i < 2000 ? 0.006 * i : 12 * pow(X_MAX / 12, (i - 2000) / 1000.0));
        const double narrow = (double)voigt_narrow(LR_VOIGT_NARROW_MAX, x);
        const double broad = (double)voigt_broad(LR_VOIGT_NARROW_MAX, x);
        assert_true(relative_error(narrow, broad) < 2 * BOUND);
    }
}

/* exp(-t) is never evaluated beyond t = LR_VOIGT_T_MAX, so the far wing is that tiny number and not zero. */
static void test_is_gaussian_without_damping(void **state)
{
    (void)state;
    const double t_max = (double)LR_VOIGT_T_MAX;
    for (int i = 0; i <= 4000; i++) {
        const real x = (real)(i < 3000 ? 0.009 * i : 27 * pow(X_MAX / 27, (i - 3000) / 1000.0));
        const double t = (double)x * (double)x;
        const double value = (double)voigt(0, x);
        if (t <= t_max) {
            /* the rounding of t itself is what separates them */
            assert_true(relative_error(value, exp(-t)) < (t + 4) * (double)R_EPSILON);
        } else {
            assert_true(value > 0 && value < 2 * exp(-t_max));
        }
    }
    assert_true(voigt(0, 0) == R(1));
}

static void test_is_even_in_x(void **state)
{
    (void)state;
    const double a[] = {0, 1e-12, 1e-4, 0.0472, 0.1, 0.149, 1, 10};
    for (size_t k = 0; k < sizeof a / sizeof *a; k++) {
        for (int i = 0; i <= 500; i++) {
            const real x = (real)(1e-6 * pow(X_MAX / 1e-6, i / 500.0));
            assert_true(voigt((real)a[k], x) == voigt((real)a[k], -x));
        }
    }
}

/* INT H dx with x = sinh(u): H cosh(u) is smooth and decays as exp(-|u|), and the trapezoidal rule with a step well
 * below a/2 resolves the Lorentz core; the rest beyond X is 2a/(sqrt(pi) X). */
static void test_integral_is_sqrt_pi(void **state)
{
    (void)state;
    const double a[] = {0, 1e-12, 1e-6, 4.7e-4, 0.0149, 0.0999, 0.1001, 0.149, 0.5, 2, 10};
    const double u_max = asinh(X_MAX);
    const int n = 20000;
    for (size_t k = 0; k < sizeof a / sizeof *a; k++) {
        double sum = 0;
        for (int i = 0; i <= n; i++) {
            const double u = u_max * i / n;
            const double weight = i == 0 || i == n ? 0.5 : 1;
            sum += weight * (double)voigt((real)a[k], (real)sinh(u)) * cosh(u);
        }
        const double tail = 2 * a[k] / (SQRT_PI * X_MAX);
        assert_true(relative_error(2 * sum * u_max / n + tail, SQRT_PI) < BOUND);
    }
}

/* w(z) = i/(sqrt(pi) z) (1 + 1/(2 z^2) + 3/(4 z^4) + ...): for a << x the real part of the sum is
 * a/(sqrt(pi) x^2) (1 + 3/(2 x^2) + 15/(4 x^4) + 105/(8 x^6) + O(x^-8)). */
static double wing_series(double a, double x)
{
    const double v = 1 / (x * x);
    return a / SQRT_PI * v * (1 + v * (1.5 + v * (3.75 + v * 13.125)));
}

static void test_wing_is_the_damping_wing(void **state)
{
    (void)state;
    for (double x = 30; x <= X_MAX; x *= 1.1) {
        for (double a = A_MIN; a <= 1e-4; a *= 10) {
            assert_true(relative_error(re_w_of_z(x, a), wing_series(a, x)) < 1e-9); /* libcerf can be trusted there */
            const double rounded = wing_series((double)(real)a, (double)(real)x);
            assert_true(relative_error((double)voigt((real)a, (real)x), rounded) < BOUND);
        }
    }
    for (double a = A_MIN; a <= A_MAX; a *= 1.5) {
        const double lorentz = (double)(real)a / (SQRT_PI * X_MAX * X_MAX);
        assert_true(relative_error((double)voigt((real)a, (real)X_MAX), lorentz) < 2e-6);
    }
}

static double gauss_over_lorentz(double a, double x)
{
    return exp(-x * x) * SQRT_PI * (x * x + a * a) / a;
}

static void test_crossing_is_the_outer_root(void **state)
{
    (void)state;
    for (double a = A_MIN; a <= A_MAX; a *= 1.01) {
        const double x0 = voigt_crossing(a);
        assert_true(relative_error(gauss_over_lorentz(a, x0), 1) < 1e-12);
        for (double x = x0 * 1.001; x < 20; x += 0.05) {
            assert_true(gauss_over_lorentz(a, x) < 1);
        }
        assert_true(gauss_over_lorentz(a, x0 * 0.999) > 1);
    }
    assert_true(isinf(voigt_crossing(0)));
}

static void test_blend_is_the_stated_formula(void **state)
{
    (void)state;
    const double a[] = {1e-12, 1e-8, 4.7e-4, 0.0149, 0.149, 1, 10};
    for (size_t k = 0; k < sizeof a / sizeof *a; k++) {
        const real a_real = (real)a[k];
        const real x0 = (real)voigt_crossing(a[k]);
        for (int i = 0; i <= 2000; i++) {
            const real x = (real)(i < 1000 ? -0.012 * i : 1e-6 * pow(X_MAX / 1e-6, (i - 1000) / 1000.0));
            const double t = (double)x * (double)x;
            const double s = (double)a_real * (double)a_real;
            const double w = 1 / (1 + exp(4 * ((double)x0 - fabs((double)x)))); /* [1 + tanh(2|x| - 2 x0)]/2 */
            const double expected = (1 - w) * exp(-t) + w * (double)a_real / (SQRT_PI * (t + s));
            assert_true(relative_error((double)voigt_tanh_blend(a_real, x, x0), expected) < BOUND);
        }
    }
    for (int i = 0; i <= 90; i++) { /* without damping: the Gaussian */
        const real x = (real)(0.1 * i);
        const double value = (double)voigt_tanh_blend(0, x, (real)voigt_crossing(0));
        assert_true(relative_error(value, exp(-(double)x * (double)x)) < BOUND);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_libcerf_for_all_a_and_x),
        cmocka_unit_test(test_pieces_agree_where_they_meet),
        cmocka_unit_test(test_is_gaussian_without_damping),
        cmocka_unit_test(test_is_even_in_x),
        cmocka_unit_test(test_integral_is_sqrt_pi),
        cmocka_unit_test(test_wing_is_the_damping_wing),
        cmocka_unit_test(test_crossing_is_the_outer_root),
        cmocka_unit_test(test_blend_is_the_stated_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
