/* Radiation of a line along a ray, piece by piece, for level populations (complete redistribution). Intensities are
 * occupation numbers. In a piece of depth h the source function is linear from S0 to S1:
 *
 *     I1 = I0 e + S0 (m - e) + S1 (1 - m),    e = exp(-h),  m = (1 - e) / h.
 *
 * A ray is recorded in the middle of its way through each cell. There the intensity is split into what the cell itself
 * emits on the way, (1 - lost) S, and the rest, `entering`: nothing is subtracted, however thick the cell is, since
 * e + (m - e) + (1 - m) = 1 lets `lost` be followed like an intensity that begins with 1,
 *
 *     lost1 = lost0 e + (1 - w0) (m - e) + (1 - w1) (1 - m),      w: weight of the cell in S at the ends.
 *
 * Then the net rate A x_u + (x_u - (g_u / g_l) x_l) A J with J = entering + (1 - lost) S becomes
 *
 *     A lost x_u + (x_u - (g_u / g_l) x_l) A entering
 *
 * (Rybicki & Hummer 1991, A&A 245, 171), whose rates are positive. */
#ifndef LR_KERNEL_LEVEL_TRANSFER_H
#define LR_KERNEL_LEVEL_TRANSFER_H

#include "kernel/real.h"

/* One line in one cell. */
struct LR_ALIGNED(2 * sizeof(real)) line_glow {
    real alpha;  /* line-centre opacity, below zero for an inversion */
    real source; /* source function, below zero too then */
};

/* Opacity and source function from populations. Where (g_u / g_l) x_l - x_u is almost nothing, it is held at a
 * millionth of x_u; opacities below -most_gain (an inversion) are held there. */
LR_FN struct line_glow line_glow_of(double x_upper, double x_lower, double weight_ratio, double strength,
                                    double most_gain)
{
    const double least = 1e-6 * x_upper;
    double net = weight_ratio * x_lower - x_upper;
    if (net > -least && net < least)
        net = net < 0 ? -least : least;
    struct line_glow glow;
    double alpha = strength * net;
    double source = net != 0 ? x_upper / net : 0;
    if (alpha < -most_gain) {
        source *= alpha / -most_gain;
        alpha = -most_gain;
    }
    glow.alpha = (real)alpha;
    glow.source = (real)source;
    return glow;
}

/* What rays bring to the middle of a cell: light from elsewhere, and the part of its own that is lost. */
struct LR_ALIGNED(2 * sizeof(real)) light {
    real entering, lost;
};

/* Photons per mode that a line may be amplified to: far above what saturates it, and numbers stay finite. */
#define BRIGHTEST R(1e9)

struct step_weights {
    real through, from, to; /* e, m - e, 1 - m */
};

/* |h| below this is thin. */
#define STEP_IS_THIN R(0.25)

/* Thin steps by the series of 1 - m: because e = 1 - h m, there m - e = h - (1 - m) (1 + h). No exponential. */
LR_FN struct step_weights step_weights_thin(real h)
{
    struct step_weights weights;
    weights.to = h * (R(1.0 / 2) - h * (R(1.0 / 6) - h * (R(1.0 / 24) - h * (R(1.0 / 120) - h * R(1.0 / 720)))));
    weights.from = h - weights.to * (R(1) + h);
    weights.through = R(1) - weights.from - weights.to;
    return weights;
}

LR_FN struct step_weights step_weights_of(real h)
{
    const struct step_weights thin = step_weights_thin(h);
    const int is_thin = r_abs(h) < STEP_IS_THIN;
    const real e = r_exp(-h);
    const real m = r_div(R(1) - e, h); /* not used where h = 0 */
    struct step_weights weights;
    weights.through = e;
    weights.from = is_thin ? thin.from : m - e;
    weights.to = is_thin ? thin.to : R(1) - m;
    return weights;
}

/* Where the velocity changes by more than so many b from cell to cell it is interpolated; below, one velocity for each
 * cell is as good (both are second order) and the work is less. */
#define GLIDE_ABOVE R(0.35)

/* A piece of a ray inside one cell. S at its two ends is that of the cell with the share 1 - u, and that of another one
 * with the share u. */
struct piece {
    int cell, other;
    real length;
    real u0, u1;
    real v0, v1; /* projected velocity at the ends */
    real weight; /* above zero: recorded at its end, for its cell, with this weight */
};

#endif
