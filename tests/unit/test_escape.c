/* Equilibrium by escape probability: analytic limits, balance, the same answer from any start, reliable errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "lines/escape.h"
#include "lines/populations.h"
#include "molecule_fixture.h"

enum { N = FIXTURE_LEVELS };

struct world {
    lr_context *ctx;
    struct molecule_fixture fixture;
    struct collision_plan plan;
    struct escape_workspace *workspace;
};

static int setup(void **state)
{
    static struct world world;
    const bool given[N_COLLIDER] = {[COLLIDER_H2] = true};
    world.ctx = lr_context_create();
    molecule_fixture_init(&world.fixture, COLLIDER_H2, COLLIDER_HE);
    *state = &world;
    return collision_plan_make(world.ctx, &world.fixture.molecule, given, NULL, &world.plan) != LR_OK ||
           escape_workspace_create(world.ctx, &world.fixture.molecule, &world.workspace) != LR_OK;
}

static int teardown(void **state)
{
    struct world *world = *state;
    escape_workspace_free(world->workspace);
    lr_context_free(world->ctx);
    return 0;
}

static uint64_t random_state = 88172645463325252u;

static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return ((double)(random_state >> 11) + 0.5) * 0x1p-53;
}

static void assert_relative(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected)))
        fail_msg("%.17g instead of %.17g", value, expected);
}

static struct escape_problem make_problem(const struct world *world, double temperature, double density, double column)
{
    struct escape_problem problem = escape_defaults(&world->fixture.molecule, &world->plan);
    problem.temperature = temperature;
    problem.density[COLLIDER_H2] = density;
    problem.column_per_speed = column / 1e5;
    return problem;
}

/* T 5..500 K, n 10..1e9, N 1e10..1e19 over 1 km/s, half of them with a background other than 2.725 K. */
static struct escape_problem random_problem(const struct world *world)
{
    struct escape_problem problem = make_problem(world, 5 * pow(100, uniform()), pow(10, 1 + 8 * uniform()), 0);
    problem.column_per_speed = pow(10, 5 + 9 * uniform());
    problem.geometry = (enum escape_geometry)(int)(N_ESCAPE_GEOMETRY * uniform());
    if (uniform() < 0.5)
        problem.background = pow(10, 2 * uniform());
    return problem;
}

/* Two levels, thin: x_u / x_l = (g_u / g_l) (A n + C exp(-E/kT)) / (A (1 + n) + C). */
static void test_two_thin_levels(void **state)
{
    struct world *world = *state;
    struct molecule_fixture two = world->fixture;
    two.molecule.n_level = 2;
    two.molecule.n_line = 1;
    two.molecule.level = two.level;
    two.molecule.line = two.line;
    two.molecule.partner = two.partner;
    two.partner[0].n_transition = 1;
    for (double density = 1; density < 1e9; density *= 10) {
        struct escape_problem problem = make_problem(world, 20, density, 1e-3);
        problem.molecule = &two.molecule;
        double x[2];
        assert_true(escape_solve(&problem, world->workspace, false, x).converged);
        const double energy = LR_PLANCK * two.line[0].frequency / LR_BOLTZMANN;
        const double photons = 1 / expm1(energy / problem.background);
        const double c = density * 2e-11;
        const double a = two.line[0].a_ul;
        assert_relative(x[1] / x[0], 3 * (a * photons + c * exp(-energy / 20)) / (a * (1 + photons) + c), 1e-9);
    }
}

static void test_dense_gas_is_in_lte(void **state)
{
    struct world *world = *state;
    double x[N];
    double lte[N];
    for (int g = 0; g < N_ESCAPE_GEOMETRY; g++) {
        struct escape_problem problem = make_problem(world, 30, 1e18, 1e15);
        problem.geometry = (enum escape_geometry)g;
        assert_true(escape_solve(&problem, world->workspace, false, x).converged);
        populations_lte(&world->fixture.molecule, 30, lte);
        for (int i = 0; i < N; i++)
            assert_relative(x[i], lte[i], 1e-8);
    }
}

/* Without collisions the lines take on the background temperature, whether thin or thick. */
static void test_empty_gas_takes_the_background(void **state)
{
    struct world *world = *state;
    double x[N];
    for (double column = 1; column < 1e20; column *= 1e3)
        for (int g = 0; g < N_ESCAPE_GEOMETRY; g++) {
            struct escape_problem problem = make_problem(world, 30, 0, column);
            problem.geometry = (enum escape_geometry)g;
            assert_true(escape_solve(&problem, world->workspace, false, x).converged);
            for (int line = 0; line < FIXTURE_LINES; line++)
                assert_relative(populations_excitation(&world->fixture.molecule, line, x), 2.725, 1e-6);
        }
}

static void test_nothing_at_all_rests_in_the_ground(void **state)
{
    struct world *world = *state;
    struct escape_problem problem = make_problem(world, 30, 0, 1e15);
    double x[N];
    problem.background = 0;
    assert_true(escape_solve(&problem, world->workspace, false, x).converged);
    assert_true(x[0] == 1 && x[1] == 0 && x[2] == 0 && x[3] == 0);
}

/* Net flow into each level, with the beta of the populations themselves. The rounding of populations alone makes depths
 * uncertain by 1e-16 kappa. */
