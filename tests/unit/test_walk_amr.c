/* walk_amr.h: rays through a refined mesh against a plain search for the cell of each point, and against the length of
 * the ray in the box; face rules; neighbours against a search at the quarter points of faces. */
/* variants: mixed double */
#define LR_WALK_AMR
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "kernel/phase.h"
#include "kernel/ray.h"
#include "kernel/slope.h"
#include "mesh/mesh.h"

/* 2 x 3 x 1 positions for bricks of 3 x 1 x 2 cells of different shape; positions near one corner are divided up to
 * four times, so that neighbours differ by more than one level. */
enum { DEEPEST = 4, MOST = 4096 };
static const int ROOT[3] = {2, 3, 1}, BRICK[3] = {3, 1, 2};
static const double SIZE[3] = {3, 1.5, 0.75};

struct fixture {
    struct mesh mesh;
    struct mesh_view view;
};

struct bricks {
    int n;
    int level[MOST], position[MOST][3];
};

static void divide(struct bricks *bricks, int level, const int at[3])
{
    double distance = 0; /* of the nearest corner from a point inside the mesh */
    const double target[3] = {1.02, 0.51, 0.3};
    for (int axis = 0; axis < 3; axis++) {
        const double width = SIZE[axis] / (ROOT[axis] << level);
        const double low = at[axis] * width - target[axis];
        const double outside = fmax(fmax(low, -(low + width)), 0);
        distance += outside * outside;
    }
    if (level < DEEPEST && sqrt(distance) < 0.02) {
        for (int part = 0; part < 8; part++)
            divide(bricks, level + 1,
                   (const int[3]){2 * at[0] + (part >> 2), 2 * at[1] + (part >> 1 & 1), 2 * at[2] + (part & 1)});
        return;
    }
    assert_true(bricks->n < MOST);
    bricks->level[bricks->n] = level;
    memcpy(bricks->position[bricks->n++], at, 3 * sizeof(int));
}

static struct fixture make_fixture(int face)
{
    static struct bricks bricks;
    struct fixture fixture;
    lr_context *ctx = lr_context_create();
    memset(&fixture, 0, sizeof fixture);
    bricks.n = 0;
    for (int i = 0; i < ROOT[0]; i++)
        for (int j = 0; j < ROOT[1]; j++)
            for (int k = 0; k < ROOT[2]; k++)
                divide(&bricks, 0, (const int[3]){i, j, k});
    const double zero[3] = {0, 0, 0};
    assert_int_equal(mesh_build_amr(ctx, ROOT, BRICK, zero, SIZE, bricks.n, bricks.level,
                                    (const int(*)[3])bricks.position, &fixture.mesh),
                     LR_OK);
    lr_context_free(ctx);
    struct mesh_view *view = &fixture.view;
    const struct mesh_tree *tree = &fixture.mesh.tree;
    assert_int_equal(tree->deepest, DEEPEST);
    for (int axis = 0; axis < 3; axis++) {
        view->n[axis] = fixture.mesh.n[axis];
        view->root[axis] = ROOT[axis];
        view->brick[axis] = BRICK[axis];
        view->cell[axis] = SIZE[axis] / (ROOT[axis] * BRICK[axis]);
        view->face[2 * axis] = view->face[2 * axis + 1] = face;
    }
    view->deepest = DEEPEST;
    view->key = tree->key;
    view->link = tree->link;
    return fixture;
}

static struct random4 draw(uint32_t stream, uint32_t k)
{
    return rng_draw(rng_key_from_seed(1957), k, stream, 0);
}

static void point_of(struct random4 random, double point[3])
{
    point[0] = (double)rng_uniform(random.r0) * SIZE[0];
    point[1] = (double)rng_uniform(random.r1) * SIZE[1];
    point[2] = (double)rng_uniform(random.r2) * SIZE[2];
}

static void assert_inside(struct place at)
{
    assert_true(at.local.x >= R(0) && at.local.x <= at.width.x);
    assert_true(at.local.y >= R(0) && at.local.y <= at.width.y);
    assert_true(at.local.z >= R(0) && at.local.z <= at.width.z);
}

static void places_of_points_are_those_of_the_mesh(void **state)
{
    (void)state;
    struct fixture fixture = make_fixture(FACE_OPEN);
    for (uint32_t k = 0; k < 20000; k++) {
        double point[3];
        point_of(draw(1, k), point);
        const struct place at = walk_place(&fixture.view, point, -1);
        assert_inside(at);
        const struct vec3 corner = walk_corner(&fixture.view, at.i, at.j, at.k);
        const double back[3] = {(double)corner.x + (double)at.local.x, (double)corner.y + (double)at.local.y,
                                (double)corner.z + (double)at.local.z};
        for (int axis = 0; axis < 3; axis++)
            assert_true(fabs(back[axis] - point[axis]) < 1e-6);
        assert_int_equal(walk_cell_index(&fixture.view, at), mesh_cell_at(&fixture.mesh, point));
        double low[3], high[3];
        mesh_cell_box(&fixture.mesh, at.i, at.j, at.k, low, high);
        assert_true(fabs((double)at.width.x - (high[0] - low[0])) < 1e-7);
        assert_true(fabs((double)corner.y - low[1]) < 1e-7);
    }
    mesh_free(&fixture.mesh);
}

