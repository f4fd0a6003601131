/* shade.h: the least depth of a way out of the surroundings of a cell against the depth of ways through random gas. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/phase.h"
#include "kernel/shade.h"
#include "kernel/voigt.h"

enum { N = 3, N_CELL = N * N * N, MIDDLE = 13 };

static real width[3][N], edge[3][N + 1];
static struct cell_view cells[N_CELL];

static double uniform(uint32_t k, uint32_t which)
{
    return ((double)rng_draw(rng_key_from_seed(1729), k, which, 0).r0 + 0.5) / 4294967296.0;
}

static struct mesh_view make_mesh(uint32_t k, double rough)
{
    for (uint32_t axis = 0; axis < 3; axis++)
        for (uint32_t i = 0; i < N; i++) {
            width[axis][i] = (real)(1 - rough * uniform(k, 100 + 3 * axis + i));
            edge[axis][i + 1] = edge[axis][i] + width[axis][i];
        }
    for (uint32_t c = 0; c < N_CELL; c++)
        cells[c] = (struct cell_view){.alpha0 = (real)(5 * (1 - rough * uniform(k, 200 + c))),
                                      .a = (real)(0.1 * rough * uniform(k, 300 + c)),
                                      .b = (real)(1 - 0.5 * rough * uniform(k, 400 + c)),
                                      .vx = (real)(rough * (uniform(k, 500 + c) - 0.5)),
                                      .vy = (real)(rough * (uniform(k, 600 + c) - 0.5)),
                                      .vz = (real)(rough * (uniform(k, 700 + c) - 0.5))};
    return (struct mesh_view){
        .n = {N, N, N}, .width = {width[0], width[1], width[2]}, .edge = {edge[0], edge[1], edge[2]}};
}

/* Of the line, until the photon leaves the block. */
static double depth_of(const struct mesh_view *mesh, struct place at, struct vec3 n, double x_first)
{
    const struct cell_view *first = &cells[MIDDLE];
    const double shift = x_first * (double)first->b + (double)cell_velocity_along(first, n);
    double depth = 0;
    for (;;) {
        const struct cell_view *cell = &cells[walk_cell_index(mesh, at)];
        const struct cell_exit exit = walk_exit(at.local, at.width, n);
        const double x = (shift - (double)cell_velocity_along(cell, n)) / (double)cell->b;
        depth += (double)exit.distance * (double)cell->alpha0 * (double)voigt(cell->a, (real)x);
        at.local = walk_move(at.local, at.width, n, exit.distance).local;
        const struct crossing crossing = walk_cross(mesh, at, n, exit.axis);
        if (crossing.escaped)
            return depth;
        at = crossing.at;
    }
}

static struct place place_in_middle(const struct mesh_view *mesh, double x, double y, double z)
{
    const struct vec3 size = walk_width(mesh, 1, 1, 1);
    return (struct place){1, 1, 1, vec3_make((real)x * size.x, (real)y * size.y, (real)z * size.z), size};
}

static void no_way_out_is_thinner(void **state)
{
    const int at[3] = {1, 1, 1};
    (void)state;
    for (uint32_t k = 0; k < 400; k++) {
        const double rough = 0.9 * (k % 10) / 9;
        const struct mesh_view mesh = make_mesh(k, rough);
        const struct shade_view shade = cell_shade(&mesh, cells, at);
        assert_true(shade.depth > R(0) && shade.slack >= R(0));
        for (uint32_t i = 0; i < 200; i++) {
            const struct random4 random = rng_draw(rng_key_from_seed(1730), i, k, 0);
            const struct vec3 n = direction_isotropic(random.r0, random.r1);
            const double x = 6.4 * uniform(i, k) - 3.2;
            const struct place from =
                place_in_middle(&mesh, uniform(i, k + 1000), uniform(i, k + 2000), uniform(i, k + 3000));
            const double least = (double)shade_depth(shade, (real)x);
            assert_true(depth_of(&mesh, from, n, x) >= least * (1 - 1e-5));
        }
    }
}

/* Where all cells are the same and at rest it is the depth of a neighbour, straight across. */
static void of_even_gas_it_is_exact(void **state)
{
    const int at[3] = {1, 1, 1};
    const struct mesh_view mesh = make_mesh(1, 0);
    const struct shade_view shade = cell_shade(&mesh, cells, at);
    (void)state;
    for (double x = -2.9; x < 3; x += 0.1) {
        const struct vec3 n = vec3_make(R(0), R(0), R(1));
        const double depth = depth_of(&mesh, place_in_middle(&mesh, 0.5, 0.5, 1), n, x);
        assert_true(fabs((double)shade_depth(shade, (real)x) / depth - 1) < 1e-4);
    }
    assert_true(shade_depth(shade, R(3.01)) == R(0) && shade_depth(shade, R(-50)) == R(0)); /* beyond its reach */
}

/* At an open face a cell is not hidden; across a periodic one its neighbours are. */
static void faces_count(void **state)
{
    struct mesh_view mesh = make_mesh(2, 0.5);
    (void)state;
    for (int c = 0; c < N_CELL; c++) {
        const int at[3] = {c / 9, c / 3 % 3, c % 3};
        assert_true((cell_shade(&mesh, cells, at).depth > R(0)) == (c == MIDDLE));
    }
    for (int face = 0; face < 6; face++)
        mesh.face[face] = FACE_IS_PERIODIC;
    for (int c = 0; c < N_CELL; c++) {
        const int at[3] = {c / 9, c / 3 % 3, c % 3};
        assert_true(cell_shade(&mesh, cells, at).depth > R(0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_way_out_is_thinner),
        cmocka_unit_test(of_even_gas_it_is_exact),
        cmocka_unit_test(faces_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
