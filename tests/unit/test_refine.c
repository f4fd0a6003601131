/* Refined meshes made by a rule, and what depends on neighbouring cells: neighbours, columns, regions, velocity
 * gradients. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/constants.h"
#include "base/context.h"
#include "mesh/amr.h"
#include "mesh/column.h"
#include "mesh/neighbour.h"
#include "mesh/refine.h"
#include "model/field.h"
#include "model/region.h"
#include "solve/common/velocity_gradient.h"

static const int CELLS[3] = {4, 6, 4};
static const double LOWER[3] = {-1, 2, 0}, SIZE[3] = {2, 3, 8};

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g instead of %.17g", value, expected);
}

/* Down to level 3 around one corner point, so that levels 0 and 2, and 1 and 3, are neighbours somewhere. */
static int around_a_point(const void *user, const double low[3], const double high[3])
{
    const double *point = user;
    for (int axis = 0; axis < 3; axis++)
        if (!(low[axis] <= point[axis] && point[axis] <= high[axis]))
            return 0;
    return 3;
}

static int everywhere(const void *user, const double low[3], const double high[3])
{
    (void)low;
    (void)high;
    return *(const int *)user;
}

static struct mesh make(lr_context *ctx, int brick)
{
    const double point[3] = {0.26, 3.1, 1.7};
    struct mesh mesh = {0};
    assert_int_equal(mesh_build_refined(ctx, CELLS, brick, LOWER, SIZE, around_a_point, point, &mesh), LR_OK);
    return mesh;
}

/* Dividing one brick adds seven: 1 + 7 x 3 at the position of the point. */
static void bricks_are_divided_where_the_rule_wants(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    for (int brick = 1; brick <= 2; brick++) {
        struct mesh mesh = make(ctx, brick);
        const int n_root = 4 * 6 * 4 / (brick * brick * brick);
        assert_int_equal(mesh.kind, MESH_AMR);
        assert_int_equal(mesh.tree.n_brick, n_root + 3 * 7);
        assert_int_equal(mesh.tree.deepest, 3);
        assert_int_equal(mesh_cell_count(&mesh), (n_root + 21) * brick * brick * brick);
        double low[3], high[3];
        int at[3];
        mesh_find_point(&mesh, (const double[3]){0.26, 3.1, 1.7}, at);
        mesh_cell_box(&mesh, at[0], at[1], at[2], low, high);
        for (int axis = 0; axis < 3; axis++)
            assert_near(high[axis] - low[axis], SIZE[axis] / CELLS[axis] / 8, 1e-14);
        mesh_free(&mesh);
    }
    lr_context_free(ctx);
}

static void too_many_cells_are_refused(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct mesh mesh = {0};
    const int cells[3] = {64, 64, 64};
    const int levels = 5;
    /* 2^18 cells in bricks of 32^3, each with 8^5 parts: 2^33 cells */
    assert_int_equal(mesh_build_refined(ctx, cells, 32, LOWER, SIZE, everywhere, &levels, &mesh), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(ctx), "more than 65535 bricks of 32768 cells"));
    assert_int_equal(mesh_build_refined(ctx, CELLS, 4, LOWER, SIZE, everywhere, &levels, &mesh), LR_ERROR_INPUT);
    assert_non_null(strstr(lr_last_error(ctx), "6 cells along y are not a whole number of bricks of 4"));
    mesh_free(&mesh);
    lr_context_free(ctx);
}

