/* The table modes: velocities and profile from tables.c and kernel/tables.h against the exact laws in double with
 * libcerf. Tables are approximate by design; the bounds here are their stated errors. */
/* variants: mixed double */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define voigt cerf_voigt /* libcerf has a voigt(x, sigma, gamma) */
#include <cerf.h>
#undef voigt

#include "backend/build_views.h"
#include "kernel/tables.h"
#include "ks.h"
#include "solve/transport/redistribution_tables.h"

#define PI 3.14159265358979323846
#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

struct fixture {
    lr_context *ctx;
    struct tables tables;
    struct table_view view;
    void *copy[2];
    int n_copy;
};

static void *store_copy(void *owner, size_t bytes, const void *data)
{
    struct fixture *fixture = owner;
    void *copy = malloc(bytes);
    if (copy)
        memcpy(copy, data, bytes);
    fixture->copy[fixture->n_copy++] = copy;
    return copy;
}

/* Tables as given to a driver. */
static void open_tables(struct fixture *fixture, double a_min, double a_max, bool constant)
{
    const struct view_store store = {fixture, store_copy};
    int failed = 0;
    *fixture = (struct fixture){.ctx = lr_context_create()};
    assert_int_equal(tables_build(fixture->ctx, a_min, a_max, constant, &fixture->tables), LR_OK);
    fixture->view = make_table_view(&store, &fixture->tables.view, &failed);
    assert_int_equal(failed, 0);
}

static void close_tables(struct fixture *fixture)
{
    for (int i = 0; i < fixture->n_copy; i++)
        free(fixture->copy[i]);
    tables_free(&fixture->tables);
    lr_context_free(fixture->ctx);
}

/* ---- velocities -------------------------------------------------------------------------------------------------- */

struct velocity_law {
    double a, x, norm;
};

static double velocity_density(const void *user, double offset)
{
    const struct velocity_law *law = user;
    const double u = law->x + offset;
    return law->norm * exp(-u * u) / (law->a * law->a + offset * offset);
}

/* Total variation 1/2 SUM |found - expected| over groups of bins, minus the part due to the scatter of n draws.
 * Everything closer to x than eight spacings of the working precision is one group (test_redistribution.c). */
static double total_variation(const struct two_scale *counts, enum two_scale_part part, const struct velocity_law *law)
{
    const int group = part == TWO_SCALE_BULK ? 32 : 8; /* 1/8, or half an octave of |u - x| */
    const int n = (part == TWO_SCALE_BULK ? (int)KS_BULK : 2 * (int)KS_SIDE) / group;
    const int64_t *count = part == TWO_SCALE_BULK ? counts->bulk : counts->around;
    const struct ks_grid grid = {law->a, 0.125};
    const double blind = 8 * law->x * (double)R_EPSILON;
    double sum = 0;
    double noise = 0;
    double lump = 0;
    for (int i = 0; i < n; i++) {
        const double low = two_scale_edge(part, i * group, law->x);
        const double high = two_scale_edge(part, (i + 1) * group, law->x);
        const double expected = ks_integral(velocity_density, law, grid, low, high);
        double found = 0;
        for (int k = 0; k < group; k++)
            found += (double)count[i * group + k] / (double)counts->n;
        if (fmax(fabs(low), fabs(high)) <= blind) {
            lump += found - expected;
        } else {
            sum += 0.5 * fabs(found - expected);
            noise += 0.5 * sqrt(2 * expected / PI / (double)counts->n); /* mean of |a normal deviate| */
        }
    }
    return fmax(sum + 0.5 * fabs(lump) - noise, 0);
}

static double measure(const struct table_view *view, double a, double x, uint32_t stream)
{
    const real a_real = (real)a;
    const real x_real = (real)x;
    const double norm = (double)a_real / (PI * re_w_of_z((double)x_real, (double)a_real));
    const struct velocity_law law = {(double)a_real, (double)x_real, norm};
    struct two_scale counts = {0};
    for (uint32_t k = 0; k < KS_DRAWS(200000); k++) {
        const struct random4 random = rng_draw(rng_key_from_seed(1976), k, stream, 0);
        const struct velocity_proposal p = propose_velocity_table(view, a_real, x_real, random);
        two_scale_add(&counts, (double)p.u, (double)(p.u - x_real));
    }
    return fmax(total_variation(&counts, TWO_SCALE_BULK, &law), total_variation(&counts, TWO_SCALE_AROUND, &law));
}

