/* flight.h: transmission against expm1l, segments against the definition of the free path. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/flight.h"
#include "kernel/phase.h"
#include "kernel/voigt.h"
#include "ks.h"

static struct random4 draw(uint32_t stream, uint32_t k)
{
    return rng_draw(rng_key_from_seed(1760), k, stream, 0);
}

/* Below f = 0.04 the series stops at f^3/24: f^4/120 = 2.1e-8 is left out. Just above, 1 - exp(-f) has lost log2(25)
 * bits. */
static double transmission_bound(double f)
{
    return f < 0.04 ? 2.2e-8 + 2 * (double)R_EPSILON : 20 * (double)R_EPSILON;
}

static double transmission_error(double depth)
{
    const real f = (real)depth;
    const long double exact = f > 0 ? -expm1l(-(long double)f) / (long double)f : 1;
    return (double)fabsl((long double)mean_transmission(f) / exact - 1);
}

static void test_mean_transmission_is_its_integral(void **state)
{
    (void)state;
    double worst = 0;
    for (int i = 0; i <= 60000; i++) {
        const double f = i < 20000 ? 1e-5 * i : 1e-30 * pow(1e36, (i - 20000) / 40000.0); /* finely at the switch */
        const double error = transmission_error(f);
        assert_true(error < transmission_bound((double)(real)f));
        worst = fmax(worst, error);
    }
    print_message("  largest relative error: %.1e\n", worst);
}

/* Weight lost over a depth f, f times the mean transmission: 1 - exp(-f), up to exactly 1. */
static void test_what_is_lost_is_what_is_not_transmitted(void **state)
{
    (void)state;
    assert_true(mean_transmission(R(0)) == R(1));
    for (double f = 1e-30; f < 1e10; f *= 1.7) {
        const double lost = (double)((real)f * mean_transmission((real)f));
        assert_true(lost >= 0 && lost <= 1 + (double)R_EPSILON);
        assert_true(fabs(lost / -expm1(-(double)(real)f) - 1) < transmission_bound(f) + 2 * (double)R_EPSILON);
    }
}

/* Sums are flushed once in FLUSH_EVENTS scatterings, and not at birth. */
static void test_flush_comes_once_in_a_while(void **state)
{
    int due = 0;
    (void)state;
    assert_false(flush_is_due(0));
    for (uint32_t events = 0; events < 10 * FLUSH_EVENTS; events++)
        due += flush_is_due(events);
    assert_int_equal(due, 10);
}

static void test_opacity_is_shared_between_scattering_and_absorption(void **state)
{
    (void)state;
    const struct opacity all = opacity_at(R(8), R(0), R(0), R(0.25));
    assert_true(all.scatter == R(2) && all.absorb == 0);
    const struct opacity some = opacity_at(R(8), R(0.25), R(3), R(0.25)); /* eps acts with the profile, kappa without */
    assert_true(some.scatter == R(1.5) && some.absorb == R(3.5));
    const struct opacity none = opacity_at(R(0), R(0.5), R(3), R(1));
    assert_true(none.scatter == 0 && none.absorb == R(3));
}

static void test_segment_ends_at_the_scattering_or_at_the_face(void **state)
{
    const struct vec3 local = vec3_make(R(0.25), R(0.5), R(0.5));
    const struct vec3 width = vec3_make(R(1), R(1), R(1));
    const struct vec3 n = vec3_make(R(1), R(0), R(0));
    (void)state;
    struct segment s = fly_segment(local, width, n, R(1), R(2));
    assert_true(s.scatters && s.length == R(0.5) && s.tau_left == 0);
    s = fly_segment(local, width, n, R(4), R(2));
    assert_true(!s.scatters && s.length == R(0.75) && s.tau_left == R(2.5) && s.axis == 0);
    s = fly_segment(local, width, n, R(1.5), R(2)); /* exactly at the face: the neighbour decides */
    assert_true(!s.scatters && s.length == R(0.75) && s.tau_left == 0);
    s = fly_segment(local, width, n, R(4), R(0)); /* nothing to scatter on */
    assert_true(!s.scatters && s.length == R(0.75) && s.tau_left == R(4));
    s = fly_segment(local, width, n, R(0), R(0)); /* 0/0 does not scatter */
    assert_true(!s.scatters && s.length == R(0.75) && s.tau_left == 0);
    s = fly_segment(local, width, n, R(0), R(5));
    assert_true(s.scatters && s.length == 0);
    s = fly_segment(local, width, n, R(1e-20), R(1e30));
    assert_true(s.scatters && s.length < R(1e-30));
}

