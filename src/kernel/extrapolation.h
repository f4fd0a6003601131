/* Accelerates an iteration: the combination of the last iterates with the smallest residual (Ng 1974, J. Chem. Phys.
 * 61, 2680; for any number of iterates Eddy 1979, Mesina 1977). With x_0 the newest and r_j = x_j - x_(j+1),
 *
 *     x = x_0 + SUM_j a_j (x_j - x_0),      |r_0 - SUM_j a_j q_j|^2 = min,  q_j = r_0 - r_j,  j = 1 .. order,
 *
 * which takes order + 2 iterates. For a linear iteration this is restarted GMRES. The unknowns are level populations:
 * they must stay positive, and the result must not turn an absorbing line into an amplifying one. */
#ifndef LR_KERNEL_EXTRAPOLATION_H
#define LR_KERNEL_EXTRAPOLATION_H

#include <math.h>

#include "kernel/portable.h"

/* Sums over all unknowns: q_j q_k for k <= j, row by row, then q_j r_0. */
enum {
    EXTRAPOLATION_ORDER = 10, /* at most */
    EXTRAPOLATION_SUMS = EXTRAPOLATION_ORDER * (EXTRAPOLATION_ORDER + 3) / 2
};

/* Adds one unknown to the sums, from its iterates x[0 .. order + 1]. The norm has weight 1 / x. With relative changes,
 * 1 / x^2, the least important levels would dominate, and thick layers would diverge. */
LR_FN void extrapolation_add(int order, const double *x, double *sums)
{
    double q[EXTRAPOLATION_ORDER];
    const double weight = 1 / x[0];
    const double last = x[0] - x[1];
    double *sum = sums;
    for (int j = 0; j < order; j++) {
        q[j] = last - (x[j + 1] - x[j + 2]);
        for (int k = 0; k <= j; k++)
            *sum++ += weight * q[j] * q[k];
    }
    for (int j = 0; j < order; j++)
        *sum++ += weight * q[j] * last;
}

/* A row of the Gram matrix counts as dependent if only this part of its squared norm, mere rounding, is left. */
#define EXTRAPOLATION_ROUNDING 1e-12

/* Cholesky factor L of the Gram matrix L L^T. Returns the number of independent rows, from the newest iterate on. */
LR_FN int extrapolation_factor(int order, const double *sums, double triangle[][EXTRAPOLATION_ORDER])
{
    for (int j = 0; j < order; j++)
        for (int k = 0; k <= j; k++) {
            const double whole = sums[j * (j + 1) / 2 + k];
            double rest = whole;
            for (int i = 0; i < k; i++)
                rest -= triangle[j][i] * triangle[k][i];
            if (k == j && !(rest > EXTRAPOLATION_ROUNDING * whole))
                return j;
            triangle[j][k] = k < j ? rest / triangle[k][k] : sqrt(rest);
        }
    return order;
}

/* Weights of x_j, j = 0 .. order; they add up to 1. False if the iterates are not independent enough to give any. */
LR_FN int extrapolation_weights(int order, const double *sums, double *weight)
{
    double triangle[EXTRAPOLATION_ORDER][EXTRAPOLATION_ORDER];
    double a[EXTRAPOLATION_ORDER];
    const double *first = sums + order * (order + 1) / 2;
    const int n = extrapolation_factor(order, sums, triangle);
    for (int j = 0; j < n; j++) {
        a[j] = first[j];
        for (int i = 0; i < j; i++)
            a[j] -= triangle[j][i] * a[i];
        a[j] /= triangle[j][j];
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int i = j + 1; i < n; i++)
            a[j] -= triangle[i][j] * a[i];
        a[j] /= triangle[j][j];
    }
    weight[0] = 1.0;
    for (int j = 0; j < order; j++) {
        weight[j + 1] = j < n ? a[j] : 0.0;
        weight[0] -= weight[j + 1];
    }
    return n > 0;
}

/* Largest factor by which a population may change in one extrapolation. */
#define EXTRAPOLATION_STRIDE 10.0

/* Extrapolated value of one unknown, or the newest iterate if it would change too much. */
LR_FN double extrapolation_guess(int order, const double *weight, const double *x)
{
    double guess = 0.0;
    for (int j = 0; j <= order; j++)
        guess += weight[j] * x[j];
    return guess * EXTRAPOLATION_STRIDE > x[0] && guess < EXTRAPOLATION_STRIDE * x[0] ? guess : x[0];
}

/* Whether the extrapolation inverts a line that absorbed before: (g_u / g_l) x_l <= x_u. */
LR_FN int extrapolation_inverts(double weight_ratio, double x_lower, double x_upper, double guess_lower,
                                double guess_upper)
{
    return weight_ratio * guess_lower <= guess_upper && weight_ratio * x_lower > x_upper;
}

/* Goes only part of the way to an extrapolation that went too far. */
LR_FN double extrapolation_retreat(double before, double guess, double part)
{
    return before + part * (guess - before);
}

#endif
