/* ray.h: where lines of sight enter and how far they go, against the slab method; periodic copies; the grid of a
 * camera. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/phase.h"
#include "kernel/ray.h"

enum { NX = 4, NY = 2, NZ = 3 };
static const real WIDTH_X[NX] = {R(0.5), R(0.25), R(1), R(0.25)};
static const real WIDTH_Y[NY] = {R(1), R(0.5)};
static const real WIDTH_Z[NZ] = {R(2), R(0.125), R(0.375)};
static const real EDGE_X[NX + 1] = {R(0), R(0.5), R(0.75), R(1.75), R(2)};
static const real EDGE_Y[NY + 1] = {R(0), R(1), R(1.5)};
static const real EDGE_Z[NZ + 1] = {R(0), R(2), R(2.125), R(2.5)};
static const double SIZE[3] = {2, 1.5, 2.5};

static struct mesh_view make_mesh(int face_x, int face_y)
{
    return (struct mesh_view){.n = {NX, NY, NZ},
                              .face = {face_x, face_x, face_y, face_y, FACE_OPEN, FACE_OPEN},
                              .width = {WIDTH_X, WIDTH_Y, WIDTH_Z},
                              .edge = {EDGE_X, EDGE_Y, EDGE_Z}};
}

static double uniform(uint32_t k, uint32_t which)
{
    const struct random4 random = rng_draw(rng_key_from_seed(1609), k, which, 0);
    return ((double)random.r0 + 0.5) / 4294967296.0;
}

static struct point3 random_direction(uint32_t k)
{
    const double mu = 2 * uniform(k, 1) - 1;
    const double phi = 2 * 3.14159265358979 * uniform(k, 2);
    const double sine = sqrt(1 - mu * mu);
    return (struct point3){{sine * cos(phi), sine * sin(phi), mu}};
}

/* Length of a line inside the box, and where it enters. */
static double chord(struct point3 p, struct point3 n, double first, double last, double *enters)
{
    for (int axis = 0; axis < 3; axis++) {
        const double t0 = (0 - p.x[axis]) / n.x[axis];
        const double t1 = (SIZE[axis] - p.x[axis]) / n.x[axis];
        first = fmax(first, fmin(t0, t1));
        last = fmin(last, fmax(t0, t1));
    }
    *enters = first;
    return fmax(last - first, 0);
}

static double walk_to_the_end(const struct mesh_view *mesh, struct ray ray, int *steps)
{
    double length = 0;
    *steps = 0;
    for (int more = ray.hits; more && *steps < 100000; ++*steps) {
        const struct passage step = ray_advance(mesh, &ray);
        assert_true(step.length >= 0);
        length += (double)step.length;
        more = step.more;
    }
    return length;
}

static double position_of(const struct mesh_view *mesh, struct place at, int axis)
{
    const int cell = axis == 0 ? at.i : axis == 1 ? at.j : at.k;
    const real local = axis == 0 ? at.local.x : axis == 1 ? at.local.y : at.local.z;
    return (double)mesh->edge[axis][cell] + (double)local;
}

static void test_rays_cross_the_whole_mesh(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_OPEN, FACE_OPEN);
    int hits = 0;
    (void)state;
    for (uint32_t k = 0; k < 20000; k++) {
        const struct point3 n = random_direction(k);
        struct point3 p;
        for (uint32_t axis = 0; axis < 3; axis++)
            p.x[axis] = SIZE[axis] * (2 * uniform(k, 3 + axis) - 0.5);
        double enters;
        const double expected = chord(p, n, -RAY_FAR, RAY_FAR, &enters);
        const struct ray ray = ray_enter(&mesh, p, n, -RAY_FAR, RAY_FAR);
        assert_int_equal(ray.hits, expected > 0);
        if (!ray.hits)
            continue;
        hits++;
        for (int axis = 0; axis < 3; axis++)
            assert_true(fabs(position_of(&mesh, ray.at, axis) - (p.x[axis] + enters * n.x[axis])) <
                        40 * (double)R_EPSILON);
        int steps;
        const double least = fmin(fmin(fabs(n.x[0]), fabs(n.x[1])), fabs(n.x[2]));
        assert_true(fabs(walk_to_the_end(&mesh, ray, &steps) - expected) < 40 * (double)R_EPSILON * (1 + 1 / least));
        assert_true(steps <= NX + NY + NZ);
    }
    assert_true(hits > 5000);
}

/* An observer at t = 0: only what is in front counts, and nothing if everything is behind. */
static void test_rays_end_at_the_observer(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_OPEN, FACE_OPEN);
    (void)state;
    for (uint32_t k = 0; k < 5000; k++) {
        const struct point3 n = random_direction(k);
        const struct point3 p = {{SIZE[0] * uniform(k, 3), SIZE[1] * uniform(k, 4), SIZE[2] * uniform(k, 5)}};
        double enters;
        const double expected = chord(p, n, -RAY_FAR, 0, &enters);
        int steps;
        const double least = fmin(fmin(fabs(n.x[0]), fabs(n.x[1])), fabs(n.x[2]));
        const double walked = walk_to_the_end(&mesh, ray_enter(&mesh, p, n, -RAY_FAR, 0), &steps);
        assert_true(fabs(walked - expected) < 40 * (double)R_EPSILON * (1 + 1 / least));
        /* past the mesh, which lies behind: photons arrive along n from there, so nothing at t > its last point */
        struct point3 beyond = p;
        for (int axis = 0; axis < 3; axis++)
            beyond.x[axis] = p.x[axis] - 10 * n.x[axis];
        assert_false(ray_enter(&mesh, beyond, n, -RAY_FAR, 0).hits);
    }
}