/* A depth drawn once from an exponential and used up cell by cell, with opacity varying from cell to cell: the depth
 * reached is exponential, P(no scattering within depth t) = exp(-t). */
static void test_free_paths_are_exponential_across_cells(void **state)
{
    enum { N_CELL = 8 };
    static const double opacity[N_CELL] = {0.5, 0, 3, 0.125, 1, 7, 0, 2};
    const struct vec3 width = vec3_make(R(0.5), R(1), R(1));
    const struct vec3 n = vec3_make(R(1), R(0), R(0));
    struct ks depth = {0};
    double escaped = 0;
    double total = 0;
    (void)state;
    for (int cell = 0; cell < N_CELL; cell++)
        total += 0.5 * opacity[cell];
    for (uint32_t k = 0; k < KS_DRAWS(1000000); k++) {
        real tau = -r_log(rng_uniform(draw(0, k).r0));
        double reached = 0;
        int cell = 0;
        for (; cell < N_CELL; cell++) {
            const struct segment s = fly_segment(vec3_make(R(0), R(0.5), R(0.5)), width, n, tau, (real)opacity[cell]);
            reached += (double)s.length * opacity[cell];
            tau = s.tau_left;
            if (s.scatters)
                break;
        }
        if (cell < N_CELL)
            ks_add(&depth, expm1(-reached) / expm1(-total));
        else
            escaped += 1;
    }
    const double count = KS_DRAWS(1000000);
    const double expected = exp(-total);
    assert_true(fabs(escaped / count - expected) < KS_NORMAL * sqrt(expected * (1 - expected) / count));
    assert_true(ks_distance(&depth) < KS_LAMBDA);
}

/* Along a leg the frequency changes by up to STEP_TURN: the mean profile, and the position where a fraction of the
 * depth is reached, against sums over fine steps. Simpson's rule is off by up to 1.2e-3 in the Doppler core; the
 * parabola lacks a cubic term, worth 5e-3 of a step in the position. */
static void test_legs_are_integrals_of_the_profile(void **state)
{
    enum { FINE = 4000 };
    (void)state;
    for (double x = -5; x < 5; x += 0.173)
        for (int direction = -1; direction <= 1; direction += 2) {
            const double turn = direction * (double)STEP_TURN;
            const real start = voigt(R(1e-3), (real)x), middle = voigt(R(1e-3), (real)(x + 0.5 * turn)),
                       end = voigt(R(1e-3), (real)(x + turn));
            double sum = 0, half = -1;
            for (int pass = 0; pass < 2; pass++) {
                const double whole = sum;
                sum = 0;
                for (int k = 0; k < FINE; k++) {
                    sum += (double)voigt(R(1e-3), (real)(x + turn * (k + 0.5) / FINE)) / FINE;
                    if (pass == 1 && half < 0 && sum > 0.3 * whole)
                        half = (k + 0.5) / FINE;
                }
            }
            assert_true(fabs((double)leg_mean(start, middle, end, R(1)) / sum - 1) < 2e-3);
            assert_true(fabs((double)leg_part(start, middle, end, R(0.3)) - half) < 6e-3);
            const struct segment segment = {.length = R(0.6), .to_face = R(2), .scatters = 1};
            const struct stop stop = stop_on_leg(segment, R(7), R(0), start, middle, end);
            assert_true(fabs((double)stop.length - 2 * half) < 1.2e-2);
            assert_true(fabs((double)(stop.mean * stop.length) / (0.6 * sum) - 1) < 3e-3);
            assert_true(fabs((double)(stop.there / voigt(R(1e-3), (real)(x + turn * half))) - 1) < 2e-2);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_transmission_is_its_integral),
        cmocka_unit_test(test_what_is_lost_is_what_is_not_transmitted),
        cmocka_unit_test(test_flush_comes_once_in_a_while),
        cmocka_unit_test(test_opacity_is_shared_between_scattering_and_absorption),
        cmocka_unit_test(test_segment_ends_at_the_scattering_or_at_the_face),
        cmocka_unit_test(test_free_paths_are_exponential_across_cells),
        cmocka_unit_test(test_legs_are_integrals_of_the_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
