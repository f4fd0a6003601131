/* Shares of lines that overlap against Boltzmann's and Planck's formulas in long double, and the relations between the
 * members of a group. */
/* variants: mixed double */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "kernel/line_group.h"
#include "model/line.h"
#include "model/line_group.h"

static const double tolerance = sizeof(real) == sizeof(double) ? 1e-10 : 2e-6;

static void near(double value, double expected, double relative)
{
    if (!(fabs(value - expected) <= relative * fabs(expected)))
        fail_msg("%.10g is not %.10g", value, expected);
}

/* C exp(-l y) (1 - exp(-(1 + e) y)) / (1 - exp(-y)) and D exp(-(l + e) y), with l the energy of the lower level. */
static void shares_in_lte(void **state)
{
    (void)state;
    const double offsets[] = {-0.01, -1e-5, -1e-9, 0, 1e-7, 3e-3, 0.01};
    const double coldness[] = {1e-9, 1e-5, 0.01, 0.19, 0.21, 3, 20};
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            const real y = (real)coldness[j];
            const struct group_line line = {
                .from_base = (real)offsets[i], .opacity = R(0.75), .shine = R(2), .lower = R(0.0625)};
            const long double e = (long double)line.from_base, z = (long double)y, level = expl(-0.0625L * z);
            struct group_view group = {.n = 1, .line = &line, .lte = 1, .stimulated = 1, .cell = &y};
            struct group_share share = group_share_of(&group, 0, 0);
            near((double)share.opacity, (double)(0.75L * level * expm1l(-(1 + e) * z) / expm1l(-z)), tolerance);
            near((double)share.shine, (double)(2 * level * expl(-e * z)), tolerance);
            group.stimulated = 0;
            share = group_share_of(&group, 0, 0);
            near((double)share.opacity, (double)(0.75L * level), tolerance);
        }
}

/* In gas so cold that exp underflows, lines from higher levels are gone, however high. */
static void nothing_of_high_levels_in_cold_gas(void **state)
{
    (void)state;
    const real lower[] = {R(0.5), R(10), R(1e4)}, coldness[] = {R(200), R(1e4)};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            const struct group_line line = {.from_base = R(0.005), .opacity = R(3), .shine = R(3), .lower = lower[i]};
            const struct group_view group = {.n = 1, .line = &line, .lte = 1, .stimulated = 1, .cell = &coldness[j]};
            const struct group_share share = group_share_of(&group, 0, 0);
            assert_true(share.opacity >= R(0) && share.opacity < R(1e-30));
            assert_true(share.shine >= R(0) && share.shine < R(1e-30));
        }
}

static void shares_of_cells(void **state)
{
    (void)state;
    const real shares[] = {R(0.25), R(0.5), R(0.75), R(0.5), R(1), R(0), R(0), R(1)};
    const struct group_view group = {.n = 2, .cell = shares};
    for (int cell = 0; cell < 2; cell++)
        for (int l = 0; l < 2; l++) {
            const struct group_share share = group_share_of(&group, cell, l);
            assert_true(share.opacity == shares[4 * cell + 2 * l] && share.shine == shares[4 * cell + 2 * l + 1]);
        }
}

/* A frequency seen from a line: (nu - nu_l) / nu_l, where nu = nu0 (1 + s / c). */
static void shift_from_a_line(void **state)
{
    (void)state;
    const double d = 2.5e-3, c = 2.99792458e5;
    const struct group_line line = {.offset = (real)(c * d), .squeeze = (real)(1 / (1 + d)), .damping = R(1)};
    near((double)group_shift(&line, (real)(c * d)), 0, 0);
    near((double)group_shift(&line, R(0)), c * (1 / (1 + d) - 1), 2 * tolerance);
}

/* The members as lines of their own. */
static void members_are_lines(void **state)
{
    (void)state;
    struct line first;
    assert_true(line_find("co10", &first));
    const struct line_member member = {.offset = -0.004,
                                       .a_ul = 3e-8,
                                       .gamma = 5e-8,
                                       .g_lower = 3,
                                       .g_upper = 5,
                                       .abundance = 1,
                                       .mass = 2 * first.mass};
    const struct line line = line_group_line(&first, &member);
    near(line.nu0, 0.996 * first.nu0, 1e-15);
    assert_true(line.mass == 2 * first.mass);
    near(line_group_cross_section(&first, &member), line_cross_section(&line, 1e5) / line_cross_section(&first, 1e5),
         1e-14);
    near(line_group_damping(&first, &member), line_damping(&line, 1e5) / line_damping(&first, 1e5), 1e-14);
    near(line_group_velocity(&member), 0.004 * 2.99792458e10, 1e-15);
}

static void branching_adds_up(void **state)
{
    (void)state;
    struct line_member members[] = {{.a_ul = 3, .upper = 7}, {.a_ul = 5, .upper = 8}, {.a_ul = 1, .upper = 7}};
    const struct line_group group = {.n = 3, .member = members};
    near(line_group_branching(&group, 0), 0.75, 1e-15);
    near(line_group_branching(&group, 1), 1, 1e-15);
    near(line_group_branching(&group, 2), 0.25, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_in_lte),     cmocka_unit_test(nothing_of_high_levels_in_cold_gas),
        cmocka_unit_test(shares_of_cells),   cmocka_unit_test(shift_from_a_line),
        cmocka_unit_test(members_are_lines), cmocka_unit_test(branching_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
