/* formal_solution.h: steps against the closed form in long double and against a fine integration, slopes against their
 * definition, the reach of a line against the Voigt function. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/formal_solution.h"
#include "kernel/voigt.h"

/* I exp(-t) + glow INT (1 + tilt(u)) exp(-t (1 - u)) du over u = 0..1 from the far end to the near one. The integrals
 * are m and, for the part that grows with u, (1 - m) / t; both by their series where t is small. */
static long double exact_step(long double intensity, long double t, long double glow, long double tilt_in,
                              long double tilt_out)
{
    long double m = 0;
    long double lag = 0;
    if (t < 1) {
        long double term = 1; /* (-t)^k / k! */
        for (int k = 0; k < 40; k++) {
            m += term / (k + 1);
            lag += term / ((k + 1) * (k + 2));
            term *= -t / (k + 1);
        }
    } else {
        m = -expm1l(-t) / t;
        lag = (1 - m) / t;
    }
    return intensity * expl(-t) + glow * ((1 + tilt_in) * m + (tilt_out - tilt_in) * lag);
}

/* The same by brute force: many thin sheets. */
static double integrated_step(double intensity, double t, double glow, double tilt_in, double tilt_out)
{
    enum { SHEETS = 20000 };
    for (int k = 0; k < SHEETS; k++) {
        const double u = (k + 0.5) / SHEETS;
        const double out = exp(-t / SHEETS);
        const double emitted = glow / SHEETS * (1 + tilt_in + (tilt_out - tilt_in) * u) * exp(-0.5 * t / SHEETS);
        intensity = intensity * out + emitted;
    }
    return intensity;
}

static void test_closed_form_is_the_integral(void **state)
{
    (void)state;
    static const double depth[] = {0, 1e-3, 0.3, 2, 30};
    static const double tilt[][2] = {{0, 0}, {-0.5, 0.5}, {1, -1}, {0.25, 0.5}};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            const double exact = (double)exact_step(0.7L, depth[i], 1.3L, tilt[k][0], tilt[k][1]);
            assert_true(fabs(integrated_step(0.7, depth[i], 1.3, tilt[k][0], tilt[k][1]) - exact) < 1e-6);
        }
}

/* The series ends at t^5/720 (tilted: t^5/5040 in the lag) below t = 0.25, which leaves 5e-8; a constant S has its own
 * switch at 0.1 and ends at t^4/120: 1.4e-8. Above, (1 - exp(-t)) / t has lost a few bits and (1 - m) / t a few more.
 */
static void test_steps_are_exact(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i < 6000; i++) {
        const double depth = i < 3000 ? 1e-4 * i : 1e-12 * pow(1e15, (i - 3000) / 3000.0);
        const real t = (real)depth;
        const double flat = (double)exact_step(0.4L, (long double)t, 1, 0, 0);
        for (int k = -2; k <= 2; k++) {
            const double tilt = 0.5 * k;
            const double exact = (double)exact_step(0.4L, (long double)t, 1, -tilt, tilt);
            const double error = fabs((double)formal_step(R(0.4), t, R(1), (real)-tilt, (real)tilt) - exact) / flat;
            worst = fmax(worst, error);
            assert_true(error < 1e-7 + 60 * (double)R_EPSILON);
        }
        assert_true(fabs((double)formal_step_flat(R(0.4), t, R(1)) / flat - 1) < 2e-8 + 40 * (double)R_EPSILON);
    }
    print_message("  largest error over that without a slope: %.1e\n", worst);
}

static void test_limits(void **state)
{
    (void)state;
    assert_true(formal_step(R(3), R(0), R(0), R(0.5), R(-0.5)) == R(3)); /* nothing there */
    assert_true(formal_step_flat(R(3), R(0), R(0)) == R(3));
    assert_true(fabs((double)formal_step(R(0), R(0), R(2), R(-0.7), R(0.7)) - 2) <
                1e-6); /* thin: the mean, tilted or not */
    /* thick: S of the near side, one free path in; glow = S t */
    for (double t = 1e2; t < 1e30; t *= 10) {
        const double tilted = (double)formal_step(R(5), (real)t, (real)t, R(-0.5), R(0.5));
        assert_true(fabs(tilted - (1.5 - 1 / t)) < 1e-5);
        assert_true(fabs((double)formal_step_flat(R(5), (real)t, (real)t) - 1) < 1e-5);
    }
}

