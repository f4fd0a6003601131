/* sight.h on boxes: depths of whole paths against straight lines, and the mean of what is counted against exp(-tau). */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/sight.h"
#include "kernel/voigt.h"

enum { NX = 6, NY = 5, NZ = 4, N_CELL = NX * NY * NZ };
static const real WIDTH_X[NX] = {R(0.5), R(0.25), R(1), R(0.25), R(0.125), R(0.875)};
static const real WIDTH_Y[NY] = {R(1), R(0.5), R(0.25), R(0.5), R(0.75)};
static const real WIDTH_Z[NZ] = {R(2), R(0.125), R(0.375), R(0.5)};
static const real EDGE_X[NX + 1] = {R(0), R(0.5), R(0.75), R(1.75), R(2), R(2.125), R(3)};
static const real EDGE_Y[NY + 1] = {R(0), R(1), R(1.5), R(1.75), R(2.25), R(3)};
static const real EDGE_Z[NZ + 1] = {R(0), R(2), R(2.125), R(2.5), R(3)};

static struct cell_view cells[N_CELL];

static struct transport_view make_view(int moves, int escaped)
{
    for (int c = 0; c < N_CELL; c++) {
        cells[c] = (struct cell_view){.alpha0 = R(0.75), .a = R(0.01), .b = R(1), .kappa = R(0.25)};
        if (moves) {
            cells[c].alpha0 = (real)(0.5 + 0.25 * (c % 5));
            cells[c].b = (real)(0.5 + 0.25 * (c % 7));
            cells[c].vx = (real)(0.5 * (c % 3) - 0.5);
            cells[c].vy = (real)(0.25 * (c % 4));
            cells[c].vz = (real)(-0.5 * (c % 2));
        }
    }
    return (struct transport_view){
        .mesh = {.n = {NX, NY, NZ}, .width = {WIDTH_X, WIDTH_Y, WIDTH_Z}, .edge = {EDGE_X, EDGE_Y, EDGE_Z}},
        .cell = cells,
        .channels = {.n = 8, .first = R(-4), .inv_step = R(1)},
        .escaped = escaped,
        .n_aspect = 1};
}

static double uniform(uint32_t k, uint32_t which)
{
    return ((double)rng_draw(rng_key_from_seed(1727), k, which, 0).r0 + 0.5) / 4294967296.0;
}

static struct sight start(const struct transport_view *view, uint32_t k, double point[3])
{
    const double mu = 2 * uniform(k, 1) - 1, phi = 6.28318530718 * uniform(k, 2), sine = sqrt(1 - mu * mu);
    for (uint32_t axis = 0; axis < 3; axis++)
        point[axis] = 3 * uniform(k, 3 + axis);
    struct sight sight = {.at = walk_place(&view->mesh, point, -1),
                          .n = vec3_make((real)(sine * cos(phi)), (real)(sine * sin(phi)), (real)mu),
                          .x = (real)(4 * uniform(k, 6) - 2),
                          .left = R_HUGE};
    sight.cell = sight.row = walk_cell_index(&view->mesh, sight.at);
    return sight;
}

static void follow(const struct transport_view *view, struct sight *sight, real limit)
{
    for (int steps = 0; sight->state == SIGHT_GOES_ON; steps++) {
        assert_true(steps <= NX + NY + NZ);
        const struct leg leg = sight_aim(view, sight);
        assert_true(leg.end == leg.start);
        sight_advance(view, sight, limit, voigt(view->cell[sight->cell].a, leg.start));
    }
}

/* The distance to the surface. */
static double way_out(const double point[3], struct vec3 n)
{
    const double direction[3] = {(double)n.x, (double)n.y, (double)n.z};
    double way = INFINITY;
    for (int axis = 0; axis < 3; axis++)
        way = fmin(way, ((direction[axis] > 0 ? 3 : 0) - point[axis]) / direction[axis]);
    return way;
}

/* Light that is followed out of the mesh is assigned to the cell it comes from. */
static void thick_cells_are_crossed(void **state)
{
    const struct transport_view view = make_view(0, 1);
    (void)state;
    for (uint32_t k = 0; k < 20000; k++) {
        double point[3];
        struct sight sight = start(&view, k, point);
        const int cell = sight.cell;
        const double alpha = 0.75 * (double)voigt(R(0.01), sight.x) + 0.25;
        const double way = way_out(point, sight.n);
        follow(&view, &sight, R_HUGE);
        assert_true(sight.state == SIGHT_IS_LEFT && sight.row == cell);
        assert_true(fabs((double)sight.depth - alpha * way) < 100 * (double)R_EPSILON * (1 + alpha * way));
    }
}

static void light_is_left_at_the_end_of_a_thin_cell(void **state)
{
    const struct transport_view view = make_view(0, 0);
    (void)state;
    for (uint32_t k = 0; k < 5000; k++) {
        double point[3];
        struct sight sight = start(&view, k, point);
        const int cell = sight.cell;
        const double alpha = 0.75 * (double)voigt(R(0.01), sight.x) + 0.25;
        const double way = (double)walk_exit(sight.at.local, sight.at.width, sight.n).distance;
        follow(&view, &sight, R_HUGE);
        assert_true(sight.state == SIGHT_IS_LEFT && sight.row == cell);
        assert_true(fabs((double)sight.depth - alpha * way) < 20 * (double)R_EPSILON * (1 + alpha * way));
    }
}

