/* phase.h: directions against their closed-form distributions, frames against orthonormality. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/phase.h"
#include "ks.h"

static struct random4 draw(uint32_t stream, uint32_t k)
{
    return rng_draw(rng_key_from_seed(1964), k, stream, 0);
}

static double dot(struct vec3 p, struct vec3 q)
{
    return (double)p.x * (double)q.x + (double)p.y * (double)q.y + (double)p.z * (double)q.z;
}

static double azimuth(double x, double y)
{
    const double turn = atan2(y, x) * 0.15915494309189533577;
    return turn < 0 ? turn + 1 : turn;
}

/* Cumulative distribution of (3/8)(1 + g^2). */
static double dipole_cdf(double g)
{
    return (4 + 3 * g + g * g * g) / 8;
}

static void test_isotropic_directions_fill_the_sphere(void **state)
{
    const int n = KS_DRAWS(10000000);
    struct ks component[3] = {{0}};
    struct ks turn = {0};
    double product[3] = {0};
    (void)state;
    for (uint32_t k = 0; k < (uint32_t)n; k++) {
        const struct random4 random = draw(0, k);
        const struct vec3 d = direction_isotropic(random.r0, random.r1);
        const double v[3] = {(double)d.x, (double)d.y, (double)d.z};
        assert_true(fabs(dot(d, d) - 1) < 4 * (double)R_EPSILON);
        for (int axis = 0; axis < 3; axis++) { /* Archimedes: every component is uniform */
            ks_add(&component[axis], 0.5 * (v[axis] + 1));
            product[axis] += v[axis] * v[(axis + 1) % 3];
        }
        ks_add(&turn, azimuth(v[0], v[1]));
    }
    assert_true(ks_distance(&turn) < KS_LAMBDA);
    for (int axis = 0; axis < 3; axis++) {
        assert_true(ks_distance(&component[axis]) < KS_LAMBDA);
        assert_true(fabs(product[axis]) / sqrt(n / 15.0) < KS_NORMAL); /* <x^2 y^2> = 1/15 */
    }
}

/* The cosine solves its cubic, for any uniform number including the ends. */
static void test_dipole_cosine_inverts_its_distribution(void **state)
{
    (void)state;
    for (int i = 0; i <= 100000; i++) {
        const real uniform = (real)(i / 100000.0);
        const real g = dipole_cosine(uniform);
        assert_true(g >= R(-1) && g <= R(1));
        assert_true(fabs(dipole_cdf((double)g) - (double)uniform) < 4 * (double)R_EPSILON);
    }
}

/* direction_dipole: (1 - e1)/2 + (3/8) e1 (1 + g^2), g the cosine to the old direction; <g^2> = (1 + e1/5)/3. */
static void check_mixture(struct vec3 n, double e1, uint32_t stream)
{
    const int count = KS_DRAWS(1000000);
    struct ks cosine = {0};
    struct ks turn = {0};
    double sum = 0;
    double fourth = 0;
    double first = 0;
    for (uint32_t k = 0; k < (uint32_t)count; k++) {
        const struct random4 random = draw(stream, k);
        const struct vec3 out = direction_dipole(n, (real)e1, random.r0, random.r1);
        const double g = dot(n, out);
        assert_true(fabs(dot(out, out) - 1) < 4 * (double)R_EPSILON);
        ks_add(&cosine, (1 - e1) * 0.5 * (g + 1) + e1 * dipole_cdf(g));
        /* azimuth about n, from any axis perpendicular to it */
        const struct vec3 across = direction_turned_to(n, vec3_make(R(1), R(0), R(0)));
        const struct vec3 third = direction_turned_to(n, vec3_make(R(0), R(1), R(0)));
        ks_add(&turn, azimuth(dot(out, across), dot(out, third)));
        first += g;
        sum += g * g;
        fourth += g * g * g * g;
    }
    const double mean = sum / count;
    const double error = sqrt((fourth / count - mean * mean) / count);
    assert_true(ks_distance(&cosine) < KS_LAMBDA && ks_distance(&turn) < KS_LAMBDA);
    assert_true(fabs(mean - (1 + e1 / 5) / 3) < KS_NORMAL * error);
    assert_true(fabs(first / count) < KS_NORMAL * sqrt(mean / count));
}

static void test_dipole_mixture_has_its_distribution(void **state)
{
    const double third = 1 / sqrt(3);
    (void)state;
    check_mixture(vec3_make(R(0), R(0), R(1)), 1, 10);
    check_mixture(vec3_make(R(0), R(0), R(-1)), 0.5, 11);
    check_mixture(vec3_make(R(1), R(0), R(0)), 0, 12);
    check_mixture(vec3_make((real)third, (real)-third, (real)third), 1.0 / 3, 13);
    check_mixture(vec3_make((real)-0.6, (real)0, (real)-0.8), 1, 14);
}

