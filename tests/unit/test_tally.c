/* tally.h: frequency bins, direction bins and batches, against their definitions. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/phase.h"
#include "kernel/tally.h"
#include "ks.h"

static void test_frequency_bins_are_half_open(void **state)
{
    const struct tally_axes axes = {.n_bin = 8, .x_first = R(-2), .inv_x_step = R(2)};
    (void)state;
    for (int bin = 0; bin < 8; bin++) {
        assert_int_equal(spectrum_bin(&axes, (real)(-2 + 0.5 * bin)), bin + 1);
        assert_int_equal(spectrum_bin(&axes, (real)(-2 + 0.5 * bin + 0.25)), bin + 1);
        assert_int_equal(spectrum_bin(&axes, (real)(-2 + 0.5 * bin + 0.4999)), bin + 1);
    }
}

/* For any argument the slot exists: 0 and n_bin + 1 take the rest. */
static void test_what_lies_outside_has_its_own_bins(void **state)
{
    const struct tally_axes axes = {.n_bin = 8, .x_first = R(-2), .inv_x_step = R(2)};
    (void)state;
    assert_int_equal(spectrum_bin(&axes, R(-2.001)), 0);
    assert_int_equal(spectrum_bin(&axes, -R_HUGE), 0);
    assert_int_equal(spectrum_bin(&axes, (real)-INFINITY), 0);
    assert_int_equal(spectrum_bin(&axes, (real)NAN), 0);
    assert_int_equal(spectrum_bin(&axes, R(2)), 9);
    assert_int_equal(spectrum_bin(&axes, R_HUGE), 9);
    assert_int_equal(spectrum_bin(&axes, (real)INFINITY), 9);
}

/* Bins that float cannot represent: each value goes to its bin, except for rounding at an edge. */
static void test_fine_bins_hold_their_values(void **state)
{
    enum { N = 3000 };
    const double first = -17.3;
    const double step = 2 * 17.3 / N;
    const struct tally_axes axes = {.n_bin = N, .x_first = (real)first, .inv_x_step = (real)(1 / step)};
    (void)state;
    for (int bin = 0; bin < N; bin++)
        for (int part = 1; part < 10; part++)
            assert_int_equal(spectrum_bin(&axes, (real)(first + (bin + 0.1 * part) * step)), bin + 1);
}

static void test_direction_bins_have_equal_solid_angle(void **state)
{
    enum { N_MU = 5, N_PHI = 8, N = N_MU * N_PHI };
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        const struct tally_axes axes = {.n_mu = N_MU, .n_phi = N_PHI, .axis = axis};
        int64_t count[N] = {0};
        double probability[N];
        int freedom;
        for (uint32_t k = 0; k < KS_DRAWS(1000000); k++) {
            const struct random4 random = rng_draw(rng_key_from_seed(1855), k, (uint32_t)axis, 0);
            count[direction_bin(&axes, direction_isotropic(random.r0, random.r1))]++;
        }
        for (int i = 0; i < N; i++)
            probability[i] = 1.0 / N;
        const double sum = chi_square(N, count, probability, &freedom);
        assert_int_equal(freedom, N - 1);
        assert_true(sum < chi_square_bound(freedom));
    }
}

/* The centre of bin (i, j): mu = -1 + 2 (i + 1/2)/n_mu along `axis`, azimuth (j + 1/2)/n_phi turns from the next axis.
 */
static void test_direction_bins_are_where_they_should_be(void **state)
{
    enum { N_MU = 4, N_PHI = 6 };
    (void)state;
    for (int axis = 0; axis < 3; axis++)
        for (int bin = 0; bin < N_MU * N_PHI; bin++) {
            const struct tally_axes axes = {.n_mu = N_MU, .n_phi = N_PHI, .axis = axis};
            const struct tally_axes rings = {.n_mu = N_MU, .n_phi = 1, .axis = axis};
            const double mu = -1 + 2 * (bin / N_PHI + 0.5) / N_MU;
            const double phi = 2 * 3.14159265358979323846 * (bin % N_PHI + 0.5) / N_PHI;
            const double sine = sqrt(1 - mu * mu);
            const double by_role[3] = {mu, sine * cos(phi), sine * sin(phi)}; /* axis, next, the one after */
            real v[3];
            for (int role = 0; role < 3; role++)
                v[(axis + role) % 3] = (real)by_role[role];
            assert_int_equal(direction_bin(&axes, vec3_make(v[0], v[1], v[2])), bin);
            assert_int_equal(direction_bin(&rings, vec3_make(v[0], v[1], v[2])), bin / N_PHI);
        }
}

static void test_poles_and_meridian_stay_in_range(void **state)
{
    const struct tally_axes axes = {.n_mu = 4, .n_phi = 6, .axis = 2};
    const real above = R(1) + R_EPSILON; /* a cosine that rounding made too large */
    (void)state;
    assert_int_equal(direction_bin(&axes, vec3_make(R(0), R(0), above)) / 6, 3);
    assert_int_equal(direction_bin(&axes, vec3_make(R(0), R(0), -above)) / 6, 0);
    assert_int_equal(direction_bin(&axes, vec3_make(R(1), R(0), R(0))), 2 * 6);
    assert_int_equal(direction_bin(&axes, vec3_make(R(1), R(-1e-30), R(0))), 2 * 6 + 5); /* just before a full turn */
}

/* Dealing simulated: rounds in which every batch gets a chunk, doubling in size from round to round. */
static void check_deal(int64_t n_packet, int n_batch)
{
    const struct tally_deal deal = tally_deal_for(n_packet, n_batch);
    int64_t packet = 0;
    for (int round = 0; packet < n_packet; round++) {
        const int64_t chunk = (int64_t)FIRST_CHUNK << (round < deal.doublings ? round : deal.doublings);
        for (int batch = 0; batch < n_batch; batch++)
            for (int64_t k = 0; k < chunk; k++)
                assert_int_equal(tally_batch(deal, packet++), batch);
    }
}

static void test_batches_are_fed_in_turn(void **state)
{
    (void)state;
    check_deal(1, 7);
    check_deal(1000, 1);
    check_deal(5000, 7);
    check_deal(200000, 20);
    check_deal(200000, 3);
}

/* For any number of packets, every batch gets at least eight chunks of the largest size, so that batches are alike. */
static void test_batches_are_alike(void **state)
{
    (void)state;
    for (int64_t n_packet = 1000; n_packet < (int64_t)1 << 50; n_packet = n_packet * 3 + 1)
        for (int n_batch = 1; n_batch <= 64; n_batch *= 4) {
            const struct tally_deal deal = tally_deal_for(n_packet, n_batch);
            const int64_t chunk = (int64_t)FIRST_CHUNK << deal.doublings;
            assert_true(deal.doublings == 0 || chunk * 8 * n_batch <= n_packet);
            assert_true(chunk * 2 * 8 * n_batch > n_packet); /* and not smaller than it could be */
            assert_in_range(tally_batch(deal, n_packet - 1), 0, n_batch - 1);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frequency_bins_are_half_open),
        cmocka_unit_test(test_what_lies_outside_has_its_own_bins),
        cmocka_unit_test(test_fine_bins_hold_their_values),
        cmocka_unit_test(test_direction_bins_have_equal_solid_angle),
        cmocka_unit_test(test_direction_bins_are_where_they_should_be),
        cmocka_unit_test(test_poles_and_meridian_stay_in_range),
        cmocka_unit_test(test_batches_are_fed_in_turn),
        cmocka_unit_test(test_batches_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
