/* Sets of rays for level populations: weights of directions sum to one and are spread evenly, the rays of a direction
 * represent the cross-section of the mesh and the volume of every cell, and rings of shells have no gaps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/constants.h"
#include "base/context.h"
#include "mesh/refine.h"
#include "solve/levels/level_rays.h"

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

static struct mesh box(lr_context *ctx, int nx, int ny, int nz, const double size[3])
{
    struct mesh mesh = {.kind = MESH_CARTESIAN};
    const int n[3] = {nx, ny, nz};
    const double lower[3] = {0, 0, 0};
    assert_int_equal(mesh_build_uniform(ctx, n, lower, size, &mesh), LR_OK);
    return mesh;
}

/* Length of a line inside the box from low to high. */
static double chord(const struct level_ray *ray, const double n[3], const double low[3], const double high[3])
{
    double first = -HUGE_VAL, last = HUGE_VAL;
    for (int axis = 0; axis < 3; axis++) {
        const double a = (low[axis] - ray->point[axis]) / n[axis], b = (high[axis] - ray->point[axis]) / n[axis];
        first = fmax(first, fmin(a, b));
        last = fmin(last, fmax(a, b));
    }
    return fmax(last - first, 0);
}

static void check_directions(const struct level_rays *rays)
{
    double sum = 0, mean[3] = {0}, square[3] = {0};
    for (int d = 0; d < rays->n_direction; d++) {
        sum += rays->weight[d];
        double norm = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double n = rays->direction[d][axis];
            mean[axis] += rays->weight[d] * n;
            square[axis] += rays->weight[d] * n * n;
            norm += n * n;
        }
        near(norm, 1, 1e-12);
    }
    near(sum, 1, 1e-12);
    for (int axis = 0; axis < 3; axis++) {
        near(mean[axis], 0, 0.02);
        near(square[axis], 1.0 / 3, 0.02);
    }
}

/* Projected area of a box along n: SUM |n_i| A_i. */
static double shadow(const double n[3], const double size[3])
{
    return fabs(n[0]) * size[1] * size[2] + fabs(n[1]) * size[0] * size[2] + fabs(n[2]) * size[0] * size[1];
}

/* Areas of the rays that cross the box against its projected area, areas times lengths against its volume: exact on
 * average. */
static void check_areas(const struct level_rays *rays, const double size[3], double of_area, double of_volume)
{
    const double zero[3] = {0, 0, 0};
    double area = 0, expected = 0, volume = 0;
    for (int d = 0; d < rays->n_direction; d++) {
        expected += shadow(rays->direction[d], size);
        for (int64_t r = rays->first[d]; r < rays->first[d + 1]; r++) {
            const double length = chord(&rays->ray[r], rays->direction[d], zero, size);
            assert_true(length > 0);
            area += rays->ray[r].area;
            volume += rays->ray[r].area * length;
        }
    }
    near(area / expected, 1, of_area);
    near(volume / rays->n_direction / (size[0] * size[1] * size[2]), 1, of_volume);
}

static void grid_of_rays(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    const double size[3] = {2, 3, 1};
    struct mesh mesh = box(ctx, 8, 12, 5, size);
    struct ray_set set;
    assert_false(ray_set_is_fixed(&mesh));
    assert_int_equal(ray_set_make(ctx, &mesh, 1, 64, 5, &set), LR_OK);
    check_directions(&set.rays);
    check_areas(&set.rays, size, 0.005, 0.005);
    /* ranks that follow neighbouring directions at the same time end together */
    for (int d = 1; d < set.rays.n_direction; d++)
        assert_true(shadow(set.rays.direction[d], size) >= shadow(set.rays.direction[d - 1], size));
    /* every cell is crossed in every direction */
    for (int d = 0; d < set.rays.n_direction; d += 7)
        for (int cell = 0; cell < 8 * 12 * 5; cell += 17) {
            const int at[3] = {cell / 60, cell / 5 % 12, cell % 5};
            double low[3], high[3], found = 0;
            for (int axis = 0; axis < 3; axis++) {
                low[axis] = mesh.edge[axis][at[axis]];
                high[axis] = mesh.edge[axis][at[axis] + 1];
            }
            for (int64_t r = set.rays.first[d]; r < set.rays.first[d + 1]; r++)
                found += chord(&set.rays.ray[r], set.rays.direction[d], low, high);
            assert_true(found > 0);
        }
    ray_set_free(&set);
    mesh_free(&mesh);
    lr_context_free(ctx);
}

