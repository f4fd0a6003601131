/* cone.h: the stated fraction of isotropic directions is inside and counts as one, a flux with a cusp at the camera is
 * found correctly, and field and channels end where those of the image do. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/cone.h"
#include "kernel/phase.h"
#include "kernel/rng.h"

enum { DRAWS = 2000000 };

static struct cone_view cone_of(double share)
{
    const struct cone_view cone = {.toward = vec3_make(R(0.36), R(0.48), R(0.8)),
                                   .inv_size = (real)(0.5 / share),
                                   .first = R(9),
                                   .slope = R(12),
                                   .middle = vec3_make(R(1), R(2), R(3)),
                                   .right = vec3_make(R(0.8), R(-0.6), R(0)),
                                   .up = vec3_make(R(-0.48), R(-0.64), R(0.6)),
                                   .half_width = R(0.5),
                                   .half_height = R(0.25)};
    return cone;
}

static struct vec3 draw(uint32_t k)
{
    const struct random4 random = rng_draw(rng_key_from_seed(1733), k, 1, 0);
    return direction_isotropic(random.r0, random.r1);
}

static void test_share_of_isotropic_directions(void **state)
{
    const double shares[] = {1e-3, 0.01, 0.03};
    (void)state;
    for (int s = 0; s < 3; s++) {
        const struct cone_view cone = cone_of(shares[s]);
        double inside = 0, sum = 0, square = 0;
        for (uint32_t k = 0; k < DRAWS; k++) {
            const struct cone_share share = cone_share_of(&cone, draw(k));
            inside += share.inside;
            sum += (double)share.weight;
            square += (double)share.weight * (double)share.weight;
        }
        const double expected = shares[s] * DRAWS;
        assert_true(fabs(inside - expected) < 3.5 * sqrt(expected));
        assert_true(fabs(sum - expected) < 3.5 * 3 * sqrt(expected));
        assert_true(fabs(square / (9 * expected) - 1) < 0.1);
    }
}

/* The projected area of a cube, |n_x| + |n_y| + |n_z|, is 1 along z and grows on average by 4 theta / pi around it: a
 * plain cone of 11.5 degrees would give 1.16. The remaining error is of second order. */
static void test_cusp_is_cancelled(void **state)
{
    enum { RINGS = 2000, TURNS = 360 };
    struct cone_view cone = cone_of(0.01);
    double sum = 0, plain = 0;
    (void)state;
    cone.toward = vec3_make(R(0), R(0), R(1));
    for (int i = 0; i < RINGS; i++)
        for (int j = 0; j < TURNS; j++) {
            const double mu = 1 - 0.02 * (i + 0.5) / RINGS, phi = 2 * 3.14159265358979 * (j + 0.5) / TURNS;
            const double across = sqrt(1 - mu * mu);
            const struct vec3 n = vec3_make((real)(across * cos(phi)), (real)(across * sin(phi)), (real)mu);
            const double area = fabs((double)n.x) + fabs((double)n.y) + (double)n.z;
            sum += area * (double)cone_share_of(&cone, n).weight / (RINGS * TURNS);
            plain += area / (RINGS * TURNS);
        }
    assert_true(fabs(plain - 1.16) < 0.01);
    assert_true(fabs(sum - 1) < 0.01);
}

static void test_all_directions(void **state)
{
    struct cone_view cone = cone_of(1);
    (void)state;
    cone.inv_size = R(0);
    cone.first = R(1);
    cone.slope = R(0);
    for (uint32_t k = 0; k < 1000; k++) {
        const struct cone_share share = cone_share_of(&cone, draw(k));
        assert_true(share.inside && share.weight == R(1));
    }
}

/* Offset from the image centre along right, up and the line of sight. */
static struct vec3 place(const struct cone_view *cone, double right, double up, double ahead)
{
    const struct vec3 r = cone->right, u = cone->up, t = cone->toward, m = cone->middle;
    return vec3_make(m.x + (real)right * r.x + (real)up * u.x + (real)ahead * t.x,
                     m.y + (real)right * r.y + (real)up * u.y + (real)ahead * t.y,
                     m.z + (real)right * r.z + (real)up * u.z + (real)ahead * t.z);
}

static void test_field(void **state)
{
    const struct cone_view cone = cone_of(0.01);
    (void)state;
    for (double ahead = -5; ahead <= 5; ahead += 2.5) {
        assert_true(cone_shows(&cone, place(&cone, 0.49, -0.24, ahead)));
        assert_true(cone_shows(&cone, place(&cone, -0.49, 0.24, ahead)));
        assert_false(cone_shows(&cone, place(&cone, 0.51, 0, ahead)));
        assert_false(cone_shows(&cone, place(&cone, -0.51, 0, ahead)));
        assert_false(cone_shows(&cone, place(&cone, 0, 0.26, ahead)));
        assert_false(cone_shows(&cone, place(&cone, 0, -0.26, ahead)));
    }
}

static void test_channels(void **state)
{
    const struct cone_set set = {.lowest = R(-2), .highest = R(3)};
    (void)state;
    assert_true(cone_has_shift(&set, R(3)) && cone_has_shift(&set, R(-1.999)));
    assert_false(cone_has_shift(&set, R(-2)) || cone_has_shift(&set, R(3.001)) || cone_has_shift(&set, R(-5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share_of_isotropic_directions),
        cmocka_unit_test(test_cusp_is_cancelled),
        cmocka_unit_test(test_all_directions),
        cmocka_unit_test(test_field),
        cmocka_unit_test(test_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
