/* kernel/level_star.h: light of a star through gas, and its limits in inverted gas. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/level_star.h"

/* e^-tau (1 - e^-h) / h, also for inversions. */
static void cells_see_the_mean_over_their_depth(void **state)
{
    (void)state;
    const double depths[] = {0, 0.3, 5, -0.5, -4};
    const double here[] = {1e-3, 0.1, 3, 40, -0.1, -1};
    const struct star_line line = star_line_of(10.0);
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        for (size_t j = 0; j < sizeof here / sizeof *here; j++) {
            const double expected = exp(-depths[i]) * -expm1(-here[j]) / here[j];
            const double found = (double)star_seen((real)depths[i], (real)here[j], line.brightest);
            assert_true(fabs(found / expected - 1) < 3e-6);
        }
}

/* Many inverted cells in a row saturate at BRIGHTEST photons per mode, and absorption behind them starts from there. */
static void amplification_ends(void **state)
{
    (void)state;
    const double lights[] = {1e-200, 1e-20, 1e-3, 1, 1e4, 1e10};
    for (size_t i = 0; i < sizeof lights / sizeof *lights; i++) {
        const struct star_line line = star_line_of(lights[i]);
        const double most = fmax((double)BRIGHTEST, lights[i]);
        real depth = R(0);
        for (int cell = 0; cell < 500; cell++)
            depth = star_dim(depth, R(-1), line.least);
        const double amplified = lights[i] * (double)star_seen(depth, R(0), line.brightest);
        assert_true(isfinite(amplified) && amplified <= 1.0001 * most);
        const double beyond = lights[i] * (double)star_seen(depth, R(-1), line.brightest);
        assert_true(isfinite(beyond) && beyond <= 1.0001 * most);
        if (lights[i] > 1e-10)
            assert_true(amplified > 0.9999 * most);
        depth = star_dim(depth, R(3), line.least);
        const double dimmed = lights[i] * (double)star_seen(depth, R(0), line.brightest);
        assert_true(fabs(dimmed / (exp(-3.0) * amplified) - 1) < 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_see_the_mean_over_their_depth),
        cmocka_unit_test(amplification_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
