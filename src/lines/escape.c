/* Net downward rate of a line: A beta(tau) Q with Q = x_u - nbar D, D = (g_u / g_l) x_l - x_u, tau = kappa D, nbar the
 * photons per mode outside. Its derivatives by x_u and -x_l,
 *     A [beta + nbar d(tau beta)/dtau - beta' kappa x_u]   and   A (g_u / g_l) [nbar d(tau beta)/dtau - beta' kappa
 * x_u], are positive as long as beta falls and tau beta rises with tau. Newton's step is then itself a set of level
 * equations with positive rates and a source -A beta' tau Q from the upper to the lower level (level_solve_driven), and
 * the steady state is unique: the flow between levels is cooperative and keeps their sum. */
#include "lines/escape.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "kernel/level_solve.h"
#include "lines/populations.h"

enum { VECTOR = 8 }; /* doubles in the widest registers */

struct escape_workspace {
    int n_level, n_line;
    int stride;                      /* n_level rounded up to whole vectors */
    double *memory;                  /* what follows points into it */
    double *collision;               /* [n_level][n_level] */
    double *rates;                   /* [n_level][stride] */
    double *next, *source, *scratch; /* [stride] */
    double *kappa;                   /* [n_line] tau = kappa D */
    double *photons;                 /* [n_line] */
};

struct escape_problem escape_defaults(const struct molecule *molecule, const struct collision_plan *plan)
{
    return (struct escape_problem){.molecule = molecule,
                                   .plan = plan,
                                   .background = 2.725,
                                   .geometry = ESCAPE_SPHERE,
                                   .inversion_limit = 1.0,
                                   .error = 1e-6,
                                   .iterations = 200};
}

enum lr_status escape_workspace_create(lr_context *ctx, const struct molecule *molecule,
                                       struct escape_workspace **workspace)
{
    const size_t n = (size_t)molecule->n_level;
    const size_t n_line = (size_t)molecule->n_line;
    const size_t stride = (n + VECTOR - 1) / VECTOR * VECTOR;
    struct escape_workspace *made = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *made, &made));
    made->n_level = molecule->n_level;
    made->n_line = molecule->n_line;
    made->stride = (int)stride;
    if (lr_allocate(ctx, n * n + n * stride + 3 * stride + 2 * n_line, sizeof(double), &made->memory) != LR_OK) {
        free(made);
        return LR_ERROR_MEMORY;
    }
    made->collision = made->memory;
    made->rates = made->collision + n * n;
    made->next = made->rates + n * stride;
    made->source = made->next + stride;
    made->scratch = made->source + stride;
    made->kappa = made->scratch + stride;
    made->photons = made->kappa + n_line;
    *workspace = made;
    return LR_OK;
}

void escape_workspace_free(struct escape_workspace *workspace)
{
    if (!workspace)
        return;
    free(workspace->memory);
    free(workspace);
}

/* tau = kappa ((g_u / g_l) x_l - x_u) */
static double depth_factor(const struct escape_problem *problem, const struct transition *line)
{
    const double wavelength = LR_LIGHT_SPEED / line->frequency;
    return line->a_ul * wavelength * wavelength * wavelength / (8.0 * LR_PI) * problem->column_per_speed;
}

static double excess(const struct molecule *molecule, const struct transition *line, const double *x)
{
    return molecule->level[line->upper].weight / molecule->level[line->lower].weight * x[line->lower] - x[line->upper];
}

double escape_depth(const struct escape_problem *problem, int line, const double *x)
{
    const struct transition *t = &problem->molecule->line[line];
    return depth_factor(problem, t) * excess(problem->molecule, t, x);
}

/* What does not change during the iteration. */
static void prepare(const struct escape_problem *problem, struct escape_workspace *work)
{
    const struct molecule *molecule = problem->molecule;
    collision_rates(molecule, problem->plan, problem->temperature, problem->density, work->collision);
    for (int i = 0; i < molecule->n_line; i++) {
        const struct transition *line = &molecule->line[i];
        const double energy = LR_PLANCK * line->frequency / LR_BOLTZMANN;
        work->kappa[i] = depth_factor(problem, line);
        if (problem->photons)
            work->photons[i] = problem->photons[i];
        else
            work->photons[i] = problem->background > 0.0 ? 1.0 / expm1(energy / problem->background) : 0.0;
    }
}

/* Newton's equations at x, see above; with `newton` false the level equations with the beta of x. True when a line is
 * inverted beyond the limit. */
