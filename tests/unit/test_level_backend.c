/* Rays and rate equations on the CPU, for one cell with one ray through it: incoming light and light of dust against
 * closed forms, summed over the same frequencies. Depths include the border between thin and thick steps. The same for
 * lines that overlap, alone and with another one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/backend.h"

enum { FREQUENCIES = 91 };
static const double FIRST = -4.5, STEP = 0.1; /* b is 1 */
static const double SHIFT = 1.5;              /* of the second line */
static const double RATE_UP = 0.3, BACKGROUND = 0.5, DUST_TEMPERATURE = 20, ENERGY = 10;
static const double X[2] = {0.6, 0.4}; /* lower, upper */

struct cell {
    double density, kappa;
};

static void read_gas(const void *medium, int64_t first, int64_t count, struct level_gas *gas)
{
    const struct cell *cell = medium;
    (void)first;
    for (int64_t i = 0; i < count; i++)
        gas[i] = (struct level_gas){
            .density = cell->density, .b = 1, .kappa = cell->kappa, .dust_temperature = DUST_TEMPERATURE};
}

/* Collisions only excite, so that populations show how much light is lost. */
static void read_rates(const void *medium, int64_t cell, double *rates)
{
    (void)medium;
    (void)cell;
    rates[0] = rates[2] = rates[3] = 0;
    rates[1] = RATE_UP;
}

static void read_bad_rates(const void *medium, int64_t cell, double *rates)
{
    read_rates(medium, cell, rates);
    rates[2] = (double)NAN;
}

/* Populations after one sweep and one step, and their change. The cell is 2 wide, so half the path through it is 1. */
/* As a blend, or with a second line that is `other` times as strong, between the same levels. */
static struct level_change solve(bool double_precision, double half_depth, double half_grey, bool blended, int lines,
                                 double other, void (*rates_of)(const void *, int64_t, double *), double x[2])
{
    const struct cell cell = {half_depth / (X[0] - X[1]), half_grey};
    const double width[1] = {2};
    const struct level_line line[2] = {{.upper = 1,
                                        .lower = 0,
                                        .a_ul = 1,
                                        .weight_ratio = 1,
                                        .opacity = 1,
                                        .background = BACKGROUND,
                                        .energy = ENERGY},
                                       {.upper = 1,
                                        .lower = 0,
                                        .a_ul = 0,
                                        .weight_ratio = 1,
                                        .opacity = other,
                                        .background = BACKGROUND,
                                        .energy = ENERGY,
                                        .shift = SHIFT}};
    const struct level_blend blend = {
        .n = lines, .n_frequency = FREQUENCIES + (int)(SHIFT / STEP), .frequency_first = FIRST};
    const struct level_job job = {.mesh = {.kind = MESH_CARTESIAN, .n = {1, 1, 1}, .width = {width, width, width}},
                                  .n_cell = 1,
                                  .n_level = 2,
                                  .n_line = lines,
                                  .line = line,
                                  .n_blend = blended,
                                  .blend = &blend,
                                  .medium = &cell,
                                  .read_gas = read_gas,
                                  .read_rates = rates_of,
                                  .n_frequency = FREQUENCIES,
                                  .frequency_first = FIRST,
                                  .frequency_step = STEP,
                                  .inversion_limit = 1,
                                  .n_past = LEVEL_LEAST_PAST};
    const double direction[1][3] = {{1, 0, 0}};
    const double weight[1] = {1};
    const int64_t first[2] = {0, 1};
    const struct level_ray ray = {{0, 1, 1}, 1};
    const struct level_rays rays = {
        .n_direction = 1, .direction = direction, .weight = weight, .first = first, .ray = &ray};
    const struct level_backend *backend = backend_cpu()->levels(job.mesh.kind, double_precision);
    volatile sig_atomic_t stop = 0;
    struct level_change change;
    void *state;
    assert_int_equal(backend->open(NULL, 0, 1, &job, &state), LR_OK);
    assert_int_equal(backend->write(NULL, state, X), LR_OK);
    assert_int_equal(backend->set_rays(NULL, state, &rays), LR_OK);
    assert_int_equal(backend->sweep(NULL, state, &stop), LR_OK);
    assert_int_equal(backend->step(NULL, state, &change), LR_OK);
    assert_int_equal(backend->read(NULL, state, x, NULL), LR_OK);
    backend->close(state);
    return change;
}

