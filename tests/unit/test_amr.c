/* amr.c: every cell is found from its centre, volumes fill the box, and bricks that do not are rejected. */
#define _XOPEN_SOURCE 700
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/context.h"
#include "mesh/mesh.h"

/* 2 x 1 x 1 positions: the first is one brick, the second eight, one of which is divided again. */
enum { N_BRICK = 1 + 7 + 8 };
static const int ROOT[3] = {2, 1, 1}, BRICK[3] = {3, 2, 1};
static const double LOWER[3] = {-2, 10, 0}, SIZE[3] = {6, 4, 0.5};

struct bricks {
    int level[N_BRICK], position[N_BRICK][3];
};

static struct bricks make_bricks(void)
{
    struct bricks bricks = {{0}, {{0}}};
    int n = 1;
    for (int part = 1; part < 8; part++, n++) {
        bricks.level[n] = 1;
        memcpy(bricks.position[n], ((int[3]){2 + (part >> 2), part >> 1 & 1, part & 1}), sizeof bricks.position[n]);
    }
    for (int part = 0; part < 8; part++, n++) {
        bricks.level[n] = 2;
        memcpy(bricks.position[n], ((int[3]){4 + (part >> 2), part >> 1 & 1, part & 1}), sizeof bricks.position[n]);
    }
    return bricks;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g instead of %.17g", value, expected);
}

static enum lr_status build(lr_context *ctx, const struct bricks *bricks, int64_t n, struct mesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    return mesh_build_amr(ctx, ROOT, BRICK, LOWER, SIZE, n, bricks->level, bricks->position, mesh);
}

static void cells_fill_the_box_and_are_found_again(void **state)
{
    (void)state;
    lr_context *ctx = lr_context_create();
    const struct bricks bricks = make_bricks();
    struct mesh mesh, copy = {0};
    double volume = 0;
    assert_int_equal(build(ctx, &bricks, N_BRICK, &mesh), LR_OK);
    assert_int_equal(mesh_cell_count(&mesh), N_BRICK * 6);
    assert_int_equal(mesh.tree.n_link, 2 + 16);
    assert_int_equal(mesh_copy(ctx, &mesh, &copy), LR_OK);
    mesh_free(&mesh);
    for (int64_t cell = 0; cell < mesh_cell_count(&copy); cell++) {
        int at[3];
        double low[3], high[3], middle[3];
        mesh_cell_place(&copy, cell, at);
        mesh_cell_box(&copy, at[0], at[1], at[2], low, high);
        double product = 1;
        for (int axis = 0; axis < 3; axis++) {
            middle[axis] = 0.5 * (low[axis] + high[axis]);
            product *= high[axis] - low[axis];
            const int level = bricks.level[cell / 6];
            const double width = SIZE[axis] / (ROOT[axis] * BRICK[axis]) / (1 << level);
            assert_near(high[axis] - low[axis], width, 1e-14);
            const int inside = (int)(axis == 0 ? cell / 2 % 3 : axis == 1 ? cell % 2 : 0);
            assert_near(low[axis], LOWER[axis] + (bricks.position[cell / 6][axis] * BRICK[axis] + inside) * width,
                        1e-14);
        }
        assert_int_equal(mesh_cell_at(&copy, middle), cell);
        assert_int_equal(mesh_cell_at(&copy, low), cell);
        assert_near(mesh_cell_volume(&copy, at[0], at[1], at[2]), product, 1e-14);
        volume += product;
    }
    assert_near(volume, 12, 1e-12);
    assert_near(mesh_volume(&copy), 12, 1e-12);
    assert_true(mesh_contains(&copy, ((double[3]){4, 14, 0.5})));
    assert_false(mesh_contains(&copy, ((double[3]){4.1, 14, 0.5})));
    mesh_free(&copy);
    lr_context_free(ctx);
}

static void refused(const struct bricks *bricks, int64_t n, const char *text)
{
    lr_context *ctx = lr_context_create();
    struct mesh mesh;
    assert_int_equal(build(ctx, bricks, n, &mesh), LR_ERROR_INPUT);
    if (!strstr(lr_last_error(ctx), text))
        fail_msg("'%s' is not in '%s'", text, lr_last_error(ctx));
    mesh_free(&mesh);
    lr_context_free(ctx);
}

static void bricks_that_do_not_fill_the_box_are_refused(void **state)
{
    (void)state;
    struct bricks bricks = make_bricks();
    refused(&bricks, N_BRICK - 1, "leave a hole");
    bricks.position[0][0] = 1;
    refused(&bricks, N_BRICK, "brick 1 (level 1, position 2 0 1) lies inside brick 0 of level 0");
    bricks = make_bricks();
    bricks.level[N_BRICK - 1] = 0;
    memset(bricks.position[N_BRICK - 1], 0, sizeof bricks.position[0]);
    refused(&bricks, N_BRICK, "bricks 0 and 15 are both at level 0, position 0 0 0");
    bricks.position[N_BRICK - 1][0] = 1;
    refused(&bricks, N_BRICK, "brick 15 (level 0, position 1 0 0) overlaps bricks of finer levels");
    bricks.position[N_BRICK - 1][0] = 2;
    refused(&bricks, N_BRICK, "brick 15: position 2 along x is outside the mesh, whose level 0 has positions 0 to 1");
    bricks.level[N_BRICK - 1] = -1;
    refused(&bricks, N_BRICK, "brick 15 is on level -1");
    bricks = make_bricks();
    bricks.level[0] = 1;
    refused(&bricks, 8, "leave a hole");
}

/* 2^26 positions and 16 bricks: the hole is found without allocating memory for all positions (256 MiB). */
static void few_bricks_take_little_memory(void **state)
{
    (void)state;
    const int root[3] = {512, 512, 256};
    lr_context *ctx = lr_context_create();
    struct bricks bricks = {{0}, {{0}}};
    struct mesh mesh = {0};
    struct rusage before, after;
    for (int b = 0; b < N_BRICK; b++)
        bricks.position[b][2] = b;
    bricks.position[5][1] = 3;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    assert_int_equal(
        mesh_build_amr(ctx, root, BRICK, LOWER, SIZE, N_BRICK, bricks.level, (const int(*)[3])bricks.position, &mesh),
        LR_ERROR_INPUT);
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_string_equal(lr_last_error(ctx), "the bricks leave a hole: there is none at level 0, position 0 0 5");
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024); /* kB */
    mesh_free(&mesh);
    lr_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cells_fill_the_box_and_are_found_again),
                                       cmocka_unit_test(bricks_that_do_not_fill_the_box_are_refused),
                                       cmocka_unit_test(few_bricks_take_little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
