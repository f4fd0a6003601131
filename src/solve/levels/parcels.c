/* Many parcels of gas at once: each is solved by escape probability (lines/escape.h) on whichever thread is free. */
#include <assert.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "base/constants.h"
#include "base/structure.h"
#include "base/threads.h"
#include "lines/escape.h"
#include "lines/overlap.h"
#include "lines/populations.h"

/* Far beyond any gas; larger numbers are typing errors or in the wrong unit, and rates overflow. */
static const double MOST_KELVIN = 1e15, MOST_DENSITY = 1e45, MOST_COLUMN = 1e60;
static const double LEAST_WIDTH = 1e-3;                    /* cm/s */
static const double full_width_per_b = 1.6651092223153954; /* 2 sqrt(ln 2): full width at half maximum, Gaussian */

/* From `least` to `most`; zero as well, where that is allowed. */
static enum lr_status check_values(lr_context *ctx, const char *what, const char *unit, const double *values, int64_t n,
                                   bool may_be_zero, double least, double most)
{
    if (!values)
        return lr_fail(ctx, LR_ERROR_INPUT, "no %s given for the parcels", what);
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(values[i]) || values[i] < 0.0 || (values[i] == 0.0 && !may_be_zero))
            return lr_fail(ctx, LR_ERROR_INPUT, "%s %g %s (parcel %lld): it must be finite and %s", what, values[i],
                           unit, (long long)i, may_be_zero ? "not negative" : "above zero");
        else if (values[i] > most || (values[i] > 0.0 && values[i] < least))
            return lr_fail(ctx, LR_ERROR_INPUT, "%s %g %s (parcel %lld): expected %g to %g", what, values[i], unit,
                           (long long)i, least, most);
    return LR_OK;
}

/* Entries that are not colliders must be empty. */
static enum lr_status check_colliders(lr_context *ctx, const struct lr_parcels *parcels)
{
    static_assert((int)N_COLLIDER <= (int)LR_MAX_COLLIDER, "arrays of the interface have room for all colliders");
    for (int c = 0; c < LR_MAX_COLLIDER; c++)
        if ((c < COLLIDER_H2 || c >= N_COLLIDER) && (parcels->density[c] || parcels->rates_of[c]))
            return lr_fail(ctx, LR_ERROR_INPUT, "%d is not a collider", c);
    return LR_OK;
}

static enum lr_status check_parcels(lr_context *ctx, const struct lr_parcels *parcels)
{
    if (parcels->n < 0)
        return lr_fail(ctx, LR_ERROR_INPUT, "the number of parcels is %lld; it must not be negative",
                       (long long)parcels->n);
    if ((int)parcels->geometry < 0 || (int)parcels->geometry >= N_ESCAPE_GEOMETRY)
        return lr_fail(ctx, LR_ERROR_INPUT, "unknown geometry %d", (int)parcels->geometry);
    if (!(parcels->error >= 0.0 && parcels->error < 1.0))
        return lr_fail(ctx, LR_ERROR_INPUT, "error %g: it must be at least 0 (default) and below 1", parcels->error);
    LR_TRY(check_values(ctx, "temperature", "K", parcels->temperature, parcels->n, false, 0.0, MOST_KELVIN));
    LR_TRY(check_values(ctx, "column", "cm^-2", parcels->column, parcels->n, true, 0.0, MOST_COLUMN));
    LR_TRY(check_values(ctx, "width", "cm/s", parcels->width, parcels->n, false, LEAST_WIDTH, LR_LIGHT_SPEED));
    LR_TRY(check_values(ctx, "background", "K", parcels->background, parcels->n, true, 0.0, MOST_KELVIN));
    LR_TRY(check_colliders(ctx, parcels));
    for (int c = COLLIDER_H2; c < N_COLLIDER; c++) {
        if (parcels->density[c])
            LR_TRY(check_values(ctx, "density", "cm^-3", parcels->density[c], parcels->n, true, 0.0, MOST_DENSITY));
        if (parcels->rates_of[c] < 0 || parcels->rates_of[c] >= N_COLLIDER)
            return lr_fail(ctx, LR_ERROR_INPUT, "unknown collider %d", parcels->rates_of[c]);
    }
    return LR_OK;
}