/* Every piece of a ray is in the cell that a search finds at its midpoint, and pieces fill the chord of the box. */
static void rays_cross_the_cells_that_lie_on_them(void **state)
{
    (void)state;
    struct fixture fixture = make_fixture(FACE_OPEN);
    int deepest = 0;
    for (uint32_t k = 0; k < 3000; k++) {
        double inner[3];
        struct random4 random = draw(3, k);
        struct vec3 n = direction_isotropic(random.r0, random.r1);
        if (k % 4 == 1)
            n.x = R(0);
        if (k % 8 == 2)
            n.y = n.z = R(0);
        n = direction_normalised(n);
        point_of(draw(2, k), inner);
        const struct point3 p = {{inner[0], inner[1], inner[2]}};
        const struct point3 direction = {{(double)n.x, (double)n.y, (double)n.z}};
        double chord[2] = {-1e9, 1e9};
        for (int axis = 0; axis < 3; axis++) {
            if (direction.x[axis] == 0)
                continue;
            const double t0 = -p.x[axis] / direction.x[axis], t1 = (SIZE[axis] - p.x[axis]) / direction.x[axis];
            chord[0] = fmax(chord[0], fmin(t0, t1));
            chord[1] = fmin(chord[1], fmax(t0, t1));
        }
        struct ray ray = ray_enter(&fixture.view, p, direction, -RAY_FAR, RAY_FAR);
        assert_true(ray.hits);
        double travelled = chord[0];
        int steps = 0;
        for (int more = 1; more; steps++) {
            assert_true(steps < 1000);
            const struct passage way = ray_advance(&fixture.view, &ray);
            if ((double)way.length > 1e-4) {
                double middle[3];
                for (int axis = 0; axis < 3; axis++)
                    middle[axis] = p.x[axis] + (travelled + 0.5 * (double)way.length) * direction.x[axis];
                /* on the border of cells either is correct */
                int at[3];
                double low[3], high[3];
                mesh_cell_place(&fixture.mesh, way.cell, at);
                mesh_cell_box(&fixture.mesh, at[0], at[1], at[2], low, high);
                for (int axis = 0; axis < 3; axis++)
                    assert_true(middle[axis] > low[axis] - 2e-6 && middle[axis] < high[axis] + 2e-6);
                const int level = brick_from_key(fixture.view.key[at[0] / BRICK[0]]).level;
                deepest = level > deepest ? level : deepest;
            }
            travelled += (double)way.length;
            more = way.more;
        }
        if (!(fabs(travelled - chord[1]) < 1e-5))
            fail_msg("ray %u ends at %g instead of %g", k, travelled, chord[1]);
    }
    assert_int_equal(deepest, DEEPEST);
    mesh_free(&fixture.mesh);
}

/* A packet in a periodic box returns to its start after the period of its direction. */
static void periodic_faces_lead_to_the_other_side(void **state)
{
    (void)state;
    struct fixture fixture = make_fixture(FACE_PERIODIC);
    for (int axis = 0; axis < 3; axis++)
        for (int forward = 0; forward < 2; forward++)
            for (uint32_t k = 0; k < 200; k++) {
                double point[3];
                point_of(draw(4, k), point);
                struct place at = walk_place(&fixture.view, point, -1);
                const int first = walk_cell_index(&fixture.view, at);
                struct vec3 n = vec3_make(R(0), R(0), R(0));
                const real one = forward ? R(1) : R(-1);
                n = vec3_make(axis == 0 ? one : R(0), axis == 1 ? one : R(0), axis == 2 ? one : R(0));
                double length = 0;
                int steps = 0;
                do {
                    const struct cell_exit exit = walk_exit(at.local, at.width, n);
                    at.local = walk_move(at.local, at.width, n, exit.distance).local;
                    assert_int_equal(exit.axis, axis);
                    length += (double)exit.distance;
                    const struct crossing crossing = walk_cross(&fixture.view, at, n, exit.axis);
                    assert_false(crossing.escaped);
                    assert_inside(crossing.at);
                    at = crossing.at;
                } while (walk_cell_index(&fixture.view, at) != first && ++steps < 1000);
                const real local[3] = {at.local.x, at.local.y, at.local.z};
                const real width[3] = {at.width.x, at.width.y, at.width.z};
                double low[3], high[3];
                mesh_cell_box(&fixture.mesh, at.i, at.j, at.k, low, high);
                const double inside = point[axis] - low[axis];
                const double back = forward ? SIZE[axis] - inside : SIZE[axis] - ((double)width[axis] - inside);
                assert_true(fabs(length - back) < 1e-5);
                assert_true(fabs((double)local[axis] - (forward ? 0 : (double)width[axis])) < 1e-6);
            }
    mesh_free(&fixture.mesh);
}

