/* ball_balance.c: what detailed balance asks of light in endless gas, against photons that are followed there through
 * the core and the wing; tables that violate it are corrected. In double precision, like the makers of tables. */
#define LR_REAL_DOUBLE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/context.h"
#include "draws.h"
#include "solve/balls/ball_balance.h"

static const double A = 0.02, WING = 2;

/* Mean and variance of |x|, where photons come back from the wing. */
struct moments {
    double mean, variance;
};

static struct moments returns_of(const struct ball_balance *balance)
{
    double mean = 0, square = 0, before = 0;
    for (int i = 0; i < BALL_BALANCE_STEPS; i++) {
        const double x = balance->step * (i + 0.5);
        mean += (balance->returns[i] - before) * x;
        square += (balance->returns[i] - before) * x * x;
        before = balance->returns[i];
    }
    return (struct moments){mean, square - mean * mean};
}

/* One photon, through core and wing again and again. Rare exits come in bursts of about two, where the photon comes
 * back from the wing near its edge. */
static void photons_keep_the_balance(const struct ball_gas *gas)
{
    static struct ball_trials set;
    struct ball_balance balance;
    set.gas = *gas;
    set.key = rng_key_from_seed(31);
    ball_balance_prepare(gas, &balance);
    double scatterings = 0, left[BALL_WAYS] = {0}, n = 0, back = 0;
    for (uint32_t walk = 0; walk < DRAWS(400); walk++) {
        struct ball_trial trial = {.number = walk};
        struct ball_photon photon = {.n = {0, 0, 1}};
        int begun = 0; /* the first visit to the core is no typical one */
        for (int i = 0; i < 40000; i++) {
            const int core = !ball_in_wing(&set, photon.x);
            photon = ball_scatter_off(&set, &trial, &photon, ball_any_atom(&set, &trial, photon.x));
            if (core && begun) {
                scatterings++;
                if (ball_in_wing(&set, photon.x))
                    left[ball_way_of(gas, ball_part_of(gas, 1, photon.far, photon.x, &photon.atom))]++;
            }
            if (!core && !ball_in_wing(&set, photon.x)) {
                begun = 1;
                n++;
                back += fabs(photon.x);
            }
        }
    }
    const struct moments known = returns_of(&balance);
    assert_true(n > DRAWS(10000));
    assert_true(fabs(back / n - known.mean) < 4 * sqrt(known.variance / n));
    for (int k = 0; k < BALL_WAYS; k++) {
        const double expected = balance.fraction[k] * scatterings;
        assert_true(expected > DRAWS(1000) || (k == BALL_WAY_FAST && gas->dipole));
        if (!(fabs(left[k] - expected) <= 4 * sqrt(2 * expected)))
            fail_msg("way %d: %g exits, not %g", k, left[k], expected);
    }
}

static void light_in_endless_gas_is_in_balance(void **state)
{
    (void)state;
    static struct ball_gas gas;
    ball_gas_make(A, WING, 0, 0, 0, &gas);
    photons_keep_the_balance(&gas);
    ball_gas_make(A, WING, 1, 1, 1, &gas);
    photons_keep_the_balance(&gas);
    ball_gas_make(A, WING, 1, 1.0 / 3, 1, &gas);
    photons_keep_the_balance(&gas);
}

/* Multiplies the chances of exits into the wing; those through the surface are left with the rest. */
static void spoil(const struct ball_gas *gas, struct ball_row *row, const double *factor)
{
    double share[BALL_PARTS], before = 0, wing = 0, surface = 0;
    for (int part = 0; part < BALL_PARTS; part++) {
        const enum ball_way way = ball_way_of(gas, part);
        share[part] = (double)row->up_to[part] - before;
        before = (double)row->up_to[part];
        if (way == BALL_WAYS)
            surface += share[part];
        else
            wing += share[part] *= factor[way];
    }
    before = 0;
    for (int part = 0; part < BALL_PARTS; part++) {
        before += ball_way_of(gas, part) == BALL_WAYS ? share[part] * (1 - wing) / surface : share[part];
        row->up_to[part] = part < BALL_PARTS - 1 ? (float)before : 1;
    }
}

static void tables_are_balanced(void **state)
{
    (void)state;
    static const double spoiled[BALL_WAYS] = {0.8, 0.9, 1.2};
    static struct ball_gas gas;
    struct ball_table table;
    struct ball_balance balance;
    struct lr_context context = {.stop = 0};
    const struct ball_wish wish = {.a = A,
                                   .x_start = 0.8 * WING,
                                   .x_wing = WING,
                                   .least = 8,
                                   .n_level = 2,
                                   .trials = 1024,
                                   .kept = 512,
                                   .seed = 7,
                                   .backend = backend_cpu(),
                                   .ctx = &context};
    assert_int_equal(ball_table_make(&wish, &table), BALL_MADE);
    ball_gas_make(A, WING, 0, 0, 0, &gas);
    ball_balance_prepare(&gas, &balance);
    for (int level = 0; level < 2; level++) { /* other random numbers than those it was made with */
        const struct ball_factors before = ball_balance_factors(&balance, &gas, &table, level, 8, 2, &context.stop);
        for (int i = 0; i < BALL_ROWS; i++)
            spoil(&gas, &table.row[level * BALL_ROWS + i], spoiled);
        const struct ball_factors after = ball_balance_factors(&balance, &gas, &table, level, 9, 1, &context.stop);
        assert_true(fabs(before.scatterings - 1) < 5e-3);
        for (int k = 0; k < BALL_WAYS; k++) { /* relative to the number of scatterings */
            const double restored = after.chance[k] / after.scatterings * spoiled[k];
            if (!(fabs(before.chance[k] - 1) < 5e-3 && fabs(restored - 1) < 1e-2))
                fail_msg("level %d way %d: %g and %g", level, k, before.chance[k], restored);
        }
    }
    ball_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_in_endless_gas_is_in_balance),
        cmocka_unit_test(tables_are_balanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