/* Neighbours beyond a face touch and overlap it; beyond an open face of the mesh there are none. */
static void neighbours_touch(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct mesh mesh = make(ctx, 2);
    mesh.face[2] = mesh.face[3] = FACE_PERIODIC;
    for (int64_t cell = 0; cell < mesh_cell_count(&mesh); cell++) {
        int at[3];
        double low[3], high[3];
        mesh_cell_place(&mesh, cell, at);
        mesh_cell_box(&mesh, at[0], at[1], at[2], low, high);
        for (int face = 0; face < N_FACE; face++) {
            const int axis = face / 2, side = face % 2 ? 1 : -1;
            const double here = side > 0 ? high[axis] : low[axis];
            int64_t other[MESH_MOST_NEIGHBOURS];
            double centre[MESH_MOST_NEIGHBOURS][3];
            const int n = mesh_neighbours(&mesh, at, axis, side, other, centre);
            const double end = side > 0 ? mesh_upper(&mesh, axis) : mesh_lower(&mesh, axis);
            const bool border = fabs(here - end) < 1e-12;
            assert_int_equal(n, border && axis != 1 ? 0 : 4);
            for (int k = 0; k < n; k++) {
                int there[3];
                double from[3], to[3];
                mesh_cell_place(&mesh, other[k], there);
                mesh_cell_box(&mesh, there[0], there[1], there[2], from, to);
                const double shift = border ? side * SIZE[axis] : 0;
                assert_near((side > 0 ? from[axis] : to[axis]) + shift, here, 1e-12);
                assert_near(centre[k][axis], 0.5 * (from[axis] + to[axis]) + shift, 1e-12);
                for (int d = 0; d < 3; d++)
                    if (d != axis)
                        assert_true(from[d] < high[d] && to[d] > low[d]);
            }
        }
    }
    mesh_free(&mesh);
    lr_context_free(ctx);
}

static double value_of(const void *user, int64_t cell)
{
    return ((const double *)user)[cell];
}

/* Against lines through the centres of all positions of the finest level. */
static void columns_are_those_of_lines(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    for (int brick = 1; brick <= 2; brick++) {
        struct mesh mesh = make(ctx, brick);
        const int64_t n = mesh_cell_count(&mesh);
        double *value = calloc((size_t)n, sizeof *value);
        for (int64_t cell = 0; cell < n; cell++)
            value[cell] = (double)((cell * 7919) % 101) + 1;
        for (int axis = 0; axis < 3; axis++) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            const int n_u = 8 * CELLS[u], n_v = 8 * CELLS[v], n_s = 8 * CELLS[axis];
            double largest = 0;
            for (int i = 0; i < n_u * n_v; i++) {
                double point[3], sum = 0;
                point[u] = LOWER[u] + SIZE[u] * (i / n_v + 0.5) / n_u;
                point[v] = LOWER[v] + SIZE[v] * (i % n_v + 0.5) / n_v;
                for (int s = 0; s < n_s; s++) {
                    point[axis] = LOWER[axis] + SIZE[axis] * (s + 0.5) / n_s;
                    sum += value[mesh_cell_at(&mesh, point)] * SIZE[axis] / n_s;
                }
                point[axis] = LOWER[axis];
                assert_near(column_integral(&mesh, axis, point, value_of, value), sum, 1e-11 * sum);
                largest = fmax(largest, sum);
            }
            assert_near(column_largest(&mesh, axis, value_of, value), largest, 1e-11 * largest);
        }
        free(value);
        mesh_free(&mesh);
    }
    lr_context_free(ctx);
}

/* Lines that begin anywhere inside cells, and on their faces: the rest of the first cell counts. */
static void columns_begin_inside_cells(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct mesh mesh = make(ctx, 1);
    const int64_t n = mesh_cell_count(&mesh);
    double *value = calloc((size_t)n, sizeof *value);
    for (int64_t cell = 0; cell < n; cell++)
        value[cell] = (double)((cell * 7919) % 101) + 1;
    for (int axis = 0; axis < 3; axis++) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3, n_s = 8 * CELLS[axis], parts = 4;
        double point[3], behind = 0;
        point[u] = u == 0 ? 0.26 : u == 1 ? 3.1 : 1.7; /* through the finest cells */
        point[v] = v == 0 ? 0.26 : v == 1 ? 3.1 : 1.7;
        for (int s = parts * n_s - 1; s >= 0; s--) { /* quarters of the finest cells, from behind */
            const double step = SIZE[axis] / (parts * n_s);
            point[axis] = LOWER[axis] + step * (s + 0.5);
            const double here = value[mesh_cell_at(&mesh, point)];
            assert_near(column_integral(&mesh, axis, point, value_of, value), behind + 0.5 * step * here, 1e-10);
            behind += step * here;
            point[axis] = LOWER[axis] + step * s;
            assert_near(column_integral(&mesh, axis, point, value_of, value), behind, 1e-10);
        }
    }
    free(value);
    mesh_free(&mesh);
    lr_context_free(ctx);
}

