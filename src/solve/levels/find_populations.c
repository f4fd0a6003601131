#include "solve/levels/find_populations.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "parallel/meeting.h"
#include "solve/levels/equilibrium.h"
#include "solve/levels/escape_cells.h"
#include "solve/levels/populations_kept.h"
#include "solve/levels/two_level.h"

/* `shared`: by all ranks of a job together. */
static enum lr_status find_populations(lr_context *ctx, const struct worker *worker, const lr_model *model, bool shared,
                                       struct lr_keeper *keeper, struct populations *out)
{
    switch (model->species->options.method) {
    case POPULATIONS_TWO_LEVEL:
        return two_level_solve(ctx, worker, model, out);
    case POPULATIONS_LVG:
    case POPULATIONS_ESCAPE:
        return escape_cells_solve(ctx, worker, model, out);
    case POPULATIONS_EQUILIBRIUM:
        return equilibrium_solve(ctx, worker, model, shared, keeper, out);
    case POPULATIONS_LTE:
    case POPULATIONS_GIVEN:
    case N_POPULATION_METHOD:
        break;
    }
    *out = (struct populations){.n_cell = mesh_cell_count(&model->mesh),
                                .n_level = model->species->molecule.n_level,
                                .converged = true,
                                .noise = NAN};
    return LR_OK;
}

/* What rank 0 has found, for all. */
static enum lr_status share_populations(lr_context *ctx, enum lr_status status, struct populations *out)
{
    struct populations said = *out;
    LR_TRY(team_meet(ctx, PLACE_LEVELS, status));
    LR_TRY(team_share(ctx, PLACE_LEVELS, &said, sizeof said));
    const size_t n = said.x ? (size_t)said.n_cell * (size_t)said.n_level : 0;
    if (team_is_helper(ctx)) {
        *out = said;
        out->n_step = 0;
        out->step = NULL;
        out->residual = NULL;
        out->x = NULL;
        if (n > 0)
            status = lr_allocate(ctx, n, sizeof *out->x, &out->x);
    }
    LR_TRY(team_meet(ctx, PLACE_LEVELS, status));
    return n > 0 ? team_share(ctx, PLACE_LEVELS, out->x, (int64_t)(n * sizeof *out->x)) : LR_OK;
}

/* Found by all ranks of a job together, or by the first one for all of them. */
static enum lr_status find_together(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                    struct lr_keeper *keeper, struct populations *out)
{
    bool known = false, shared = false;
    enum lr_status status = LR_OK;
    if (keeper)
        status = populations_restore(ctx, &keeper->found, mesh_cell_count(&model->mesh),
                                     model->species->molecule.n_level, out, &known);
    if (model->species->options.method == POPULATIONS_EQUILIBRIUM)
        shared = !known && equilibrium_is_shared(ctx, worker, model);
    LR_TRY(team_meet(ctx, PLACE_LEVELS, status));
    LR_TRY(team_share(ctx, PLACE_LEVELS, &shared, sizeof shared));
    if (!known && (shared || !team_is_helper(ctx)))
        status = find_populations(ctx, worker, model, shared, keeper, out);
    return shared ? team_meet(ctx, PLACE_LEVELS, status) : share_populations(ctx, status, out);
}

/* No method may pass on a number that is not one, converged or not. */
static enum lr_status check_finite(lr_context *ctx, const lr_model *model, const struct populations *found)
{
    if (!found->x)
        return LR_OK;
    for (int64_t i = 0; i < found->n_cell * found->n_level; i++)
        if (!isfinite(found->x[i])) {
            char place[64];
            const int64_t cell = i / found->n_level;
            mesh_name_cell(&model->mesh, cell, place, sizeof place);
            return lr_fail(
                ctx, LR_ERROR_INPUT,
                "the population of level %d of '%s' is not a finite number at cell %s (%g cm^-3, %g K); check "
                "densities, temperatures and the data of the molecule",
                (int)(i % found->n_level) + 1, model->species->molecule.name, place,
                field_at(&model->species->density, cell), field_at(&model->species->temperature, cell));
        }
    return LR_OK;
}

enum lr_status populations_apply(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                 struct lr_keeper *keeper, lr_model *derived, struct populations *out,
                                 struct inversion *inversion)
{
    const double start = lr_seconds();
    enum lr_status status = find_together(ctx, worker, model, keeper, out);
    out->seconds += lr_seconds() - start;
    if (status == LR_OK)
        status = check_finite(ctx, model, out);
    const double *x = out->x ? out->x : model->species->populations;
    *inversion = (struct inversion){0};
    if (status == LR_OK && x)
        status = derive_model(ctx, model, x, derived, inversion);
    if (status != LR_OK)
        populations_free(out);
    return status;
}

