/* Recipes for abundances and temperatures, on a mesh that is not from a snapshot. */
#define _POSIX_C_SOURCE 200809L
#include "model_fixture.h"

#include <unistd.h>

#include "model/species.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

/* Four cells with n(H2) = 10, 1e3, 1e5, 1e6 and T = 50, 50, 50, 10 K. */
static const char MODEL[] =
    "mesh: {cells: [4, 1, 1], size: [4 pc, 1 pc, 1 pc], origin: [0 pc, 0 pc, 0 pc]}\n"
    "line: {molecule: co}\n"
    "medium:\n"
    "  temperature: {default: 50 K, regions: [{slab: {axis: x, from: 3 pc, to: 4 pc}, value: 10 K}]}\n"
    "  colliders:\n"
    "    H2:\n"
    "      default: 10 cm^-3\n"
    "      regions:\n"
    "        - {slab: {axis: x, from: 1 pc, to: 2 pc}, value: 1e3 cm^-3}\n"
    "        - {slab: {axis: x, from: 2 pc, to: 3 pc}, value: 1e5 cm^-3}\n"
    "        - {slab: {axis: x, from: 3 pc, to: 4 pc}, value: 1e6 cm^-3}\n";
static const double H2[4] = {10, 1e3, 1e5, 1e6};

static void expect(struct fixture *f, const char *setting, double a, double b, double c, double d)
{
    const char *const settings[] = {setting, NULL};
    const double expected[4] = {a, b, c, d};
    const lr_model *m = load_ok(f, MODEL, settings);
    for (int i = 0; i < 4; i++)
        assert_close(field_at(&m->species->density, i), H2[i] * expected[i], 1e-12);
}

static void abundances_follow_density_and_temperature(void **state)
{
    struct fixture *f = *state;
    expect(f, "medium.abundance={constant: 2e-4}", 2e-4, 2e-4, 2e-4, 2e-4);
    expect(f, "medium.abundance={cutoff: {value: 1e-4, below_density: 100 cm^-3}}", 0, 1e-4, 1e-4, 1e-4);
    expect(f, "medium.abundance={cutoff: {value: 1e-4, freeze_density: 1e4 cm^-3, depleted: 1e-6}}", 1e-4, 1e-4, 1e-6,
           1e-6);
    expect(f, "medium.abundance={cutoff: {value: 1e-4, freeze_temperature: 20 K}}", 1e-4, 1e-4, 1e-4, 0);
    /* Only gas that is both dense and cold freezes out. */
    expect(f,
           "medium.abundance={cutoff: {value: 1e-4, below_density: 100 cm^-3, freeze_density: 1e4 cm^-3, "
           "freeze_temperature: 20 K, depleted: 1e-7}}",
           0, 1e-4, 1e-4, 1e-7);
    /* Halfway from 1e2 to 1e4 in log n is 1e3, and halfway from 1e-8 to 1e-4 in log X is 1e-6. */
    expect(f, "medium.abundance={table: {density: [100 cm^-3, 1e4 cm^-3], abundance: [1e-8, 1e-4]}}", 1e-8, 1e-6, 1e-4,
           1e-4);
    expect(f, "medium.abundance={table: {density: [1e10 m^-3], abundance: [3e-5]}}", 3e-5, 3e-5, 3e-5, 3e-5);
}

static void tables_come_from_files(void **state)
{
    struct fixture *f = *state;
    const hsize_t two = 2;
    write_dataset("test_model_abundance.h5", true, "density", H5T_IEEE_F32BE, 1, &two, (const double[]){1e8, 1e10},
                  "m-3");
    write_dataset("test_model_abundance.h5", false, "co", H5T_IEEE_F64LE, 1, &two, (const double[]){1e-8, 1e-4}, NULL);
    expect(f, "medium.abundance={table: {file: test_model_abundance.h5, abundance: co}}", 1e-8, 1e-6, 1e-4, 1e-4);
    unlink("test_model_abundance.h5");
}

static void pressure_gives_temperature_with_any_mesh(void **state)
{
    struct fixture *f = *state;
    const char *const settings[] = {
        "medium.temperature={ideal-gas: {mean_molecular_weight: 2.33, pressure: 1e-11 erg/cm^3}}",
        "medium.abundance=1e-4", NULL};
    const lr_model *m = load_ok(f, MODEL, settings);
    /* rho = 2.8 u n(H2), so that T = 2.33 P / (2.8 k n) */
    for (int i = 0; i < 4; i++)
        assert_close(field_at(&m->species->temperature, i), 2.33 * 1e-11 / (2.8 * 1.380649e-16 * H2[i]), 1e-12);
}

static void recipes_that_say_too_little_are_refused(void **state)
{
    struct fixture *f = *state;
    const struct {
        const char *recipe, *message;
    } cases[] = {
        {"{cutoff: {below_density: 1 cm^-3}}", "medium.abundance.cutoff: the key 'value' is missing"},
        {"{cutoff: {value: 1e-4}}",
         "medium.abundance.cutoff: no limits; give below_density, freeze_density or freeze_temperature"},
        {"{cutoff: {value: 1e-4, below_density: 1 cm^-3, depleted: 0}}",
         "medium.abundance.cutoff.depleted: this needs freeze_density or freeze_temperature"},
        {"{cutoff: {value: 1e-4, below_density: 0 cm^-3}}",
         "medium.abundance.cutoff.below_density: '0 cm^-3' must be above zero"},
        {"{constant: 1e-4, table: {}}", "give one of constant, cutoff and table"},
        {"{table: {density: [1 cm^-3, 2 cm^-3], abundance: [1]}}",
         "medium.abundance.table: 2 densities but 1 abundances; expected equal numbers"},
        {"{table: {density: [2 cm^-3, 1 cm^-3], abundance: [1, 1]}}",
         "medium.abundance.table: the densities of the table do not increase from 0 to 1"},
        {"{table: {density: [1 cm^-3, 2 cm^-3], abundance: [1, 0]}}",
         "medium.abundance.table: entry 1 of the table: density and abundance must be above zero"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char setting[256];
        snprintf(setting, sizeof setting, "medium.abundance=%s", cases[i].recipe);
        const char *const settings[] = {setting, NULL};
        assert_int_not_equal(load_text(f, MODEL, settings), LR_OK);
        if (!strstr(lr_last_error(f->ctx), cases[i].message))
            fail_msg("'%s' is not in '%s'", cases[i].message, lr_last_error(f->ctx));
    }
    const char *const bare[] = {"medium.colliders={e: 1 cm^-3}", "medium.abundance={constant: 1e-4}", NULL};
    assert_int_not_equal(load_text(f, MODEL, bare), LR_OK);
    assert_non_null(strstr(lr_last_error(f->ctx), "an abundance is relative to H2: 'colliders' needs H2"));
    expect_error(
        f, MODEL, "medium.temperature={ideal-gas: {pressure: 1 Pa}}",
        "--set medium.temperature: 'mean_molecular_weight' is missing: the mean mass per particle in u, such as 2.33");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(abundances_follow_density_and_temperature),
        RUN(tables_come_from_files),
        RUN(pressure_gives_temperature_with_any_mesh),
        RUN(recipes_that_say_too_little_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
