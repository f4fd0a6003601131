/* deposit.h: the phase weight averages to one over the sphere, channels have their edges where they should, expected
 * scatterings are their integral, and the path to a near camera begins at the photon. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/deposit.h"

/* The mean over the sphere is 1, for any E1; and the values for a dipole along and across. */
static void test_phase_weight_has_mean_one(void **state)
{
    enum { STEPS = 1000 };
    (void)state;
    for (double e1 = 0; e1 <= 1; e1 += 0.125) {
        double sum = 0;
        for (int i = 0; i < STEPS; i++)
            sum += (double)phase_toward((real)e1, (real)((2 * i + 1.0) / STEPS - 1)) / STEPS;
        assert_true(fabs(sum - 1) < 1e-6);
    }
    assert_true(phase_toward(R(0), R(0.3)) == R(1));
    assert_true(phase_toward(R(1), R(1)) == R(1.5) && phase_toward(R(1), R(-1)) == R(1.5));
    assert_true(phase_toward(R(1), R(0)) == R(0.75));
}

/* Directions drawn by phase.h average to the same weight: the fraction of scatterings into a cone is its mean of P. */
static void test_phase_weight_is_that_of_the_directions(void **state)
{
    enum { DRAWS = 400000 };
    const struct vec3 n = vec3_make(R(0.36), R(0.48), R(0.8));
    const real e1 = R(0.6);
    int forward = 0;
    (void)state;
    for (uint32_t k = 0; k < DRAWS; k++) {
        const struct random4 random = rng_draw(rng_key_from_seed(1871), k, 1, 0);
        forward += vec3_dot(n, direction_dipole(n, e1, random.r0, random.r1)) > R(0.5);
    }
    double expected = 0; /* INT_{1/2}^1 P dg / 2 */
    for (int i = 0; i < 1000; i++)
        expected += 0.25 * (double)phase_toward(e1, (real)(0.5 + 0.5 * (i + 0.5) / 1000)) / 1000;
    const double share = (double)forward / DRAWS;
    assert_true(fabs(share - expected) < 3.5 * sqrt(expected * (1 - expected) / DRAWS));
}

/* Channel k covers radio velocities first + k .. first + (k + 1) widths, shifts of the opposite sign. */
static void test_channels(void **state)
{
    const struct channel_view channels = {.n = 8, .first = R(-2), .inv_step = R(2)};
    (void)state;
    for (int k = 0; k < 8; k++) {
        const double low = -2 + 0.5 * k;
        assert_int_equal(channel_of_shift(&channels, (real)-low), k); /* the lower edge belongs to it */
        assert_int_equal(channel_of_shift(&channels, (real) - (low + 0.25)), k);
        assert_int_equal(channel_of_shift(&channels, (real) - (low + 0.4999)), k);
    }
    assert_int_equal(channel_of_shift(&channels, R(-2)), -1); /* the upper edge of all */
    assert_int_equal(channel_of_shift(&channels, R(2.0001)), -1);
    assert_int_equal(channel_of_shift(&channels, R(-1e30)), -1);

    /* Part of the axis has the same contents as the whole axis there, to the last bit: nothing is lost between two
     * parts. */
    const struct channel_view whole = {.n = 8, .first = R(-2.1), .inv_step = R(1.7)};
    const struct channel_view parts[2] = {{.n = 3, .first = R(-2.1), .inv_step = R(1.7)},
                                          {.begin = 3, .n = 5, .first = R(-2.1), .inv_step = R(1.7)}};
    const real edge = R(2.1) - R(3) / R(1.7);
    for (int step = -50; step <= 50; step++) {
        const real shift = edge + (real)step * R(2e-8);
        const int k = channel_of_shift(&whole, shift);
        assert_true(k == 2 || k == 3);
        assert_int_equal(channel_of_shift(&parts[0], shift), k == 2 ? 2 : -1);
        assert_int_equal(channel_of_shift(&parts[1], shift), k == 3 ? 0 : -1);
    }
    assert_int_equal(channel_of_shift(&channels, R(1e30)), -1);
}

/* INT s exp(-(s + k) l') dl' along the path. */
static void test_expected_scatterings(void **state)
{
    static const double depth[] = {0, 1e-6, 0.01, 0.3, 4, 50};
    (void)state;
    for (int i = 1; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            const double length = 0.7;
            const struct opacity opacity = {(real)(depth[i] / length), (real)(depth[k] / length)};
            const double all = depth[i] + depth[k];
            const double expected = depth[i] * -expm1(-all) / all;
            assert_true(fabs((double)expected_scattering(opacity, (real)length) / expected - 1) < 1e-5);
        }
    const struct opacity none = {R(0), R(3)};
    assert_true(expected_scattering(none, R(1)) == R(0));
}

static void test_direction_to_a_camera(void **state)
{
    static const real width[2] = {R(2), R(1)};
    static const real edge[3] = {R(0), R(2), R(3)};
    const struct mesh_view mesh = {.n = {2, 2, 2}, .width = {width, width, width}, .edge = {edge, edge, edge}};
    const struct place at = {1, 0, 1, vec3_make(R(0.1), R(0.2), R(0.3)), vec3_make(R(1), R(2), R(1))};
    struct camera_view camera = {.toward = vec3_make(R(0), R(0.6), R(0.8)),
                                 .position = vec3_make(R(2.5), R(4), R(6.5))};
    (void)state;
    struct camera_way way = way_to_camera(&camera, &mesh, at);
    assert_true(way.n.z == R(0.8) && way.distance == R_HUGE); /* far away: the same from everywhere */
    camera.perspective = 1;
    way = way_to_camera(&camera, &mesh, at); /* from (2.1, 0.2, 2.3) */
    const double distance = sqrt(0.4 * 0.4 + 3.8 * 3.8 + 4.2 * 4.2);
    assert_true(fabs((double)way.distance / distance - 1) < 1e-6);
    assert_true(fabs((double)way.n.x - 0.4 / distance) < 1e-6 && fabs((double)way.n.y - 3.8 / distance) < 1e-6);
    assert_true(fabs((double)way.n.z - 4.2 / distance) < 1e-6);
}

/* The fraction of the path solves (1 - exp(-t y)) = u (1 - exp(-t)), for all depths. */
static void test_place_of_a_scattering(void **state)
{
    static const double depth[] = {1e-6, 0.01, 0.0199, 0.0201, 0.3, 3, 60};
    (void)state;
    for (size_t i = 0; i < sizeof depth / sizeof *depth; i++)
        for (double u = 0.05; u < 1; u += 0.1) {
            const double y = (double)scattering_part((real)u, (real)depth[i]);
            assert_true(y > 0 && y < 1);
            assert_true(fabs(expm1(-depth[i] * y) / expm1(-depth[i]) - u) < 2e-5);
        }
    assert_true(scattering_part(R(1), R(5)) <= R(1) && scattering_part(R(1), R(1e-3)) <= R(1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phase_weight_has_mean_one),
        cmocka_unit_test(test_phase_weight_is_that_of_the_directions),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_expected_scatterings),
        cmocka_unit_test(test_direction_to_a_camera),
        cmocka_unit_test(test_place_of_a_scattering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
