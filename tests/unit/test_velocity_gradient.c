/* Velocity gradients of known flows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "solve/common/velocity_gradient.h"

enum { N = 4 };

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

/* Means of |n . G . n| over the sphere: 1 for G = 1; 1/3 along one axis; 2 / (3 pi) for shear; for a volume-preserving
 * stretch along z, n_z^2 - (1 - n_z^2) / 2, it is 2 / (3 sqrt(3)). */
static void means_over_the_sphere(void **state)
{
    (void)state;
    struct gradient_directions directions;
    gradient_directions_make(&directions);
    double expansion[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    near(velocity_gradient_mean(&directions, expansion), 1, 1e-13);
    double volume[3][3] = {{-0.5, 0, 0}, {0, -0.5, 0}, {0, 0, 1}};
    near(velocity_gradient_mean(&directions, volume), 2 / (3 * sqrt(3.0)), 0.015 * 0.385);
    for (int axis = 0; axis < 3; axis++) {
        double along[3][3] = {{0}}, shear[3][3] = {{0}}, turn[3][3] = {{0}};
        along[axis][axis] = -2;
        near(velocity_gradient_mean(&directions, along), 2.0 / 3, 1e-13);
        shear[axis][(axis + 1) % 3] = 1;
        near(velocity_gradient_mean(&directions, shear), 2 / (3 * LR_PI), 0.005 * 0.2122);
        turn[axis][(axis + 1) % 3] = 1;
        turn[(axis + 1) % 3][axis] = -1;
        near(velocity_gradient_mean(&directions, turn), 0, 1e-13);
    }
}

/* All or nothing; half for shear, for gas that turns or rests, and for a stretch that keeps its volume; in between for
 * gas that expands twice as fast along one axis as it contracts along another: the mean of 2 x^2 - y^2 is 1/3. */
static void where_gas_expands(void **state)
{
    (void)state;
    double rest[3][3] = {{0}}, expansion[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double contraction[3][3] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
           volume[3][3] = {{-0.5, 0, 0}, {0, -0.5, 0}, {0, 0, 1}};
    double shear[3][3] = {{0, 0, 3}, {0, 0, 0}, {0, 0, 0}}, mixed[3][3] = {{2, 0, 0}, {0, -1, 0}, {0, 0, 0}};
    struct gradient_directions directions;
    gradient_directions_make(&directions);
    near(velocity_gradient_expanding(1, expansion), 1, 1e-13);
    near(velocity_gradient_expanding(1, contraction), 0, 1e-13);
    near(velocity_gradient_expanding(2 / (3 * sqrt(3.0)), volume), 0.5, 1e-13);
    near(velocity_gradient_expanding(2 / LR_PI, shear), 0.5, 1e-13);
    near(velocity_gradient_expanding(0, rest), 0.5, 1e-13);
    const double mean = velocity_gradient_mean(&directions, mixed), share = velocity_gradient_expanding(mean, mixed);
    near((2 * share - 1) * mean, 1.0 / 3, 1e-13);
}

/* v_i = SUM_j G_ij x_j on a mesh of unequal cells: exact in all cells, also at the faces. */
static void linear_flow_on_any_mesh(void **state)
{
    (void)state;
    const double g[3][3] = {{1, 2, -3}, {0.5, -1, 4}, {2, 0, 7}};
    double edge[3][N + 1] = {{0, 1, 3, 4, 8}, {-1, 0, 1, 2, 3}, {0, 0.5, 1, 3, 9}};
    double v[3][N * N * N];
    lr_model model = {.mesh = {.n = {N, N, N}, .edge = {edge[0], edge[1], edge[2]}}};
    for (int i = 0; i < 3; i++)
        model.medium.velocity[i].values = v[i];
    for (int cell = 0; cell < N * N * N; cell++) {
        const int at[3] = {cell / N / N, cell / N % N, cell % N};
        for (int i = 0; i < 3; i++) {
            v[i][cell] = 0;
            for (int j = 0; j < 3; j++)
                v[i][cell] += g[i][j] * 0.5 * (edge[j][at[j]] + edge[j][at[j] + 1]);
        }
    }
    for (int cell = 0; cell < N * N * N; cell++) {
        const int at[3] = {cell / N / N, cell / N % N, cell % N};
        double gradient[3][3];
        velocity_gradient_tensor(&model, at, gradient);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                near(gradient[i][j], g[i][j], 1e-12);
    }
}

static void periodic_neighbours_and_single_cells(void **state)
{
    (void)state;
    double x[N + 1] = {0, 1, 2, 3, 4}, y[2] = {0, 1}, v[N] = {0, 1, 0, -1}, gradient[3][3];
    lr_model model = {.mesh = {.n = {N, 1, 1},
                               .edge = {x, y, y},
                               .face = {FACE_PERIODIC, FACE_PERIODIC, FACE_OPEN, FACE_OPEN, FACE_OPEN, FACE_OPEN}}};
    model.medium.velocity[1].values = v;
    velocity_gradient_tensor(&model, (const int[3]){0, 0, 0}, gradient);
    near(gradient[1][0], 1, 1e-14);
    near(gradient[1][1], 0, 0);
    velocity_gradient_tensor(&model, (const int[3]){3, 0, 0}, gradient);
    near(gradient[1][0], 0, 1e-14);
}

static void shells_that_expand(void **state)
{
    (void)state;
    double r[N + 1] = {1, 2, 4, 7, 9}, v[N], gradient[3][3];
    struct gradient_directions directions;
    gradient_directions_make(&directions);
    lr_model model = {.mesh = {.kind = MESH_SHELLS, .n = {N, 1, 1}, .edge = {r}}};
    model.medium.velocity[0].values = v;
    for (int i = 0; i < N; i++)
        v[i] = 5 * 0.5 * (r[i] + r[i + 1]);
    for (int i = 0; i < N; i++) {
        velocity_gradient_tensor(&model, (const int[3]){i, 0, 0}, gradient);
        near(velocity_gradient_mean(&directions, gradient), 5, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_over_the_sphere),   cmocka_unit_test(where_gas_expands),
        cmocka_unit_test(linear_flow_on_any_mesh), cmocka_unit_test(periodic_neighbours_and_single_cells),
        cmocka_unit_test(shells_that_expand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
