/* Mean probability beta(tau) that a line photon escapes from the region in which it was emitted, and its slope
 * d(beta)/d(tau). tau is the depth at line centre through the middle of the region, or along the velocity gradient. All
 * forms are entire functions of tau (except the layer, and the far end of the RADEX expanding sphere), so the same
 * expressions hold for inverted populations, tau < 0. */
#ifndef LR_KERNEL_ESCAPE_PROBABILITY_H
#define LR_KERNEL_ESCAPE_PROBABILITY_H

#include "kernel/escape_exponential.h"
#include "kernel/escape_layer.h"

enum escape_geometry {
    ESCAPE_SPHERE,    /* static uniform sphere; the RADEX default */
    ESCAPE_LVG,       /* expanding sphere as in RADEX */
    ESCAPE_SLAB,      /* plane layer as in RADEX */
    ESCAPE_EXPANSION, /* Sobolev (1960): uniform expansion, the same velocity gradient in all directions */
    ESCAPE_LAYER,     /* plane layer without end, integrated over directions */
    N_ESCAPE_GEOMETRY
};

/* Uniform sphere of diameter tau (Osterbrock & Ferland 2006, Astrophysics of Gaseous Nebulae, appendix 2; van der Tak
 * et al. 2007, A&A 468, 627, eq. 9):
 *   beta = 3 / (2 tau) [1 - 2 / tau^2 + (2 / tau + 2 / tau^2) exp(-tau)] = SUM 3 (m + 2) / (m + 3)! (-tau)^m */
LR_FN struct escape_beta escape_sphere(double tau)
{
    struct escape_beta beta;
    if (fabs(tau) < 0.5) {
        double value = 0.0;
        double slope = 0.0;
        double coefficient = 3.0 * 16.0 / 355687428096000.0; /* m = 14: 3 x 16 / 17! */
        LR_NO_UNROLL
        for (int m = 14; m >= 0; m--) {
            slope = value - tau * slope; /* p = c - tau q: derivative of the series in -tau */
            value = coefficient - tau * value;
            coefficient *= (m + 1.0) * (m + 3.0) / (m + 2.0);
        }
        beta.value = value;
        beta.slope = -slope;
        return beta;
    }
    const double r = 1.0 / tau;
    const double decay = exp(-tau);
    beta.value = 1.5 * r * (1.0 - 2.0 * r * r + 2.0 * r * (1.0 + r) * decay);
    const double growth = 1.5 * r * (4.0 * r * r - (2.0 + 4.0 * r * (1.0 + r)) * decay); /* d(tau beta) / d(tau) */
    beta.slope = (growth - beta.value) * r;
    return beta;
}

/* Range of tau in which the two forms of the expanding sphere are joined; they cross at tau = 2 sqrt(pi)
 * exp(1.17^2). */
#define ESCAPE_LVG_NEAR 13.4
#define ESCAPE_LVG_FAR 14.5

LR_FN struct escape_beta escape_lvg_near(double tau)
{
    struct escape_beta beta = escape_exponential(1.17 * tau);
    beta.slope *= 1.17;
    return beta;
}

LR_FN struct escape_beta escape_lvg_far(double tau)
{
    const double logarithm = log(tau * 0.28209479177387814); /* t / sqrt(pi) = tau / (2 sqrt(pi)) */
    struct escape_beta beta;
    beta.value = 1.0 / (tau * sqrt(logarithm));
    beta.slope = -beta.value / tau * (1.0 + 0.5 / logarithm);
    return beta;
}

/* Expanding sphere (de Jong, Boland & Dalgarno 1980, A&A 91, 68) with half the depth, t = tau / 2, as in RADEX (van der
 * Tak et al. 2007):
 *
 *     beta = (1 - exp(-2.34 t)) / (2.34 t)             near
 *     beta = 1 / (2 t sqrt(ln(t / sqrt(pi))))          far
 *
 * RADEX switches at t = 7, where they differ by 0.2 %. Here a cubic matches value and slope between t = 6.7 and 7.25;
 * it stays within 0.4 % of RADEX and gives Newton's method no kink. */
LR_FN struct escape_beta escape_lvg(double tau)
{
    if (tau <= ESCAPE_LVG_NEAR)
        return escape_lvg_near(tau);
    if (tau >= ESCAPE_LVG_FAR)
        return escape_lvg_far(tau);
    const double width = ESCAPE_LVG_FAR - ESCAPE_LVG_NEAR;
    const struct escape_beta near = escape_lvg_near(ESCAPE_LVG_NEAR);
    const struct escape_beta far = escape_lvg_far(ESCAPE_LVG_FAR);
    const double rise = far.value - near.value;
    const double s = (tau - ESCAPE_LVG_NEAR) / width;
    const double bend_near = width * near.slope - rise;
    const double bend_far = rise - width * far.slope;
    struct escape_beta beta;
    beta.value = near.value + s * (rise + (1.0 - s) * (bend_near * (1.0 - s) + bend_far * s));
    beta.slope = (rise + bend_near * (1.0 - s) * (1.0 - 3.0 * s) + bend_far * s * (2.0 - 3.0 * s)) / width;
    return beta;
}

/* beta of a line; below tau = -limit it continues along its tangent. A strong maser is not a local problem, and these
 * forms say little about it; but if beta grows linearly instead of exponentially, it still saturates the maser and
 * stays smooth. */
LR_FN struct escape_beta escape_probability(int geometry, double tau, double limit)
{
    const double at = fmax(tau, -limit);
    struct escape_beta beta;
    if (geometry == ESCAPE_SPHERE) {
        beta = escape_sphere(at);
    } else if (geometry == ESCAPE_LVG) {
        beta = escape_lvg(at);
    } else if (geometry == ESCAPE_LAYER) {
        beta = escape_layer(at);
    } else { /* slab: (1 - exp(-3 tau)) / (3 tau); expansion: (1 - exp(-tau)) / tau */
        const double factor = geometry == ESCAPE_SLAB ? 3.0 : 1.0;
        beta = escape_exponential(factor * at);
        beta.slope *= factor;
    }
    beta.value += beta.slope * (tau - at);
    return beta;
}

#endif