static enum lr_status plan_collisions(lr_context *ctx, const struct molecule *molecule,
                                      const struct lr_parcels *parcels, struct collision_plan *plan)
{
    bool given[N_COLLIDER] = {false};
    enum collider replace[N_COLLIDER] = {0};
    bool any = false;
    for (int c = COLLIDER_H2; c < N_COLLIDER; c++) {
        given[c] = parcels->density[c] != NULL;
        replace[c] = (enum collider)parcels->rates_of[c];
        any = any || given[c];
    }
    if (!any)
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: no density of a collision partner is given", molecule->name);
    return collision_plan_make(ctx, molecule, given, replace, plan);
}

static struct escape_problem problem_of(const struct molecule *molecule, const struct collision_plan *plan,
                                        const struct lr_parcels *parcels, int64_t i)
{
    struct escape_problem problem = escape_defaults(molecule, plan);
    problem.temperature = parcels->temperature[i];
    for (int c = COLLIDER_H2; c < N_COLLIDER; c++)
        problem.density[c] = parcels->density[c] ? parcels->density[c][i] : 0.0;
    problem.column_per_speed = parcels->column[i] / (ESCAPE_GAUSSIAN_WIDTH * parcels->width[i]);
    problem.background = parcels->background[i];
    problem.geometry = (enum escape_geometry)parcels->geometry;
    if (parcels->error > 0.0)
        problem.error = parcels->error;
    return problem;
}

/* (J(Tex) - J(Tbg)) (1 - exp(-tau)). J(Tex) (1 - exp(-tau)) = (h nu / k) kappa x_u (1 - exp(-tau)) / tau has no pole
 * where Tex is infinite. */
static double radiation_temperature(const struct escape_problem *problem, int line, const double *x, double tau)
{
    const struct transition *t = &problem->molecule->line[line];
    const double energy = LR_PLANCK * t->frequency / LR_BOLTZMANN;
    const double wavelength = LR_LIGHT_SPEED / t->frequency;
    const double kappa = t->a_ul * wavelength * wavelength * wavelength / (8.0 * LR_PI) * problem->column_per_speed;
    const double emitted = energy * kappa * x[t->upper] * escape_exponential(tau).value;
    const double behind = problem->background > 0.0 ? energy / expm1(energy / problem->background) : 0.0;
    return emitted + behind * expm1(-tau);
}

static void store(double *array, int64_t at, double value)
{
    if (array)
        array[at] = value;
}

static int write_lines(const struct escape_problem *problem, double width, int64_t parcel, const double *x,
                       const struct lr_parcel_lines *lines)
{
    const struct molecule *molecule = problem->molecule;
    int flags = 0;
    for (int i = 0; i < molecule->n_line; i++) {
        const int64_t at = parcel * molecule->n_line + i;
        const double tau = escape_depth(problem, i, x);
        const double radiation = radiation_temperature(problem, i, x, tau);
        const double wave_number = molecule->line[i].frequency / LR_LIGHT_SPEED;
        const double integral = ESCAPE_GAUSSIAN_WIDTH * width * radiation; /* K cm s^-1 */
        store(lines->excitation, at, populations_excitation(molecule, i, x));
        store(lines->depth, at, tau);
        store(lines->radiation, at, radiation);
        store(lines->flux_kelvin, at, 1e-5 * integral);
        store(lines->flux_energy, at, 8.0 * LR_PI * LR_BOLTZMANN * wave_number * wave_number * wave_number * integral);
        flags |= tau < 0.0 ? LR_INVERTED : 0;
        flags |= tau < -problem->inversion_limit ? LR_MASER : 0;
    }
    return flags;
}

/* What one thread needs. */
struct solver {
    struct escape_workspace *escape;
    struct overlap_workspace *overlap; /* NULL: each line by itself */
    double *x;                         /* [n_level] */
};

static enum lr_status solver_create(lr_context *ctx, const struct molecule *molecule, bool overlap,
                                    struct solver *solver)
{
    LR_TRY(lr_allocate(ctx, (size_t)molecule->n_level, sizeof *solver->x, &solver->x));
    LR_TRY(escape_workspace_create(ctx, molecule, &solver->escape));
    return overlap ? overlap_workspace_create(ctx, molecule, &solver->overlap) : LR_OK;
}

static void solver_free(struct solver *solver)
{
    escape_workspace_free(solver->escape);
    overlap_workspace_free(solver->overlap);
    free(solver->x);
}

