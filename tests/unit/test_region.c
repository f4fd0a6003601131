/* Regions on a mesh: exact fractions for boxes, mass of spheres and shells, cell centres for intensive fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "model/field.h"
#include "model/region.h"

static struct mesh cube(lr_context *ctx, int n, double size)
{
    struct mesh mesh = {0};
    const int count[3] = {n, n, n};
    const double lower[3] = {-0.5 * size, -0.5 * size, -0.5 * size}, sizes[3] = {size, size, size};
    assert_int_equal(mesh_build_uniform(ctx, count, lower, sizes, &mesh), LR_OK);
    return mesh;
}

static double painted_mass(const struct region *region, int n, bool extensive)
{
    lr_context *ctx = lr_context_create();
    struct mesh mesh = cube(ctx, n, 2.0);
    struct field field = {0};
    assert_int_equal(field_expand(ctx, &field, mesh_cell_count(&mesh)), LR_OK);
    region_paint(region, &mesh, extensive, 1.0, field.values);
    double mass = field_measure(&field, &mesh).mean * 8.0;
    field_free(&field);
    mesh_free(&mesh);
    lr_context_free(ctx);
    return mass;
}

static void box_shares_are_exact(void **state)
{
    (void)state;
    const struct region box = {.kind = REGION_BOX, .low = {0.25, -1.0, 0.0}, .high = {2.0, 0.5, 1.0}};
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {1.0, 1.0, 1.0};
    assert_true(fabs(region_fraction(&box, low, high) - 0.75 * 0.5) < 1e-15);
    const double beside[3] = {-1.0, 0.0, 0.0}, until[3] = {0.25, 1.0, 1.0};
    assert_true(region_fraction(&box, beside, until) == 0.0);
}

static void unbounded_slab_has_exact_mass(void **state)
{
    (void)state;
    const struct region slab = {
        .kind = REGION_BOX, .low = {-INFINITY, -0.31, -INFINITY}, .high = {INFINITY, 0.17, INFINITY}};
    assert_true(fabs(painted_mass(&slab, 5, true) - 0.48 * 4.0) < 1e-14);
    /* Centres at -0.8 -0.4 0 0.4 0.8: one layer of thickness 0.4. */
    assert_true(fabs(painted_mass(&slab, 5, false) - 0.4 * 4.0) < 1e-14);
}

static void voxelised_sphere_keeps_its_mass(void **state)
{
    (void)state;
    const struct region sphere = {.kind = REGION_SHELL, .centre = {0.03, -0.01, 0.02}, .outer = 0.9};
    double volume = 4.0 / 3.0 * LR_PI * 0.9 * 0.9 * 0.9;
    assert_true(fabs(painted_mass(&sphere, 8, true) / volume - 1.0) < 2e-3);
    assert_true(fabs(painted_mass(&sphere, 32, true) / volume - 1.0) < 2e-4);
}

static void shell_is_a_sphere_with_a_hole(void **state)
{
    (void)state;
    const struct region shell = {.kind = REGION_SHELL, .inner = 0.5, .outer = 0.9};
    double volume = 4.0 / 3.0 * LR_PI * (0.9 * 0.9 * 0.9 - 0.5 * 0.5 * 0.5);
    assert_true(fabs(painted_mass(&shell, 16, true) / volume - 1.0) < 2e-3);
    assert_false(region_contains(&shell, (const double[]){0.0, 0.3, 0.0}));
    assert_true(region_contains(&shell, (const double[]){0.0, 0.6, 0.0}));
}

static void region_inside_one_cell_and_outside_the_mesh(void **state)
{
    (void)state;
    /* A ball inside the single cell of a 1 x 1 x 1 mesh: 8 x 8 x 8 points sample it to a few per cent. */
    const struct region ball = {.kind = REGION_SHELL, .outer = 0.7};
    double volume = 4.0 / 3.0 * LR_PI * 0.7 * 0.7 * 0.7;
    assert_true(fabs(painted_mass(&ball, 1, true) / volume - 1.0) < 0.15);
    const struct region away = {.kind = REGION_SHELL, .centre = {50.0, 0.0, 0.0}, .outer = 0.7};
    assert_true(painted_mass(&away, 4, true) == 0.0);
}

static void depth_follows_the_middle_rows(void **state)
{
    (void)state;
    double x[] = {0.0, 1.0, 4.0}, y[] = {0.0, 1.0, 2.0}, z[] = {0.0, 2.0, 3.0};
    const struct mesh mesh = {.n = {2, 2, 2}, .edge = {x, y, z}};
    /* values[i][j][k]; the centre of y touches both rows, the centre of z (1.5) is in k = 0. */
    double values[] = {1, 100, 3, 100, 5, 100, 7, 100};
    const struct field field = {.values = values};
    assert_true(fabs(field_depth(&field, &mesh, 0, false) - (2.0 * 1.0 + 6.0 * 3.0)) < 1e-12);
    assert_true(fabs(field_depth(&field, &mesh, 0, true) - 6.0 * 2.0) < 1e-12); /* from x = 2 to 4 */
    /* Along y: the centre of x (2) is in i = 1. */
    assert_true(fabs(field_depth(&field, &mesh, 1, false) - 12.0) < 1e-12);
    assert_true(fabs(field_depth(&field, &mesh, 1, true) - 7.0) < 1e-12);
    struct field_range range = field_measure(&field, &mesh);
    assert_true(range.low == 1.0 && range.high == 100.0);
    /* Volumes: x 1, 3; y 1, 1; z 2, 1. Sum of value times volume over 24. */
    assert_true(fabs(range.mean - (2 * 1 + 100 + 2 * 3 + 100 + 6 * 5 + 300 + 6 * 7 + 300) / 24.0) < 1e-12);
}

static void uniform_fields_are_stored_as_one_number(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct field field = {.constant = 2.5};
    assert_int_equal(field_expand(ctx, &field, 10), LR_OK);
    assert_true(field.values[9] == 2.5);
    field_scale(&field, 10, 2.0);
    field_compact(&field, 10);
    assert_null(field.values);
    assert_true(field.constant == 5.0 && !field_is_zero(&field, 10));
    assert_int_equal(field_expand(ctx, &field, 10), LR_OK);
    field.values[3] = 1.0;
    field_compact(&field, 10);
    assert_non_null(field.values);
    field_free(&field);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_shares_are_exact),
        cmocka_unit_test(unbounded_slab_has_exact_mass),
        cmocka_unit_test(voxelised_sphere_keeps_its_mass),
        cmocka_unit_test(shell_is_a_sphere_with_a_hole),
        cmocka_unit_test(region_inside_one_cell_and_outside_the_mesh),
        cmocka_unit_test(depth_follows_the_middle_rows),
        cmocka_unit_test(uniform_fields_are_stored_as_one_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
