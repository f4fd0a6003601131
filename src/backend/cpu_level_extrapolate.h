/* Populations extrapolated from the last iterates. Included by cpu_levels.c. */
#ifndef LR_BACKEND_CPU_LEVEL_EXTRAPOLATE_H
#define LR_BACKEND_CPU_LEVEL_EXTRAPOLATE_H

#include <math.h>
#include <stdbool.h>

#include "backend/cpu_level_state.h"

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

/* Ng (1974, J. Chem. Phys. 61, 2680): the combination of the last iterates whose changes are smallest, with weights 1 /
 * x (with relative ones, 1 / x^2, what matters least decides, and thick layers diverge). Cells that it would invert
 * keep what they have. With x0 the newest,
 *
 *     q1 = x0 - 2 x1 + x2,  q2 = x0 - x1 - x2 + x3,  q3 = x0 - x1,  x = (1 - a - b) x0 + a x1 + b x2. */
static enum lr_status accelerate(lr_context *ctx, void *state, bool *done)
{
    (void)ctx;
    struct levels *levels = state;
    const int n = levels->job.n_level;
    double a11 = 0, a12 = 0, a22 = 0, c1 = 0, c2 = 0;
    *done = false;
    if (levels->n_past < N_PAST)
        return LR_OK;
    double *x0 = levels->x;
    const double *x1 = levels->past[0];
    const double *x2 = levels->past[1];
    const double *x3 = levels->past[2];
    const int64_t count = levels->job.n_cell * n;
#pragma omp parallel for schedule(static) num_threads(levels->threads) reduction(+ : a11, a12, a22, c1, c2)
    for (int64_t i = 0; i < count; i++) {
        if (x0[i] < LEVEL_MATTERS)
            continue;
        const double q1 = (x0[i] - 2 * x1[i] + x2[i]) / sqrt(x0[i]);
        const double q2 = (x0[i] - x1[i] - x2[i] + x3[i]) / sqrt(x0[i]);
        const double q3 = (x0[i] - x1[i]) / sqrt(x0[i]);
        a11 += q1 * q1;
        a12 += q1 * q2;
        a22 += q2 * q2;
        c1 += q1 * q3;
        c2 += q2 * q3;
    }
    const double determinant = a11 * a22 - a12 * a12;
    levels->n_past = 0;
    if (!(determinant > 1e-12 * a11 * a22))
        return LR_OK;
    const double a = (c1 * a22 - c2 * a12) / determinant;
    const double b = (c2 * a11 - c1 * a12) / determinant;
#pragma omp parallel for schedule(static) num_threads(levels->threads)
    for (int64_t cell = 0; cell < levels->job.n_cell; cell++) {
        double *guess = levels->past[2] + cell * n; /* no longer needed */
        double sum = 0;
        for (int i = 0; i < n; i++) {
            const int64_t at = cell * n + i;
            const double x = (1 - a - b) * x0[at] + a * x1[at] + b * x2[at];
            guess[i] = x > 0.1 * x0[at] && x < 10 * x0[at] ? x : x0[at];
            sum += guess[i];
        }
        if (!inverts(&levels->job, x0 + cell * n, guess))
            for (int i = 0; i < n; i++)
                x0[cell * n + i] = guess[i] / sum;
    }
    *done = true;
    return LR_OK;
}

#endif
