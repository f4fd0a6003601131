/* Net downward rate of a line: A beta(tau) Q with Q = x_u - nbar D, D = (g_u / g_l) x_l - x_u, tau = kappa D, nbar the
 * photons per mode outside. Its derivatives with respect to x_u and -x_l,
 *
 *     A [beta + nbar d(tau beta)/dtau - beta' kappa x_u]   and
 *     A (g_u / g_l) [nbar d(tau beta)/dtau - beta' kappa x_u],
 *
 * are positive as long as beta decreases and tau beta increases with tau. Newton's step is then itself a set of level
 * equations with positive rates and a source -A beta' tau Q from the upper to the lower level (level_solve_driven), and
 * the steady state is unique: the flow between levels is cooperative and conserves their sum. */
#include "lines/escape.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "kernel/level_solve.h"
#include "lines/escape_parts.h"
#include "lines/populations.h"

enum { VECTOR = 8 }; /* doubles in the widest registers */

struct escape_problem escape_defaults(const struct molecule *molecule, const struct collision_plan *plan)
{
    return (struct escape_problem){.molecule = molecule,
                                   .plan = plan,
                                   .background = 2.725,
                                   .geometry = ESCAPE_SPHERE,
                                   .expanding = 1.0,
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
    made->stride = (int)stride;
    if (lr_allocate(ctx, n * n + n * stride + 3 * stride + 3 * n_line, sizeof(double), &made->memory) != LR_OK) {
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
    made->sensitivity = made->photons + n_line;
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

double escape_excess(const struct molecule *molecule, const struct transition *line, const double *x)
{
    return molecule->level[line->upper].weight / molecule->level[line->lower].weight * x[line->lower] - x[line->upper];
}

double escape_depth(const struct escape_problem *problem, int line, const double *x)
{
    const struct transition *t = &problem->molecule->line[line];
    return depth_factor(problem, t) * escape_excess(problem->molecule, t, x);
}

/* Levels that are not faint, and all levels below them. */
static int count_levels(const struct escape_problem *problem)
{
    const struct molecule *molecule = problem->molecule;
    int n = molecule->n_level;
    if (!(problem->faint > 0.0) || problem->photons)
        return n;
    const double kelvin = fmax(problem->temperature, problem->background);
    const double highest = -log(problem->faint) * kelvin * LR_BOLTZMANN / (LR_PLANCK * LR_LIGHT_SPEED); /* cm^-1 */
    while (n > 2 && n > problem->least && molecule->level[n - 1].energy > highest)
        n--;
    return n;
}

bool escape_leaves_out(const struct escape_workspace *work, const struct transition *line)
{
    return line->upper >= work->n_level || line->lower >= work->n_level;
}

/* What does not change during the iteration. */
static void prepare(const struct escape_problem *problem, struct escape_workspace *work)
{
    const struct molecule *molecule = problem->molecule;
    work->n_level = count_levels(problem);
    collision_rates_among(molecule, problem->plan, work->n_level, problem->temperature, problem->density,
                          work->collision);
    work->bad_level = -1;
    for (int i = 0; i < work->n_level * work->n_level; i++)
        if (!isfinite(work->collision[i]) && i / work->n_level != i % work->n_level)
            work->bad_level = i / work->n_level;
    for (int i = 0; i < molecule->n_line; i++) {
        const struct transition *line = &molecule->line[i];
        if (escape_leaves_out(work, line))
            continue;
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
    const size_t n = (size_t)work->n_level;
    const size_t stride = (size_t)work->stride;
    bool beyond = false;
    for (size_t i = 0; i < n; i++)
        memcpy(work->rates + i * stride, work->collision + i * n, n * sizeof *work->rates);
    memset(work->source, 0, n * sizeof *work->source);
    for (int i = 0; i < molecule->n_line; i++) {
        const struct transition *line = &molecule->line[i];
        if (escape_leaves_out(work, line))
            continue;
        const size_t u = (size_t)line->upper;
        const size_t l = (size_t)line->lower;
        const double ratio = molecule->level[u].weight / molecule->level[l].weight;
        const double difference = ratio * x[l] - x[u];
        const double tau = work->kappa[i] * difference;
        struct escape_beta beta = escape_probability((int)problem->geometry, tau, problem->inversion_limit);
        beyond = beyond || tau < -problem->inversion_limit;
        work->sensitivity[i] = work->kappa[i] * beta.slope / beta.value;
        if (!newton)
            beta.slope = 0.0;
        const double photons = work->photons[i];
        const double bend = -beta.slope * work->kappa[i];
        double up = photons * (beta.value + beta.slope * tau) + bend * x[u];
        double flow = line->a_ul * (bend * difference) * (x[u] - photons * difference);
        if (up < 0.0) { /* in ESCAPE_LVG, where tau beta falls with tau: any other `up` has the same solution with */
            up = 0.0;   /* flow = A D (up - beta nbar), and these rates are not negative */
            flow = -line->a_ul * difference * beta.value * photons;
        }
        if (!isfinite(line->a_ul * (beta.value + up + ratio * up) + flow))
            work->bad_level = line->upper;
        work->rates[u * stride + l] += line->a_ul * (beta.value + up);
        work->rates[l * stride + u] += line->a_ul * ratio * up;
        work->source[u] -= flow;
        work->source[l] += flow;
    }
    return beyond;
}

/* fmax() would drop a NaN. */
static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

/* Largest relative change of a significant population, or of an escape probability: where a thick line becomes
 * inverted, beta changes strongly while populations hardly do. NaN if anything is. */
static double largest_change(const struct molecule *molecule, const struct escape_workspace *work, const double *before,
                             const double *after)
{
    double largest = 0.0;
    for (int i = 0; i < work->n_level; i++) {
        const double scale = fmax(fmax(before[i], after[i]), ESCAPE_FAINT);
        largest = larger(largest, fabs(after[i] - before[i]) / scale);
    }
    for (int i = 0; i < molecule->n_line; i++) {
        const struct transition *line = &molecule->line[i];
        if (escape_leaves_out(work, line))
            continue;
        const double rise = escape_excess(molecule, line, after) - escape_excess(molecule, line, before);
        largest = larger(largest, fabs(work->sensitivity[i] * rise));
    }
    return largest;
}

/* Newton's step may overshoot: populations that would be negative drop to a millionth instead. Returns the largest
 * change. */
static double take_step(const struct molecule *molecule, struct escape_workspace *work, double part, double *x)
{
    const int n = work->n_level;
    for (int i = 0; i < n; i++) {
        const double next = x[i] + part * (work->next[i] - x[i]);
        work->next[i] = next < 0.0 ? 1e-6 * x[i] : next;
    }
    level_normalise(n, work->next);
    const double change = largest_change(molecule, work, x, work->next);
    memcpy(x, work->next, (size_t)n * sizeof *x);
    return change;
}

double escape_remaining_error(double change, double previous, double part)
{
    return part < 1.0 ? change * (1.0 / part - 1.0) : change * fmin(change / previous, 1.0);
}

/* level_take_out() for all levels but the first, which is most of the work: in whole vectors, of the widest kind the
 * machine has. `share` is scratch: where the molecules of a level go, padded with zeros to the end of the last
 * vector. */
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

/* Newton's method. From LTE the first pass is a plain iteration, which gives faint levels the right magnitude. Partial
 * steps are for ESCAPE_LVG with surroundings much hotter than the gas; nothing else is known to need them. */
struct escape_outcome escape_solve(const struct escape_problem *problem, struct escape_workspace *work, bool start,
                                   double *x)
{
    const int patience = 25;
    struct escape_outcome outcome = {.error = 1.0, .bad_level = -1};
    double previous = 1.0;
    prepare(problem, work);
    const int n = work->n_level;
    if (!start)
        populations_lte(problem->molecule, problem->temperature, x);
    for (int i = n; i < problem->molecule->n_level; i++)
        x[i] = 0.0;
    level_normalise(n, x);
    while (outcome.iterations < problem->iterations && !outcome.converged) {
        const double part = outcome.iterations < patience ? 1.0 : outcome.iterations < 2 * patience ? 0.5 : 0.1;
        const bool newton = start || outcome.iterations > 0;
        outcome.inverted = linearise(problem, work, x, newton);
        take_out_levels(n, work->stride, work->rates, work->source, work->scratch);
        level_put_back_driven(n, work->stride, work->rates, work->source, work->next, work->scratch);
        const double change = take_step(problem->molecule, work, part, x);
        outcome.iterations++;
        outcome.error = escape_remaining_error(change, previous, part);
        outcome.converged = outcome.error < problem->error && change < 1e-2 && (newton || change < problem->error);
        previous = change;
        if (!isfinite(change) || work->bad_level >= 0)
            break;
    }
    outcome.bad_level = work->bad_level;
    for (int i = 0; i < n && outcome.bad_level < 0; i++)
        if (!isfinite(x[i]))
            outcome.bad_level = i;
    outcome.converged = outcome.converged && outcome.bad_level < 0;
    return outcome;
}
