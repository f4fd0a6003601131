/* Steady state of level populations: SUM_j x_j R_ji + b_i = x_i SUM_j R_ij, SUM x = 1, for rates R >= 0. Levels are
 * eliminated from the last to the first, each passing its molecules on to those that remain (Grassmann, Taksar & Heyman
 * 1985, Oper. Res. 33, 1107; the diagonal is computed as the sum of what leaves, never as a difference). Without a
 * source b nothing is subtracted, so every population is >= 0 and has full relative accuracy, however small it is. */
#ifndef LR_KERNEL_LEVEL_SOLVE_H
#define LR_KERNEL_LEVEL_SOLVE_H

#include "kernel/portable.h"

/* a[0..n) += factor * b[0..n) */
LR_FN void level_add_row(int n, double factor, const double *b, double *a)
{
#ifdef _OPENMP
#pragma omp simd
#endif
    for (int j = 0; j < n; j++)
        a[j] += factor * b[j];
}

/* The share of the inflow into a level that is passed on, per rate out of it. */
LR_FN double level_hand_on(double into, double leave)
{
    return into > 0.0 ? into / leave : 0.0;
}

/* Eliminates level k: what flows into it is passed on in the proportions in which it leaves for the levels below k. The
 * diagonal stores the total rate out of k; if that is 0, nothing is passed on. */
LR_FN void level_take_out(int k, int stride, double *rates, double *source)
{
    double *row = rates + (long)k * stride;
    double leave = 0.0;
    for (int j = 0; j < k; j++)
        leave += row[j];
    row[k] = leave;
    if (!(leave > 0.0))
        return;
    for (int i = 0; i < k; i++) {
        const double share = level_hand_on(rates[(long)i * stride + k], leave);
        if (share > 0.0)
            level_add_row(k, share, row, rates + (long)i * stride);
    }
    if (source)
        level_add_row(k, source[k] / leave, row, source);
}

/* Populations relative to level 0 are scaled down before they overflow. */
#define LEVEL_LARGE 1e150
/* If the rate out of a level is less than this part of the flow into it, the level is a trap. */
#define LEVEL_TRAP 1e-300

/* The population of a level, from the flow into it and the rate out of it, and the factor by which all previous ones
 * must be multiplied. A trap holds everything as soon as anything flows into it. */
struct level_filled {
    double x, scale;
};

LR_FN struct level_filled level_fill(double flow, double leave)
{
    const int is_trap = flow > 0.0 && !(leave > LEVEL_TRAP * flow);
    struct level_filled level;
    level.x = is_trap ? 1.0 : flow > 0.0 ? flow / leave : 0.0;
    level.scale = 1.0;
    if (is_trap || level.x > LEVEL_LARGE) {
        level.scale = is_trap ? 0.0 : 1.0 / level.x;
        level.x = 1.0;
    }
    return level;
}

/* Populations relative to level 0, after level_take_out() of n-1 ... 1. */
LR_FN void level_put_back(int n, int stride, const double *rates, double *x)
{
    x[0] = 1.0;
    for (int k = 1; k < n; k++) {
        double flow = 0.0;
        for (int i = 0; i < k; i++)
            flow += x[i] * rates[(long)i * stride + k];
        const struct level_filled level = level_fill(flow, rates[(long)k * stride + k]);
        x[k] = level.x;
        if (level.scale < 1.0)
            for (int i = 0; i < k; i++)
                x[i] *= level.scale;
    }
}

LR_FN void level_normalise(int n, double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    for (int i = 0; i < n; i++)
        x[i] /= sum;
}

/* Solves for x[n], normalised to 1. rates[i * stride + j] is from i to j and is overwritten; its diagonal is not read.
 * If the levels form groups that do not exchange molecules, all molecules are in the group that level 0 feeds. */
LR_FN void level_solve(int n, int stride, double *rates, double *x)
{
    for (int k = n - 1; k > 0; k--)
        level_take_out(k, stride, rates, 0);
    level_put_back(n, stride, rates, x);
    level_normalise(n, x);
}

/* Back substitution with a source, after all levels but the first are eliminated. work[n] is scratch. */
LR_FN void level_put_back_driven(int n, int stride, const double *rates, const double *source, double *x, double *work)
{
    level_put_back(n, stride, rates, x);
    level_normalise(n, x);
    double sum = 0.0;
    work[0] = 0.0;
    for (int k = 1; k < n; k++) {
        const double leave = rates[(long)k * stride + k];
        double flow = source[k];
        for (int i = 1; i < k; i++)
            flow += work[i] * rates[(long)i * stride + k];
        work[k] = leave > 0.0 ? flow / leave : 0.0;
        sum += work[k];
    }
    for (int k = 0; k < n; k++)
        x[k] = work[k] + (1.0 - sum) * x[k];
}

/* Like level_solve(), but with a source of molecules into each level, SUM b = 0, which is overwritten: the step of
 * Newton's method. Populations may come out negative. work[n] is scratch. */
LR_FN void level_solve_driven(int n, int stride, double *rates, double *source, double *x, double *work)
{
    for (int k = n - 1; k > 0; k--)
        level_take_out(k, stride, rates, source);
    level_put_back_driven(n, stride, rates, source, x, work);
}

#endif
