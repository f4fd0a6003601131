/* shade.h: the least depth ahead of a cell against the depth along paths through random gas. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/cpu_shade.h"
#include "kernel/phase.h"
#include "kernel/sight.h"
#include "kernel/voigt.h"

enum { MOST = 20, MOST_CELL = MOST * MOST * MOST };

static real width[3][MOST], edge[3][MOST + 1];
static struct cell_view cells[MOST_CELL];
static struct shade_block room[2][MOST_CELL];
static struct shade_view shades[MOST_CELL];

static double uniform(uint32_t k, uint32_t which)
{
    return ((double)rng_draw(rng_key_from_seed(1729), k, which, 0).r0 + 0.5) / 4294967296.0;
}

/* Gas whose opacity, damping, width and velocity vary by up to `rough`, from `opacity` down. */
static struct mesh_view make_mesh(uint32_t k, int n, double opacity, double rough)
{
    for (uint32_t axis = 0; axis < 3; axis++)
        for (int i = 0; i < n; i++) {
            width[axis][i] = (real)(1 - rough * uniform(k, 100 * axis + (uint32_t)i));
            edge[axis][i + 1] = edge[axis][i] + width[axis][i];
        }
    for (int c = 0; c < n * n * n; c++) {
        const uint32_t seed = 1000 + 8 * (uint32_t)c;
        cells[c] = (struct cell_view){.alpha0 = (real)(opacity * (1 - rough * uniform(k, seed))),
                                      .a = (real)(1e-3 + 0.3 * rough * uniform(k, seed + 1)),
                                      .b = (real)(1 - 0.5 * rough * uniform(k, seed + 2)),
                                      .vx = (real)(rough * (uniform(k, seed + 3) - 0.5)),
                                      .vy = (real)(rough * (uniform(k, seed + 4) - 0.5)),
                                      .vz = (real)(rough * (uniform(k, seed + 5) - 0.5))};
    }
    return (struct mesh_view){
        .n = {n, n, n}, .width = {width[0], width[1], width[2]}, .edge = {edge[0], edge[1], edge[2]}};
}

static void make_shade(const struct mesh_view *mesh, int octant)
{
    const struct transport_view view = {.mesh = *mesh, .n_cell = (int64_t)mesh->n[0] * mesh->n[1] * mesh->n[2]};
    find_shade(&view, cells, octant, 1, room[0], room[1], shades);
}

/* Depth of the line from the end of the first cell to the edge of the mesh, or through so many cells that no block
 * extends farther. */
static double depth_ahead(const struct mesh_view *mesh, struct place at, struct vec3 n, double x_first)
{
    const struct cell_view *first = &cells[walk_cell_index(mesh, at)];
    const double shift = x_first * (double)first->b + (double)cell_velocity_along(first, n);
    double depth = 0;
    for (int crossed = 0; crossed < 4 * SHADE_SIZE; crossed++) {
        const struct cell_view *cell = &cells[walk_cell_index(mesh, at)];
        const struct cell_exit exit = walk_exit(at.local, at.width, n);
        const double x = (shift - (double)cell_velocity_along(cell, n)) / (double)cell->b;
        depth += crossed == 0 ? 0 : (double)exit.distance * (double)cell->alpha0 * (double)voigt(cell->a, (real)x);
        at.local = walk_move(at.local, at.width, n, exit.distance).local;
        const struct crossing crossing = walk_cross(mesh, at, n, exit.axis);
        if (crossing.escaped)
            return depth;
        at = crossing.at;
    }
    return depth;
}

static struct place place_in(const struct mesh_view *mesh, const int at[3], double x, double y, double z)
{
    const struct vec3 size = walk_width(mesh, at[0], at[1], at[2]);
    return (struct place){at[0], at[1], at[2], vec3_make((real)x * size.x, (real)y * size.y, (real)z * size.z), size};
}

static void no_way_out_is_thinner(void **state)
{
    const int n = 6;
    int hidden = 0;
    int octant = 0;
    (void)state;
    for (uint32_t k = 0; k < 48; k++) {
        const double rough = 0.9 * (k % 4) / 3, opacity = k % 3 == 0 ? 5 : k % 3 == 1 ? 200 : 1e5;
        struct mesh_view mesh = make_mesh(k, n, opacity, rough);
        for (int face = 0; face < 6; face++)
            mesh.face[face] = k % 5 == 4 && face < 4 ? FACE_PERIODIC : FACE_OPEN;
        for (uint32_t i = 0; i < 800; i++) {
            const struct random4 random = rng_draw(rng_key_from_seed(1730), i, k, 0);
            const struct vec3 toward = direction_isotropic(random.r0, random.r1);
            const int at[3] = {(int)(random.r2 % 6), (int)(random.r2 / 6 % 6), (int)(random.r2 / 36 % 6)};
            const double x = (opacity > 1000 ? 60 : 6.4) * (uniform(i, k) - 0.5);
            if (i % 100 == 0) {
                octant = shade_octant(toward);
                make_shade(&mesh, octant);
            }
            const struct vec3 n_ahead = vec3_make(octant & 1 ? -r_abs(toward.x) : r_abs(toward.x),
                                                  octant & 2 ? -r_abs(toward.y) : r_abs(toward.y),
                                                  octant & 4 ? -r_abs(toward.z) : r_abs(toward.z));
            const struct place from =
                place_in(&mesh, at, uniform(i, k + 1000), uniform(i, k + 2000), uniform(i, k + 3000));
            const struct shade_view shade = shades[shade_index(&mesh, at)];
            const double least = (double)shade_depth(shade, (real)x);
            const double free_path = -log(uniform(i, k + 4000));
            const int hides = hidden_is(hidden_by(shade, R(0)), (real)x, (real)free_path);
            assert_true(depth_ahead(&mesh, from, n_ahead, x) >= least * (1 - 1e-5));
            assert_true(!hides || least >= (double)sight_limit((real)free_path) * (1 - 1e-5));
            hidden += hides;
        }
    }
    assert_true(hidden > 2000); /* the bounds are useful */
}

