/* Extrapolation of an iteration from its last iterates: the combination of them whose changes are smallest (Ng 1974, J.
 * Chem. Phys. 61, 2680; for any number of iterates Eddy 1979, Mesina 1977). With x_0 the newest and r_j = x_j -
 * x_(j+1),
 *
 *     x = x_0 + SUM_j a_j (x_j - x_0),      |r_0 - SUM_j a_j q_j|^2 = min,  q_j = r_0 - r_j,  j = 1 .. order,
 *
 * which takes order + 2 iterates. For a linear iteration that is GMRES, started anew each time. */
#ifndef LR_BACKEND_EXTRAPOLATION_H
#define LR_BACKEND_EXTRAPOLATION_H

#include <math.h>

/* Sums over all unknowns: q_j q_k for k <= j, row by row, then q_j r_0. */
enum {
    EXTRAPOLATION_ORDER = 10, /* at most */
    EXTRAPOLATION_SUMS = EXTRAPOLATION_ORDER * (EXTRAPOLATION_ORDER + 3) / 2
};

static inline int extrapolation_sums(int order)
{
    return order * (order + 3) / 2;
}

/* The lower triangle L of the matrix of products, L L^T. Returns how many rows, the newest iterates, say something of
 * their own: the rest is rounding. */
static inline int extrapolation_factor(int order, const double *sums, double triangle[][EXTRAPOLATION_ORDER])
{
    for (int j = 0; j < order; j++)
        for (int k = 0; k <= j; k++) {
            const double whole = sums[j * (j + 1) / 2 + k];
            double rest = whole;
            for (int i = 0; i < k; i++)
                rest -= triangle[j][i] * triangle[k][i];
            if (k == j && !(rest > 1e-12 * whole))
                return j;
            triangle[j][k] = k < j ? rest / triangle[k][k] : sqrt(rest);
        }
    return order;
}

/* weight[j] of x_j, j = 0 .. order, whose sum is 1. False when the iterates do not tell. */
static inline int extrapolation_weights(int order, const double *sums, double *weight)
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

#endif
