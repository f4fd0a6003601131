/* Collision rates: interpolation, clamping and detailed balance; which partner is used for which density. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "lines/collisions.h"
#include "lines/populations.h"
#include "molecule_fixture.h"

enum { N = FIXTURE_LEVELS };

static struct molecule_fixture fixture;

static struct collision_plan make_plan(enum collider first, enum collider second, enum collider given)
{
    struct collision_plan plan;
    lr_context *ctx = lr_context_create();
    bool is_given[N_COLLIDER] = {false};
    is_given[given] = true;
    molecule_fixture_init(&fixture, first, second);
    assert_int_equal(collision_plan_make(ctx, &fixture.molecule, is_given, NULL, &plan), LR_OK);
    lr_context_free(ctx);
    return plan;
}

static void assert_relative(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected)))
        fail_msg("%.17g instead of %.17g", value, expected);
}

static void assert_shares(const struct collision_plan *plan, enum collider given, double first, double second)
{
    for (int c = 1; c < N_COLLIDER; c++) {
        assert_true(plan->share[0][c] == (c == (int)given ? first : 0));
        assert_true(plan->share[1][c] == (c == (int)given ? second : 0));
    }
}

static void test_interpolation_is_linear_and_clamped(void **state)
{
    (void)state;
    const struct collision_plan plan = make_plan(COLLIDER_H2, COLLIDER_ELECTRON, COLLIDER_H2);
    const double density[N_COLLIDER] = {[COLLIDER_H2] = 1e4};
    const double temperature[] = {1, 10, 15, 20, 35, 50, 500};
    const double factor[] = {1, 1, 1.5, 2, 3, 4, 4};
    double rate[N * N];
    for (int i = 0; i < 7; i++) {
        collision_rates(&fixture.molecule, &plan, temperature[i], density, rate);
        assert_relative(rate[1 * N + 0], 1e4 * 1e-11 * factor[i], 1e-14);
        assert_relative(rate[3 * N + 1], 1e4 * 5e-11 * factor[i], 1e-14);
        assert_true(rate[2 * N + 3] == 0 && rate[0] == 0 && rate[3 * N + 3] == 0);
    }
    assert_true(collision_clamped(&fixture.molecule, &plan, 9, 20));
    assert_true(collision_clamped(&fixture.molecule, &plan, 10, 51));
    assert_false(collision_clamped(&fixture.molecule, &plan, 10, 50));
}

/* Collisions alone give Boltzmann populations at any density, also in gas so cold that factors underflow. */
static void test_detailed_balance_gives_lte(void **state)
{
    (void)state;
    const struct collision_plan plan = make_plan(COLLIDER_H2, COLLIDER_ELECTRON, COLLIDER_H2);
    double rate[N * N];
    double x[N];
    double lte[N];
    for (double temperature = 0.02; temperature < 2e4; temperature *= 1.7)
        for (double n = 1e-8; n < 1e15; n *= 1e3) {
            const double density[N_COLLIDER] = {[COLLIDER_H2] = n};
            collision_rates(&fixture.molecule, &plan, temperature, density, rate);
            populations_solve(N, rate, x);
            populations_lte(&fixture.molecule, temperature, lte);
            for (int i = 0; i < N; i++)
                assert_true(fabs(x[i] - lte[i]) <= 1e-12 * lte[i] + 1e-300);
        }
}

static void test_partners_add_up(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct collision_plan plan;
    const bool given[N_COLLIDER] = {[COLLIDER_H2] = true, [COLLIDER_ELECTRON] = true};
    const double density[N_COLLIDER] = {[COLLIDER_H2] = 1e4, [COLLIDER_ELECTRON] = 10};
    double rate[N * N];
    molecule_fixture_init(&fixture, COLLIDER_H2, COLLIDER_ELECTRON);
    assert_int_equal(collision_plan_make(ctx, &fixture.molecule, given, NULL, &plan), LR_OK);
    collision_rates(&fixture.molecule, &plan, 20, density, rate);
    assert_relative(rate[2 * N + 1], 1e4 * 4e-11 + 10 * 8e-11, 1e-14);
    lr_context_free(ctx);
}

static void test_forms_of_hydrogen(void **state)
{
    (void)state;
    const enum collider h2 = COLLIDER_H2, para = COLLIDER_PARA_H2, ortho = COLLIDER_ORTHO_H2, he = COLLIDER_HE;
    struct collision_plan plan = make_plan(para, ortho, ortho);
    assert_shares(&plan, ortho, 0, 1);
    assert_false(plan.thermal[ortho]);
    plan = make_plan(he, para, h2);
    assert_shares(&plan, h2, 0, 1);
    plan = make_plan(he, para, ortho);
    assert_shares(&plan, ortho, 0, 1);
    plan = make_plan(h2, he, ortho);
    assert_shares(&plan, ortho, 1, 0);
    plan = make_plan(h2, para, para);
    assert_shares(&plan, para, 0, 1);
    plan = make_plan(para, h2, h2);
    assert_shares(&plan, h2, 0, 1);
}