/* A cell cut into parts, each with its share of the depth and its piece of the slope, is the same cell. */
static void test_parts_of_a_cell_make_the_whole(void **state)
{
    (void)state;
    for (double t = 1e-3; t < 100; t *= 3) {
        const real whole = formal_step(R(0.3), (real)t, (real)t, R(-0.6), R(0.6));
        real parts = R(0.3);
        for (int k = 0; k < 8; k++)
            parts = formal_step(parts, (real)(t / 8), (real)(t / 8), (real)(0.6 * (k / 4.0 - 1)),
                                (real)(0.6 * ((k + 1) / 4.0 - 1)));
        assert_true(fabs((double)(whole - parts)) < 4e-7 + 100 * (double)R_EPSILON);
    }
}

/* ---- slopes ------------------------------------------------------------------------------------------------------ */

/* The lean of a way straight through a cell of width w[1], between cells of widths w[0] and w[2], along x. */
static struct lean straight(const double w[3])
{
    const struct passage way = {.length = (real)w[1],
                                .from = vec3_make((real)(-0.5 * w[1]), R(0), R(0)),
                                .to = vec3_make((real)(0.5 * w[1]), R(0), R(0)),
                                .width = vec3_make((real)w[1], R(3), R(5))};
    return lean_of(way, vec3_make(R(1), R(0), R(0)), (real)w[0], (real)w[2], 1);
}

static struct tilt tilt_of(real behind, real s, real front, struct lean lean)
{
    return source_tilt(behind, s, front, lean, vec3_make(R(0), R(0), R(0)), R(1));
}

/* S linear in position, cells of any width: at the ends of the way it is S there. */
static void test_tilt_of_a_linear_source_is_its_slope(void **state)
{
    (void)state;
    static const double width[][3] = {{1, 1, 1}, {2, 2, 2}, {0.5, 1, 0.7}};
    for (int i = 0; i < 3; i++)
        for (double slope = -0.3; slope < 0.35; slope += 0.1) {
            const double *w = width[i];
            const struct lean lean = straight(w);
            const double s = 2;
            const real behind = (real)(s - slope * 0.5 * (w[0] + w[1]));
            const real front = (real)(s + slope * 0.5 * (w[1] + w[2]));
            const real ends[][2] = {{behind, front}, {R(-1), front}, {behind, R(-1)}}; /* or with one neighbour */
            for (int k = 0; k < 3; k++) {
                const struct tilt tilt = tilt_of(ends[k][0], (real)s, ends[k][1], lean);
                assert_true(fabs((double)tilt.in + slope * 0.5 * w[1] / s) < 20 * (double)R_EPSILON);
                assert_true(fabs((double)tilt.out - slope * 0.5 * w[1] / s) < 20 * (double)R_EPSILON);
            }
        }
}

/* A ray that cuts a corner, in by a face across x (flying down x) and out by one across z: S linear in x and z is found
 * at both ends, however short the ways through the neighbours are. */
static void test_tilt_around_a_corner(void **state)
{
    (void)state;
    const double slope_x = 0.2;
    const double slope_z = -0.15;
    const double s = 3;
    const struct vec3 n = vec3_make(R(-0.6), R(0), R(0.8));
    const struct passage way = {.from = vec3_make(R(0.5), R(0.1), R(0.3)),
                                .to = vec3_make(R(0.125), R(0.1), R(0.8)),
                                .width = vec3_make(R(1), R(1), R(1.6)),
                                .axis_in = 0,
                                .axis_out = 2};
    const struct lean lean = lean_of(way, n, R(2), R(0.4), 0); /* the cells behind and in front are 2 and 0.4 wide */
    const double behind = s + slope_x * 1.5;
    const double front = s + slope_z * 1.0;
    const struct tilt tilt = tilt_of((real)behind, (real)s, (real)front, lean);
    assert_true(fabs(s * (double)tilt.in - (slope_x * 0.5 + slope_z * 0.3)) < 1e-6);
    assert_true(fabs(s * (double)tilt.out - (slope_x * 0.125 + slope_z * 0.8)) < 1e-6);
}

