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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_mesh_has_exact_ends_and_equal_cells),
        cmocka_unit_test(cells_are_found_and_faces_belong_to_the_cell_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