/* Rotation matrix of direction_turned_to: its columns are orthonormal and right-handed, the last is the axis. */
static void check_frame(struct vec3 axis)
{
    const double tolerance = 6 * (double)R_EPSILON;
    const struct vec3 p = direction_turned_to(axis, vec3_make(R(1), R(0), R(0)));
    const struct vec3 q = direction_turned_to(axis, vec3_make(R(0), R(1), R(0)));
    const struct vec3 r = direction_turned_to(axis, vec3_make(R(0), R(0), R(1)));
    assert_true(r.x == axis.x && r.y == axis.y && r.z == axis.z);
    assert_true(fabs(dot(p, p) - 1) < tolerance && fabs(dot(q, q) - 1) < tolerance);
    assert_true(fabs(dot(p, q)) < tolerance && fabs(dot(p, axis)) < tolerance && fabs(dot(q, axis)) < tolerance);
    const double cross_x = (double)p.y * (double)q.z - (double)p.z * (double)q.y;
    const double cross_y = (double)p.z * (double)q.x - (double)p.x * (double)q.z;
    const double cross_z = (double)p.x * (double)q.y - (double)p.y * (double)q.x;
    assert_true(fabs(cross_x - (double)axis.x) < tolerance && fabs(cross_y - (double)axis.y) < tolerance &&
                fabs(cross_z - (double)axis.z) < tolerance);
}

static void test_turned_frame_is_orthonormal_everywhere(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 100000; k++) {
        const struct random4 random = draw(20, k);
        check_frame(direction_normalised(direction_isotropic(random.r0, random.r1)));
    }
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2)
            check_frame(
                vec3_make(axis == 0 ? (real)sign : R(0), axis == 1 ? (real)sign : R(0), axis == 2 ? (real)sign : R(0)));
    for (double tilt = 1e-1; tilt > 1e-12; tilt *= 0.1) { /* next to the pole where a naive frame breaks */
        check_frame(vec3_make((real)tilt, R(0), (real)-sqrt(1 - tilt * tilt)));
        check_frame(vec3_make(R(0), (real)-tilt, (real)sqrt(1 - tilt * tilt)));
    }
}

/* 1e6 scatterings of one packet: the direction stays a unit vector. */
static void test_direction_stays_of_unit_length(void **state)
{
    (void)state;
    struct vec3 n = vec3_make(R(0), R(0), R(1));
    for (uint32_t k = 0; k < KS_DRAWS(1000000); k++) {
        const struct random4 random = draw(30, k);
        n = direction_dipole(n, R(1), random.r0, random.r1);
    }
    assert_true(fabs(dot(n, n) - 1) < 4 * (double)R_EPSILON);
}

static void test_core_is_where_the_gaussian_exceeds_the_wing(void **state)
{
    static const double a[] = {1e-10, 4.7e-4, 4.7e-3, 0.15};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (double x = 0.005; x < 20; x += 0.01) {
            const double gauss = exp(-x * x);
            const double wing = a[i] / (1.77245385090551602730 * x * x);
            if (fabs(gauss / wing - 1) < 1e-4)
                continue; /* on the border, rounding decides */
            assert_int_equal(phase_in_core((real)a[i], (real)x), x < 1 || gauss > wing);
            assert_int_equal(phase_in_core((real)a[i], (real)-x), x < 1 || gauss > wing);
        }
}

/* With E1 between -1/2 and 1, the law of each scattering and its direction together have P(g) = 1 + E1 (3 g^2 - 1) / 4,
 * whose cumulative distribution is (g + 1) / 2 + E1 (g^3 - g) / 8. */
static void test_laws_mix_to_any_dipole_part(void **state)
{
    const double parts[] = {-0.5, -0.2, 0.4, 1};
    const struct vec3 n = vec3_make(R(0.48), R(0.6), R(-0.64));
    const int draws = KS_DRAWS(1000000);
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct ks cosine = {0};
        for (uint32_t k = 0; k < (uint32_t)draws; k++) {
            const struct random4 random = draw(50 + i, k);
            const real law = phase_law((real)parts[i], rng_uniform(random.r2));
            const double g = dot(n, direction_of_law(n, law, random.r0, random.r1, draw(60 + i, k)));
            assert_true(law == R(0) || (parts[i] > 0 ? law == R(1) : law == PHASE_ACROSS));
            ks_add(&cosine, fmin(fmax(0.5 * (g + 1) + parts[i] * (g * g * g - g) / 8, 0), 1));
        }
        assert_true(ks_distance(&cosine) < KS_LAMBDA);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isotropic_directions_fill_the_sphere),
        cmocka_unit_test(test_dipole_cosine_inverts_its_distribution),
        cmocka_unit_test(test_dipole_mixture_has_its_distribution),
        cmocka_unit_test(test_laws_mix_to_any_dipole_part),
        cmocka_unit_test(test_turned_frame_is_orthonormal_everywhere),
        cmocka_unit_test(test_direction_stays_of_unit_length),
        cmocka_unit_test(test_core_is_where_the_gaussian_exceeds_the_wing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
