/* variants: mixed double */
/* Slopes inside cells: exact for linear fields on any mesh, none at extremes, nothing from empty neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "kernel/slope.h"

enum { N = 4, N_CELL = N * N * N };

static const real width_x[N] = {R(1), R(1), R(1), R(1)};
static const real width_y[N] = {R(0.5), R(1), R(2), R(1)};
static const real width_z[N] = {R(1), R(0.25), R(0.25), R(3)};

static struct mesh_view make_mesh(int rule)
{
    struct mesh_view mesh = {.n = {N, N, N}, .width = {width_x, width_y, width_z}};
    for (int face = 0; face < 6; face++)
        mesh.face[face] = rule;
    return mesh;
}

static double middle(const real *width, int i)
{
    double x = 0.5 * (double)width[i];
    for (int k = 0; k < i; k++)
        x += (double)width[k];
    return x;
}

static int index_of(int i, int j, int k)
{
    return (i * N + j) * N + k;
}

/* v = (x + 2 y, 0, -3 z + x), S = 50 + x - y + 2 z */
static void fill(struct trace_cell *cells)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                const double x = middle(width_x, i);
                const double y = middle(width_y, j);
                const double z = middle(width_z, k);
                struct trace_cell *cell = &cells[index_of(i, j, k)];
                *cell = (struct trace_cell){.alpha0 = R(2), .b = R(1)};
                cell->velocity.x = (real)(x + 2 * y);
                cell->velocity.z = (real)(x - 3 * z);
                cell->line_source = (real)(2 * (50 + x - y + 2 * z));
            }
}

static void assert_near(real value, double expected)
{
    assert_true(fabs((double)value - expected) < 200 * (double)R_EPSILON * (1 + fabs(expected)));
}

static void test_linear_fields_are_exact_everywhere(void **state)
{
    (void)state;
    static struct trace_cell cells[N_CELL];
    const struct mesh_view mesh = make_mesh(FACE_OPEN);
    fill(cells);
    for (int cell = 0; cell < N_CELL; cell++) {
        const int at[3] = {cell / (N * N), cell / N % N, cell % N};
        const struct slope_view slope = cell_slopes(&mesh, cells, at, vec3_make(R(0.6), R(0), R(0.8)));
        const double s = (double)cells[cell].line_source / 2;
        assert_near(slope.velocity.x, 0.6 + 0.8);
        assert_near(slope.velocity.y, 1.2);
        assert_near(slope.velocity.z, -2.4);
        assert_near(slope.source.x * (real)s, 1);
        assert_near(slope.source.y * (real)s, -1);
        assert_near(slope.source.z * (real)s, 2);
    }
}

static void test_extremes_have_no_slope(void **state)
{
    (void)state;
    static struct trace_cell cells[N_CELL];
    const struct mesh_view mesh = make_mesh(FACE_OPEN);
    fill(cells);
    cells[index_of(1, 1, 1)].velocity.x = R(100);
    const struct slope_view slope = cell_slopes(&mesh, cells, (const int[]){1, 1, 1}, vec3_make(R(1), R(0), R(0)));
    assert_true(slope.velocity.x == 0 && slope.velocity.y == 0 && slope.velocity.z == 0);
}

/* A cell in empty surroundings keeps its own velocity; next to one empty cell it takes the slope on the other side. */
static void test_empty_cells_say_nothing(void **state)
{
    (void)state;
    static struct trace_cell cells[N_CELL];
    const struct mesh_view mesh = make_mesh(FACE_OPEN);
    fill(cells);
    cells[index_of(0, 1, 1)].alpha0 = cells[index_of(0, 1, 1)].line_source = R(0);
    cells[index_of(0, 1, 1)].velocity.x = R(1000);
    struct slope_view slope = cell_slopes(&mesh, cells, (const int[]){1, 1, 1}, vec3_make(R(1), R(0), R(0)));
    assert_near(slope.velocity.x, 1);
    cells[index_of(2, 1, 1)].alpha0 = cells[index_of(2, 1, 1)].line_source = R(0);
    slope = cell_slopes(&mesh, cells, (const int[]){1, 1, 1}, vec3_make(R(1), R(0), R(0)));
    assert_true(slope.velocity.x == 0 && slope.source.x == 0);
}

/* S decreases steeply toward one corner of the mesh along all axes: it is positive at every corner of every cell, and
 * the mean over the corners, like that over the cell, is S. */
static void test_source_function_stays_positive(void **state)
{
    (void)state;
    static struct trace_cell cells[N_CELL];
    const struct mesh_view mesh = make_mesh(FACE_OPEN);
    int bounded = 0;
    fill(cells);
    for (int cell = 0; cell < N_CELL; cell++)
        cells[cell].line_source = (real)exp(-3.0 * (cell / (N * N) + cell / N % N + cell % N));
    for (int cell = 0; cell < N_CELL; cell++) {
        const int at[3] = {cell / (N * N), cell / N % N, cell % N};
        const struct slope_view slope = cell_slopes(&mesh, cells, at, vec3_make(R(1), R(0), R(0)));
        double mean = 0;
        double least = 1;
        for (int corner = 0; corner < 8; corner++) {
            const struct vec3 half = walk_extent(&mesh, at);
            const struct vec3 from_middle =
                vec3_make(corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y, corner & 4 ? half.z : -half.z);
            const double s = 1 + (double)vec3_dot(slope.source, from_middle);
            mean += s / 8;
            least = fmin(least, s);
        }
        assert_true(least >= 0);
        assert_true(slope.source.x < 0 && slope.source.y < 0 && slope.source.z < 0);
        assert_near((real)mean, 1);
        bounded += least < 1e-3;
    }
    assert_true(bounded > N_CELL / 2);
}

/* Beyond a periodic face is the other end; a mesh of one cell has no neighbours. */
static void test_periodic_faces_have_neighbours(void **state)
{
    (void)state;
    const struct mesh_view mesh = make_mesh(FACE_PERIODIC);
    const struct neighbour below = walk_neighbour(&mesh, (const int[]){2, 0, 1}, 1, 0, 0);
    assert_int_equal(below.cell, index_of(2, 3, 1));
    assert_near(below.offset[1], -0.75);
    assert_true(below.offset[0] == 0 && below.offset[2] == 0);
    struct mesh_view single = mesh;
    single.n[0] = single.n[1] = single.n[2] = 1;
    assert_int_equal(walk_neighbour(&single, (const int[]){0, 0, 0}, 0, 1, 0).cell, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_fields_are_exact_everywhere),
        cmocka_unit_test(test_extremes_have_no_slope),
        cmocka_unit_test(test_empty_cells_say_nothing),
        cmocka_unit_test(test_source_function_stays_positive),
        cmocka_unit_test(test_periodic_faces_have_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
