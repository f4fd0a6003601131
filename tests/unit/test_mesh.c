/* Meshes: uniform edges, finding cells, volumes and face areas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "mesh/mesh.h"

static void uniform_mesh_has_exact_ends_and_equal_cells(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct mesh mesh = {0};
    const int n[3] = {3, 1, 2};
    const double lower[3] = {-1.0, 5.0, 0.0}, size[3] = {2.0, 1.0, 0.3};
    assert_int_equal(mesh_build_uniform(ctx, n, lower, size, &mesh), LR_OK);
    assert_int_equal(mesh_cell_count(&mesh), 6);
    assert_true(mesh.edge[0][0] == -1.0 && mesh.edge[0][3] == 1.0 && mesh.edge[2][2] == 0.3);
    assert_true(fabs(mesh.edge[0][1] + 1.0 / 3.0) < 1e-15);
    assert_true(fabs(mesh_cell_volume(&mesh, 2, 0, 1) - 0.1) < 1e-15);
    assert_true(mesh_centre(&mesh, 1) == 5.5);
    assert_true(fabs(mesh_face_area(&mesh, 0) - 0.3) < 1e-15); /* x-: y size times z size */
    assert_true(fabs(mesh_face_area(&mesh, 3) - 0.6) < 1e-15); /* y+ */
    assert_true(fabs(mesh_face_area(&mesh, 4) - 2.0) < 1e-15); /* z- */
    assert_int_equal(mesh_find_disorder(&mesh, 0), -1);
    mesh_free(&mesh);
    lr_context_free(ctx);
}

static void cells_are_found_and_faces_belong_to_the_cell_above(void **state)
{
    (void)state;
    double x[] = {0.0, 1.0, 10.0, 100.0}, y[] = {0.0, 1.0}, z[] = {0.0, 2.0, 2.0};
    const struct mesh mesh = {.n = {3, 1, 2}, .edge = {x, y, z}};
    assert_int_equal(mesh_find_cell(&mesh, 0, -5.0), 0);
    assert_int_equal(mesh_find_cell(&mesh, 0, 0.0), 0);
    assert_int_equal(mesh_find_cell(&mesh, 0, 0.99), 0);
    assert_int_equal(mesh_find_cell(&mesh, 0, 1.0), 1);
    assert_int_equal(mesh_find_cell(&mesh, 0, 50.0), 2);
    assert_int_equal(mesh_find_cell(&mesh, 0, 100.0), 2);
    assert_int_equal(mesh_find_cell(&mesh, 0, INFINITY), 2);
    assert_int_equal(mesh_find_disorder(&mesh, 2), 1);
    assert_true(mesh_contains(&mesh, (const double[]){100.0, 0.0, 2.0}));
    assert_false(mesh_contains(&mesh, (const double[]){100.1, 0.0, 2.0}));
    assert_false(mesh_contains(&mesh, (const double[]){NAN, 0.0, 2.0}));
}

static void shells_have_their_volumes_and_one_face(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    lr_context *ctx = lr_context_create();
    struct mesh mesh = {0}, copy = {0};
    assert_int_equal(mesh_build_shells(ctx, 3, 1.0, 8.0, true, &mesh), LR_OK);
    assert_int_equal(mesh_cell_count(&mesh), 3);
    assert_true(mesh.edge[0][0] == 1.0 && mesh.edge[0][3] == 8.0 && fabs(mesh.edge[0][1] - 2.0) < 1e-14);
    assert_true(fabs(mesh_cell_volume(&mesh, 1, 0, 0) / (4.0 / 3.0 * pi * (64.0 - 8.0)) - 1.0) < 1e-14);
    assert_true(fabs(mesh_volume(&mesh) / (4.0 / 3.0 * pi * 511.0) - 1.0) < 1e-14);
    assert_true(fabs(mesh_face_area(&mesh, 1) / (4.0 * pi * 64.0) - 1.0) < 1e-14);
    assert_true(mesh_face_area(&mesh, 0) == 0.0 && mesh_face_area(&mesh, 5) == 0.0);
    assert_true(mesh_size(&mesh, 2) == 16.0 && mesh_centre(&mesh, 1) == 0.0 && mesh_lower(&mesh, 0) == -8.0);
    assert_int_equal(mesh_cell_at(&mesh, (const double[]){0.0, 0.0, -3.0}), 1);
    assert_int_equal(mesh_cell_at(&mesh, (const double[]){0.0, 0.0, 0.0}), 0);
    assert_true(mesh_contains(&mesh, (const double[]){0.0, 0.0, 0.5})); /* the cavity */
    assert_false(mesh_contains(&mesh, (const double[]){5.0, 5.0, 5.0}));
    assert_int_equal(mesh_copy(ctx, &mesh, &copy), LR_OK);
    assert_true(copy.kind == MESH_SHELLS && copy.n[1] == 1 && copy.edge[0][3] == 8.0 && !copy.edge[1]);
    mesh_free(&mesh);
    mesh_free(&copy);
    assert_int_equal(mesh_build_shells(ctx, 4, 0.0, 1.0, false, &mesh), LR_OK);
    assert_true(mesh.edge[0][0] == 0.0 && mesh.edge[0][1] == 0.25 && mesh.edge[0][4] == 1.0);
    mesh_free(&mesh);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_mesh_has_exact_ends_and_equal_cells),
        cmocka_unit_test(shells_have_their_volumes_and_one_face),
        cmocka_unit_test(cells_are_found_and_faces_belong_to_the_cell_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
