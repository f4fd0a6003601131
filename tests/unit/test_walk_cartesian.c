/* walk_cartesian.h: exits against bisection on "is the point inside", whole rays against the slab method and against a
 * plain search for the cell of a point, face rules and Doppler shifts against their definitions. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/phase.h"
#include "kernel/walk_cartesian.h"

/* A rectilinear mesh whose edges are exact in single precision: widths from 1/64 to 4. */
enum { NX = 6, NY = 3, NZ = 1 };
static const real WIDTH_X[NX] = {R(0.5), R(0.015625), R(4), R(0.25), R(0.25), R(1)};
static const real WIDTH_Y[NY] = {R(2), R(0.125), R(0.375)};
static const real WIDTH_Z[NZ] = {R(1.5)};
static const real EDGE_X[NX + 1] = {R(0), R(0.5), R(0.515625), R(4.515625), R(4.765625), R(5.015625), R(6.015625)};
static const real EDGE_Y[NY + 1] = {R(0), R(2), R(2.125), R(2.5)};
static const real EDGE_Z[NZ + 1] = {R(0), R(1.5)};

static struct mesh_view make_mesh(int face)
{
    return (struct mesh_view){.n = {NX, NY, NZ},
                              .face = {face, face, face, face, face, face},
                              .width = {WIDTH_X, WIDTH_Y, WIDTH_Z},
                              .edge = {EDGE_X, EDGE_Y, EDGE_Z}};
}

static struct random4 draw(uint32_t stream, uint32_t k)
{
    return rng_draw(rng_key_from_seed(1986), k, stream, 0);
}