/* Returns the first level whose population is not a finite number, or -1. */
static int solve_one(const struct molecule *molecule, const struct collision_plan *plan,
                     const struct lr_parcels *parcels, int64_t i, struct solver *solver,
                     const struct lr_parcel_lines *lines)
{
    const struct escape_problem problem = problem_of(molecule, plan, parcels, i);
    double *x = solver->x;
    struct escape_outcome outcome = escape_solve(&problem, solver->escape, false, x);
    if (parcels->overlap && outcome.bad_level < 0)
        outcome = overlap_solve(&problem, parcels->width[i] / full_width_per_b, solver->escape, solver->overlap, x);
    int flags = write_lines(&problem, parcels->width[i], i, x, lines);
    flags |= outcome.converged ? 0 : LR_NOT_CONVERGED;
    if (collision_clamped(molecule, plan, problem.temperature, problem.temperature))
        flags |= LR_RATES_CLAMPED;
    for (int k = 0; k < molecule->n_level; k++)
        store(lines->population, i * molecule->n_level + k, x[k]);
    store(lines->error, i, outcome.error);
    if (lines->iterations)
        lines->iterations[i] = outcome.iterations;
    if (lines->flags)
        lines->flags[i] = flags;
    return outcome.bad_level;
}

/* The first parcel without a solution. */
struct bad_parcel {
    int64_t parcel;
    int level; /* -1: there is none */
};

static void solve_all(lr_context *ctx, const struct molecule *molecule, const struct collision_plan *plan,
                      const struct lr_parcels *parcels, int threads, struct solver *solvers,
                      const struct lr_parcel_lines *lines, struct bad_parcel *bad)
{
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
    for (int64_t i = 0; i < parcels->n; i++) {
        const int thread = omp_get_thread_num();
        if (ctx->stop)
            continue;
        const int level = solve_one(molecule, plan, parcels, i, &solvers[thread], lines);
        if (level < 0)
            continue;
#pragma omp critical
        if (bad->level < 0 || i < bad->parcel)
            *bad = (struct bad_parcel){i, level};
    }
}

static enum lr_status solve_parcels(lr_context *ctx, const struct molecule *data, const struct lr_parcels *parcels,
                                    const struct lr_parcel_lines *lines)
{
    const int64_t most = thread_count(parcels->threads);
    const int threads = (int)(most < parcels->n / 16 + 1 ? most : parcels->n / 16 + 1);
    struct collision_plan plan;
    struct solver *solvers = NULL;
    struct bad_parcel bad = {.level = -1};
    enum lr_status status = LR_OK;
    ctx->stop = 0;
    LR_TRY(check_parcels(ctx, parcels));
    LR_TRY(plan_collisions(ctx, data, parcels, &plan));
    LR_TRY(lr_allocate(ctx, (size_t)threads, sizeof *solvers, &solvers));
    for (int i = 0; i < threads; i++)
        LR_TRY_OR(cleanup, status, solver_create(ctx, data, parcels->overlap, &solvers[i]));
    solve_all(ctx, data, &plan, parcels, threads, solvers, lines, &bad);
    if (bad.level >= 0)
        status = lr_fail(ctx, LR_ERROR_INPUT,
                         "%s: the population of level %d is not a finite number at %g K, column density %g cm^-2 and "
                         "width %g cm/s (parcel %lld); check these and the densities",
                         data->name, bad.level + 1, parcels->temperature[bad.parcel], parcels->column[bad.parcel],
                         parcels->width[bad.parcel], (long long)bad.parcel);
    if (ctx->stop)
        status = lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped before all parcels were solved");
cleanup:
    for (int i = 0; i < threads; i++)
        solver_free(&solvers[i]);
    free(solvers);
    return status;
}

enum lr_status lr_solve_parcels(lr_context *ctx, const lr_molecule *molecule, const struct lr_parcels *parcels,
                                const struct lr_parcel_lines *lines)
{
    struct lr_parcels given;
    struct lr_parcel_lines wanted;
    LR_TRY(structure_take(ctx, "lr_parcels", parcels, &given, sizeof given));
    LR_TRY(structure_take(ctx, "lr_parcel_lines", lines, &wanted, sizeof wanted));
    return solve_parcels(ctx, &molecule->data, &given, &wanted);
}
