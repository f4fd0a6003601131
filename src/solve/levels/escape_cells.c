#include "solve/levels/escape_cells.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "lines/escape.h"
#include "lines/overlap.h"
#include "solve/common/velocity_gradient.h"

/* Gas at rest has no velocity gradient: it is taken to be at least one Doppler parameter over the shortest open side of
 * the mesh, which corresponds to a depth of sqrt(pi) alpha0 times that side. */
static double longest_way_out(const struct mesh *mesh)
{
    double shortest = HUGE_VAL;
    double longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        longest = fmax(longest, mesh_size(mesh, axis));
        if (mesh->face[2 * axis] != FACE_PERIODIC)
            shortest = fmin(shortest, mesh_size(mesh, axis));
    }
    return isfinite(shortest) ? shortest : longest;
}

/* Levels are left empty if less than this fraction of the molecules would be in them in LTE. */
static const double FAINT = 1e-12;

/* Common to all cells. */
struct setting {
    const lr_model *model;
    int least; /* levels of the line that is transported, and all below */
    struct gradient_directions directions;
    double way_out; /* cm */
};

/* Density of the molecule over the velocity gradient; or column density through a sphere over the equivalent width
 * sqrt(pi) b of its line. */
static double column_per_speed(const struct setting *setting, const int at[3], int64_t cell, bool *still,
                               double *expanding)
{
    const lr_model *model = setting->model;
    const struct species *species = model->species;
    const double density = field_at(&species->density, cell);
    const double b = field_at(&model->medium.b, cell);
    if (species->options.method == POPULATIONS_ESCAPE)
        return density * field_at(&species->options.length, cell) / (LR_SQRT_PI * b);
    double gradient[3][3];
    velocity_gradient_tensor(model, at, gradient);
    const double found = velocity_gradient_mean(&setting->directions, gradient);
    *still = found < b / setting->way_out;
    *expanding = velocity_gradient_expanding(found, gradient);
    return density / fmax(found, b / setting->way_out);
}

static struct escape_problem problem_of(const struct setting *setting, const int at[3], int64_t cell, bool *still)
{
    const struct species *species = setting->model->species;
    const struct population_options *options = &species->options;
    struct escape_problem problem = escape_defaults(&species->molecule, &species->plan);
    problem.geometry = options->method == POPULATIONS_ESCAPE ? ESCAPE_SPHERE : ESCAPE_EXPANSION;
    problem.temperature = field_at(&species->temperature, cell);
    for (int c = 0; c < N_COLLIDER; c++)
        problem.density[c] = species->given[c] ? field_at(&species->collider[c], cell) : 0;
    problem.column_per_speed = column_per_speed(setting, at, cell, still, &problem.expanding);
    problem.background = options->background;
    problem.inversion_limit = options->inversion_limit;
    problem.error = options->error;
    problem.iterations = options->iterations;
    problem.faint = FAINT;
    problem.least = setting->least;
    return problem;
}

/* What one thread needs. */
struct solver {
    struct escape_workspace *escape;
    struct overlap_workspace *overlap; /* NULL: each line by itself */
};

static enum lr_status solver_create(lr_context *ctx, const struct species *species, struct solver *solver)
{
    LR_TRY(escape_workspace_create(ctx, &species->molecule, &solver->escape));
    return species->options.overlap ? overlap_workspace_create(ctx, &species->molecule, &solver->overlap) : LR_OK;
}

static void solver_free(struct solver *solver)
{
    escape_workspace_free(solver->escape);
    overlap_workspace_free(solver->overlap);
}

/* `start`: from the populations x. */
static struct escape_outcome solve_cell(const struct setting *setting, int64_t cell,
                                        const struct escape_problem *problem, struct solver *solver, bool start,
                                        double *x)
{
    const double b = field_at(&setting->model->medium.b, cell);
    const struct escape_outcome outcome = escape_solve(problem, solver->escape, start, x);
    if (!solver->overlap || outcome.bad_level >= 0 || !overlap_happens(solver->overlap, problem->molecule->n_line, b))
        return outcome;
    return overlap_solve(problem, b, solver->escape, solver->overlap, x);
}

struct tally {
    double error;
    int iterations;
    int64_t cells, still, failed, held;
};