static void open_and_reflecting_faces_end_or_turn_a_flight(void **state)
{
    (void)state;
    struct fixture open = make_fixture(FACE_OPEN), mirror = make_fixture(FACE_REFLECTING);
    double point[3] = {0.5, 0.6, 0.7};
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2;
        const struct place at = walk_place(&open.view, point, face);
        const real sign = face & 1 ? R(1) : R(-1);
        const struct vec3 n =
            vec3_make(axis == 0 ? sign : R(0.1), axis == 1 ? sign : R(0.1), axis == 2 ? sign : R(0.1));
        const struct crossing out = walk_cross(&open.view, at, n, axis);
        assert_true(out.escaped && !out.reflected);
        assert_int_equal(out.face, face);
        assert_int_equal(walk_cell_index(&open.view, out.at), walk_cell_index(&open.view, at));
        const struct crossing back = walk_cross(&mirror.view, at, n, axis);
        assert_true(back.reflected && !back.escaped);
        const real turned[3] = {back.n.x, back.n.y, back.n.z};
        assert_true(turned[axis] == -sign);
        assert_int_equal(walk_cell_index(&open.view, back.at), walk_cell_index(&open.view, at));
    }
    mesh_free(&open.mesh);
    mesh_free(&mirror.mesh);
}

/* The neighbours at the quarter points of a face, by a search just outside it. */
static void neighbours_are_the_cells_across_the_face(void **state)
{
    (void)state;
    struct fixture fixture = make_fixture(FACE_OPEN);
    int finer = 0, coarser = 0;
    for (int64_t cell = 0; cell < mesh_cell_count(&fixture.mesh); cell++)
        for (int look = 0; look < 24; look++) {
            const int axis = look % 3, upward = look / 3 % 2, part = look / 6;
            int at[3];
            double low[3], high[3], point[3];
            mesh_cell_place(&fixture.mesh, cell, at);
            mesh_cell_box(&fixture.mesh, at[0], at[1], at[2], low, high);
            const int across = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
            point[across] = low[across] + (high[across] - low[across]) * (part & 1 ? 0.75 : 0.25) + 1e-6;
            point[other] = low[other] + (high[other] - low[other]) * (part & 2 ? 0.75 : 0.25) + 1e-6;
            point[axis] = upward ? high[axis] + 1e-6 : low[axis] - 1e-6;
            const struct neighbour next = walk_neighbour(&fixture.view, at, axis, upward, part);
            if (point[axis] < 0 || point[axis] > SIZE[axis]) {
                assert_int_equal(next.cell, -1);
                continue;
            }
            assert_int_equal(next.cell, mesh_cell_at(&fixture.mesh, point));
            int there[3];
            double from[3], to[3];
            mesh_cell_place(&fixture.mesh, next.cell, there);
            mesh_cell_box(&fixture.mesh, there[0], there[1], there[2], from, to);
            const double here = high[axis] - low[axis], beyond = to[axis] - from[axis];
            for (int k = 0; k < 3; k++) {
                const double offset = 0.5 * (from[k] + to[k]) - 0.5 * (low[k] + high[k]);
                assert_true(fabs((double)next.offset[k] - offset) < 1e-6);
            }
            finer += beyond < 0.9 * here;
            coarser += beyond > 1.1 * here;
        }
    assert_true(finer > 100 && coarser > 100);
    mesh_free(&fixture.mesh);
}

static const double VELOCITY_SLOPE[3] = {1, -2, 3}, SOURCE_SLOPE[3] = {0.4, 1.1, -0.7};
static const double SOURCE_MIDDLE = 10;

/* Linear fields about the centre of a cell, in one of its neighbours across a face of the mesh or inside it. Returns 0
 * if the same neighbour is on both sides of a periodic mesh. */
