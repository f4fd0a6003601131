#include "solve/levels/populations_kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds between statepoints of an iteration, unless the model says: as in transport, but iterations are many and
 * their state is small. */
static const double OFTEN = 60, RARELY = 50;

enum { N_NUMBER = 6, N_STEP_VALUE = 4 };

enum lr_status populations_store(lr_context *ctx, const struct populations *found, bool done, struct stored *state)
{
    const int64_t size[] = {found->n_cell, found->n_level}, steps[] = {found->n_step, N_STEP_VALUE};
    const double numbers[N_NUMBER] = {done,           found->converged,          found->noise,
                                      found->seconds, (double)found->directions, (double)found->iterations};
    void *x = NULL, *step = NULL;
    if (!found->x)
        return LR_OK;
    LR_TRY(stored_add_copy(ctx, state, "populations", STORED_DOUBLE, N_NUMBER, numbers));
    LR_TRY(stored_add_room(ctx, state, "population_x", STORED_DOUBLE, 2, size, &x));
    memcpy(x, found->x, (size_t)(found->n_cell * found->n_level) * sizeof(double));
    if (found->residual)
        LR_TRY(stored_add_copy(ctx, state, "population_residual", STORED_FLOAT, found->n_cell, found->residual));
    if (found->n_step == 0)
        return LR_OK;
    LR_TRY(stored_add_room(ctx, state, "population_steps", STORED_DOUBLE, 2, steps, &step));
    for (int i = 0; i < found->n_step; i++) {
        const struct population_step *from = &found->step[i];
        const double values[N_STEP_VALUE] = {from->change, from->error, from->radius, from->accelerated};
        memcpy((double *)step + N_STEP_VALUE * i, values, sizeof values);
    }
    return LR_OK;
}

static enum lr_status restore_steps(lr_context *ctx, const struct stored *state, struct populations *found)
{
    const struct stored_array *steps = stored_find(state, "population_steps");
    if (!steps || steps->rank != 2 || steps->size[1] != N_STEP_VALUE)
        return LR_OK;
    LR_TRY(lr_allocate(ctx, (size_t)steps->size[0], sizeof *found->step, &found->step));
    found->n_step = (int)steps->size[0];
    for (int i = 0; i < found->n_step; i++) {
        const double *from = (const double *)steps->data + N_STEP_VALUE * i;
        found->step[i] = (struct population_step){from[0], from[1], from[2], from[3] > 0};
    }
    return LR_OK;
}

enum lr_status populations_restore(lr_context *ctx, const struct stored *state, int64_t n_cell, int n_level,
                                   struct populations *found, bool *done)
{
    double numbers[N_NUMBER];
    *done = false;
    if (!stored_find(state, "populations"))
        return LR_OK;
    LR_TRY(stored_get(ctx, state, "populations", STORED_DOUBLE, N_NUMBER, numbers));
    if (!(numbers[0] > 0))
        return LR_OK;
    *found = (struct populations){.n_cell = n_cell,
                                  .n_level = n_level,
                                  .converged = numbers[1] > 0,
                                  .noise = numbers[2],
                                  .seconds = numbers[3],
                                  .directions = (int)numbers[4],
                                  .iterations = (int)numbers[5]};
    LR_TRY(lr_allocate(ctx, (size_t)(n_cell * n_level), sizeof *found->x, &found->x));
    LR_TRY(stored_get(ctx, state, "population_x", STORED_DOUBLE, n_cell * n_level, found->x));
    if (stored_find(state, "population_residual")) {
        LR_TRY(lr_allocate(ctx, (size_t)n_cell, sizeof *found->residual, &found->residual));
        LR_TRY(stored_get(ctx, state, "population_residual", STORED_FLOAT, n_cell, found->residual));
    }
    *done = true;
    return restore_steps(ctx, state, found);
}

bool populations_save_is_due(lr_context *ctx, const struct lr_keeper *keeper, double minutes)
{
    const double interval = minutes > 0 ? 60 * minutes : fmax(OFTEN, RARELY * keeper->cost);
    return ctx->save || lr_seconds() - keeper->saved > interval;
}

void populations_save(lr_context *ctx, struct lr_keeper *keeper, double minutes, bool now,
                      const struct populations *found)
{
    struct stored state = {0};
    const double start = lr_seconds();
    if (!keeper || !(now || populations_save_is_due(ctx, keeper, minutes)))
        return;
    enum lr_status status = populations_store(ctx, found, false, &state);
    if (status == LR_OK)
        status = keeper->save(ctx, keeper, &state);
    if (status != LR_OK)
        lr_log(ctx, LR_LOG_WARNING, "no statepoint was written: %s", lr_last_error(ctx));
    stored_free(&state);
    ctx->save = 0;
    keeper->saved = lr_seconds();
    keeper->cost = keeper->saved - start;
}
