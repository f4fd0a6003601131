/* core_skipping.h: with c = x_crit^2, the square of the perpendicular velocity is c plus an exponential deviate, and
 * its angle is uniform. Moments of one component and the chance to exceed x_crit follow in closed form. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/core_skipping.h"
#include "ks.h"

enum { N_DRAW = KS_DRAWS(4000000) };

struct sums {
    double first, second, fourth, above;
};

static struct sums draw_velocities(double x, double x_crit, double limit, uint32_t stream)
{
    const struct rng_key key = rng_key_from_seed(2002);
    struct sums sums = {0, 0, 0, 0};
    for (uint32_t k = 0; k < N_DRAW; k++) {
        const struct random4 random = rng_draw(key, k, stream, 0);
        const double u = (double)side_velocity((real)x, (real)(x_crit * x_crit), random.r2, random.r3);
        sums.first += u / N_DRAW;
        sums.second += u * u / N_DRAW;
        sums.fourth += u * u * u * u / N_DRAW;
        sums.above += (fabs(u) > limit ? 1.0 : 0.0) / N_DRAW;
    }
    return sums;
}

static void assert_mean(const char *name, double found, double expected, double variance)
{
    const double deviation = (found - expected) / sqrt(variance / N_DRAW);
    if (!(fabs(deviation) < KS_NORMAL))
        fail_msg("%s: %.6g instead of %.6g, %.2f standard errors", name, found, expected, deviation);
}

/* Draws for a photon at x have the moments of perpendicular velocities above `least`. */
static void check_velocities(double x, double x_crit, double least, uint32_t stream)
{
    const double c = least * least;
    const double limit = fmax(least, 0.5);
    const struct sums sums = draw_velocities(x, x_crit, limit, stream);
    const double second = (c + 1) / 2;
    const double fourth = 3.0 / 8 * (c * c + 2 * c + 2);
    const double eighth = 35.0 / 128 * (c * c * c * c + 4 * c * c * c + 12 * c * c + 24 * c + 24);
    const double above = exp(c) * erfc(limit); /* a component this large needs no condition on the other */
    assert_mean("mean", sums.first, 0, second);
    assert_mean("mean square", sums.second, second, fourth - second * second);
    assert_mean("mean fourth power", sums.fourth, fourth, eighth - fourth * fourth);
    assert_mean("part above the limit", sums.above, above, above * (1 - above));
}

static void core_photons_meet_fast_atoms(void **state)
{
    (void)state;
    check_velocities(0, 2.5, 2.5, 1);
    check_velocities(-2.49, 2.5, 2.5, 2);
    check_velocities(0.3, 0.7, 0.7, 3);
    check_velocities(4, 8, 8, 4);
}

static void other_photons_meet_thermal_atoms(void **state)
{
    (void)state;
    check_velocities(2.5, 2.5, 0, 5);
    check_velocities(-3, 2.5, 0, 6);
    check_velocities(0, 0, 0, 7);
}

static void core_follows_from_depth(void **state)
{
    (void)state;
    assert_true(core_of_depth(R(0)) == R(0));
    assert_true(core_of_depth(R(0.999)) == R(0));
    for (double a_tau = 1; a_tau < 1e12; a_tau *= 7)
        assert_true(fabs(sqrt((double)core_of_depth((real)a_tau)) / (0.2 * cbrt(a_tau)) - 1) < 8 * (double)R_EPSILON);
}

static void core_of_a_cell(void **state)
{
    (void)state;
    const struct vec3 width = vec3_make(R(2), R(0.5), R(1));
    struct skip_view skip = {.on = 0};
    assert_true(core_of_cell(&skip, R(1000), R(0.1), width) == R(0));
    skip.on = 1;
    assert_true(core_of_cell(&skip, R(1000), R(0.1), width) == core_of_depth(R(1000) * R(0.1) * R(0.25)));
    skip.endless[1] = 1;
    assert_true(core_of_cell(&skip, R(1000), R(0.1), width) == core_of_depth(R(1000) * R(0.1) * R(0.5)));
    skip.x_crit = R(3);
    assert_true(core_of_cell(&skip, R(0.1), R(0.1), width) == R(9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(core_photons_meet_fast_atoms),
        cmocka_unit_test(other_photons_meet_thermal_atoms),
        cmocka_unit_test(core_follows_from_depth),
        cmocka_unit_test(core_of_a_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