/* n(o-H2) / n(p-H2) by hand: zero below 10 K, 9 exp(-170.6 / 30) at 30 K, 1 at 170.6 / ln 9 K, 3 from 155.3 K on. */
static void test_hydrogen_is_split_by_temperature(void **state)
{
    (void)state;
    const double temperature[] = {0, 5, 30, 170.6 / 2.1972245773362196, 150, 155.4, 300, 2000};
    const double ratio[] = {0, 0, 9 * 3.3908771e-3, 1, 9 * 0.320673, 3, 3, 3};
    for (int i = 0; i < 8; i++)
        assert_true(fabs(collision_ortho_share(temperature[i]) - ratio[i] / (1 + ratio[i])) < 2e-5);
}

/* H2 as a whole gives the same collisions as its two kinds in this ratio, whichever of them is first in the file. */
static void test_whole_hydrogen_collides_as_its_kinds(void **state)
{
    (void)state;
    const enum collider h2 = COLLIDER_H2, kinds[2] = {COLLIDER_PARA_H2, COLLIDER_ORTHO_H2};
    const double temperature[] = {5, 20, 60, 300};
    for (int first = 0; first < 2; first++)
        for (int i = 0; i < 4; i++) {
            const double ratio = fmin(3, 9 * exp(-170.6 / temperature[i]));
            const double whole[N_COLLIDER] = {[COLLIDER_H2] = 1e4};
            double rate[N * N], para[N * N], ortho[N * N];
            struct collision_plan plan = make_plan(kinds[first], kinds[1 - first], h2);
            assert_true(plan.thermal[h2]);
            collision_rates(&fixture.molecule, &plan, temperature[i], whole, rate);
            plan = make_plan(kinds[first], kinds[1 - first], COLLIDER_PARA_H2);
            const double only_para[N_COLLIDER] = {[COLLIDER_PARA_H2] = 1e4 / (1 + ratio)};
            collision_rates(&fixture.molecule, &plan, temperature[i], only_para, para);
            plan = make_plan(kinds[first], kinds[1 - first], COLLIDER_ORTHO_H2);
            const double only_ortho[N_COLLIDER] = {[COLLIDER_ORTHO_H2] = 1e4 * ratio / (1 + ratio)};
            collision_rates(&fixture.molecule, &plan, temperature[i], only_ortho, ortho);
            for (int k = 0; k < N * N; k++)
                assert_true(fabs(rate[k] - para[k] - ortho[k]) <= 1e-13 * rate[k]);
        }
}

static void count_lines(void *user, enum lr_log_level level, const char *message)
{
    (void)level;
    assert_non_null(strstr(message, "fixture: collisions with "));
    ++*(int *)user;
}

static void test_replacing_partners_is_said(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    int lines = 0;
    lr_context_on_log(ctx, count_lines, &lines);
    struct collision_plan plan;
    const bool given[N_COLLIDER] = {[COLLIDER_H] = true, [COLLIDER_HE] = true};
    const enum collider replace[N_COLLIDER] = {[COLLIDER_H] = COLLIDER_HE};
    molecule_fixture_init(&fixture, COLLIDER_PARA_H2, COLLIDER_HE);
    assert_int_equal(collision_plan_make(ctx, &fixture.molecule, given, replace, &plan), LR_OK);
    assert_true(plan.share[1][COLLIDER_H] == 1 && plan.share[1][COLLIDER_HE] == 1);
    assert_int_equal(lines, 1);
    lr_context_free(ctx);
}

static void test_densities_without_rates_are_refused(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct collision_plan plan;
    const bool electrons[N_COLLIDER] = {[COLLIDER_ELECTRON] = true};
    const bool twice[N_COLLIDER] = {[COLLIDER_H2] = true, [COLLIDER_ORTHO_H2] = true};
    molecule_fixture_init(&fixture, COLLIDER_PARA_H2, COLLIDER_ORTHO_H2);
    assert_int_equal(collision_plan_make(ctx, &fixture.molecule, electrons, NULL, &plan), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(ctx), "p-H2, o-H2"));
    assert_int_equal(collision_plan_make(ctx, &fixture.molecule, twice, NULL, &plan), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(ctx), "o-H2"));
    fixture.molecule.n_partner = 0;
    assert_int_equal(collision_plan_make(ctx, &fixture.molecule, electrons, NULL, &plan), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(ctx), "only LTE is possible"));
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interpolation_is_linear_and_clamped),
        cmocka_unit_test(test_detailed_balance_gives_lte),
        cmocka_unit_test(test_partners_add_up),
        cmocka_unit_test(test_forms_of_hydrogen),
        cmocka_unit_test(test_hydrogen_is_split_by_temperature),
        cmocka_unit_test(test_whole_hydrogen_collides_as_its_kinds),
        cmocka_unit_test(test_replacing_partners_is_said),
        cmocka_unit_test(test_densities_without_rates_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