static bool linearise(const struct escape_problem *problem, struct escape_workspace *work, const double *x, bool newton)
{
    const struct molecule *molecule = problem->molecule;
    const size_t n = (size_t)molecule->n_level;
    const size_t stride = (size_t)work->stride;
    bool beyond = false;
    for (size_t i = 0; i < n; i++)
        memcpy(work->rates + i * stride, work->collision + i * n, n * sizeof *work->rates);
    memset(work->source, 0, n * sizeof *work->source);
    for (int i = 0; i < molecule->n_line; i++) {
        const struct transition *line = &molecule->line[i];
        const size_t u = (size_t)line->upper;
        const size_t l = (size_t)line->lower;
        const double ratio = molecule->level[u].weight / molecule->level[l].weight;
        const double difference = ratio * x[l] - x[u];
        const double tau = work->kappa[i] * difference;
        struct escape_beta beta = escape_probability((int)problem->geometry, tau, problem->inversion_limit);
        beyond = beyond || tau < -problem->inversion_limit;
        if (!newton)
            beta.slope = 0.0;
        const double photons = work->photons[i];
        const double bend = -beta.slope * work->kappa[i];
        /* below zero only in ESCAPE_LVG, where tau beta falls with tau: then it is a little less than Newton's */
        const double up = fmax(photons * (beta.value + beta.slope * tau) + bend * x[u], 0.0);
        work->rates[u * stride + l] += line->a_ul * (beta.value + up);
        work->rates[l * stride + u] += line->a_ul * ratio * up;
        const double flow = line->a_ul * (bend * difference) * (x[u] - photons * difference);
        work->source[u] -= flow;
        work->source[l] += flow;
    }
    return beyond;
}

/* Largest relative change of a population that counts. */
static double largest_change(int n, const double *before, const double *after)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        const double scale = fmax(fmax(before[i], after[i]), ESCAPE_FAINT);
        largest = fmax(largest, fabs(after[i] - before[i]) / scale);
    }
    return largest;
}

/* Newton's step may overshoot: no population falls to less than a millionth at once. Returns the largest change. */
static double take_step(int n, double part, double *x, double *next)
{
    for (int i = 0; i < n; i++)
        next[i] = fmax(x[i] + part * (next[i] - x[i]), 1e-6 * x[i]);
    level_normalise(n, next);
    const double change = largest_change(n, x, next);
    memcpy(x, next, (size_t)n * sizeof *x);
    return change;
}

/* A whole step squares the error, so that after two of them, the longer one before, change^2 / previous is what is
 * left; a tenth of a step leaves nine tenths. */
static double remaining_error(double change, double previous, double part)
{
    return part < 1.0 ? change * (1.0 / part - 1.0) : change * fmin(change / previous, 1.0);
}

/* level_take_out() of all levels but the first, most of the work: in whole vectors, of the widest kind that the machine
 * has. `share` is scratch: where the molecules of a level go, with zeros to the end of the last vector. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#endif
static void
take_out_levels(int n, int stride, double *restrict rates, double *restrict source, double *restrict share)
{
    for (int k = n - 1; k > 0; k--) {
        double *row = rates + (ptrdiff_t)k * stride;
        double leave = 0.0;
        for (int j = 0; j < k; j++)
            leave += row[j];
        row[k] = leave;
        if (!(leave > 0.0))
            continue;
        const int n_vector = (k + VECTOR - 1) / VECTOR;
        for (int j = 0; j < n_vector * VECTOR; j++)
            share[j] = j < k ? row[j] / leave : 0.0;
        for (int i = 0; i < k; i++) {
            double *into = rates + (ptrdiff_t)i * stride;
            const double flow = into[k];
            for (int v = 0; v < n_vector; v++)
                for (int j = v * VECTOR; j < (v + 1) * VECTOR; j++)
                    into[j] += flow * share[j];
        }
        for (int j = 0; j < k; j++)
            source[j] += source[k] * share[j];
    }
}

/* Newton's method. From LTE the first pass is a plain one: it gives faint levels the right size. Parts of a
 * step are for ESCAPE_LVG with surroundings much hotter than the gas; nothing else is known to need them. */
struct escape_outcome escape_solve(const struct escape_problem *problem, struct escape_workspace *work, bool start,
                                   double *x)
{
    const int patience = 25;
    const int n = problem->molecule->n_level;
    struct escape_outcome outcome = {0, 1.0, false, false};
    double previous = 1.0;
    prepare(problem, work);
    if (!start)
        populations_lte(problem->molecule, problem->temperature, x);
    while (outcome.iterations < problem->iterations && !outcome.converged) {
        const double part = outcome.iterations < patience ? 1.0 : outcome.iterations < 2 * patience ? 0.5 : 0.1;
        const bool newton = start || outcome.iterations > 0;
        outcome.inverted = linearise(problem, work, x, newton);
        take_out_levels(n, work->stride, work->rates, work->source, work->scratch);
        level_put_back_driven(n, work->stride, work->rates, work->source, work->next, work->scratch);
        const double change = take_step(n, part, x, work->next);
        outcome.iterations++;
        outcome.error = remaining_error(change, previous, part);
        outcome.converged = outcome.error < problem->error && change < 1e-2 && (newton || change < problem->error);
        previous = change;
    }
    return outcome;
}
