/* light_rows.c: rows of cells cover the mesh once; rings cover spheres. Also the glows of trace_view.h: parts of a
 * spectrum against the error function. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/constants.h"
#include "base/context.h"
#include "kernel/trace_view.h"
#include "model/light_rows.h"

static void assert_filled(const struct mesh *mesh)
{
    const struct light_rows rows = light_rows_make(mesh, 1);
    double volume = 0;
    assert_int_equal(rows.n, mesh_cell_count(mesh));
    for (int64_t row = 0; row < rows.n; row++)
        volume += light_row_volume(&rows, mesh, row, 0.37);
    assert_true(fabs(volume / mesh_volume(mesh) - 1) < 1e-12);
}

static void rows_fill_boxes(void **state)
{
    const double lower[3] = {-1, -2, 0}, size[3] = {2, 4, 7};
    const int n[3] = {5, 4, 3};
    lr_context *ctx = lr_context_create();
    (void)state;
    for (int open = 0; open < 8; open++) {
        struct mesh mesh = {.kind = MESH_CARTESIAN};
        assert_int_equal(mesh_build_uniform(ctx, n, lower, size, &mesh), LR_OK);
        for (int axis = 0; axis < 3; axis++) {
            mesh.face[2 * axis] = mesh.face[2 * axis + 1] = open >> axis & 1 ? FACE_OPEN : FACE_PERIODIC;
            mesh.edge[axis][1] += 0.2 * size[axis] / n[axis]; /* cells of different widths */
        }
        assert_filled(&mesh);
        mesh_free(&mesh);
    }
    lr_context_free(ctx);
}

/* Positions with bricks of 1 to 16 cells along each axis, one of them divided. */
static void rows_fill_refined_meshes(void **state)
{
    enum { N_BRICK = 2 * 3 + 7 };
    const double lower[3] = {-1, -2, 0}, size[3] = {2, 4, 7};
    const int root[3] = {2, 3, 1};
    lr_context *ctx = lr_context_create();
    (void)state;
    for (int cells = 1; cells <= 16; cells *= 2) {
        const int brick[3] = {cells, cells, cells};
        int level[N_BRICK], position[N_BRICK][3], n = 0;
        for (int place = 0; place < 6; place++)
            for (int part = 0; part < (place == 0 ? 8 : 1); part++) {
                const int at[3] = {place / 3, place % 3, 0};
                level[n] = place == 0;
                for (int axis = 0; axis < 3; axis++)
                    position[n][axis] = place == 0 ? part >> axis & 1 : at[axis];
                n++;
            }
        struct mesh mesh = {.kind = MESH_CARTESIAN};
        assert_int_equal(n, N_BRICK);
        assert_int_equal(mesh_build_amr(ctx, root, brick, lower, size, n, level, (const int(*)[3])position, &mesh),
                         LR_OK);
        assert_filled(&mesh);
        mesh_free(&mesh);
    }
    lr_context_free(ctx);
}

/* The visible area of a sphere is pi R^2 in total, of the outer one where mu > 0 and of the inner one where mu < 0. */
static void rings_fill_spheres(void **state)
{
    enum { N = 7, N_ASPECT = 34 };
    lr_context *ctx = lr_context_create();
    struct mesh mesh = {.kind = MESH_CARTESIAN};
    (void)state;
    assert_int_equal(mesh_build_shells(ctx, N, 0.3, 2, false, &mesh), LR_OK);
    const struct light_rows rows = light_rows_make(&mesh, N_ASPECT);
    assert_int_equal(rows.n, N * N_ASPECT);
    for (int shell = 0; shell < N; shell++)
        for (int outer = 0; outer < 2; outer++) {
            const double r = mesh.edge[0][shell + outer], step = 2.0 / N_ASPECT;
            double area = 0;
            for (int bin = 0; bin < N_ASPECT / 2; bin++) {
                const int aspect = outer ? N_ASPECT / 2 + bin : N_ASPECT / 2 - 1 - bin; /* from the limb inward */
                const double ring = light_row_volume(&rows, &mesh, shell * N_ASPECT + aspect, 0.5) / 0.5;
                const double p_out = r * sqrt(1 - bin * step * bin * step);
                const double p_in = r * sqrt(fmax(1 - (bin + 1) * step * (bin + 1) * step, 0));
                assert_true(fabs(ring / (LR_PI * (p_out * p_out - p_in * p_in)) - 1) < 1e-10);
                area += ring;
            }
            assert_true(fabs(area / (LR_PI * r * r) - 1) < 1e-12);
        }
    mesh_free(&mesh);
    lr_context_free(ctx);
}

/* ---- glows ------------------------------------------------------------------------------------------------------- */

enum { N_SHIFT = 4001 };
static real below[N_SHIFT];

/* A Gaussian of sigma 1 up to 8 sigma. */
static struct glow_view gaussian(void)
{
    const double step = 16.0 / (N_SHIFT - 1);
    for (int i = 0; i < N_SHIFT; i++)
        below[i] = (real)(0.5 * erfc(-(-8 + step * i) / sqrt(2)));
    return (struct glow_view){.below = below, .n = N_SHIFT, .first = R(-8), .inv_step = (real)(1 / step)};
}

static void parts_of_a_glow_are_differences_of_erf(void **state)
{
    const struct glow_view glow = gaussian();
    (void)state;
    for (int n = 1; n <= 512; n *= 2) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            const double low = -10 + 20.0 * i / n, high = -10 + 20.0 * (i + 1) / n;
            const double part = (double)glow_between(&glow, (real)low, (real)high);
            const double expected = 0.5 * (erf(high / sqrt(2)) - erf(low / sqrt(2)));
            assert_true(fabs(part - expected) < 1e-6 + 4 * (double)R_EPSILON);
            sum += part;
        }
        assert_true(fabs(sum - 1) < 20 * (double)R_EPSILON);
    }
    assert_true(glow_between(&glow, R(9), R(12)) == R(0) && glow_between(&glow, R(-12), R(-9)) == R(0));
}

/* Parts narrower than a step of the table are as accurate as the density, though differences of the cumulative sums
 * would not be. Above the middle, single precision does not have such small steps below 1. */
static void narrow_parts_are_as_good_as_wide_ones(void **state)
{
    const struct glow_view glow = gaussian();
    const double step = 16.0 / (N_SHIFT - 1);
    (void)state;
    for (int i = 200; i < N_SHIFT / 2; i += 37) {
        const real low = (real)(-8 + step * (i + 0.3)), high = low + (real)(1e-4 * step);
        const double width = (double)high - (double)low;
        const double density = (double)(below[i + 1] - below[i]) / step;
        if (width > 0)
            assert_true(fabs((double)glow_between(&glow, low, high) / (density * width) - 1) < 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_fill_boxes),
        cmocka_unit_test(rows_fill_refined_meshes),
        cmocka_unit_test(rings_fill_spheres),
        cmocka_unit_test(parts_of_a_glow_are_differences_of_erf),
        cmocka_unit_test(narrow_parts_are_as_good_as_wide_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