/* Three cells of 1, 2, 3 per length 1, and the centre in the middle of the second: 2 / 2 + 3. */
static void depth_from_a_centre_inside_a_cell(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    const int cells[3] = {3, 3, 3}, levels = 0;
    const double lower[3] = {0, 0, 0}, size[3] = {3, 3, 3};
    struct mesh mesh = {0};
    struct field field = {0};
    assert_int_equal(mesh_build_refined(ctx, cells, 1, lower, size, everywhere, &levels, &mesh), LR_OK);
    assert_int_equal(field_expand(ctx, &field, mesh_cell_count(&mesh)), LR_OK);
    for (int axis = 0; axis < 3; axis++) {
        for (int64_t cell = 0; cell < mesh_cell_count(&mesh); cell++) {
            int at[3];
            double centre[3];
            mesh_cell_place(&mesh, cell, at);
            mesh_cell_centre(&mesh, at, centre);
            field.values[cell] = centre[axis] + 0.5;
        }
        assert_near(field_depth(&field, &mesh, axis, true), 4, 1e-12);
        assert_near(field_depth(&field, &mesh, axis, false), 6, 1e-12);
    }
    field_free(&field);
    mesh_free(&mesh);
    lr_context_free(ctx);
}

/* Depths through the centre, which is on a border of cells along all axes: the mean of the four sides. */
static void depths_through_the_centre(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct mesh mesh = make(ctx, 1);
    struct field field = {0};
    const int64_t n = mesh_cell_count(&mesh);
    assert_int_equal(field_expand(ctx, &field, n), LR_OK);
    for (int64_t cell = 0; cell < n; cell++) {
        int at[3];
        double centre[3];
        mesh_cell_place(&mesh, cell, at);
        mesh_cell_centre(&mesh, at, centre);
        field.values[cell] = (centre[0] > 0 ? 1 : 3) * (centre[1] > 3.5 ? 1 : 5) * (centre[2] > 4 ? 1 : 7);
    }
    assert_near(field_depth(&field, &mesh, 0, true), 1.0 * 3 * 4, 1e-12);
    assert_near(field_depth(&field, &mesh, 0, false), (1.0 + 3.0) * 3 * 4, 1e-12);
    assert_near(field_depth(&field, &mesh, 1, true), 1.5 * 2 * 4, 1e-12);
    assert_near(field_depth(&field, &mesh, 2, false), (4.0 + 28.0) * 2 * 3, 1e-12);
    assert_near(field_largest_depth(&field, &mesh, 0), (1.0 + 3.0) * 35, 1e-12);
    field_free(&field);
    mesh_free(&mesh);
    lr_context_free(ctx);
}

/* A sphere of density 1 has its volume, and a box its own exactly. */
static void painted_regions_keep_their_mass(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct mesh mesh = make(ctx, 2);
    const struct region sphere = {.kind = REGION_SHELL, .centre = {0.1, 3.2, 2.2}, .outer = 0.8};
    const struct region box = {.kind = REGION_BOX, .low = {-0.3, 2.1, 1}, .high = {0.4, 4.3, 2}};
    const double volume[2] = {4.0 / 3 * LR_PI * 0.512, 0.7 * 2.2};
    for (int k = 0; k < 2; k++) {
        struct field field = {0};
        assert_int_equal(field_expand(ctx, &field, mesh_cell_count(&mesh)), LR_OK);
        region_paint(k ? &box : &sphere, &mesh, true, 1.0, field.values);
        assert_near(field_measure(&field, &mesh).mean * 48 / volume[k], 1, k ? 1e-13 : 0.005);
        field_free(&field);
    }
    mesh_free(&mesh);
    lr_context_free(ctx);
}