/* The largest total variation over a range of x that includes points halfway between rows. */
static void check_velocities(const struct fixture *fixture, double a, double bound)
{
    static const double x[] = {0,     0.1, 0.51, 1.13, 1.7,  2.3, 2.7, 2.976, 3.3, 3.534, 3.9,
                               4.278, 4.7, 4.93, 5.3,  5.45, 5.9, 7.7, 13,    60,  250};
    double worst = 0;
    double where = 0;
    for (int i = 0; i < LENGTH(x); i++) {
        const double variation = measure(&fixture->view, a, x[i], (uint32_t)i);
        where = variation > worst ? x[i] : where;
        worst = fmax(worst, variation);
    }
    print_message("  a = %-7g: total variation at most %.4f (x = %g)\n", a, worst, where);
#ifndef __SANITIZE_ADDRESS__ /* too few draws there */
    assert_true(worst < bound);
#endif
    (void)bound;
}

static const double LYMAN_ALPHA[] = {4.7e-4, 4.7e-3, 0.15};

/* Table-global: 64 planes between 1e-4 and 0.2. */
static void test_global_tables_give_velocities_within_half_a_percent(void **state)
{
    struct fixture fixture;
    open_tables(&fixture, 1e-4, 0.2, false);
    (void)state;
    for (int i = 0; i < LENGTH(LYMAN_ALPHA); i++)
        check_velocities(&fixture, LYMAN_ALPHA[i], 0.005);
    close_tables(&fixture);
}

/* Table-constant: fewer rows; between them the transition from core to wing takes a single step. */
static void test_constant_tables_give_velocities_within_two_percent(void **state)
{
    (void)state;
    for (int i = 0; i < LENGTH(LYMAN_ALPHA); i++) {
        struct fixture fixture;
        open_tables(&fixture, LYMAN_ALPHA[i], LYMAN_ALPHA[i], true);
        check_velocities(&fixture, LYMAN_ALPHA[i], 0.02);
        close_tables(&fixture);
    }
}

/* Radio lines have a = 1e-9 or less: the resonance is then at w = 1e-10, where 1 - w^2 is 1. */
static void test_tables_work_at_the_damping_of_molecules(void **state)
{
    struct fixture fixture;
    (void)state;
    open_tables(&fixture, 1e-11, 1e-8, false);
    check_velocities(&fixture, 1e-10, 0.005);
    close_tables(&fixture);
    open_tables(&fixture, 1e-10, 1e-10, true);
    check_velocities(&fixture, 1e-10, 0.06);
    close_tables(&fixture);
}

/* What brings photons back to the line: <u> = (1 + 1.5/x^2)/x in the wing, within one per cent. */
static void test_wing_drift_is_right_within_one_percent(void **state)
{
    static const double x[] = {6.1, 9.3, 13, 19};
    const int n = KS_DRAWS(2000000);
    (void)state;
    for (int constant = 0; constant < 2; constant++) {
        struct fixture fixture;
        open_tables(&fixture, 4.7e-4, 4.7e-4, constant);
        for (int i = 0; i < LENGTH(x); i++) {
            const double expected = (1 + 1.5 / (x[i] * x[i])) / x[i];
            double sum = 0;
            for (uint32_t k = 0; k < (uint32_t)n; k++) {
                const struct random4 random = rng_draw(rng_key_from_seed(1977), k, (uint32_t)i, 0);
                sum += (double)propose_velocity_table(&fixture.view, R(4.7e-4), (real)x[i], random).u;
            }
            assert_true(fabs(sum / n - expected) < 0.01 * expected + KS_NORMAL * sqrt(0.5 / n));
        }
        close_tables(&fixture);
    }
}

