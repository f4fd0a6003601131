/* Escape from a plane layer without end, by the exact integral over directions. A photon emitted somewhere in a layer
 * of depth tau escapes with the probability
 *
 *     beta = INT_0^1 mu (1 - exp(-tau/mu)) d(mu) / tau = (1/2 - E3(tau)) / tau,      beta' = (E2(tau) - beta) / tau,
 *
 * with the exponential integrals E_n(tau) = INT_1^inf exp(-tau t) / t^n dt (Abramowitz & Stegun 5.1). An inverted layer
 * amplifies grazing rays without limit and has no answer; there beta(-tau) = 2 - beta(tau) keeps it continuous and
 * increasing. */
#ifndef LR_KERNEL_ESCAPE_LAYER_H
#define LR_KERNEL_ESCAPE_LAYER_H

#include "kernel/escape_exponential.h"

/* A & S 5.1.12: 1/2 - E3 = tau - (tau^2 / 2)(3/2 - gamma - ln tau) + SUM_(m>2) (-tau)^m / ((m - 2) m!), 0 < tau < 1. */
LR_FN struct escape_beta escape_layer_thin(double tau)
{
    const double euler = 0.57721566490153286;
    const double bend = 1.5 - euler - log(tau);
    double power = 0.5 * tau; /* (-1)^m tau^(m-1) / m! */
    struct escape_beta beta = {1.0 - power * bend, 0.5 - 0.5 * bend};
    LR_NO_UNROLL
    for (int m = 3; m <= 18; m++) {
        power *= -tau / m;
        const double term = power / (m - 2);
        beta.value += term;
        beta.slope += term * (m - 1) / tau;
    }
    return beta;
}

/* A & S 5.1.22 by Lentz's method: E_n(tau) exp(tau) = 1 / (tau + n - 1 n / (tau + n + 2 - ...)), tau >= 1. */
LR_FN double escape_integral(int n, double tau)
{
    double b = tau + n, c = 1e300, d = 1.0 / b, value = d;
    LR_NO_UNROLL
    for (int i = 1; i <= 200 && fabs(c * d - 1.0) > 3e-16; i++) {
        const double a = -(double)i * (n - 1 + i);
        b += 2.0;
        d = 1.0 / (a * d + b);
        c = b + a / c;
        value *= c * d;
    }
    return value * exp(-tau);
}

LR_FN struct escape_beta escape_layer_thick(double tau)
{
    struct escape_beta beta;
    beta.value = (0.5 - escape_integral(3, tau)) / tau;
    beta.slope = (escape_integral(2, tau) - beta.value) / tau;
    return beta;
}

LR_FN struct escape_beta escape_layer(double tau)
{
    const double depth = fmax(fabs(tau), 1e-12); /* the slope is infinite at 0, as a logarithm */
    struct escape_beta beta = depth < 1.0 ? escape_layer_thin(depth) : escape_layer_thick(depth);
    if (tau < depth) /* 1 at 0, mirrored below it */
        beta.value = 1.0 + (beta.value - 1.0) * (tau / depth);
    return beta;
}

#endif