/* For cameras in several octants, and with recoil: hidden is what each of the shades hides at the farthest frequency
 * that recoil can produce. */
static void what_is_hidden_is_hidden_from_all(void **state)
{
    static struct shade_view both[2 * MOST_CELL];
    const int n = 6, n_cell = n * n * n;
    int hidden = 0;
    (void)state;
    for (uint32_t k = 0; k < 24; k++) {
        const struct mesh_view mesh = make_mesh(k, n, k % 2 ? 200 : 1e5, 0.3 * (k % 3));
        const struct transport_view view = {
            .mesh = mesh, .n_cell = n_cell, .n_shade = 2, .recoil = (real)(0.1 * (k % 4))};
        for (int s = 0; s < 2; s++) {
            make_shade(&mesh, (int)(k + 3 * (uint32_t)s) % 8);
            memcpy(both + s * n_cell, shades, (size_t)n_cell * sizeof *shades);
        }
        for (uint32_t i = 0; i < 4000; i++) {
            const int cell = (int)(uniform(i, k + 5000) * n_cell);
            const double x = (k % 2 ? 8 : 60) * (uniform(i, k + 6000) - 0.5),
                         free_path = i % 4 ? -log(uniform(i, k + 7000)) : 30 * uniform(i, k + 7000);
            if (!hidden_is(hidden_from_all(&view, cells, both, cell), (real)x, (real)free_path))
                continue;
            const double farthest = fabs(x) + 2 * (double)view.recoil / (double)cells[cell].b;
            for (int s = 0; s < 2; s++)
                assert_true((double)shade_depth(both[s * n_cell + cell], (real)farthest) >=
                            (double)sight_limit((real)free_path) * (1 - 1e-5));
            hidden++;
        }
    }
    assert_true(hidden > 2000);
}

/* If all cells are identical and at rest, it is the depth straight across the layers ahead. */
static void of_even_gas_it_is_the_depth_straight_ahead(void **state)
{
    const int at[3] = {0, 0, 0};
    const struct mesh_view mesh = make_mesh(1, MOST, 5, 0);
    const struct vec3 n = vec3_make(R(0), R(0), R(1));
    (void)state;
    make_shade(&mesh, 0);
    assert_true(fabs((double)shades[0].core / (15 * 5 * (1 - 2e-3 / sqrt(acos(-1)))) - 1) < 1e-5);
    assert_true(shades[0].drift == R(0) && shades[0].ratio == R(1));
    for (double x = 0; x < 2; x += 0.1) {
        const double depth = depth_ahead(&mesh, place_in(&mesh, at, 0.5, 0.5, 0.5), n, x) * 15 / 19;
        assert_true(fabs((double)shade_depth(shades[0], (real)x) / depth - 1) < 0.02); /* except for the wings */
    }
    const double wing = depth_ahead(&mesh, place_in(&mesh, at, 0.5, 0.5, 0.5), n, 30) * 15 / 19;
    assert_true(fabs((double)shade_depth(shades[0], R(-30)) / wing - 1) < 0.01);
}

/* For fast gas behind a layer at rest, only the layer counts. */
static void moving_gas_hides_less(void **state)
{
    const int at[3] = {4, 4, 4};
    const struct mesh_view mesh = make_mesh(1, MOST, 50, 0);
    (void)state;
    for (int c = 0; c < MOST_CELL; c++)
        cells[c].vz = c % MOST > 7 ? R(5) : R(0);
    make_shade(&mesh, 0);
    const struct shade_view shade = shades[shade_index(&mesh, at)];
    assert_true(shade.drift == R(0) && fabs((double)shade.core / 150 - 1) < 0.01);
}

/* At an open face a cell is not hidden from a camera beyond it, but may be from others; across a periodic one it is. */
static void faces_count(void **state)
{
    struct mesh_view mesh = make_mesh(2, 4, 5, 0.5);
    (void)state;
    for (int octant = 0; octant < 8; octant++) {
        make_shade(&mesh, octant);
        for (int c = 0; c < 64; c++) {
            const int at[3] = {c / 16, c / 4 % 4, c % 4};
            int inside = 1;
            for (int axis = 0; axis < 3; axis++)
                inside &= at[axis] != (octant >> axis & 1 ? 0 : 3);
            assert_true(inside || shades[c].core == R(0));
        }
    }
    for (int face = 0; face < 6; face++)
        mesh.face[face] = FACE_PERIODIC;
    for (int c = 0; c < 64; c++)
        cells[c] = (struct cell_view){.alpha0 = R(5), .a = R(0.01), .b = R(1)};
    make_shade(&mesh, 5);
    for (int c = 0; c < 64; c++)
        assert_true(shades[c].core > R(5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_way_out_is_thinner),
        cmocka_unit_test(what_is_hidden_is_hidden_from_all),
        cmocka_unit_test(of_even_gas_it_is_the_depth_straight_ahead),
        cmocka_unit_test(moving_gas_hides_less),
        cmocka_unit_test(faces_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