static int set_neighbour(const struct fixture *fixture, int64_t cell, int face, int64_t next, struct trace_cell *there)
{
    int at[3], beside[3];
    double low[3], high[3], from[3], to[3], v = 0, s = SOURCE_MIDDLE;
    mesh_cell_place(&fixture->mesh, cell, at);
    mesh_cell_place(&fixture->mesh, next, beside);
    mesh_cell_box(&fixture->mesh, at[0], at[1], at[2], low, high);
    mesh_cell_box(&fixture->mesh, beside[0], beside[1], beside[2], from, to);
    const int axis = face / 2;
    const double gap = face & 1 ? high[axis] - from[axis] : low[axis] - to[axis];
    for (int k = 0; k < 3; k++) {
        const double period = k == axis && fabs(gap) > 1e-9 ? gap : 0;
        const double offset = 0.5 * (from[k] + to[k]) + period - 0.5 * (low[k] + high[k]);
        v += VELOCITY_SLOPE[k] * offset;
        s += SOURCE_SLOPE[k] * offset;
    }
    const int twice = there->alpha0 > R(0) && fabs((double)there->velocity.x - v) > 1e-5;
    *there = (struct trace_cell){.alpha0 = R(1), .b = R(1), .velocity = {(real)v, R(0), R(0)}, .line_source = (real)s};
    return !twice;
}

/* Across any levels, and across periodic faces. */
static void slopes_of_linear_fields_are_exact(void **state)
{
    (void)state;
    for (int face_rule = FACE_OPEN; face_rule <= FACE_PERIODIC; face_rule++) {
        static struct trace_cell cells[8 * MOST];
        struct fixture fixture = make_fixture(face_rule);
        const int64_t n_cell = mesh_cell_count(&fixture.mesh);
        int checked = 0;
        assert_true(n_cell <= 8 * MOST);
        for (int64_t cell = 0; cell < n_cell; cell++) {
            int at[3], known[3] = {0, 0, 0}, once = 1;
            mesh_cell_place(&fixture.mesh, cell, at);
            memset(cells, 0, sizeof cells);
            cells[cell] = (struct trace_cell){.alpha0 = R(1), .b = R(1), .line_source = (real)SOURCE_MIDDLE};
            for (int look = 0; look < 24; look++) {
                const int face = look % 6;
                const struct neighbour next = walk_neighbour(&fixture.view, at, face / 2, face & 1, look / 6);
                if (next.cell < 0)
                    continue;
                known[face / 2] = 1;
                once &= set_neighbour(&fixture, cell, face, next.cell, &cells[next.cell]);
            }
            if (!once)
                continue;
            const struct slope_view slope = cell_slopes(&fixture.view, cells, at, vec3_make(R(1), R(0), R(0)));
            const real velocity[3] = {slope.velocity.x, slope.velocity.y, slope.velocity.z};
            const real source[3] = {slope.source.x, slope.source.y, slope.source.z};
            for (int k = 0; k < 3; k++) {
                const double error = 1e4 * (double)R_EPSILON; /* cells are small compared with the mesh */
                assert_true(known[k]);
                assert_true(fabs((double)velocity[k] - VELOCITY_SLOPE[k]) < error);
                assert_true(fabs((double)source[k] - SOURCE_SLOPE[k] / SOURCE_MIDDLE) < error);
            }
            checked++;
        }
        assert_true(checked > n_cell / 2);
        mesh_free(&fixture.mesh);
    }
}

/* Noise over nine orders of magnitude: S is positive throughout every cell, however steep the neighbours. */
static void source_functions_stay_positive(void **state)
{
    (void)state;
    static struct trace_cell cells[8 * MOST];
    struct fixture fixture = make_fixture(FACE_OPEN);
    const int64_t n_cell = mesh_cell_count(&fixture.mesh);
    int steep = 0;
    for (int64_t cell = 0; cell < n_cell; cell++) {
        const double u = (double)rng_uniform(draw(5, (uint32_t)cell).r0);
        cells[cell] = (struct trace_cell){.alpha0 = R(1), .b = R(1), .line_source = (real)pow(10, 9 * u)};
    }
    for (int64_t cell = 0; cell < n_cell; cell++) {
        int at[3];
        mesh_cell_place(&fixture.mesh, cell, at);
        const struct vec3 width = walk_width(&fixture.view, at[0], at[1], at[2]);
        const struct slope_view slope = cell_slopes(&fixture.view, cells, at, vec3_make(R(1), R(0), R(0)));
        const real fall = R(0.5) * (r_abs(slope.source.x) * width.x + r_abs(slope.source.y) * width.y +
                                    r_abs(slope.source.z) * width.z);
        assert_true(fall < R(1));
        steep += fall > R(0.99);
    }
    assert_true(steep > n_cell / 10);
    mesh_free(&fixture.mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_points_are_those_of_the_mesh),
        cmocka_unit_test(rays_cross_the_cells_that_lie_on_them),
        cmocka_unit_test(periodic_faces_lead_to_the_other_side),
        cmocka_unit_test(open_and_reflecting_faces_end_or_turn_a_flight),
        cmocka_unit_test(neighbours_are_the_cells_across_the_face),
        cmocka_unit_test(slopes_of_linear_fields_are_exact),
        cmocka_unit_test(source_functions_stay_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
