/* stretch.h, shining_plane.h and the frequencies of trace_view.h: parts of a stretch against the linear velocity they
 * represent, the effect of gas against closed forms, intersections of lines and planes against geometry. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/stretch.h"

enum { N_CHANNEL = 40 };

static struct passage make_way(void)
{
    return (struct passage){.cell = 1,
                            .length = R(2),
                            .from = vec3_make(R(-1), R(0.5), R(0)),
                            .to = vec3_make(R(1), R(0.5), R(0)),
                            .width = vec3_make(R(2), R(2), R(2)),
                            .more = 1};
}

static struct trace_view make_view(const struct slope_view *slope)
{
    return (struct trace_view){
        .n_channel = N_CHANNEL, .n_node = 2, .first = R(-7), .step = R(0.35), .node = {R(0.2), R(0.8)}, .slope = slope};
}

static void assert_near(real value, double expected)
{
    assert_true(fabs((double)value - expected) < 20 * (double)R_EPSILON * (1 + fabs(expected)));
}

/* v = 3 x + y about 5, S as 0.25 x: each only if it is requested. */
static void slopes_change_what_they_are_wanted_for(void **state)
{
    const struct slope_view slope[2] = {
        {.velocity = {R(99), R(99), R(99)}},
        {.velocity = {R(3), R(1), R(7)}, .source = {R(0.25), R(0), R(0)}},
    };
    const struct trace_cell cell = {.alpha0 = R(1), .b = R(2), .velocity = {R(5), R(2), R(9)}};
    const struct vec3 n = vec3_make(R(1), R(0), R(0));
    struct trace_view view = make_view(NULL);
    (void)state;
    struct stretch stretch = stretch_make(&view, &cell, n, make_way());
    assert_true(stretch.flow.far == R(5) && stretch.flow.near == R(5));
    assert_true(stretch.tilt.in == R(0) && stretch.tilt.out == R(0));
    view = make_view(slope);
    view.step_velocity = 1;
    stretch = stretch_make(&view, &cell, n, make_way());
    assert_near(stretch.flow.far, 5 - 3 + 0.5);
    assert_near(stretch.flow.near, 5 + 3 + 0.5);
    assert_true(stretch.tilt.in == R(0) && stretch.tilt.out == R(0));
    view.step_velocity = 0;
    view.step_source = 1;
    stretch = stretch_make(&view, &cell, n, make_way());
    assert_true(stretch.flow.far == R(5) && stretch.flow.near == R(5));
    assert_near(stretch.tilt.in, -0.25);
    assert_near(stretch.tilt.out, 0.25);
}

/* Parts fill the stretch, one after the other, each at the velocity of its centre; it changes by at most b/4 in each.
 */
static void parts_fill_a_stretch(void **state)
{
    const struct trace_cell cell = {.alpha0 = R(3), .b = R(2), .kappa = R(0.5), .line_source = R(4)};
    const struct stretch stretch = {.way = make_way(), .flow = {R(1), R(8)}, .tilt = {R(-0.4), R(0.6)}};
    const int n = part_count(&stretch, cell.b);
    double length = 0, depth = 0;
    real end = R(0);
    (void)state;
    assert_true(7.0 / n <= 0.25 * 2 && n <= 15);
    for (int k = 0; k < n; k++) {
        const struct part part = part_of(&stretch, k, n);
        const struct part_gas gas = part_gas_of(&cell, &stretch, part);
        assert_near(part.from, (double)end);
        assert_near(part.velocity, 1 + 7 * 0.5 * (double)(part.from + part.to));
        assert_near(gas.tilt.in, -0.4 + (double)part.from);
        assert_near(gas.tilt.out, -0.4 + (double)part.to);
        assert_near(gas.grey, 0.5 * (double)gas.length);
        assert_near(gas.shine, 4 * (double)gas.length);
        assert_near(gas.inv_b, 0.5);
        assert_false(gas.flat);
        length += (double)gas.length;
        depth += (double)gas.line;
        end = part.to;
    }
    assert_near(end, 1);
    assert_near((real)length, 2);
    assert_near((real)depth, 6);
    const struct stretch even = {.way = make_way(), .flow = {R(1), R(1)}};
    assert_int_equal(part_count(&even, cell.b), 1);
    assert_true(part_gas_of(&cell, &even, part_of(&even, 0, 1)).flat);
}

/* I' = I exp(-t) + created (1 - exp(-t)) / t, with everything that absorbs and emits. */
static void gas_dims_and_shines(void **state)
{
    (void)state;
    for (double scale = 1e-3; scale < 100; scale *= 1.7) {
        const struct part_gas gas = {.length = (real)scale,
                                     .line = (real)(3 * scale),
                                     .grey = (real)(0.5 * scale),
                                     .shine = (real)(4 * scale),
                                     .flat = 1};
        const double profile = 0.3, line = 3 * scale * profile, t = line + 0.5 * scale;
        const double created = 4 * scale * profile + 0.7 * scale;
        const struct passed passed = pass_gas(gas, R(2), (real)profile, R(0.7), 1);
        assert_near(passed.line, line);
        assert_near(passed.depth, t);
        assert_true(fabs((double)passed.intensity / (2 * exp(-t) + created * -expm1(-t) / t) - 1) < 1e-6);
        /* a part with uniform S, whichever way it is computed */
        assert_true(fabs((double)(pass_gas(gas, R(2), (real)profile, R(0.7), 0).intensity / passed.intensity) - 1) <
                    1e-6);
        struct part_gas bare = gas;
        bare.grey = R(0);
        const struct passed alone = pass_line(bare, R(2), (real)profile, 1);
        const struct passed same = pass_gas(bare, R(2), (real)profile, R(0), 1);
        assert_true(alone.intensity == same.intensity && alone.depth == same.depth && alone.line == same.line);
    }
}

