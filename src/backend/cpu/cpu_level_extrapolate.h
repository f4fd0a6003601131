/* Extrapolates populations from the last iterates. Included by cpu_levels.c. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_EXTRAPOLATE_H
#define LR_BACKEND_CPU_CPU_LEVEL_EXTRAPOLATE_H

#include <stdbool.h>

#include "backend/cpu/cpu_level_rates.h"
#include "backend/cpu/cpu_level_state.h"
#include "kernel/extrapolation.h"

/* The last iterates of one population, newest first. */
static void gather_iterates(int n, double *const *x, int64_t i, double *here)
{
    for (int j = 0; j < n; j++)
        here[j] = x[j][i];
}

/* The sums of extrapolation.h over all populations that matter; x[0] is the newest. False if out of memory. */
static bool sum_products(const struct levels *levels, int order, double *const *x, double *sums)
{
    const int64_t count = levels->job.n_cell * levels->job.n_level;
    const int64_t size = (int64_t)CELLS_OF_A_PART * levels->job.n_level, n_part = (count + size - 1) / size;
    double(*parts)[EXTRAPOLATION_SUMS] = calloc((size_t)n_part, sizeof *parts);
    if (!parts)
        return false;
#pragma omp parallel for schedule(static) num_threads(levels->threads)
    for (int64_t p = 0; p < n_part; p++)
        for (int64_t i = p * size; i < (p + 1) * size && i < count; i++) {
            double here[EXTRAPOLATION_ORDER + 2] = {0};
            if (x[0][i] < LEVEL_MATTERS)
                continue;
            gather_iterates(order + 2, x, i, here);
            extrapolation_add(order, here, parts[p]);
        }
    for (int64_t p = 0; p < n_part; p++)
        for (int i = 0; i < EXTRAPOLATION_SUMS; i++)
            sums[i] += parts[p][i];
    free(parts);
    return true;
}

/* The extrapolation for a cell; the newest populations if it would invert a line. */
static void guess_cell(const struct level_job *job, int64_t cell, int order, const double *weight, double *const *x,
                       double *guess)
{
    const int64_t first = cell * job->n_level;
    const double *now = x[0] + first;
    double sum = 0;
    bool keep = false;
    for (int i = 0; i < job->n_level; i++) {
        double here[EXTRAPOLATION_ORDER + 2] = {0};
        gather_iterates(order + 1, x, first + i, here);
        guess[i] = extrapolation_guess(order, weight, here);
        sum += guess[i];
    }
    for (int l = 0; l < job->n_line; l++) {
        const struct level_line *line = &job->line[l];
        keep = keep || extrapolation_inverts(line->weight_ratio, now[line->lower], now[line->upper], guess[line->lower],
                                             guess[line->upper]);
    }
    for (int i = 0; i < job->n_level; i++)
        guess[i] = keep ? now[i] : guess[i] / sum;
}

/* The extrapolation replaces the oldest iterate, so that retreat() can still find the newest. */
static enum lr_status accelerate(lr_context *ctx, void *state, bool *done)
{
    struct levels *levels = state;
    const int n_past = levels->n_past;
    const int order = n_past - 1;
    double sums[EXTRAPOLATION_SUMS] = {0};
    double weight[EXTRAPOLATION_ORDER + 1];
    double *x[EXTRAPOLATION_ORDER + 2];
    *done = false;
    if (n_past < LEVEL_LEAST_PAST)
        return LR_OK;
    x[0] = levels->x;
    for (int i = 0; i < n_past; i++)
        x[i + 1] = levels->past[i];
    levels->n_past = 0;
    if (!sum_products(levels, order, x, sums))
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the extrapolation of level populations");
    if (!extrapolation_weights(order, sums, weight))
        return LR_OK;
    double *guess = shift_past(levels);
    levels->before = levels->past[0];
    levels->n_past = 0;
#pragma omp parallel for schedule(static) num_threads(levels->threads)
    for (int64_t cell = 0; cell < levels->job.n_cell; cell++)
        guess_cell(&levels->job, cell, order, weight, x, guess + cell * levels->job.n_level);
    *done = true;
    return LR_OK;
}

/* Goes only part of the way from the populations before accelerate() to those from which the last step started. */
static enum lr_status retreat(lr_context *ctx, void *state, double part)
{
    (void)ctx;
    struct levels *levels = state;
    const double *before = levels->before;
    const double *guess = levels->past[0];
    const int64_t count = levels->job.n_cell * levels->job.n_level;
#pragma omp parallel for schedule(static) num_threads(levels->threads)
    for (int64_t i = 0; i < count; i++)
        levels->x[i] = extrapolation_retreat(before[i], guess[i], part);
    levels->n_past = 0;
    return LR_OK;
}

#endif