/* A row of cells along z, each starting from the populations of the previous one. */
static void solve_row(const struct setting *setting, int i, int j, struct solver *solver, struct populations *out,
                      struct tally *tally)
{
    const struct mesh *mesh = &setting->model->mesh;
    const double *before = NULL;
    for (int k = 0; k < mesh->n[2]; k++) {
        const int at[3] = {i, j, k};
        const int64_t cell = mesh_cell_index(mesh, i, j, k);
        double *x = out->x + cell * out->n_level;
        const bool gas = field_at(&setting->model->species->density, cell) > 0;
        for (int level = 0; level < out->n_level; level++)
            x[level] = gas && before ? before[level] : 1.0 / out->n_level;
        if (!gas)
            continue;
        bool still = false;
        const struct escape_problem problem = problem_of(setting, at, cell, &still);
        const struct escape_outcome outcome = solve_cell(setting, cell, &problem, solver, before != NULL, x);
        out->residual[cell] = (float)outcome.error;
        tally->error = fmax(tally->error, outcome.error);
        tally->iterations = outcome.iterations > tally->iterations ? outcome.iterations : tally->iterations;
        tally->cells++;
        tally->still += still;
        tally->failed += !outcome.converged;
        tally->held += outcome.inverted;
        if (outcome.bad_level >= 0)
            x[outcome.bad_level] = NAN; /* populations_apply() says where */
        before = x;
    }
}

static enum lr_status solve_rows(lr_context *ctx, const struct setting *setting, int threads, struct populations *out,
                                 struct tally *total)
{
    const int n_row = setting->model->mesh.n[0] * setting->model->mesh.n[1];
    const int n_y = setting->model->mesh.n[1];
    enum lr_status status = LR_OK;
#pragma omp parallel num_threads(threads)
    {
        struct solver solver = {0};
        struct tally mine = {0};
        enum lr_status made = LR_OK;
#pragma omp critical
        {
            made = solver_create(ctx, setting->model->species, &solver);
            status = made != LR_OK ? made : status;
        }
#pragma omp for schedule(dynamic, 4)
        for (int row = 0; row < n_row; row++)
            if (made == LR_OK && !ctx->stop)
                solve_row(setting, row / n_y, row % n_y, &solver, out, &mine);
#pragma omp critical
        {
            total->error = fmax(total->error, mine.error);
            total->iterations = mine.iterations > total->iterations ? mine.iterations : total->iterations;
            total->cells += mine.cells;
            total->still += mine.still;
            total->failed += mine.failed;
            total->held += mine.held;
        }
        solver_free(&solver);
    }
    if (status == LR_OK && ctx->stop)
        return lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped while solving for level populations");
    return status;
}

static void report(lr_context *ctx, const struct setting *setting, const struct tally *tally)
{
    if (tally->still > 0)
        lr_log(ctx, LR_LOG_WARNING,
               "%lld of %lld cells with gas have almost no velocity gradient; b over the shortest side of the mesh is "
               "used there. For gas at rest, 'equilibrium' or 'escape-probability' is better",
               (long long)tally->still, (long long)tally->cells);
    if (tally->failed > 0)
        lr_log(ctx, LR_LOG_WARNING, "%lld cells did not converge in %d iterations", (long long)tally->failed,
               setting->model->species->options.iterations);
    if (tally->held > 0)
        lr_log(ctx, LR_LOG_WARNING,
               "%lld cells have inverted lines beyond an optical depth of -%.3g (populations.inversion_limit), where "
               "the amplification is capped",
               (long long)tally->held, setting->model->species->options.inversion_limit);
}

enum lr_status escape_cells_solve(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                  struct populations *out)
{
    const struct transition *line = &model->species->molecule.line[model->species->line];
    struct setting setting = {.model = model, .way_out = longest_way_out(&model->mesh)};
    struct tally tally = {0};
    enum lr_status status = LR_OK;
    *out = (struct populations){
        .n_cell = mesh_cell_count(&model->mesh), .n_level = model->species->molecule.n_level, .noise = NAN};
    setting.least = (line->upper > line->lower ? line->upper : line->lower) + 1;
    gradient_directions_make(&setting.directions);
    LR_TRY_OR(fail, status, lr_allocate(ctx, (size_t)out->n_cell * (size_t)out->n_level, sizeof(double), &out->x));
    LR_TRY_OR(fail, status, lr_allocate(ctx, (size_t)out->n_cell, sizeof *out->residual, &out->residual));
    LR_TRY_OR(fail, status, lr_allocate(ctx, 1, sizeof *out->step, &out->step));
    LR_TRY_OR(fail, status, solve_rows(ctx, &setting, worker->threads, out, &tally));
    out->step[0] = (struct population_step){.change = tally.error, .error = tally.error};
    out->n_step = 1;
    out->iterations = tally.iterations;
    out->converged = tally.failed == 0;
    report(ctx, &setting, &tally);
    return LR_OK;
fail:
    populations_free(out);
    return status;
}