static void test_every_proposal_is_accepted_and_odd_in_x(void **state)
{
    struct fixture fixture;
    open_tables(&fixture, 4.7e-3, 4.7e-3, true);
    (void)state;
    for (uint32_t k = 1; k < 10000; k++) {
        const struct random4 random = rng_draw(rng_key_from_seed(1978), k, 0, 0);
        const real x = (real)(0.037 * k); /* up to 370, past the last row */
        const struct velocity_proposal right = propose_velocity_table(&fixture.view, R(4.7e-3), x, random);
        const struct velocity_proposal left = propose_velocity_table(&fixture.view, R(4.7e-3), -x, random);
        assert_true(right.uniform <= right.chance && left.u == -right.u);
        assert_true(isfinite(right.u) && r_abs(right.u) < x + R(6));
    }
    close_tables(&fixture);
}

/* ---- the profile ------------------------------------------------------------------------------------------------- */

static double profile_error(const struct table_view *view, double a)
{
    const double exact_a = (double)(real)a;
    double worst = 0;
    for (int j = 0; j < 8000; j++) {
        const double x = (double)(real)(j < 4000 ? 0.0023 * j : 7.4 * pow(9e4 / 7.4, (j - 4000) / 4000.0));
        const double found = (double)voigt_table(view, (real)a, (real)x);
        worst = fmax(worst, fabs(found / re_w_of_z(x, exact_a) - 1));
        assert_true(voigt_table(view, (real)a, (real)-x) == (real)found);
    }
    return worst;
}

/* Largest relative errors, where core and wing meet; |x| to 9e4. */
static void test_constant_profile_is_within_a_thousandth(void **state)
{
    static const double a[] = {1e-10, 1e-8, 1e-6, 4.7e-4, 4.7e-3, 0.15, 1, 5};
    static const double bound[] = {1.2e-3, 8e-4, 5e-4, 2e-4, 1e-4, 2e-5, 2e-5, 2e-5};
    (void)state;
    for (int i = 0; i < LENGTH(a); i++) {
        struct fixture fixture;
        open_tables(&fixture, a[i], a[i], true);
        const double worst = profile_error(&fixture.view, a[i]);
        print_message("  a = %-7g: largest relative error %.1e\n", a[i], worst);
        assert_true(worst < bound[i]);
        close_tables(&fixture);
    }
}

static void test_global_profile_is_within_a_quarter_of_a_percent(void **state)
{
    static const double range[][2] = {{1e-11, 1e-8}, {1e-7, 1e-4}, {1e-4, 0.2}, {0.1, 5}};
    (void)state;
    for (int i = 0; i < LENGTH(range); i++) {
        struct fixture fixture;
        double worst = 0;
        open_tables(&fixture, range[i][0], range[i][1], false);
        for (int k = 0; k <= 50; k++) /* on and between the 64 planes */
            worst = fmax(worst, profile_error(&fixture.view, range[i][0] * pow(range[i][1] / range[i][0], k / 50.0)));
        print_message("  a in %g .. %g: largest relative error %.1e\n", range[i][0], range[i][1], worst);
        assert_true(worst < 2.5e-3);
        close_tables(&fixture);
    }
}

static void test_constant_tables_fit_in_constant_memory(void **state)
{
    struct fixture fixture;
    open_tables(&fixture, 4.7e-4, 4.7e-4, true);
    const struct table_view *view = &fixture.view;
    (void)state;
    assert_int_equal(view->n_a, 1);
    assert_true(4 * (view->n_row * view->n_node + view->n_voigt) < 65536 - 512); /* leaves room for parameters */
    close_tables(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_global_tables_give_velocities_within_half_a_percent),
        cmocka_unit_test(test_constant_tables_give_velocities_within_two_percent),
        cmocka_unit_test(test_tables_work_at_the_damping_of_molecules),
        cmocka_unit_test(test_wing_drift_is_right_within_one_percent),
        cmocka_unit_test(test_every_proposal_is_accepted_and_odd_in_x),
        cmocka_unit_test(test_constant_profile_is_within_a_thousandth),
        cmocka_unit_test(test_global_profile_is_within_a_quarter_of_a_percent),
        cmocka_unit_test(test_constant_tables_fit_in_constant_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
