/* Populations in LTE, and excitation temperatures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "lines/populations.h"
#include "molecule_fixture.h"

static struct molecule_fixture fixture;

static void test_lte_is_boltzmanns(void **state)
{
    (void)state;
    double x[FIXTURE_LEVELS];
    const double second_constant = 1.438776877; /* h c / k in cm K, CODATA 2018 */
    molecule_fixture_init(&fixture, COLLIDER_H2, COLLIDER_HE);
    populations_lte(&fixture.molecule, 30, x);
    assert_true(fabs(x[0] + x[1] + x[2] + x[3] - 1) < 1e-15);
    assert_true(fabs(x[2] / x[0] / (5 * exp(-12 * second_constant / 30)) - 1) < 1e-9);
    populations_lte(&fixture.molecule, 0, x);
    assert_true(x[0] == 1 && x[1] == 0 && x[2] == 0 && x[3] == 0);
}

static void test_excitation_of_lte_is_the_temperature(void **state)
{
    (void)state;
    double x[FIXTURE_LEVELS];
    molecule_fixture_init(&fixture, COLLIDER_H2, COLLIDER_HE);
    for (double temperature = 0.5; temperature < 1e7; temperature *= 3) {
        populations_lte(&fixture.molecule, temperature, x);
        for (int line = 0; line < FIXTURE_LINES; line++)
            assert_true(fabs(populations_excitation(&fixture.molecule, line, x) / temperature - 1) <
                        1e-12 + 1e-15 * temperature);
    }
}

static void test_excitation_at_the_edges(void **state)
{
    (void)state;
    molecule_fixture_init(&fixture, COLLIDER_H2, COLLIDER_HE);
    const double inverted[FIXTURE_LEVELS] = {0.1, 0.9, 0, 0};
    const double expected = fixture.line[0].frequency * LR_PLANCK / LR_BOLTZMANN / log(1.0 / 3);
    assert_true(fabs(populations_excitation(&fixture.molecule, 0, inverted) / expected - 1) < 1e-14);
    const double equal[FIXTURE_LEVELS] = {0.25, 0.75, 0, 0};
    assert_true(isinf(populations_excitation(&fixture.molecule, 0, equal)));
    const double ground[FIXTURE_LEVELS] = {1, 0, 0, 0};
    assert_true(populations_excitation(&fixture.molecule, 0, ground) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lte_is_boltzmanns),
        cmocka_unit_test(test_excitation_of_lte_is_the_temperature),
        cmocka_unit_test(test_excitation_at_the_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
