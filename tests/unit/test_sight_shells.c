/* sight.h on shells: depths through outflowing gas against a fine sum along the line, and the sphere and the angle at
 * which light leaves against the impact parameter. */
/* variants: mixed double */
#define LR_WALK_SHELLS
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/sight.h"
#include "kernel/voigt.h"

/* The innermost is a cavity. */
enum { N = 13, N_ASPECT = 64 };

static real width[N], edge[N + 1];
static double radius[N + 1];
static struct cell_view cells[N];

static struct transport_view make_view(int escaped)
{
    for (int i = 0; i < N; i++) {
        width[i] = i == 0 ? R(0.25) : R(0.0625);
        edge[i + 1] = edge[i] + width[i];
        radius[i + 1] = (double)edge[i + 1];
        cells[i] = (struct cell_view){.b = (real)(1 + 0.5 * (i % 2)), .a = R(0.001)};
        if (i == 0)
            continue;
        cells[i].alpha0 = (real)(2 + 3 * (i % 3));
        cells[i].vx = (real)(5.0 * i / N);
        cells[i].kappa = R(0.1);
    }
    return (struct transport_view){.mesh = {.n = {N, 1, 1}, .width = {width}, .edge = {edge}, .radius = radius},
                                   .cell = cells,
                                   .channels = {.n = 16, .first = R(-8), .inv_step = R(1)},
                                   .escaped = escaped,

                                   .n_aspect = N_ASPECT};
}

static double uniform(uint32_t k, uint32_t which)
{
    return ((double)rng_draw(rng_key_from_seed(1868), k, which, 0).r0 + 0.5) / 4294967296.0;
}

static struct sight start(const struct transport_view *view, uint32_t k)
{
    const double mu = 2 * uniform(k, 1) - 1, sine = sqrt(1 - mu * mu);
    const int shell = 1 + (int)((N - 1) * uniform(k, 2));
    return (struct sight){.at = place_in_shell(&view->mesh, shell, (real)uniform(k, 3) * width[shell]),
                          .n = vec3_make((real)(0.6 * sine), (real)(0.8 * sine), (real)mu),
                          .cell = shell,
                          .x = (real)(6 * uniform(k, 4) - 3),
                          .left = R_HUGE,
                          .row = sight_first_row(shell)};
}

static void follow(const struct transport_view *view, struct sight *sight)
{
    for (int steps = 0; sight->state == SIGHT_GOES_ON; steps++) {
        assert_true(steps < 100 * N);
        const real a = view->cell[sight->cell].a;
        const struct leg leg = sight_aim(view, sight);
        sight_advance(view, sight, R_HUGE,
                      leg_mean(voigt(a, leg.start), voigt(a, leg.middle), voigt(a, leg.end), R(1)));
    }
}

/* INT alpha dl from z to the outermost sphere. */
static double integrated(double p, double z, double shift)
{
    enum { STEPS = 20000 };
    const double end = sqrt(radius[N] * radius[N] - p * p), step = (end - z) / STEPS;
    double sum = 0;
    for (int k = 0; k < STEPS; k++) {
        const double at = z + (k + 0.5) * step, r = hypot(p, at);
        int i = N - 1;
        while (i > 0 && r < radius[i])
            i--;
        const struct cell_view *cell = &cells[i];
        const double x = (shift - (double)cell->vx * at / r) / (double)cell->b;
        sum += step * ((double)cell->alpha0 * (double)voigt(cell->a, (real)x) + (double)cell->kappa);
    }
    return sum;
}

static void assert_row(int row, int shell, double mu)
{
    const double position = 0.5 * (mu + 1) * N_ASPECT;
    assert_int_equal(row / N_ASPECT, shell);
    if (fabs(position - round(position)) > 1e-2) /* else rounding decides */
        assert_int_equal(row % N_ASPECT, (int)position);
}

/* The sphere through which a photon leaves its shell. */
static double first_sphere(int shell, double p, double mu)
{
    return radius[mu < 0 && p < radius[shell] ? shell : shell + 1];
}

/* Simpson's rule with steps h = b/4 leaves a fraction h^4 / 2880 (16 x^4 - 48 x^2 + 12) of the depth in the Doppler
 * core, which ends near |x| = 3: 1.2e-3 there. */
static void depths_are_integrals_along_the_line(void **state)
{
    const struct transport_view view = make_view(1);
    double worst = 0, mean = 0;
    (void)state;
    for (uint32_t k = 0; k < 2000; k++) {
        struct sight sight = start(&view, k);
        const struct cell_view *cell = &cells[sight.cell];
        const double r = radius[sight.cell] + (double)sight.at.local.x, z = r * (double)sight.n.z;
        const double p = r * hypot((double)sight.n.x, (double)sight.n.y);
        const double shift = (double)sight.x * (double)cell->b + (double)cell->vx * (double)sight.n.z;
        const double expected = integrated(p, z, shift), start_mu = (double)sight.n.z;
        const int shell = sight.cell;
        follow(&view, &sight);
        const double error = fabs((double)sight.depth - expected) / (0.05 + expected);
        worst = fmax(worst, error);
        assert_int_equal(sight.state, SIGHT_IS_LEFT);
        assert_true(fabs(exp(-(double)sight.depth) - exp(-expected)) < 1e-3);
        mean += error / 2000;
        const double mu = sqrt(1 - p * p / (radius[N] * radius[N]));
        assert_true(fabs((double)sight.n.z - mu) < 1e-4 * (1 + 1 / mu));
        const double sphere = first_sphere(shell, p, start_mu);
        const double exit_mu = (sphere < radius[shell + 1] ? -1 : 1) * sqrt(fmax(1 - p * p / (sphere * sphere), 0));
        if (fabs(exit_mu) > 0.01)
            assert_row(sight.row, shell, exit_mu);
    }
    print_message("  error of a depth: %.1e on the mean, %.1e at most\n", mean, worst);
    assert_true(mean < 2e-4 && worst < 2e-3);
}

/* Everything is thin: light is recorded where it leaves its own shell, through the inner or the outer sphere. */
static void light_is_left_on_the_sphere_it_meets(void **state)
{
    const struct transport_view view = make_view(0);
    int inward = 0;
    (void)state;
    for (uint32_t k = 0; k < 5000; k++) {
        struct sight sight = start(&view, k);
        const int shell = sight.cell;
        const double r = radius[shell] + (double)sight.at.local.x;
        const double p = r * hypot((double)sight.n.x, (double)sight.n.y);
        const double sphere = first_sphere(shell, p, (double)sight.n.z);
        const int enters = sphere < radius[shell + 1];
        const double mu = (enters ? -1 : 1) * sqrt(fmax(1 - p * p / (sphere * sphere), 0));
        follow(&view, &sight);
        assert_int_equal(sight.state, SIGHT_IS_LEFT);
        inward += enters;
        if (fabs(mu) > 0.01)
            assert_row(sight.row, shell, mu);
    }
    assert_true(inward > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depths_are_integrals_along_the_line),
        cmocka_unit_test(light_is_left_on_the_sphere_it_meets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
