/* level_shells.h: weights of rings, velocities and pieces of rays through shells. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/level_shells.h"

enum { SHELLS = 3 };
static const double EDGE[SHELLS + 1] = {0.5, 1, 2, 4}, MIDDLE[SHELLS] = {0.75, 1.5, 3};
static const struct shell_view VIEW = {SHELLS, EDGE, MIDDLE};
static const struct gas_view GAS[SHELLS] = {{.inv_b = R(1), .v = {R(1)}, .has_gas = R(1)},
                                            {.inv_b = R(1), .v = {R(2)}, .has_gas = R(1)},
                                            {.inv_b = R(1), .v = {R(5)}}};

/* Rings from the centre to the edge cover every direction, once inward and once outward: 2 SUM w = 1. */
static void rings_are_all_directions(void **state)
{
    (void)state;
    enum { RINGS = 64 };
    for (int i = 0; i < SHELLS; i++) {
        double sum = 0;
        for (int k = 0; k < RINGS; k++)
            sum += 2 * (double)shell_ring_weight(&VIEW, i, 4.0 * k / RINGS, 4.0 * (k + 1) / RINGS);
        assert_true(fabs(sum - 1) < 1e-6);
    }
}

static void velocities_are_linear_between_middles(void **state)
{
    (void)state;
    assert_true(fabs((double)shell_velocity(&VIEW, GAS, 1.5, 1.5) - 2) < 1e-6);
    assert_true(fabs((double)shell_velocity(&VIEW, GAS, 2.25, 2.25) - 3.5) < 1e-6);
    assert_true(fabs((double)shell_velocity(&VIEW, GAS, 2.25, -1.125) + 1.75) < 1e-6); /* toward the centre */
    assert_true(fabs((double)shell_velocity(&VIEW, GAS, 0.6, 0.6) - 1) < 1e-6);        /* constant inside */
    assert_true(fabs((double)shell_velocity(&VIEW, GAS, 4, 4) - 5) < 1e-6);            /* and outside */
    assert_true(shell_velocity(&VIEW, GAS, 0, 0) == R(0));
}

static void shares_are_linear_between_middles(void **state)
{
    (void)state;
    assert_true(fabs((double)shell_inner_share(&VIEW, 1, 1.0) - 2.0 / 3) < 1e-6);
    assert_true(shell_inner_share(&VIEW, 1, 0.5) == R(1) && shell_inner_share(&VIEW, 1, 3) == R(0));
}

/* Lengths follow from Pythagoras; next to a shell without gas nothing is interpolated. */
static void pieces_of_a_ray(void **state)
{
    (void)state;
    const struct piece in = shell_piece(&VIEW, GAS, 0.6, 1, 0, 1.5, 1.0, -1, R(0), R(0.25), R(0));
    assert_true(fabs((double)in.length - (sqrt(1.5 * 1.5 - 0.36) - 0.8)) < 1e-6);
    assert_true(in.u1 == R(0.25) && fabs((double)in.v0 + 2 * sqrt(1.5 * 1.5 - 0.36) / 1.5) < 1e-6);
    const struct piece out = shell_piece(&VIEW, GAS, 0.6, 1, 2, 1.5, 2.0, 1, R(0), R(0.25), R(3));
    assert_true(out.length > R(0) && out.u1 == R(0) && out.weight == R(3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_are_all_directions),
        cmocka_unit_test(velocities_are_linear_between_middles),
        cmocka_unit_test(shares_are_linear_between_middles),
        cmocka_unit_test(pieces_of_a_ray),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
