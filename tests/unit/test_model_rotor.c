/* `line.rotor`: constants in a model become the molecule they describe. */
#include "model_fixture.h"

#include "base/constants.h"
#include "model/species.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static const char CO[] = "line={rotor: {b: 57.635968 GHz, d: 183.5 kHz, dipole: 0.11011 debye, mass: 28 u, "
                         "highest_j: 20}, transition: 1-0}";
static const char GAS[] = "medium={temperature: 20 K, density: 1e-4 cm^-3}";

/* CO 1-0 is at 115.2712018 GHz with A = 7.203e-8 s^-1, 3-2 at 345.7959899 GHz with 2.497e-6 s^-1 (CDMS). */
static void carbon_monoxide_from_its_constants(void **state)
{
    struct fixture *f = *state;
    const lr_model *model = LOAD(f, CO, GAS, "sources=[{gas: {}}]", "run={packets: 0}");
    const struct molecule *molecule = &model->species->molecule;
    assert_int_equal(molecule->n_level, 21);
    assert_int_equal(molecule->n_line, 20);
    assert_close(model->line.nu0, 115.2712018e9, 1e-7);
    assert_close(model->line.a_ul, 7.203e-8, 2e-3);
    assert_close(model->line.g_upper, 3.0, 0.0);
    assert_close(model->line.mass, 28.0 * LR_ATOMIC_MASS_UNIT, 1e-15);
    assert_close(molecule->line[2].frequency, 345.7959899e9, 1e-7);
    assert_close(molecule->line[2].a_ul, 2.497e-6, 2e-3);
    assert_string_equal(model->line.name, "rotor 1-0");
}

/* Without d and h, E_J = b J (J + 1) to rounding, and 41 levels. Negative h is allowed. */
static void corrections_may_be_left_out(void **state)
{
    struct fixture *f = *state;
    const lr_model *model = LOAD(f, "line={rotor: {b: 10 GHz, dipole: 1 debye, mass: 30 u}}", GAS,
                                 "sources=[{gas: {}}]", "run={packets: 0}");
    assert_int_equal(model->species->molecule.n_level, 41);
    assert_close(model->species->molecule.line[39].frequency, 800e9, 1e-14);
    model = LOAD(f, "line={rotor: {b: 10 GHz, h: -1 Hz, dipole: 1 debye, mass: 30 u, highest_j: 3}, transition: 3-2}",
                 GAS, "sources=[{gas: {}}]", "run={packets: 0}");
    assert_close(model->line.nu0, 60e9 - (1728.0 - 216.0), 1e-14);
}

static void bad_constants_are_refused(void **state)
{
    struct fixture *f = *state;
    const struct {
        const char *setting, *message;
    } cases[] = {
        {"line={molecule: co, rotor: {b: 57 GHz}}",
         "--set line: line.rotor: 'molecule' is also given; remove one of them"},
        {"line={rotor: {dipole: 1 debye, mass: 28 u}}", "--set line: line.rotor: the key 'b' is missing"},
        {"line={rotor: {b: 57 GHz, dipole: 0.1, mass: 28 u}}",
         "--set line: line.rotor.dipole: '0.1' has no unit; write for example '0.1 debye'"},
        {"line={rotor: {b: 57 GHz, dipole: 0.1 C, mass: 28 u}}",
         "--set line: line.rotor.dipole: '0.1 C' is not a dipole moment; write for example '0.1 debye'"},
        {"line={rotor: {b: -57 GHz, dipole: 0.1 debye, mass: 28 u}}",
         "--set line: line.rotor.b: '-57 GHz' must be above zero"},
        {"line={rotor: {b: 57 GHz, d: 1 GHz, dipole: 0.1 debye, mass: 28 u}}",
         "--set line: line.rotor: rotor: with these constants level J = 6 does not lie above J = 5"},
        {"line={rotor: {b: 57 GHz, dipole: 0.1 debye, mass: 28 u, highest_j: 0}}",
         "--set line: line.rotor.highest_j: '0' must lie between 1 and 1000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_error(f, BASE, cases[i].setting, cases[i].message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(carbon_monoxide_from_its_constants),
        RUN(corrections_may_be_left_out),
        RUN(bad_constants_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
