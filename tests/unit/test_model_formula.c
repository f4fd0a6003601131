/* Fields from formulas, on every mesh: the values are those at the centres of cells. */
#include "model_fixture.h"

#include "model/field.h"

#define RUN(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

static void boxes_have_the_values_at_cell_centres(void **state)
{
    const lr_model *model = LOAD(*state, "medium.velocity=[0 km/s, {formula: '3 km/s * y / 1 pc'}, 0 km/s]",
                                 "medium.temperature={formula: '1e4 K * (1 + x / 2 pc)'}");
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            const int64_t cell = mesh_cell_index(&model->mesh, i, j, 1);
            const double x = -0.75 + 0.5 * i, y = -0.25 + 0.5 * j;
            /* b^2 = 2 k T / m, CODATA 2018 and the mass of the atom */
            const double b = sqrt(2 * 1.380649e-16 * 1e4 * (1 + x / 2) / model->line.mass);
            assert_close(field_at(&model->medium.b, cell), b, 1e-12);
            assert_close(field_at(&model->medium.velocity[1], cell), 3 * KM_S * y, 1e-12);
        }
    assert_null(model->medium.velocity[0].values);
}

static void three_formulas_are_a_vector(void **state)
{
    const lr_model *model =
        LOAD(*state, "medium.velocity={formula: [10 km/s * x / r, '10 km/s * y / r', 10 km/s * z / r]}");
    for (int64_t cell = 0; cell < 16; cell++) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += pow(field_at(&model->medium.velocity[d], cell), 2);
        assert_close(square, 100 * KM_S * KM_S, 1e-12);
    }
    assert_true(field_at(&model->medium.velocity[0], 0) < 0);
    assert_true(field_at(&model->medium.velocity[0], 15) > 0);
}

static void shells_use_the_middle_radius(void **state)
{
    const lr_model *model = LOAD(*state, "mesh={shells: 4, inner: 1 pc, outer: 3 pc}",
                                 "medium={b: 10 km/s, opacity: {formula: 2 1/pc * (r / 1 pc)^-2}, velocity: {formula: "
                                 "'5 km/s/pc * r'}}",
                                 "sources=[{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, "
                                 "luminosity: 1 photon/s}]");
    for (int i = 0; i < 4; i++) {
        const double r = 1.25 + 0.5 * i;
        assert_close(field_at(&model->medium.alpha0, i), 2 / (r * r) / PC, 1e-12);
        assert_close(field_at(&model->medium.velocity[0], i), 5 * KM_S * r, 1e-12);
    }
}

static void refined_cells_have_their_own_centres(void **state)
{
    const lr_model *model =
        LOAD(*state, "mesh.refine=[{box: {min: [0 pc, 0 pc, 0 pc], max: [1 pc, 1 pc, 1 pc]}, levels: 1}]",
             "medium={b: 10 km/s, opacity: {formula: 1 1/pc * (2 + x / 1 pc)}}");
    const struct mesh *mesh = &model->mesh;
    for (int64_t cell = 0; cell < mesh_cell_count(mesh); cell++) {
        int at[3];
        double low[3], high[3];
        mesh_cell_place(mesh, cell, at);
        mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
        assert_close(field_at(&model->medium.alpha0, cell), (2 + 0.5 * (low[0] + high[0]) / PC) / PC, 1e-12);
    }
}

/* A formula that does not depend on position is a constant, as if it were written out. */
static void constants_stay_constants(void **state)
{
    const lr_model *model = LOAD(*state, "medium={b: {formula: 2 * 5 km/s}, opacity: 1 1/pc}");
    assert_null(model->medium.b.values);
    assert_close(model->medium.b.constant, 10 * KM_S, 1e-15);
}

/* A sphere of gas: the mean of 1 / r^2 over a large block of cells, more than one block of points. */
static void many_cells_are_filled(void **state)
{
    const lr_model *model = LOAD(*state, "mesh={cells: [50, 50, 50], size: [2 pc, 2 pc, 2 pc]}",
                                 "medium={b: 10 km/s, opacity: {formula: 1 1/pc * (r / 1 pc)^2}}");
    double sum = 0;
    for (int64_t cell = 0; cell < 125000; cell++)
        sum += model->medium.alpha0.values[cell];
    /* <x^2> of n midpoints in (-1, 1) is (1 - 1 / n^2) / 3 */
    assert_close(sum / 125000 * PC, 1 - 1.0 / 2500, 1e-10);
}

static void mistakes_name_the_place(void **state)
{
    struct fixture *f = *state;
    expect_error(f, BASE, "medium.density={formula: 1e-3 cm^-2 * (r / 2 pc)^-2}",
                 "--set medium.density: medium.density.formula: the formula gives a value in cm^-2; expected a "
                 "number density (cm^-3)");
    expect_error(f, BASE, "medium.density={formula: x / r}",
                 "--set medium.density: medium.density.formula: the formula gives a plain number; expected a "
                 "number density (cm^-3)");
    expect_error(f, BASE, "medium.damping={formula: x}",
                 "--set medium.damping: medium.damping.formula: the formula gives a value in cm; expected a "
                 "plain number");
    expect_error(f, BASE, "medium.density={formula: 1 cm^-3 * sqrt(x / 1 pc)}",
                 "--set medium.density: medium.density.formula: the formula gives no finite number at the centre of "
                 "cell [0, 0, 0]");
    expect_error(f, BASE, "medium.density={formula: 1 cm^-3 * x / 1 pc}",
                 "--set medium.density: medium.density.formula: the value -0.75 of the formula at the centre "
                 "of cell [0, 0, 0] is negative");
    expect_error(f, BASE, "medium.velocity={formula: [1 km/s, 1 km/s]}",
                 "--set medium.velocity: medium.velocity.formula: expected 3 formulas, found 2");
    expect_error(f, BASE, "medium.density={formula: 1 cm^-3, dataset: rho}",
                 "--set medium.density: medium.density.dataset: unknown key; valid here: formula");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(boxes_have_the_values_at_cell_centres),
        RUN(three_formulas_are_a_vector),
        RUN(shells_use_the_middle_radius),
        RUN(refined_cells_have_their_own_centres),
        RUN(constants_stay_constants),
        RUN(many_cells_are_filled),
        RUN(mistakes_name_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