/* In moving gas, the frequency in each cell follows from that in the mesh frame. */
static void each_cell_sees_its_own_frequency(void **state)
{
    const struct transport_view view = make_view(1, 1);
    (void)state;
    for (uint32_t k = 0; k < 5000; k++) {
        double point[3], depth = 0;
        struct sight sight = start(&view, k, point);
        const struct cell_view *from = &cells[sight.cell];
        const struct vec3 n = sight.n;
        const double shift = (double)sight.x * (double)from->b + (double)cell_velocity_along(from, n);
        struct place at = sight.at;
        for (int out = 0; !out;) {
            const struct cell_view *cell = &cells[walk_cell_index(&view.mesh, at)];
            const struct cell_exit exit = walk_exit(at.local, at.width, n);
            const double x = (shift - (double)cell_velocity_along(cell, n)) / (double)cell->b;
            depth += (double)exit.distance * ((double)cell->alpha0 * (double)voigt(cell->a, (real)x) + 0.25);
            at.local = walk_move(at.local, at.width, n, exit.distance).local;
            const struct crossing crossing = walk_cross(&view.mesh, at, n, exit.axis);
            at = crossing.at;
            out = crossing.escaped;
        }
        follow(&view, &sight, R_HUGE);
        assert_true(fabs((double)sight.depth - depth) < 400 * (double)R_EPSILON * (1 + depth));
    }
}

/* Nothing behind an observer inside the mesh dims what it sees. */
static void light_ends_at_a_near_observer(void **state)
{
    const struct transport_view view = make_view(0, 1);
    (void)state;
    for (uint32_t k = 0; k < 5000; k++) {
        double point[3];
        struct sight sight = start(&view, k, point);
        const int cell = sight.cell;
        const double alpha = 0.75 * (double)voigt(R(0.01), sight.x) + 0.25;
        const double way = 0.9 * uniform(k, 7) * way_out(point, sight.n);
        sight.left = (real)way;
        follow(&view, &sight, R_HUGE);
        assert_true(sight.state == SIGHT_IS_LEFT && sight.row == cell);
        assert_true(fabs((double)sight.depth - alpha * way) < 100 * (double)R_EPSILON * (1 + alpha * way));
    }
}

static void faint_light_is_given_up(void **state)
{
    const struct transport_view view = make_view(0, 1);
    (void)state;
    for (uint32_t k = 0; k < 5000; k++) {
        double point[3];
        struct sight all = start(&view, k, point), some = all;
        const real limit = (real)(2 * uniform(k, 8));
        follow(&view, &all, R_HUGE);
        follow(&view, &some, limit);
        assert_int_equal(some.state, all.depth < limit ? SIGHT_IS_LEFT : SIGHT_IS_LOST);
    }
}

static void what_counts_is_unbiased(void **state)
{
    enum { DRAWS = 400000 };
    (void)state;
    for (double tau = 0.1; tau < 8.01; tau += 0.79) {
        double sum = 0, squares = 0;
        for (uint32_t k = 0; k < DRAWS; k++) {
            const struct random4 random = rng_draw(rng_key_from_seed(1760), k, (uint32_t)(tau * 100), 0);
            const real limit = sight_limit(free_path_after(rng_uniform(random.r0), R(1)));
            const double counts = (real)tau < limit ? (double)sight_transmission((real)tau) : 0;
            sum += counts / DRAWS;
            squares += counts * counts / DRAWS;
        }
        const double error = sqrt(fmax(squares - sum * sum, 0) / DRAWS);
        assert_true(fabs(sum - exp(-tau)) < 4 * error + 1e-6 * exp(-tau));
    }
}

/* Whether a photon is worth following is decided by a lower limit on the depth of its path. */
static void least_depths_are_lower_bounds(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 20000; k++) {
        const double a = pow(10, -5 + 5.3 * uniform(k, 1)), alpha = 10 * uniform(k, 3);
        const double x = (k % 2 ? 12 : 400) * (uniform(k, 2) - 0.5);
        const double least = (double)shade_own_depth((real)alpha, (real)a, R(0.1), (real)x, R(2));
        const double depth = 2 * (alpha * (double)voigt((real)a, (real)x) + 0.1);
        assert_true(least <= depth * (1 + 1e-5) && least >= 0.2 * (1 - 1e-6));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thick_cells_are_crossed),          cmocka_unit_test(light_is_left_at_the_end_of_a_thin_cell),
        cmocka_unit_test(each_cell_sees_its_own_frequency), cmocka_unit_test(light_ends_at_a_near_observer),
        cmocka_unit_test(faint_light_is_given_up),          cmocka_unit_test(what_counts_is_unbiased),
        cmocka_unit_test(least_depths_are_lower_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
