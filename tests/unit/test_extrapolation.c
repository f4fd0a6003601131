/* Extrapolation of a linear iteration: with as many past changes as there are modes the limit is exact, also with
 * weighted unknowns; and extrapolations that must be rejected. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/extrapolation.h"

enum { UNKNOWNS = 6 };

/* x_k = limit + SUM_m c_m rho_m^k, the newest first; modes are spread over the unknowns. */
static void make_iterates(int modes, int n, double x[][UNKNOWNS])
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < UNKNOWNS; i++) {
            x[j][i] = 1.0 + i;
            for (int m = 0; m < modes; m++)
                x[j][i] += cos(1.0 + 0.7 * (m + 1) * i) * pow(0.95 - 0.2 * m, n - 1 - j);
        }
}

static void make_sums(int order, double x[][UNKNOWNS], double *sums)
{
    for (int s = 0; s < order * (order + 3) / 2; s++)
        sums[s] = 0;
    for (int i = 0; i < UNKNOWNS; i++) {
        const double last = x[0][i] - x[1][i];
        int s = 0;
        for (int j = 1; j <= order; j++)
            for (int k = 1; k <= j; k++)
                sums[s++] += (last - (x[j][i] - x[j + 1][i])) * (last - (x[k][i] - x[k + 1][i]));
        for (int j = 1; j <= order; j++)
            sums[s++] += (last - (x[j][i] - x[j + 1][i])) * last;
    }
}

static double error_after(int modes, int order)
{
    double x[EXTRAPOLATION_ORDER + 2][UNKNOWNS], sums[EXTRAPOLATION_SUMS], weight[EXTRAPOLATION_ORDER + 1];
    double worst = 0;
    make_iterates(modes, order + 2, x);
    make_sums(order, x, sums);
    assert_true(extrapolation_weights(order, sums, weight));
    for (int i = 0; i < UNKNOWNS; i++) {
        double guess = 0;
        for (int j = 0; j <= order; j++)
            guess += weight[j] * x[j][i];
        worst = fmax(worst, fabs(guess - (1.0 + i)));
    }
    return worst;
}

static void as_many_changes_as_modes_are_exact(void **state)
{
    (void)state;
    for (int modes = 1; modes <= 4; modes++)
        assert_true(error_after(modes, modes) < 1e-7);
    assert_true(error_after(4, 2) > 1e-3); /* too few are not exact */
}

static void more_changes_than_modes_do_no_harm(void **state)
{
    (void)state;
    assert_true(error_after(2, 5) < 1e-5);
    assert_true(error_after(1, 8) < 1e-5);
}

static void iterates_at_rest_tell_nothing(void **state)
{
    (void)state;
    const double sums[EXTRAPOLATION_SUMS] = {0};
    double weight[EXTRAPOLATION_ORDER + 1];
    assert_false(extrapolation_weights(2, sums, weight));
}

/* The sums made by drivers: each unknown is weighted by 1 / x, which does not affect the limit. */
static void weighted_sums_find_the_same_limit(void **state)
{
    (void)state;
    enum { ORDER = 3 };
    double x[ORDER + 2][UNKNOWNS], sums[EXTRAPOLATION_SUMS] = {0}, weight[ORDER + 1];
    double scaled[ORDER + 2][UNKNOWNS], expected[EXTRAPOLATION_SUMS];
    make_iterates(ORDER, ORDER + 2, x);
    for (int i = 0; i < UNKNOWNS; i++) {
        double here[ORDER + 2];
        for (int j = 0; j < ORDER + 2; j++) {
            here[j] = x[j][i];
            scaled[j][i] = x[j][i] / sqrt(x[0][i]);
        }
        extrapolation_add(ORDER, here, sums);
    }
    make_sums(ORDER, scaled, expected);
    for (int s = 0; s < ORDER * (ORDER + 3) / 2; s++)
        assert_true(fabs(sums[s] - expected[s]) < 1e-14);
    assert_true(extrapolation_weights(ORDER, sums, weight));
    for (int i = 0; i < UNKNOWNS; i++) {
        double here[ORDER + 2];
        for (int j = 0; j < ORDER + 2; j++)
            here[j] = x[j][i];
        assert_true(fabs(extrapolation_guess(ORDER, weight, here) - (1.0 + i)) < 1e-7);
    }
}

static void guesses_go_no_further_than_a_factor_of_ten(void **state)
{
    (void)state;
    const double x[3] = {2, 1, 0.5};
    const double far[2] = {12, -11}, negative[2] = {-1, 2}, near[2] = {1.5, -0.5};
    assert_true(extrapolation_guess(1, far, x) == 13);
    assert_true(extrapolation_guess(1, negative, x) == 2);
    assert_true(extrapolation_guess(1, near, x) == 2.5);
    const double too_far[2] = {21, -20};
    assert_true(extrapolation_guess(1, too_far, x) == 2);
}

static void only_lines_that_absorb_can_be_inverted(void **state)
{
    (void)state;
    assert_true(extrapolation_inverts(3, 0.5, 0.2, 0.1, 0.4));
    assert_false(extrapolation_inverts(3, 0.5, 0.2, 0.4, 0.3));
    assert_false(extrapolation_inverts(3, 0.1, 0.4, 0.05, 0.4)); /* was inverted before */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_changes_as_modes_are_exact),
        cmocka_unit_test(more_changes_than_modes_do_no_harm),
        cmocka_unit_test(iterates_at_rest_tell_nothing),
        cmocka_unit_test(weighted_sums_find_the_same_limit),
        cmocka_unit_test(guesses_go_no_further_than_a_factor_of_ten),
        cmocka_unit_test(only_lines_that_absorb_can_be_inverted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