static double found_ratio(bool double_precision, double half_depth, double half_grey, bool blended, int lines,
                          double other)
{
    double x[2];
    const struct level_change change =
        solve(double_precision, half_depth, half_grey, blended, lines, other, read_rates, x);
    assert_true(isfinite(change.rms) && isfinite(change.largest));
    assert_true(fabs(x[0] + x[1] - 1) < 1e-12);
    return x[1] / x[0];
}

/* At the cell centre: light from behind, I e^-t, light of dust, D (1 - e^-t) times its fraction of t, light of another
 * line, S (1 - e^-t) times its fraction, and the emission of the line itself, the rest. Rates up and down: C + A J,
 * A (lost + J). */
static double exact_ratio(double half_depth, double half_grey, double other)
{
    const double source = X[1] / (X[0] - X[1]);
    const double dust = 1 / expm1(ENERGY / DUST_TEMPERATURE);
    double norm = 0, entering = 0, lost = 0;
    for (int f = 0; f < FREQUENCIES; f++) {
        const double x = FIRST + f * STEP;
        const double profile = exp(-x * x);
        const double half_other = other * half_depth * exp(-(x - SHIFT) * (x - SHIFT));
        const double t = half_depth * profile + half_grey + half_other;
        const double by_dust = t > 0 ? half_grey / t * -expm1(-t) : 0;
        const double by_other = t > 0 ? half_other / t * -expm1(-t) : 0;
        norm += profile;
        entering += profile * (BACKGROUND * exp(-t) + dust * by_dust + source * by_other);
        lost += profile * (exp(-t) + by_dust + by_other);
    }
    return (RATE_UP + entering / norm) / (lost / norm + entering / norm);
}

static void compare(double half_depth, double half_grey, bool blended, int lines, double other)
{
    const double expected = exact_ratio(half_depth, half_grey, other);
    const double tolerance[2] = {3e-6, 2e-7}; /* rounding; what the series of a thin step neglects */
    for (int precision = 0; precision < 2; precision++) {
        const double found = found_ratio(precision, half_depth, half_grey, blended, lines, other);
        if (!(fabs(found / expected - 1) < tolerance[precision]))
            fail_msg("depth %g, grey %g, other line %g, %s: %.12g, expected %.12g", half_depth, half_grey, other,
                     precision ? "double" : "mixed", found, expected);
    }
}

static void light_through_a_line(void **state)
{
    (void)state;
    const double depths[] = {1e-3, 0.05, 0.15, 0.2, 0.2499, 0.2501, 0.5, 1, 3, 10};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        for (int blended = 0; blended < 2; blended++)
            compare(depths[i], 0, blended, 1, 0);
}

static void light_through_a_line_and_dust(void **state)
{
    (void)state;
    const double depths[] = {1e-3, 0.05, 0.2, 0.2499, 1, 10};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        for (double grey = 1e-3; grey < 3; grey *= 7)
            for (int blended = 0; blended < 2; blended++)
                compare(depths[i], grey, blended, 1, 0);
}

static void light_through_two_lines(void **state)
{
    (void)state;
    const double depths[] = {1e-3, 0.2, 0.2499, 0.5, 3};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        for (double other = 0.1; other < 20; other *= 10)
            for (double grey = 0; grey < 1; grey += 0.4)
                compare(depths[i], grey, true, 2, other);
}

/* The solution of the rate equations itself would make a zero of it. */
static void a_rate_that_is_no_number_is_noticed(void **state)
{
    (void)state;
    for (int precision = 0; precision < 2; precision++) {
        double x[2];
        const struct level_change change = solve(precision, 1, 0, false, 1, 0, read_bad_rates, x);
        assert_false(isfinite(change.rms));
        assert_false(isfinite(x[0]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_through_a_line),
        cmocka_unit_test(light_through_a_line_and_dust),
        cmocka_unit_test(light_through_two_lines),
        cmocka_unit_test(a_rate_that_is_no_number_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