static void check_balance(const struct escape_problem *problem, const double *x, double tolerance)
{
    const struct molecule *molecule = problem->molecule;
    double rate[N * N];
    double net[N] = {0};
    double gross[N] = {0};
    collision_rates(molecule, problem->plan, problem->temperature, problem->density, rate);
    for (int k = 0; k < molecule->n_line; k++) {
        const struct transition *line = &molecule->line[k];
        const double g = molecule->level[line->upper].weight / molecule->level[line->lower].weight;
        const double tau = escape_depth(problem, k, x);
        const double full[N] = {1, 1, 1, 1};
        tolerance += 1e-15 * fabs(escape_depth(problem, k, full));
        const double beta = escape_probability((int)problem->geometry, tau, problem->inversion_limit).value;
        const double photons = 1 / expm1(LR_PLANCK * line->frequency / LR_BOLTZMANN / problem->background);
        rate[line->upper * N + line->lower] += line->a_ul * beta * (1 + photons);
        rate[line->lower * N + line->upper] += line->a_ul * beta * photons * g;
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            net[j] += x[i] * rate[i * N + j];
            net[i] -= x[i] * rate[i * N + j];
            gross[j] += x[i] * rate[i * N + j];
        }
    for (int i = 0; i < N; i++)
        assert_true(fabs(net[i]) <= tolerance * gross[i]);
}

static void test_random_problems_balance(void **state)
{
    struct world *world = *state;
    double x[N];
    for (int trial = 0; trial < 20000; trial++) {
        struct escape_problem problem = random_problem(world);
        problem.error = 1e-10;
        assert_true(escape_solve(&problem, world->workspace, false, x).converged);
        for (int i = 0; i < N; i++)
            assert_true(x[i] >= 0);
        check_balance(&problem, x, 1e-8);
    }
}

/* The promised error holds against a solution iterated further, and any start leads to the same one. The far form of
 * ESCAPE_LVG may have several solutions. */
static void test_errors_are_honest_from_any_start(void **state)
{
    struct world *world = *state;
    double x[N];
    double exact[N];
    for (int trial = 0; trial < 20000; trial++) {
        struct escape_problem problem = random_problem(world);
        if (problem.geometry == ESCAPE_LVG)
            continue;
        double sum = 0;
        for (int i = 0; i < N; i++)
            sum += x[i] = pow(10, -8 * uniform());
        for (int i = 0; i < N; i++)
            x[i] /= sum;
        const struct escape_outcome outcome = escape_solve(&problem, world->workspace, true, x);
        assert_true(outcome.converged && outcome.error < 1e-6);
        problem.error = 1e-13;
        escape_solve(&problem, world->workspace, false, exact);
        for (int i = 0; i < N; i++)
            assert_relative(x[i], exact[i], 2e-6);
    }
}

/* Leaving out nearly empty levels changes the others by no more than the populations left out. */
static void test_faint_levels_can_be_left_out(void **state)
{
    struct world *world = *state;
    double all[N];
    double x[N];
    for (double column = 1e10; column < 1e19; column *= 10) {
        struct escape_problem problem = make_problem(world, 4, 1e4, column);
        problem.error = 1e-12;
        escape_solve(&problem, world->workspace, false, all);
        problem.faint = 0.1; /* 4 K: leaves out the levels at 12 cm^-1 */
        assert_true(escape_solve(&problem, world->workspace, false, x).converged);
        assert_true(x[2] == 0 && x[3] == 0);
        assert_true(fabs(x[0] + x[1] - 1) < 1e-15);
        assert_true(fabs(x[1] - all[1]) < 2 * (all[2] + all[3]));
        problem.least = N; /* not those that are requested */
        escape_solve(&problem, world->workspace, false, x);
        assert_memory_equal(x, all, sizeof x);
        problem.least = 0;
        problem.faint = 1e-3;
        escape_solve(&problem, world->workspace, false, x);
        assert_memory_equal(x, all, sizeof x);
    }
}

static void test_a_workspace_remembers_nothing(void **state)
{
    struct world *world = *state;
    double first[N];
    double x[N];
    const struct escape_problem problem = make_problem(world, 40, 1e4, 1e16);
    escape_solve(&problem, world->workspace, false, first);
    const struct escape_problem other = random_problem(world);
    escape_solve(&other, world->workspace, false, x);
    escape_solve(&problem, world->workspace, false, x);
    assert_memory_equal(first, x, sizeof x);
}

/* The elimination of levels turns a NaN among the rates into zeros. */
static void test_numbers_that_are_none_never_converge(void **state)
{
    struct world *world = *state;
    double x[N];
    for (int i = 0; i < 3; i++) {
        struct escape_problem problem = make_problem(world, 40, 1e4, 1e16);
        if (i == 0)
            problem.density[COLLIDER_H2] = (double)INFINITY;
        if (i == 1)
            problem.column_per_speed = (double)INFINITY;
        if (i == 2)
            problem.background = (double)INFINITY;
        const struct escape_outcome outcome = escape_solve(&problem, world->workspace, false, x);
        assert_false(outcome.converged);
        assert_true(outcome.bad_level >= 0 && outcome.bad_level < N);
    }
    const struct escape_problem good = make_problem(world, 40, 1e4, 1e16);
    const struct escape_outcome outcome = escape_solve(&good, world->workspace, false, x);
    assert_true(outcome.converged && outcome.bad_level == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_thin_levels),
        cmocka_unit_test(test_dense_gas_is_in_lte),
        cmocka_unit_test(test_empty_gas_takes_the_background),
        cmocka_unit_test(test_nothing_at_all_rests_in_the_ground),
        cmocka_unit_test(test_random_problems_balance),
        cmocka_unit_test(test_errors_are_honest_from_any_start),
        cmocka_unit_test(test_faint_levels_can_be_left_out),
        cmocka_unit_test(test_a_workspace_remembers_nothing),
        cmocka_unit_test(test_numbers_that_are_none_never_converge),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