static void test_rays_along_axes(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_OPEN, FACE_OPEN);
    const struct point3 up = {{0, 0, 1}};
    int steps;
    (void)state;
    const struct ray ray = ray_enter(&mesh, (struct point3){{0.6, 1.2, 77}}, up, -RAY_FAR, RAY_FAR);
    assert_true(ray.hits && ray.at.i == 1 && ray.at.j == 1 && ray.at.k == 0 && ray.at.local.z == 0);
    assert_true(fabs(walk_to_the_end(&mesh, ray, &steps) - 2.5) < 4 * (double)R_EPSILON);
    assert_int_equal(steps, NZ);
    assert_false(
        ray_enter(&mesh, (struct point3){{2, 1, 0}}, up, -RAY_FAR, RAY_FAR).hits); /* on the upper face: outside */
    assert_true(
        ray_enter(&mesh, (struct point3){{0, 0, 0}}, up, -RAY_FAR, RAY_FAR).hits); /* on the lower one: inside */
    assert_false(ray_enter(&mesh, (struct point3){{-0.1, 1, 0}}, up, -RAY_FAR, RAY_FAR).hits);
}

/* Without sides a sheet is 2.5 / |mu| thick, from any viewpoint. */
static void test_periodic_axes_have_no_end(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_PERIODIC, FACE_PERIODIC);
    (void)state;
    for (uint32_t k = 0; k < 2000; k++) {
        const struct point3 n = random_direction(k);
        const double mu = fabs(n.x[2]);
        int steps;
        if (mu < 0.01)
            continue;
        const struct point3 p = {{100 * uniform(k, 3) - 50, 100 * uniform(k, 4) - 50, 0.3}};
        const struct ray ray = ray_enter(&mesh, p, n, -RAY_FAR, RAY_FAR);
        assert_true(ray.hits);
        const double z = n.x[2] > 0 ? 0 : SIZE[2];
        for (int axis = 0; axis < 2; axis++) {
            const double x = p.x[axis] + (z - p.x[2]) / n.x[2] * n.x[axis];
            const double inside = x - SIZE[axis] * floor(x / SIZE[axis]);
            const double gap = fabs(position_of(&mesh, ray.at, axis) - inside);
            assert_true(gap < 1e-5 || fabs(gap - SIZE[axis]) < 1e-5);
        }
        assert_true(fabs(walk_to_the_end(&mesh, ray, &steps) * mu / SIZE[2] - 1) < 2000 * (double)R_EPSILON / mu);
    }
}

/* Rays are at the centres of equal squares around the image centre; for a near observer they all pass through one
 * point. */
static void test_grid_of_an_eye(void **state)
{
    struct eye eye = {.toward = {{0, 0, 1}},
                      .right = {{1, 0, 0}},
                      .up = {{0, 1, 0}},
                      .origin = {{3, 4, 5}},
                      .step = 0.25,
                      .n_ray = {4, 6}};
    (void)state;
    const struct line3 corner = eye_line(&eye, 0, 0);
    assert_true(corner.p.x[0] == 3 - 1.5 * 0.25 && corner.p.x[1] == 4 - 2.5 * 0.25 && corner.p.x[2] == 5);
    assert_true(corner.n.x[2] == 1 && corner.t_last == RAY_FAR);
    const struct line3 last = eye_line(&eye, 3, 5);
    assert_true(last.p.x[0] == 3 + 1.5 * 0.25 && last.p.x[1] == 4 + 2.5 * 0.25);
    eye.perspective = 1;
    const struct line3 near = eye_line(&eye, 3, 5);
    const double norm = sqrt(1 + 0.375 * 0.375 + 0.625 * 0.625);
    assert_true(near.p.x[0] == 3 && near.p.x[1] == 4 && near.p.x[2] == 5 && near.t_last == 0);
    /* light from the upper right flies down and to the left */
    assert_true(fabs(near.n.x[0] + 0.375 / norm) < 1e-15 && fabs(near.n.x[1] + 0.625 / norm) < 1e-15);
    assert_true(fabs(near.n.x[2] - 1 / norm) < 1e-15);
}

/* From the centre of a cell; for a distant observer the same from everywhere. */
static void test_direction_to_the_eye(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_OPEN, FACE_OPEN);
    const int cell[3] = {2, 0, 0}; /* its centre is (1.25, 0.5, 1) */
    struct eye eye = {.toward = {{0, 0.6, 0.8}}, .origin = {{1.25, 3.5, 5}}};
    (void)state;
    struct vec3 n = eye_direction(&eye, &mesh, cell);
    assert_true(n.x == R(0) && n.y == R(0.6) && n.z == R(0.8));
    eye.perspective = 1;
    n = eye_direction(&eye, &mesh, cell);
    assert_true(fabs((double)n.x) < 1e-6 && fabs((double)n.y - 0.6) < 1e-6 && fabs((double)n.z - 0.8) < 1e-6);
}

/* A ray knows where on its line it begins: where it enters the mesh, unless it starts inside. */
static void test_rays_know_where_they_begin(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_OPEN, FACE_OPEN);
    const struct point3 p = {{1, 1, -3}}, n = {{0, 0, 1}};
    (void)state;
    assert_true(fabs(ray_enter(&mesh, p, n, -RAY_FAR, RAY_FAR).t_first - 3) < 1e-12);
    assert_true(fabs(ray_enter(&mesh, p, n, 3.5, RAY_FAR).t_first - 3.5) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rays_cross_the_whole_mesh),
        cmocka_unit_test(test_rays_end_at_the_observer),
        cmocka_unit_test(test_rays_along_axes),
        cmocka_unit_test(test_direction_to_the_eye),
        cmocka_unit_test(test_rays_know_where_they_begin),
        cmocka_unit_test(test_periodic_axes_have_no_end),
        cmocka_unit_test(test_grid_of_an_eye),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
