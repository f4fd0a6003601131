/* Populations extrapolated from the last iterates. Included by cpu_levels.c. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_EXTRAPOLATE_H
#define LR_BACKEND_CPU_CPU_LEVEL_EXTRAPOLATE_H

#include <stdbool.h>

#include "backend/cpu/cpu_level_rates.h"
#include "backend/cpu/cpu_level_state.h"
#include "backend/extrapolation.h"

/* Whether a guess turns an absorbing line into one that amplifies. */
static bool inverts(const struct level_job *job, const double *x, const double *guess)
{
    for (int l = 0; l < job->n_line; l++) {
        const struct level_line *line = &job->line[l];
        if (line->weight_ratio * guess[line->lower] <= guess[line->upper] &&
            line->weight_ratio * x[line->lower] > x[line->upper])
            return true;
    }
    return false;
}

/* Sums of extrapolation.h, weighted with 1 / x: with relative changes, 1 / x^2, what matters least decides, and thick
 * layers diverge. x[0] is the newest. */
static void sum_products(const struct levels *levels, int order, double *const *x, double *sums)
{
    const int64_t count = levels->job.n_cell * levels->job.n_level;
#pragma omp parallel for schedule(static) num_threads(levels->threads) reduction(+ : sums[:EXTRAPOLATION_SUMS])
    for (int64_t i = 0; i < count; i++) {
        double q[EXTRAPOLATION_ORDER];
        double *sum = sums;
        if (x[0][i] < LEVEL_MATTERS)
            continue;
        const double weight = 1 / x[0][i];
        const double last = x[0][i] - x[1][i];
        for (int j = 0; j < order; j++) {
            q[j] = last - (x[j + 1][i] - x[j + 2][i]);
            for (int k = 0; k <= j; k++)
                *sum++ += weight * q[j] * q[k];
        }
        for (int j = 0; j < order; j++)
            *sum++ += weight * q[j] * last;
    }
}

/* The guess for a cell, within a factor of ten; what was there where that would invert a line. */
static void guess_cell(const struct level_job *job, int64_t cell, int order, const double *weight, double *const *x,
                       double *guess)
{
    const int64_t first = cell * job->n_level;
    double sum = 0;
    for (int i = 0; i < job->n_level; i++) {
        const double now = x[0][first + i];
        double value = 0;
        for (int j = 0; j <= order; j++)
            value += weight[j] * x[j][first + i];
        guess[i] = value > 0.1 * now && value < 10 * now ? value : now;
        sum += guess[i];
    }
    const bool keep = inverts(job, x[0] + first, guess);
    for (int i = 0; i < job->n_level; i++)
        guess[i] = keep ? x[0][first + i] : guess[i] / sum;
}

/* The guess takes the place of the oldest iterate, so that retreat() still finds what was there. */
static enum lr_status accelerate(lr_context *ctx, void *state, bool *done)
{
    (void)ctx;
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
    sum_products(levels, order, x, sums);
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

/* Only a part of the way from the populations before accelerate() to those that the last step began with. */
static enum lr_status retreat(lr_context *ctx, void *state, double part)
{
    (void)ctx;
    struct levels *levels = state;
    const double *before = levels->before;
    const double *guess = levels->past[0];
    const int64_t count = levels->job.n_cell * levels->job.n_level;
#pragma omp parallel for schedule(static) num_threads(levels->threads)
    for (int64_t i = 0; i < count; i++)
        levels->x[i] = before[i] + part * (guess[i] - before[i]);
    levels->n_past = 0;
    return LR_OK;
}

#endif
