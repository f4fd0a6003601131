/* New populations in a given radiation field: the rate equations cell by cell. Included by cpu_levels.c. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_RATES_H
#define LR_BACKEND_CPU_CPU_LEVEL_RATES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_level_state.h"
#include "base/context.h"
#include "kernel/level_solve.h"

static void add_radiation(const struct levels *levels, int64_t cell, double *rates)
{
    const struct level_job *job = &levels->job;
    const double seen = levels->seen[cell];
    for (int l = 0; l < job->n_line; l++) {
        const struct level_line *line = &job->line[l];
        const double around = seen > 0 ? levels->entering[cell * job->n_line + l] / seen : line->background;
        const double entering = around + (levels->star ? levels->star[cell * job->n_line + l] : 0);
        const double lost = seen > 0 ? levels->lost[cell * job->n_line + l] / seen : 1;
        rates[line->upper * job->n_level + line->lower] += line->a_ul * (lost + entering);
        rates[line->lower * job->n_level + line->upper] += line->a_ul * line->weight_ratio * entering;
    }
}

/* The oldest populations are forgotten; the newest become past ones. */
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
            double most = 0;
            memcpy(here, old + cell * n, (size_t)n * sizeof *here);
            levels->residual[cell] = 0;
            if (!rates || !levels->gas[cell].has_gas)
                continue;
            levels->job.read_rates(levels->job.medium, cell, rates);
            add_radiation(levels, cell, rates);
            level_solve(n, n, rates, here);
            for (int i = 0; i < n; i++) {
                if (here[i] < LEVEL_MATTERS)
                    continue;
                const double relative = fabs(here[i] - old[cell * n + i]) / here[i];
                most = fmax(most, relative);
                square += relative * relative;
                count += 1;
            }
            levels->residual[cell] = (float)most;
            largest = fmax(largest, most);
        }
        free(rates);
    }
    if (!isfinite(square))
        return lr_fail(ctx, LR_ERROR_INTERNAL, "level populations are no longer finite");
    change->largest = largest;
    change->rms = count > 0 ? sqrt(square / count) : 0;
    return failed ? lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for rate equations") : LR_OK;
}

#endif
