/* New populations in a given radiation field: solves the rate equations cell by cell. Included by cpu_levels.c. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_RATES_H
#define LR_BACKEND_CPU_CPU_LEVEL_RATES_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_level_state.h"
#include "base/context.h"
#include "kernel/level_rates.h"
#include "kernel/level_solve.h"

static void add_radiation(const struct levels *levels, int64_t cell, double *rates)
{
    const struct level_job *job = &levels->job;
    for (int l = 0; l < job->n_line; l++) {
        const struct level_line *line = &job->line[l];
        const int64_t at = cell * job->n_line + l;
        const struct light_sum mean = light_mean(levels->light[at], levels->seen[cell], line->background);
        const struct line_rates add =
            line_rates_of(line->a_ul, line->weight_ratio, mean, levels->star ? levels->star[at] : 0);
        rates[line->upper * job->n_level + line->lower] += add.down;
        rates[line->lower * job->n_level + line->upper] += add.up;
    }
}

/* Whether all rates between different levels are finite; the solution would hide those that are not. */
static bool rates_are_finite(int n, const double *rates)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += i == j ? 0 : rates[i * n + j];
    return isfinite(sum);
}

/* Discards the oldest populations and makes the newest past ones. */
static double *shift_past(struct levels *levels)
{
    const int last = levels->job.n_past - 1;
    double *room = levels->past[last];
    for (int i = last; i > 0; i--)
        levels->past[i] = levels->past[i - 1];
    levels->past[0] = levels->x;
    levels->x = room;
    levels->n_past = levels->n_past <= last ? levels->n_past + 1 : levels->job.n_past;
    return room;
}

static enum lr_status step(lr_context *ctx, void *state, struct level_change *change)
{
    struct levels *levels = state;
    const int n = levels->job.n_level;
    const double *old = levels->x;
    double *x = shift_past(levels);
    double largest = 0;
    double square = 0;
    double count = 0;
    int failed = 0;
#pragma omp parallel num_threads(levels->threads) reduction(max : largest) reduction(+ : square, count)
    {
        double *rates = malloc((size_t)n * (size_t)n * sizeof *rates);
        if (!rates)
#pragma omp atomic write
            failed = 1;
#pragma omp for schedule(dynamic, 64)
        for (int64_t cell = 0; cell < levels->job.n_cell; cell++) {
            double *here = x + cell * n;
            struct change_tally tally = {0, 0, 0};
            memcpy(here, old + cell * n, (size_t)n * sizeof *here);
            levels->residual[cell] = 0;
            if (!rates || !(levels->gas[cell].has_gas > R(0)))
                continue;
            levels->job.read_rates(levels->job.medium, cell, rates);
            add_radiation(levels, cell, rates);
            const bool finite = rates_are_finite(n, rates);
            level_solve(n, n, rates, here);
            if (!finite)
                here[0] = (double)NAN; /* for the caller to find */
            for (int i = 0; i < n; i++)
                if (!(here[i] < LEVEL_MATTERS)) /* NaN counts too, so that it is noticed */
                    tally = change_tally_add(tally, here[i], old[cell * n + i]);
            levels->residual[cell] = (float)tally.largest;
            largest = fmax(largest, tally.largest);
            square += tally.square;
            count += tally.count;
        }
        free(rates);
    }
    change->largest = largest;
    change->rms = count > 0 ? sqrt(square / count) : 0;
    return failed ? lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for rate equations") : LR_OK;
}

#endif