static double component(struct vec3 v, int axis)
{
    return (double)(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
}

static int cell_along(const struct place *at, int axis)
{
    return axis == 0 ? at->i : axis == 1 ? at->j : at->k;
}

static struct place make_place(const struct mesh_view *mesh, int i, int j, int k, double px, double py, double pz)
{
    const struct vec3 width = vec3_make(mesh->width[0][i], mesh->width[1][j], mesh->width[2][k]);
    return (struct place){i, j, k, vec3_make((real)px * width.x, (real)py * width.y, (real)pz * width.z), width};
}

/* Some directions along axes and in planes, otherwise isotropic. */
static struct vec3 make_direction(uint32_t k)
{
    const struct random4 random = draw(1, k);
    struct vec3 n = direction_isotropic(random.r0, random.r1);
    if (k % 5 == 1)
        n.x = R(0);
    if (k % 5 == 2)
        n.y = n.z = R(0);
    if (k % 5 == 3)
        n.z = R(-0.0);
    return direction_normalised(n);
}

/* ---- leaving a cell ---------------------------------------------------------------------------------------------- */

static int inside(struct place at, struct vec3 n, double t)
{
    for (int axis = 0; axis < 3; axis++) {
        const double position = component(at.local, axis) + t * component(n, axis);
        if (position < 0 || position > component(at.width, axis))
            return 0;
    }
    return 1;
}

/* The last point of the ray inside the box: the box is convex, so bisection finds it. */
static double brute_force_exit(struct place at, struct vec3 n)
{
    double low = 0;
    double high = 100;
    for (int step = 0; step < 100; step++) {
        const double middle = 0.5 * (low + high);
        if (inside(at, n, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void test_exit_is_the_last_point_inside(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_OPEN);
    (void)state;
    for (uint32_t k = 0; k < 50000; k++) {
        const struct random4 random = draw(2, k);
        const struct vec3 n = make_direction(k);
        const struct place at = make_place(&mesh, (int)(k % NX), (int)(k % NY), 0, (double)rng_uniform(random.r0),
                                           (double)rng_uniform(random.r1), (double)rng_uniform(random.r2));
        const struct cell_exit found = walk_exit(at.local, at.width, n);
        const double expected = brute_force_exit(at, n);
        /* the subtraction width - local is rounded, and divided by the cosine of the face */
        const double slant = fabs(component(n, found.axis));
        assert_true(slant > 0);
        assert_true(fabs((double)found.distance - expected) <= 4 * (double)R_EPSILON * (expected + 4 / slant));
        const double end = component(at.local, found.axis) + (double)found.distance * component(n, found.axis);
        const double face = component(n, found.axis) > 0 ? component(at.width, found.axis) : 0;
        assert_true(fabs(end - face) <= 8 * (double)R_EPSILON * component(at.width, found.axis));
    }
}

/* On a face and looking along it, that face is not an exit; looking out of it, the distance is zero. */
static void test_exit_from_a_face(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_OPEN);
    const struct place corner = make_place(&mesh, 2, 0, 0, 0, 0, 0);
    (void)state;
    struct cell_exit exit = walk_exit(corner.local, corner.width, vec3_make(R(0), R(1), R(0)));
    assert_true(exit.axis == 1 && exit.distance == R(2));
    exit = walk_exit(corner.local, corner.width, vec3_make(R(-0.0), R(-0.0), R(1)));
    assert_true(exit.axis == 2 && exit.distance == R(1.5));
    exit = walk_exit(corner.local, corner.width, vec3_make(R(-1), R(0), R(0)));
    assert_true(exit.axis == 0 && exit.distance == 0);
    const struct vec3 beyond = vec3_make(R(4.0000001) + R(4) * R_EPSILON, R(1), R(1)); /* rounding put it outside */
    exit = walk_exit(beyond, corner.width, vec3_make(R(1), R(0), R(0)));
    assert_true(exit.axis == 0 && exit.distance == 0);
}

/* ---- crossing a face --------------------------------------------------------------------------------------------- */

static struct vec3 unit(int axis, int forward)
{
    const real sign = forward ? R(1) : R(-1);
    return vec3_make(axis == 0 ? sign : R(0), axis == 1 ? sign : R(0), axis == 2 ? sign : R(0));
}

/* Cross from every cell through every face; the rules are written out here once more. */
static void check_crossing(const struct mesh_view *mesh, int rule, struct place at, int axis, int forward)
{
    const struct crossing crossing = walk_cross(mesh, at, unit(axis, forward), axis);
    const int old = cell_along(&at, axis);
    const int new = old + (forward ? 1 : -1);
    const int leaves = new < 0 || new >= mesh->n[axis];
    assert_int_equal(crossing.face, 2 * axis + forward);
    assert_int_equal(crossing.escaped, leaves && rule == FACE_OPEN);
    assert_int_equal(crossing.reflected, leaves && rule == FACE_REFLECTING);
    const int wrapped = (new + mesh->n[axis]) % mesh->n[axis];
    const int expected = !leaves ? new : rule == FACE_PERIODIC ? wrapped : old;
    const int upper_face = leaves && rule != FACE_PERIODIC ? forward : !forward;
    const double width = (double)mesh->width[axis][expected];
    assert_int_equal(cell_along(&crossing.at, axis), expected);
    assert_true(component(crossing.at.width, axis) == width);
    assert_true(component(crossing.at.local, axis) == (upper_face ? width : 0));
    for (int other = 0; other < 3; other++)
        if (other != axis) {
            assert_int_equal(cell_along(&crossing.at, other), cell_along(&at, other));
            assert_true(component(crossing.at.local, other) == component(at.local, other));
            assert_true(component(crossing.at.width, other) == component(at.width, other));
        }
}

static void test_crossing_obeys_the_rule_of_the_face(void **state)
{
    static const int rules[] = {FACE_OPEN, FACE_PERIODIC, FACE_REFLECTING};
    (void)state;
    for (int r = 0; r < 3; r++) {
        const struct mesh_view mesh = make_mesh(rules[r]);
        for (int cell = 0; cell < NX * NY * NZ; cell++)
            for (int face = 0; face < 6; face++)
                check_crossing(&mesh, rules[r], make_place(&mesh, cell / NY, cell % NY, 0, 0.25, 0.5, 0.75), face / 2,
                               face % 2);
    }
}

/* The rule is that of the face being crossed, not of its opposite. */
static void test_each_face_has_its_own_rule(void **state)
{
    struct mesh_view mesh = make_mesh(FACE_OPEN);
    mesh.face[1] = FACE_REFLECTING;
    mesh.face[2] = FACE_REFLECTING;
    (void)state;
    const struct place last = make_place(&mesh, NX - 1, 0, 0, 0.5, 0.5, 0.5);
    const struct place first = make_place(&mesh, 0, 0, 0, 0.5, 0.5, 0.5);
    assert_true(walk_cross(&mesh, last, unit(0, 1), 0).reflected);
    assert_true(walk_cross(&mesh, first, unit(0, 0), 0).escaped);
    assert_true(walk_cross(&mesh, first, unit(1, 0), 1).reflected);
    assert_true(walk_cross(&mesh, first, unit(2, 1), 2).escaped);
}

static void test_mirror_turns_one_component(void **state)
{
    const struct vec3 n = vec3_make(R(0.48), R(-0.6), R(0.64));
    (void)state;
    for (int axis = 0; axis < 3; axis++)
        for (int other = 0; other < 3; other++)
            assert_true(component(walk_mirrored(n, axis), other) ==
                        (axis == other ? -component(n, other) : component(n, other)));
}

static void test_cells_are_numbered_with_z_fastest(void **state)
{
    const struct mesh_view mesh = {.n = {3, 4, 5}};
    int expected = 0;
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 5; k++)
                assert_int_equal(walk_cell_index(&mesh, (struct place){.i = i, .j = j, .k = k}), expected++);
    const struct mesh_view large = {.n = {1024, 1024, 1024}};
    assert_int_equal(walk_cell_index(&large, (struct place){.i = 1023, .j = 1023, .k = 1023}), (1 << 30) - 1);
}

/* ---- whole rays -------------------------------------------------------------------------------------------------- */

static double position_of(const struct mesh_view *mesh, const struct place *at, int axis)
{
    return (double)mesh->edge[axis][cell_along(at, axis)] + component(at->local, axis);
}

/* Distance from a point inside the mesh to its surface: the slab method. */
static double chord(const struct mesh_view *mesh, const struct place *at, struct vec3 n)
{
    double nearest = HUGE_VAL;
    for (int axis = 0; axis < 3; axis++) {
        const double step = component(n, axis);
        const double wall = step > 0 ? (double)mesh->edge[axis][mesh->n[axis]] : 0;
        if (step != 0)
            nearest = fmin(nearest, (wall - position_of(mesh, at, axis)) / step);
    }
    return nearest;
}

/* The cell of the midpoint of a segment is the one that contains its coordinates. */
static void check_middle(const struct mesh_view *mesh, const double start[3], const struct place *at, struct vec3 n,
                         double t)
{
    for (int axis = 0; axis < 3; axis++) {
        const double position = start[axis] + t * component(n, axis);
        const int cell = cell_along(at, axis);
        const double slack = 60 * (double)R_EPSILON;
        assert_true(position >= (double)mesh->edge[axis][cell] - slack);
        assert_true(position <= (double)mesh->edge[axis][cell + 1] + slack);
    }
}

static void test_segments_of_a_ray_add_up_to_its_chord(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_OPEN);
    (void)state;
    for (uint32_t k = 0; k < 20000; k++) {
        const struct random4 random = draw(3, k);
        const struct vec3 n = make_direction(k);
        struct place at = make_place(&mesh, (int)(k % NX), (int)(k / 7 % NY), 0, (double)rng_uniform(random.r0),
                                     (double)rng_uniform(random.r1), (double)rng_uniform(random.r2));
        const double start[3] = {position_of(&mesh, &at, 0), position_of(&mesh, &at, 1), position_of(&mesh, &at, 2)};
        const double expected = chord(&mesh, &at, n);
        double travelled = 0;
        int steps = 0;
        for (struct crossing crossing = {0}; !crossing.escaped; at = crossing.at) {
            const struct cell_exit exit = walk_exit(at.local, at.width, n);
            check_middle(&mesh, start, &at, n, travelled + 0.5 * (double)exit.distance);
            travelled += (double)exit.distance;
            at.local = vec3_make(at.local.x + exit.distance * n.x, at.local.y + exit.distance * n.y,
                                 at.local.z + exit.distance * n.z);
            crossing = walk_cross(&mesh, at, n, exit.axis);
            assert_true(++steps <= NX + NY + NZ);
        }
        const double least = fmin(fmin(n.x != 0 ? fabs((double)n.x) : 1, n.y != 0 ? fabs((double)n.y) : 1),
                                  n.z != 0 ? fabs((double)n.z) : 1);
        assert_true(fabs(travelled - expected) <= 60 * (double)R_EPSILON * (1 + expected / least));
    }
}

/* In a periodic box the ray continues as if copies of the box were side by side; mirrors fold it back. */
static void test_images_agree_with_the_unfolded_ray(void **state)
{
    const struct vec3 n = vec3_make(R(0.48), R(0.6), R(0.64));
    const double size[3] = {(double)EDGE_X[NX], (double)EDGE_Y[NY], (double)EDGE_Z[NZ]};
    (void)state;
    for (int rule = FACE_PERIODIC; rule <= FACE_REFLECTING; rule++) {
        const struct mesh_view mesh = make_mesh(rule);
        struct place at = make_place(&mesh, 1, 1, 0, 0.5, 0.25, 0.125);
        struct vec3 now = n;
        const double start[3] = {position_of(&mesh, &at, 0), position_of(&mesh, &at, 1), position_of(&mesh, &at, 2)};
        double travelled = 0;
        for (int step = 0; step < 200; step++) {
            const struct cell_exit exit = walk_exit(at.local, at.width, now);
            travelled += (double)exit.distance;
            at.local = vec3_make(at.local.x + exit.distance * now.x, at.local.y + exit.distance * now.y,
                                 at.local.z + exit.distance * now.z);
            const struct crossing crossing = walk_cross(&mesh, at, now, exit.axis);
            assert_false(crossing.escaped);
            now = crossing.reflected ? walk_mirrored(now, exit.axis) : now;
            at = crossing.at;
            for (int axis = 0; axis < 3; axis++) {
                const double free = (start[axis] + travelled * component(n, axis)) / size[axis];
                const double turns = rule == FACE_PERIODIC ? 1 : 2;
                const double image = free - turns * floor(free / turns);
                const double folded = image > 1 ? 2 - image : image;
                const double gap = fabs(position_of(&mesh, &at, axis) / size[axis] - folded);
                const double tolerance = 4000 * (double)R_EPSILON;
                assert_true(gap < tolerance || (rule == FACE_PERIODIC && fabs(gap - 1) < tolerance));
            }
        }
    }
}

/* From the corner of three mirrors, like a source in an octant of a sphere. Rounding makes one direction in 4e6 exactly
 * parallel to a face: it must not be reflected at that face for ever. */
static void test_ray_along_a_mirror_goes_on(void **state)
{
    struct mesh_view mesh = make_mesh(FACE_OPEN);
    mesh.face[0] = mesh.face[2] = mesh.face[4] = FACE_REFLECTING;
    (void)state;
    for (int zero = 0; zero < 3; zero++) {
        struct place at = make_place(&mesh, 0, 0, 0, 0, 0, 0);
        struct vec3 n = vec3_make(zero == 0 ? R(0) : R(0.6),
                                  zero == 1   ? R(0)
                                  : zero == 0 ? R(0.6)
                                              : R(0.8),
                                  zero == 2 ? R(0) : R(0.8));
        int escaped = 0;
        for (int step = 0; step < 2 * (NX + NY + NZ) && !escaped; step++) {
            const struct cell_exit exit = walk_exit(at.local, at.width, n);
            at.local = vec3_make(at.local.x + exit.distance * n.x, at.local.y + exit.distance * n.y,
                                 at.local.z + exit.distance * n.z);
            const struct crossing crossing = walk_cross(&mesh, at, n, exit.axis);
            n = crossing.reflected ? walk_mirrored(n, exit.axis) : n;
            escaped = crossing.escaped;
            at = crossing.at;
        }
        assert_true(escaped);
    }
}

static void test_locate_finds_the_interval(void **state)
{
    (void)state;
    for (int n = 1; n <= NX; n++)
        for (int i = 0; i < n; i++) {
            assert_int_equal(walk_locate(EDGE_X, n, EDGE_X[i]), i); /* an edge belongs to the cell above it */
            assert_int_equal(walk_locate(EDGE_X, n, R(0.5) * (EDGE_X[i] + EDGE_X[i + 1])), i);
            assert_int_equal(walk_locate(EDGE_X, n, EDGE_X[i + 1] * (R(1) - R_EPSILON)), i);
        }
    assert_int_equal(walk_locate(EDGE_X, NX, EDGE_X[NX]), NX - 1); /* anything outside goes to the outermost cell */
    assert_int_equal(walk_locate(EDGE_X, NX, R(100)), NX - 1);
    assert_int_equal(walk_locate(EDGE_X, NX, R(-1)), 0);
}

/* ---- frequencies ------------------------------------------------------------------------------------------------- */

static struct cell_view make_cell(uint32_t k, double boost_x, double boost_y, double boost_z)
{
    const struct random4 random = draw(4, k);
    return (struct cell_view){.b = R(0.5) + R(2) * rng_uniform(random.r0),
                              .vx = R(4) * (rng_uniform(random.r1) - R(0.5)) + (real)boost_x,
                              .vy = R(4) * (rng_uniform(random.r2) - R(0.5)) + (real)boost_y,
                              .vz = R(4) * (rng_uniform(random.r3) - R(0.5)) + (real)boost_z};
}

static double exact_projection(const struct cell_view *cell, struct vec3 n)
{
    return (double)cell->vx * (double)n.x + (double)cell->vy * (double)n.y + (double)cell->vz * (double)n.z;
}

static real across(real x, const struct cell_view *from, const struct cell_view *to, struct vec3 n, struct vec3 n_new)
{
    return frequency_across(x, from->b, cell_velocity_along(from, n), to->b, cell_velocity_along(to, n_new));
}

/* nu = nu0 (1 + (x b + v.n) / c) is the same on both sides, and going back restores x. */
static void test_frequency_in_the_mesh_frame_does_not_change_at_a_face(void **state)
{
    const double tolerance = 40 * (double)R_EPSILON;
    (void)state;
    for (uint32_t k = 0; k < 10000; k++) {
        const struct cell_view from = make_cell(k, 0, 0, 0);
        const struct cell_view to = make_cell(k + 1, 0, 0, 0);
        const struct vec3 n = make_direction(k);
        const real x = (real)(0.002 * (k % 5000) - 5);
        const double shift = (double)x * (double)from.b + exact_projection(&from, n);
        const real x_new = across(x, &from, &to, n, n);
        assert_true(fabs((double)x_new - (shift - exact_projection(&to, n)) / (double)to.b) < tolerance);
        assert_true(fabs((double)frequency_in_mesh_frame(x, from.b, cell_velocity_along(&from, n)) - shift) <
                    tolerance);
        assert_true(fabs((double)across(x_new, &to, &from, n, n) - (double)x) < 2 * tolerance);
    }
}

/* Gas at +v along n sees a photon redshifted: x decreases by v/b (PHYSICS 1). */
static void test_receding_gas_sees_a_redder_photon(void **state)
{
    const struct cell_view rest = {.b = R(1)};
    const struct cell_view moving = {.b = R(2), .vx = R(3)};
    const struct vec3 n = vec3_make(R(1), R(0), R(0));
    (void)state;
    assert_true(across(R(0), &rest, &moving, n, n) == R(-1.5));
    assert_true(across(R(4), &rest, &moving, n, n) == R(0.5));
}

/* A boost of all gas changes no frequency in the gas. */
static void test_boost_changes_nothing_in_the_gas(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 10000; k++) {
        const struct vec3 n = make_direction(k);
        const struct cell_view from = make_cell(k, 0, 0, 0);
        const struct cell_view to = make_cell(k + 1, 0, 0, 0);
        const struct cell_view from_boosted = make_cell(k, 7, -3, 11);
        const struct cell_view to_boosted = make_cell(k + 1, 7, -3, 11);
        const double plain = (double)across(R(1.5), &from, &to, n, n);
        const double boosted = (double)across(R(1.5), &from_boosted, &to_boosted, n, n);
        assert_true(fabs(plain - boosted) < 200 * (double)R_EPSILON);
    }
}

