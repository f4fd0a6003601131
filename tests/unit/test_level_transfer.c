/* Weights of a step with a linear source function, against the closed forms in double precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/level_transfer.h"

/* Weights of the source function at both ends, without cancellation: integrals of t exp(-t) and so on by Gauss-Legendre
 * with three nodes in many panels. */
static void by_quadrature(double h, double *from, double *to)
{
    enum { PANELS = 20000 };
    const double node[3] = {0.5 - 0.5 * sqrt(0.6), 0.5, 0.5 + 0.5 * sqrt(0.6)};
    const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    *from = *to = 0;
    for (int p = 0; p < PANELS; p++)
        for (int i = 0; i < 3; i++) {
            const double s = (p + node[i]) / PANELS; /* share of the way */
            const double light = h * exp(-h * (1 - s)) * weight[i] / PANELS;
            *from += light * (1 - s);
            *to += light * s;
        }
}

static void weights_are_integrals(void **state)
{
    (void)state;
    const double depths[] = {1e-6, 1e-3, 0.1, 0.2499, 0.2501, 1, 5, 30, 300, 3000, -1e-3, -0.2, -0.3, -1};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        double from, to;
        by_quadrature(depths[i], &from, &to);
        const struct step_weights weights = step_weights_of((real)depths[i]);
        /* rounding of single precision, and of 1 - exp(-h) just above a quarter */
        assert_true(fabs((double)weights.from / from - 1) < 3e-6);
        assert_true(fabs((double)weights.to / to - 1) < 3e-6);
        assert_true(fabs((double)weights.through - exp(-depths[i])) < 1e-6);
        assert_true(fabs((double)(weights.through + weights.from + weights.to) - 1) < 5e-7);
    }
}

/* Nothing happens in nothing; deep inside, light is the source function a mean free path before. */
static void limits(void **state)
{
    (void)state;
    const struct step_weights none = step_weights_of(R(0));
    assert_true(none.through == R(1) && none.from == R(0) && none.to == R(0));
    const struct step_weights thick = step_weights_of(R(1e6));
    assert_true(fabs((double)thick.from - 1e-6) < 1e-12);
    assert_true(fabs((double)thick.through - 0) < 1e-30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(weights_are_integrals), cmocka_unit_test(limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
