/* Gauss-Legendre quadrature on 0..1. */
#ifndef LR_SOLVE_COMMON_QUADRATURE_H
#define LR_SOLVE_COMMON_QUADRATURE_H

enum { QUADRATURE_MOST = 64 };

struct quadrature {
    int n;
    double node[QUADRATURE_MOST], weight[QUADRATURE_MOST]; /* weights sum to 1 */
};

void quadrature_make(int n, struct quadrature *rule);

#endif