/* A mirror at rest in the mesh keeps the shift there; in the gas x changes by 2 v n / b along the axis. */
static void test_reflection_shifts_by_twice_the_approach(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 10000; k++) {
        const int axis = (int)(k % 3);
        const struct vec3 n = make_direction(k);
        const struct cell_view cell = make_cell(k, 0, 0, 0);
        const double v = (double)(axis == 0 ? cell.vx : axis == 1 ? cell.vy : cell.vz);
        const double found = (double)across(R(1.5), &cell, &cell, n, walk_mirrored(n, axis));
        assert_true(fabs(found - 1.5 - 2 * v * component(n, axis) / (double)cell.b) < 40 * (double)R_EPSILON);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_is_the_last_point_inside),
        cmocka_unit_test(test_exit_from_a_face),
        cmocka_unit_test(test_crossing_obeys_the_rule_of_the_face),
        cmocka_unit_test(test_each_face_has_its_own_rule),
        cmocka_unit_test(test_mirror_turns_one_component),
        cmocka_unit_test(test_cells_are_numbered_with_z_fastest),
        cmocka_unit_test(test_segments_of_a_ray_add_up_to_its_chord),
        cmocka_unit_test(test_images_agree_with_the_unfolded_ray),
        cmocka_unit_test(test_ray_along_a_mirror_goes_on),
        cmocka_unit_test(test_locate_finds_the_interval),
        cmocka_unit_test(test_frequency_in_the_mesh_frame_does_not_change_at_a_face),
        cmocka_unit_test(test_receding_gas_sees_a_redder_photon),
        cmocka_unit_test(test_boost_changes_nothing_in_the_gas),
        cmocka_unit_test(test_reflection_shifts_by_twice_the_approach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