/* ---- the result ---- */

static void describe(const lr_model *model, const struct inversion *inversion, struct population_result *kept)
{
    const struct species *species = model->species;
    kept->method = species->options.method;
    kept->stimulated = species->options.stimulated;
    kept->background = species->options.background;
    kept->n_level = species->molecule.n_level;
    kept->line = species->line + 1;
    kept->n_inverted = inversion->n_cell;
    kept->inversion = inversion->largest;
    snprintf(kept->molecule, sizeof kept->molecule, "%s", species->molecule.name);
    if (model->group.n > 1)
        snprintf(kept->transition, sizeof kept->transition, "%s", model->group.name);
    else
        species_line_label(&species->molecule, species->line, kept->transition, sizeof kept->transition);
}

/* Fractions and excitation temperatures, if the model asks for them. */
static enum lr_status keep_levels(lr_context *ctx, const lr_model *model, struct population_result *kept)
{
    const struct species *species = model->species;
    const size_t n_value = (size_t)mesh_cell_count(&model->mesh) * (size_t)kept->n_level;
    struct populations *found = &kept->found;
    LR_TRY(lr_allocate(ctx, (size_t)kept->n_level, sizeof *kept->level, &kept->level));
    memcpy(kept->level, species->molecule.level, (size_t)kept->n_level * sizeof *kept->level);
    if (!model->output.populations && !found->stopped) {
        free(found->x);
        found->x = NULL;
        return LR_OK;
    }
    const double *x = found->x ? found->x : species->populations;
    LR_TRY(excitation_temperature(ctx, model, x, &kept->excitation));
    if (found->x)
        return LR_OK;
    if (!x)
        return excitation_lte(ctx, model, &found->x);
    LR_TRY(lr_allocate(ctx, n_value, sizeof(double), &found->x));
    memcpy(found->x, x, n_value * sizeof(double));
    return LR_OK;
}

static void summarise(const struct population_result *kept, struct lr_summary *summary)
{
    const struct populations *found = &kept->found;
    snprintf(summary->populations, sizeof summary->populations, "%s", population_method_name(kept->method));
    summary->population_iterations = found->iterations > 0 ? found->iterations : found->n_step;
    summary->population_error = found->n_step > 0 ? found->step[found->n_step - 1].error : 0.0;
    summary->population_noise = found->noise;
    summary->populations_converged = found->converged;
    summary->seconds_populations = found->seconds;
}

enum lr_status populations_run(lr_context *ctx, const struct worker *worker, const lr_model *model,
                               struct lr_keeper *keeper, struct stored *state, lr_model *derived,
                               struct lr_result *result)
{
    struct inversion inversion;
    if (!model->species)
        return LR_OK;
    LR_TRY(lr_allocate(ctx, 1, sizeof *result->populations, &result->populations));
    struct population_result *kept = result->populations;
    LR_TRY(populations_apply(ctx, worker, model, keeper, derived, &kept->found, &inversion));
    if (keeper && !kept->found.stopped) {
        LR_TRY(populations_store(ctx, &kept->found, true, state));
        if (state->n > 0 && populations_save_is_due(ctx, keeper, model->run.checkpoint)) {
            if (keeper->save(ctx, keeper, state) != LR_OK)
                lr_log(ctx, LR_LOG_WARNING, "no statepoint was written: %s", lr_last_error(ctx));
            ctx->save = 0;
            keeper->saved = lr_seconds();
        }
    }
    if (model->species->options.method != POPULATIONS_GIVEN || model->group.n > 1)
        excitation_warn(ctx, model, &inversion); /* for a given line the reader has already warned */
    describe(model, &inversion, kept);
    summarise(kept, &result->summary);
    const bool noisy = result->summary.population_error <= model->species->options.error; /* already logged */
    if (kept->found.stopped)
        lr_log(
            ctx, LR_LOG_WARNING,
            "stopped while solving for level populations: those after %d iterations are kept, with an estimated error "
            "of %.3g; nothing was made from them",
            result->summary.population_iterations, result->summary.population_error);
    else if (!kept->found.converged && kept->found.iterations == 0 && !noisy)
        lr_log(ctx, LR_LOG_WARNING,
               "the level populations did not converge: estimated error %.3g after %d iterations, target %.3g",
               result->summary.population_error, result->summary.population_iterations, model->species->options.error);
    return keep_levels(ctx, model, kept);
}
