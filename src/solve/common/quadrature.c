#include "solve/common/quadrature.h"

#include <math.h>

#include "base/constants.h"

/* Nodes are the roots of the Legendre polynomial P_n, by Newton's method from the usual cosine guess; weights are 2 /
 * ((1 - x^2) P_n'(x)^2) on -1..1. */
void quadrature_make(int n, struct quadrature *rule)
{
    rule->n = n;
    for (int i = 0; i < n; i++) {
        double x = -cos(LR_PI * (i + 0.75) / (n + 0.5));
        double slope = 1;
        for (int step = 0; step < 8; step++) {
            double p0 = 1;
            double p1 = x;
            for (int k = 2; k <= n; k++) {
                const double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
                p0 = p1;
                p1 = p2;
            }
            slope = n * (x * p1 - p0) / (x * x - 1);
            x -= p1 / slope;
        }
        rule->node[i] = 0.5 * (1 + x);
        rule->weight[i] = 1 / ((1 - x * x) * slope * slope);
    }
}