/* Cells that differ by a factor of 1000 in width: rays through random points of random cells. */
static void proposed_rays(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    const double size[3] = {2, 2, 2};
    struct mesh mesh = box(ctx, 16, 16, 16, size);
    struct ray_set set;
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i <= 8; i++) {
            const double r = i == 0 ? 0 : pow(10, (i - 8) * 3.0 / 7);
            mesh.edge[axis][8 + i] = 1 + r;
            mesh.edge[axis][8 - i] = 1 - r;
        }
    assert_int_equal(ray_set_make(ctx, &mesh, 1, 64, 9, &set), LR_OK);
    check_directions(&set.rays);
    /* 64 x 4096 x 0.15 rays; a few that cut off corners represent large areas, but short paths */
    check_areas(&set.rays, size, 0.1, 0.02);
    /* the small cells in the middle, a thousandth of the width each, are crossed too */
    double met = 0;
    const double low[3] = {1 - 1e-3, 1 - 1e-3, 1 - 1e-3}, high[3] = {1 + 1e-3, 1 + 1e-3, 1 + 1e-3};
    for (int d = 0; d < set.rays.n_direction; d++)
        for (int64_t r = set.rays.first[d]; r < set.rays.first[d + 1]; r++)
            met += set.rays.ray[r].area * chord(&set.rays.ray[r], set.rays.direction[d], low, high);
    near(met / set.rays.n_direction / 8e-9, 1, 0.3);
    ray_set_free(&set);
    mesh_free(&mesh);
    lr_context_free(ctx);
}

static int toward_the_centre(const void *user, const double low[3], const double high[3])
{
    (void)user;
    for (int axis = 0; axis < 3; axis++)
        if (!(low[axis] < 1.1 && high[axis] > 0.9))
            return 0;
    return 4;
}

/* The same for cells of many sizes in an octree. */
static void proposed_rays_of_a_refined_mesh(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    const double size[3] = {2, 2, 2}, lower[3] = {0, 0, 0};
    const int cells[3] = {8, 8, 8};
    for (int brick = 1; brick <= 2; brick++) {
        struct mesh mesh = {0};
        struct ray_set set;
        assert_int_equal(mesh_build_refined(ctx, cells, brick, lower, size, toward_the_centre, NULL, &mesh), LR_OK);
        assert_int_equal(ray_set_make(ctx, &mesh, 1, 256, 9, &set), LR_OK);
        check_directions(&set.rays);
        check_areas(&set.rays, size, 0.1, 0.02);
        double met = 0;
        const double low[3] = {0.9, 0.9, 0.9}, high[3] = {1.1, 1.1, 1.1};
        for (int d = 0; d < set.rays.n_direction; d++)
            for (int64_t r = set.rays.first[d]; r < set.rays.first[d + 1]; r++)
                met += set.rays.ray[r].area * chord(&set.rays.ray[r], set.rays.direction[d], low, high);
        near(met / set.rays.n_direction / 8e-3, 1, 0.02);
        ray_set_free(&set);
        mesh_free(&mesh);
    }
    lr_context_free(ctx);
}

/* Gauss-Legendre in mu: means of powers are exact. */
static void layers(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    const double size[3] = {1, 7, 1};
    for (int axis = 0; axis < 3; axis++) {
        int n[3] = {1, 1, 1};
        n[axis] = 5;
        struct mesh mesh = box(ctx, n[0], n[1], n[2], size);
        struct ray_set set;
        for (int face = 0; face < N_FACE; face++)
            mesh.face[face] = face / 2 == axis ? FACE_OPEN : FACE_PERIODIC;
        assert_int_equal(mesh_layer_axis(&mesh), axis);
        assert_true(ray_set_is_fixed(&mesh));
        assert_int_equal(ray_set_make(ctx, &mesh, 1, 12, 1, &set), LR_OK);
        double sum = 0, square = 0, sixth = 0, odd = 0;
        for (int d = 0; d < set.rays.n_direction; d++) {
            const double mu = set.rays.direction[d][axis];
            sum += set.rays.weight[d];
            odd += set.rays.weight[d] * mu;
            square += set.rays.weight[d] * mu * mu;
            sixth += set.rays.weight[d] * pow(mu, 6);
        }
        near(sum, 1, 1e-12);
        near(odd, 0, 1e-12);
        near(square, 1.0 / 3, 1e-12);
        near(sixth, 1.0 / 7, 1e-12);
        ray_set_free(&set);
        mesh_free(&mesh);
    }
    lr_context_free(ctx);
}

/* Rings are contiguous from the centre to the mid-radius of the last shell, each with its ray inside. */
static void rings(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    struct mesh mesh = {0};
    struct ray_set set;
    assert_int_equal(mesh_build_shells(ctx, 20, 0.01, 1, true, &mesh), LR_OK);
    for (int number = 1; number <= 4; number++) {
        assert_int_equal(ray_set_make(ctx, &mesh, 1, number, 1, &set), LR_OK);
        const int64_t n = set.rays.first[1];
        assert_int_equal(set.rays.n_direction, 1);
        near(set.rays.ring[0], 0, 0);
        near(set.rays.ring[n], 0.5 * (mesh.edge[0][19] + mesh.edge[0][20]), 1e-12);
        for (int64_t i = 0; i < n; i++) {
            assert_true(set.rays.ring[i] < set.rays.ring[i + 1]);
            assert_true(set.rays.ray[i].point[0] > set.rays.ring[i]);
            assert_true(set.rays.ray[i].point[0] < set.rays.ring[i + 1]);
        }
        ray_set_free(&set);
    }
    mesh_free(&mesh);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grid_of_rays), cmocka_unit_test(proposed_rays),
                                       cmocka_unit_test(proposed_rays_of_a_refined_mesh), cmocka_unit_test(layers),
                                       cmocka_unit_test(rings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