/* A profile without its wings differs by less than LINE_FLOOR in depth. */
static void bare_lines_leave_little_out(void **state)
{
    (void)state;
    for (double depth = 1e-3; depth < 1e6; depth *= 3)
        for (double a = 1e-14; a < 1; a *= 2) {
            const enum line_shape shape = line_shape_of((real)a, (real)depth);
            assert_int_equal(shape == SHAPE_BROAD, (real)a > LR_VOIGT_NARROW_MAX);
            for (double x = 0; shape == SHAPE_BARE && x < 6; x += 0.25) {
                const double gap = fabs((double)(shape_profile((real)a, (real)x, shape) - voigt((real)a, (real)x)));
                assert_true(gap * fmax(depth, 1) < 1.2 * (double)LINE_FLOOR + 8 * (double)R_EPSILON * fmax(depth, 1));
            }
            if (shape != SHAPE_BARE)
                assert_true(shape_profile((real)a, R(0.7), shape) == voigt((real)a, R(0.7)));
        }
}

/* Rows of channels and single samples are at the same frequencies. */
static void rows_and_samples_agree(void **state)
{
    const struct trace_view view = make_view(NULL);
    (void)state;
    for (int node = 0; node < view.n_node; node++) {
        const struct sample_row row = sample_row_of(&view, node, R(0.9), R(4));
        for (int c = 0; c < N_CHANNEL; c++) {
            const double x = (-(-7 + (c + (double)view.node[node]) * (double)view.step) - (double)R(0.9)) * 4;
            assert_true(fabs((double)sample_row_x(row, c) - x) < 200 * (double)R_EPSILON);
            assert_true(fabs((double)sample_x(sample_shift_at(&view, node, c), R(0.9), R(4)) - x) <
                        200 * (double)R_EPSILON);
        }
    }
}

/* ---- planes ---- */

static const real WIDTH[2] = {R(1), R(1)};
static const real EDGE[3] = {R(0), R(1), R(2)};

static struct mesh_view make_mesh(int rule_y)
{
    return (struct mesh_view){.n = {2, 2, 2},
                              .face = {FACE_OPEN, FACE_OPEN, rule_y, rule_y, FACE_OPEN, FACE_OPEN},
                              .width = {WIDTH, WIDTH, WIDTH},
                              .edge = {EDGE, EDGE, EDGE}};
}

static void planes_are_met_inside_the_mesh(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_OPEN);
    const struct plane_view plane = {.axis = 0, .offset = 1.5};
    struct line3 line = {{{0, 0.5, 0.5}}, {{0.8, 0.6, 0}}, RAY_FAR};
    (void)state;
    struct plane_meeting meeting = plane_meet(&mesh, &plane, &line); /* at (1.5, 1.625, 0.5) */
    assert_true(meeting.met && fabs(meeting.t - 1.5 / 0.8) < 1e-14 && meeting.factor == R(1));
    line.p.x[1] = 1; /* at (1.5, 2.125, 0.5) */
    assert_false(plane_meet(&mesh, &plane, &line).met);
    const struct mesh_view endless = make_mesh(FACE_PERIODIC);
    assert_true(plane_meet(&endless, &plane, &line).met);
    line.t_last = 1.8; /* the observer is in front of it */
    assert_false(plane_meet(&endless, &plane, &line).met);
    line.n = (struct point3){{0, 1, 0}};
    assert_false(plane_meet(&endless, &plane, &line).met);
}

static void planes_shine_to_their_sides(void **state)
{
    const struct mesh_view mesh = make_mesh(FACE_OPEN);
    const struct line3 out = {{{0, 0.5, 0.5}}, {{0.8, 0.6, 0}}, RAY_FAR},
                       back = {{{2, 0.5, 0.5}}, {{-1, 0, 0}}, RAY_FAR};
    const struct plane_view up = {.axis = 0, .offset = 1.5, .side = 1}, down = {.axis = 0, .offset = 1.5, .side = -1};
    const struct plane_view isotropic = {.axis = 0, .offset = 1.5, .isotropic = 1};
    (void)state;
    assert_true(plane_meet(&mesh, &up, &out).met && !plane_meet(&mesh, &up, &back).met);
    assert_true(!plane_meet(&mesh, &down, &out).met && plane_meet(&mesh, &down, &back).met);
    assert_near(plane_meet(&mesh, &isotropic, &out).factor, 1.25);
    assert_near(plane_meet(&mesh, &isotropic, &back).factor, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_change_what_they_are_wanted_for),
        cmocka_unit_test(parts_fill_a_stretch),
        cmocka_unit_test(gas_dims_and_shines),
        cmocka_unit_test(bare_lines_leave_little_out),
        cmocka_unit_test(rows_and_samples_agree),
        cmocka_unit_test(planes_are_met_inside_the_mesh),
        cmocka_unit_test(planes_shine_to_their_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