/* A ray that enters and leaves a layer sideways, through faces across y, knows how S rises along x from where it came
 * into the layer. */
static void test_tilt_remembers_other_axes(void **state)
{
    (void)state;
    const struct vec3 n = vec3_make(R(-0.6), R(0.8), R(0));
    const struct passage way = {.from = vec3_make(R(0.3), R(-0.5), R(0)),
                                .to = vec3_make(R(-0.45), R(0.5), R(0)),
                                .width = vec3_make(R(1), R(1), R(1)),
                                .axis_in = 1,
                                .axis_out = 1};
    const struct lean lean = lean_of(way, n, R(1), R(1), 1);
    const struct tilt tilt = source_tilt(R(2), R(2), R(2), lean, vec3_make(R(0.4), R(9), R(0)), R(1));
    assert_true(fabs((double)tilt.in - 0.4 * -0.3 / 2) < 1e-6); /* x counted in the direction of flight, downward */
    assert_true(fabs((double)tilt.out - 0.4 * 0.45 / 2) < 1e-6);
}

static void test_tilt_makes_no_new_extremes(void **state)
{
    (void)state;
    const struct lean lean = straight((const double[]){1, 1, 1});
    assert_true(tilt_of(R(1), R(2), R(1), lean).out == 0); /* at a maximum */
    assert_true(tilt_of(R(2), R(1), R(3), lean).out == 0);
    assert_true(tilt_of(R(-1), R(2), R(-1), lean).out == 0); /* alone */
    assert_true(tilt_of(R(1), R(0), R(0), lean).out == 0);   /* dark gas */
    for (int i = 0; i < 2000; i++) {
        const double behind = 0.01 * (i % 97);
        const double s = 0.01 + 0.02 * (i % 41);
        const double front = 0.03 * (i % 29);
        const struct tilt tilt = tilt_of((real)behind, (real)s, (real)front, lean);
        const double most = fmax(fmax(behind, s), front) + 1e-6;
        const double least = fmin(fmin(behind, s), front) - 1e-6;
        assert_true((double)tilt.out >= -1 && (double)tilt.out <= 1);
        assert_true(s * (1 + (double)tilt.out) <= most && s * (1 + (double)tilt.out) >= least);
        assert_true(s * (1 + (double)tilt.in) <= most && s * (1 + (double)tilt.in) >= least);
    }
}

/* ---- reach of the line ------------------------------------------------------------------------------------------- */

/* Beyond it the line adds less than it may: for any damping and depth. */
static void test_nothing_is_left_beyond_the_reach(void **state)
{
    (void)state;
    for (double t = 1e-7; t < 1e8; t *= 4)
        for (double a = 1e-9; a < 2; a *= 3) {
            const double reach = (double)line_reach((real)a, (real)t);
            for (double x = reach; x < 3 * reach + 3; x += 0.1 + 0.1 * reach)
                assert_true(fmax(t, 1) * (double)voigt((real)a, (real)x) < 1.3 * (double)LINE_FLOOR);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_form_is_the_integral),
        cmocka_unit_test(test_steps_are_exact),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_parts_of_a_cell_make_the_whole),
        cmocka_unit_test(test_tilt_of_a_linear_source_is_its_slope),
        cmocka_unit_test(test_tilt_around_a_corner),
        cmocka_unit_test(test_tilt_remembers_other_axes),
        cmocka_unit_test(test_tilt_makes_no_new_extremes),
        cmocka_unit_test(test_nothing_is_left_beyond_the_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
