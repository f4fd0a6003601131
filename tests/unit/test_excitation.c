/* Opacity and light of a line from the populations of its levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "molecule_fixture.h"

#include "lines/populations.h"
#include "model/excitation.h"
#include "model/field.h"
#include "model/line.h"

enum { N_CELL = 2 };

struct fixture {
    lr_context *ctx;
    struct molecule_fixture molecule;
    struct species species;
    lr_model model;
};

/* Two cells in a row, line 1-0 of the made-up molecule. */
static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    const int n[3] = {N_CELL, 1, 1};
    const double lower[3] = {0, 0, 0}, size[3] = {2e18, 1e18, 1e18};
    f->ctx = lr_context_create();
    molecule_fixture_init(&f->molecule, COLLIDER_H2, COLLIDER_ELECTRON);
    f->species.molecule = f->molecule.molecule;
    f->species.options.stimulated = true;
    f->species.density.constant = 1e-3;
    f->species.temperature.constant = 25;
    const struct transition *line = &f->molecule.line[0];
    f->model.line =
        (struct line){.nu0 = line->frequency, .a_ul = line->a_ul, .g_lower = 1, .g_upper = 3, .mass = 28e-24};
    f->model.medium.b.constant = 5e4;
    f->model.species = &f->species;
    assert_int_equal(mesh_build_uniform(f->ctx, n, lower, size, &f->model.mesh), LR_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    mesh_free(&f->model.mesh);
    lr_context_free(f->ctx);
    free(f);
    return 0;
}

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value / expected - 1) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

/* j / alpha = n_u A / (4 pi) / (sqrt(pi) b alpha0), both over the same profile. */
static double source_function(const lr_model *model, double alpha0, double emissivity)
{
    return emissivity / (4 * LR_PI * LR_SQRT_PI * model->medium.b.constant * alpha0);
}

static void source_function_is_planck_in_lte(void **state)
{
    struct fixture *f = *state;
    const double temperatures[] = {1.5, 25, 4000};
    for (int i = 0; i < 3; i++) {
        struct field alpha0 = {0}, emissivity = {0};
        struct inversion inversion;
        f->species.temperature.constant = temperatures[i];
        assert_int_equal(excitation_line(f->ctx, &f->model, NULL, &alpha0, &emissivity, &inversion), LR_OK);
        assert_null(alpha0.values);
        near(source_function(&f->model, alpha0.constant, emissivity.constant),
             line_planck(&f->model.line, temperatures[i]), 1e-12);
        assert_int_equal(inversion.n_cell, 0);
    }
}

static void stimulated_emission_can_be_left_out(void **state)
{
    struct fixture *f = *state;
    struct field with = {0}, without = {0}, light[2] = {{0, NULL}, {0, NULL}};
    struct inversion inversion;
    double x[FIXTURE_LEVELS];
    assert_int_equal(excitation_line(f->ctx, &f->model, NULL, &with, &light[0], &inversion), LR_OK);
    f->species.options.stimulated = false;
    assert_int_equal(excitation_line(f->ctx, &f->model, NULL, &without, &light[1], &inversion), LR_OK);
    near(with.constant / without.constant, -expm1(-line_energy_ratio(&f->model.line, 25)), 1e-13);
    near(light[0].constant, light[1].constant, 1e-15);
    populations_lte(&f->species.molecule, 25, x);
    near(without.constant, 1e-3 * x[0] * line_cross_section(&f->model.line, 5e4), 1e-13);
    near(light[0].constant, 1e-3 * x[1] * f->model.line.a_ul, 1e-12);
}

/* Cell 0 is in LTE, cell 1 inverted by a factor of 4. */
static void inverted_cells_lose_their_opacity(void **state)
{
    struct fixture *f = *state;
    double x[N_CELL * FIXTURE_LEVELS] = {0};
    double *temperature = NULL;
    struct field alpha0 = {0}, emissivity = {0};
    struct inversion inversion;
    populations_lte(&f->species.molecule, 25, x);
    x[FIXTURE_LEVELS] = 1.0 / 13;
    x[FIXTURE_LEVELS + 1] = 12.0 / 13;
    assert_int_equal(excitation_line(f->ctx, &f->model, x, &alpha0, &emissivity, &inversion), LR_OK);
    assert_int_equal(inversion.n_cell, 1);
    assert_int_equal(inversion.worst, 1);
    near(inversion.largest, 4, 1e-14);
    assert_true(alpha0.values[0] > 0);
    assert_true(alpha0.values[1] == 0);
    near(emissivity.values[1], 1e-3 * 12 / 13 * f->model.line.a_ul, 1e-14);
    near(excitation_luminosity(&f->model.mesh, &emissivity), 1e54 * (emissivity.values[0] + emissivity.values[1]),
         1e-13);
    assert_int_equal(excitation_temperature(f->ctx, &f->model, x, &temperature), LR_OK);
    near(temperature[0], 25, 1e-9);
    near(temperature[1], LR_PLANCK * f->model.line.nu0 / LR_BOLTZMANN / log(0.25), 1e-12);
    free(temperature);
    field_free(&alpha0);
    field_free(&emissivity);
}

/* eps / (1 - eps) = C (1 - exp(-h nu / k T)) / A: 1e-11 x 2 cm^3/s at 20 K in the table of the fixture. */
static void destruction_from_collisions(void **state)
{
    struct fixture *f = *state;
    struct field eps = {0}, emissivity = {0}, alpha0 = {.constant = 1e-18};
    const enum collider replace[N_COLLIDER] = {0};
    f->species.temperature.constant = 20;
    f->species.given[COLLIDER_H2] = true;
    f->species.collider[COLLIDER_H2].constant = 1e4;
    assert_int_equal(collision_plan_make(f->ctx, &f->species.molecule, f->species.given, replace, &f->species.plan),
                     LR_OK);
    assert_int_equal(excitation_destruction(f->ctx, &f->model, &eps), LR_OK);
    const double down = -2e-7 * expm1(-line_energy_ratio(&f->model.line, 20));
    near(eps.constant, down / (7e-8 + down), 1e-12);
    f->model.medium.eps = eps;
    assert_int_equal(excitation_thermal(f->ctx, &f->model, &alpha0, 0, &emissivity), LR_OK);
    near(source_function(&f->model, 1e-18, emissivity.constant), eps.constant * line_planck(&f->model.line, 20), 1e-12);
    assert_int_equal(excitation_thermal(f->ctx, &f->model, &alpha0, 20, &emissivity), LR_OK);
    assert_true(emissivity.constant == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(source_function_is_planck_in_lte, setup, teardown),
        cmocka_unit_test_setup_teardown(stimulated_emission_can_be_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(inverted_cells_lose_their_opacity, setup, teardown),
        cmocka_unit_test_setup_teardown(destruction_from_collisions, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