/* An overlap missed by 8 x 8 x 8 points is still an overlap. */
static void slivers_overlap(void **state)
{
    (void)state;
    const double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
    const struct region ball = {.kind = REGION_SHELL, .centre = {1.3, 0.5, 0.5}, .outer = 0.301};
    const struct region apart = {.kind = REGION_SHELL, .centre = {1.3, 0.5, 0.5}, .outer = 0.299};
    const struct region hole = {.kind = REGION_SHELL, .centre = {0.5, 0.5, 0.5}, .inner = 0.867, .outer = 2};
    const struct region shell = {.kind = REGION_SHELL, .centre = {0.5, 0.5, 0.5}, .inner = 0.865, .outer = 2};
    assert_true(region_fraction(&ball, low, high) == 0.0);
    assert_true(region_overlaps(&ball, low, high));
    assert_false(region_overlaps(&apart, low, high));
    assert_false(region_overlaps(&hole, low, high));
    assert_true(region_overlaps(&shell, low, high));
}

/* v = G x: exact everywhere, with neighbours of any level and at the faces of the mesh. */
static void linear_flows_have_their_gradient(void **state)
{
    (void)state;
    const double g[3][3] = {{1, 2, -3}, {0.5, -1, 4}, {2, 0, 7}};
    lr_context *ctx = lr_context_create();
    for (int brick = 1; brick <= 2; brick++) {
        lr_model model = {.mesh = make(ctx, brick)};
        const int64_t n = mesh_cell_count(&model.mesh);
        for (int i = 0; i < 3; i++)
            assert_int_equal(field_expand(ctx, &model.medium.velocity[i], n), LR_OK);
        for (int64_t cell = 0; cell < n; cell++) {
            int at[3];
            double x[3];
            mesh_cell_place(&model.mesh, cell, at);
            mesh_cell_centre(&model.mesh, at, x);
            for (int i = 0; i < 3; i++)
                model.medium.velocity[i].values[cell] = g[i][0] * x[0] + g[i][1] * x[1] + g[i][2] * x[2];
        }
        for (int64_t cell = 0; cell < n; cell++) {
            int at[3];
            double gradient[3][3];
            mesh_cell_place(&model.mesh, cell, at);
            velocity_gradient_tensor(&model, at, gradient);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    assert_near(gradient[i][j], g[i][j], 1e-11);
        }
        for (int i = 0; i < 3; i++)
            field_free(&model.medium.velocity[i]);
        mesh_free(&model.mesh);
    }
    lr_context_free(ctx);
}

static void cells_have_names_and_fields_a_shape(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct mesh mesh = make(ctx, 2);
    int shape[MESH_MAX_RANK];
    char text[64];
    assert_int_equal(mesh_field_shape(&mesh, shape), 4);
    assert_int_equal(shape[0], 12 + 21);
    assert_int_equal(shape[1] * 100 + shape[2] * 10 + shape[3], 222);
    mesh_name_cell(&mesh, 3 * 8 + 6, text, sizeof text);
    assert_string_equal(text, "[3, 1, 1, 0]");
    mesh_free(&mesh);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bricks_are_divided_where_the_rule_wants),
                                       cmocka_unit_test(too_many_cells_are_refused),
                                       cmocka_unit_test(neighbours_touch),
                                       cmocka_unit_test(columns_are_those_of_lines),
                                       cmocka_unit_test(columns_begin_inside_cells),
                                       cmocka_unit_test(depth_from_a_centre_inside_a_cell),
                                       cmocka_unit_test(depths_through_the_centre),
                                       cmocka_unit_test(painted_regions_keep_their_mass),
                                       cmocka_unit_test(slivers_overlap),
                                       cmocka_unit_test(linear_flows_have_their_gradient),
                                       cmocka_unit_test(cells_have_names_and_fields_a_shape)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
