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

static struct change_tally change_tally_join(struct change_tally a, struct change_tally b)
{
    return (struct change_tally){fmax(a.largest, b.largest), a.square + b.square, a.count + b.count};
}

/* Sums over cells are made in parts of this many, and the parts added in order: the same for any number of threads. */
enum { CELLS_OF_A_PART = 64 };

/* New populations `here` from the old ones, and their changes. */
static struct change_tally step_cell(const struct levels *levels, int64_t cell, const double *old, double *here,
                                     double *rates)
{
    const int n = levels->job.n_level;
    struct change_tally tally = {0, 0, 0};
    memcpy(here, old, (size_t)n * sizeof *here);
    levels->residual[cell] = 0;
    if (!rates || !(levels->gas[cell].has_gas > R(0)))
        return tally;
    levels->job.read_rates(levels->job.medium, cell, rates);
    add_radiation(levels, cell, rates);
    const bool finite = rates_are_finite(n, rates);
    level_solve(n, n, rates, here);
    if (!finite)
        here[0] = (double)NAN; /* for the caller to find */
    for (int i = 0; i < n; i++)
        if (!(here[i] < LEVEL_MATTERS)) /* NaN counts too, so that it is noticed */
            tally = change_tally_add(tally, here[i], old[i]);
    levels->residual[cell] = (float)tally.largest;
    return tally;
}

/* Where the parts of a rank begin. */
static int64_t part_begin(const struct levels *levels, int rank)
{
    const int64_t n_part = (levels->job.n_cell + CELLS_OF_A_PART - 1) / CELLS_OF_A_PART;
    return levels->job.share.ranks > 1 ? n_part * rank / levels->job.share.ranks : rank == 0 ? 0 : n_part;
}

/* What each rank has found in its parts, for all. */
static bool spread_parts(const struct levels *levels, double *x, struct change_tally *parts)
{
    const struct level_share *share = &levels->job.share;
    const int64_t n = levels->job.n_level, n_cell = levels->job.n_cell;
    for (int r = 0; r < share->ranks; r++) {
        const int64_t begin = part_begin(levels, r), end = part_begin(levels, r + 1);
        const int64_t first = begin * CELLS_OF_A_PART,
                      last = end * CELLS_OF_A_PART < n_cell ? end * CELLS_OF_A_PART : n_cell;
        if (begin < end && !(share->spread(share->user, r, x + first * n, (last - first) * n * (int64_t)sizeof *x) &&
                             share->spread(share->user, r, levels->residual + first,
                                           (last - first) * (int64_t)sizeof *levels->residual) &&
                             share->spread(share->user, r, parts + begin, (end - begin) * (int64_t)sizeof *parts)))
            return false;
    }
    return true;
}

static enum lr_status step(lr_context *ctx, void *state, struct level_change *change)
{
    struct levels *levels = state;
    const int n = levels->job.n_level;
    const int64_t n_cell = levels->job.n_cell;
    const int64_t n_part = (n_cell + CELLS_OF_A_PART - 1) / CELLS_OF_A_PART;
    const int64_t begin = part_begin(levels, levels->job.share.rank),
                  until = part_begin(levels, levels->job.share.rank + 1);
    const double *old = levels->x;
    double *x = shift_past(levels);
    struct change_tally all = {0, 0, 0};
    struct change_tally *parts = calloc((size_t)n_part, sizeof *parts);
    int failed = !parts;
#pragma omp parallel num_threads(levels->threads)
    {
        double *rates = malloc((size_t)n * (size_t)n * sizeof *rates);
        if (!rates)
#pragma omp atomic write
            failed = 1;
#pragma omp for schedule(dynamic)
        for (int64_t p = begin; p < until; p++) {
            const int64_t first = p * CELLS_OF_A_PART;
            const int64_t end = first + CELLS_OF_A_PART < n_cell ? first + CELLS_OF_A_PART : n_cell;
            struct change_tally sum = {0, 0, 0};
            for (int64_t cell = first; cell < end; cell++)
                sum = change_tally_join(sum, step_cell(levels, cell, old + cell * n, x + cell * n, rates));
            if (parts)
                parts[p] = sum;
        }
        free(rates);
    }
    if (!failed && levels->job.share.ranks > 1 && !spread_parts(levels, x, parts)) {
        free(parts);
        return LR_ERROR_INTERNAL; /* a rank has failed, and has said why */
    }
    for (int64_t p = 0; parts && p < n_part; p++)
        all = change_tally_join(all, parts[p]);
    free(parts);
    change->largest = all.largest;
    change->rms = all.count > 0 ? sqrt(all.square / all.count) : 0;
    return failed ? lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for rate equations") : LR_OK;
}

#endif
