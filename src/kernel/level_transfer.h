/* Line radiation along a ray, piece by piece, for level populations (complete redistribution). Intensities are
 * occupation numbers. In a piece of depth h the source function is linear from S0 to S1:
 *
 *     I1 = I0 e + S0 (m - e) + S1 (1 - m),    e = exp(-h),  m = (1 - e) / h.
 *
 * A ray is recorded in the middle of its path through each cell. There the intensity is split into the cell's own
 * emission along the path, (1 - lost) S, and the rest, `entering`. Nothing is subtracted, however thick the cell is,
 * because e + (m - e) + (1 - m) = 1 allows `lost` to be propagated like an intensity that starts at 1,
 *
 *     lost1 = lost0 e + (1 - w0) (m - e) + (1 - w1) (1 - m),      w: weight of the cell in S at the ends.
 *
 * The net rate A x_u + (x_u - (g_u / g_l) x_l) A J with J = entering + (1 - lost) S then becomes
 *
 *     A lost x_u + (x_u - (g_u / g_l) x_l) A entering
 *
 * (Rybicki & Hummer 1991, A&A 245, 171), in which all rates are positive. */
#ifndef LR_KERNEL_LEVEL_TRANSFER_H
#define LR_KERNEL_LEVEL_TRANSFER_H

#include "kernel/real.h"

/* One line in one cell. */
struct LR_ALIGNED(2 * sizeof(real)) line_glow {
    real alpha;  /* line-centre opacity, negative if inverted */
    real source; /* source function, then negative too */
};

/* Opacity and source function from populations. (g_u / g_l) x_l - x_u is kept at least a millionth of x_u away from
 * zero, and opacities (of inversions) do not go below -most_gain. */
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

/* Limit of amplification, in photons per mode: far above saturation, but the numbers stay finite. */
#define BRIGHTEST R(1e9)

struct step_weights {
    real through, from, to; /* e, m - e, 1 - m */
};

/* A step is thin if |h| is below this. */
#define STEP_IS_THIN R(0.25)

/* Thin steps use the series of 1 - m; since e = 1 - h m, m - e = h - (1 - m) (1 + h). No exponential is needed. */
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

/* ---- a piece of a ray inside one cell ---- */

/* S at the two ends of a piece mixes the cell, with weight 1 - u, and another one, with weight u. For the target, the
 * cell that records next, this gives the contribution of other cells and one minus its own weight. */
struct piece_ends {
    real rest0, rest1, lost0, lost1;
};

/* The piece lies in the target, or next to it (`is_other`). */
LR_FN struct piece_ends piece_ends_of(int is_target, int is_other, real u0, real u1, real source, real source_other)
{
    /* S of an inverted cell has the opposite sign: do not interpolate */
    const int apart = source < R(0) || source_other < R(0);
    u0 = apart ? R(0) : u0;
    u1 = apart ? R(0) : u1;
    struct piece_ends ends;
    ends.lost0 = is_target ? u0 : is_other ? R(1) - u0 : R(1);
    ends.lost1 = is_target ? u1 : is_other ? R(1) - u1 : R(1);
    ends.rest0 = (is_target ? R(0) : (R(1) - u0) * source) + (is_target || !is_other ? u0 * source_other : R(0));
    ends.rest1 = (is_target ? R(0) : (R(1) - u1) * source) + (is_target || !is_other ? u1 * source_other : R(0));
    return ends;
}

/* Depth at line centre. Even on a long, grazing ray the inversion limit is that of half a cell, `least`. */
LR_FN real piece_depth(real alpha, real length, real least)
{
    return r_max(alpha * length, least);
}

LR_FN real piece_least_depth(double inversion_limit)
{
    return (real)(-0.5 * inversion_limit);
}

/* What a piece contains: lines of any depth with or without dust, or thin lines only. */
enum matter { MATTER_DUSTY, MATTER_CLEAR, MATTER_THIN };

/* Weights of a step for the line; with dust each source function is weighted by its share of the depth. */
struct piece_weights {
    real through, from, to;
    real aside; /* for dust: 1 minus the other three */
};

LR_FN struct piece_weights piece_weights_of(enum matter matter, real line, real grey)
{
    const real all = matter == MATTER_DUSTY ? line + grey : line;
    const struct step_weights step = matter == MATTER_THIN ? step_weights_thin(all) : step_weights_of(all);
    struct piece_weights weights;
    weights.through = step.through;
    weights.from = step.from;
    weights.to = step.to;
    weights.aside = R(0);
    if (matter == MATTER_DUSTY) {
        const real share = all != R(0) ? r_div(line, all) : R(0);
        weights.from *= share;
        weights.to *= share;
        weights.aside = (R(1) - share) * (step.from + step.to);
    }
    return weights;
}

/* Light of a line at one frequency on its way to the target: what comes from elsewhere, and the fraction of the
 * target's own light that is lost. Starts with lost = 1. */
struct LR_ALIGNED(2 * sizeof(real)) line_light {
    real entering, lost;
};

/* The light after a piece; `dust` is the source function of its dust. */
LR_FN struct line_light light_cross(enum matter matter, struct line_light light, struct piece_weights weights,
                                    struct piece_ends ends, real dust)
{
    light.entering = light.entering * weights.through + (ends.rest0 * weights.from + ends.rest1 * weights.to);
    light.lost = light.lost * weights.through + (ends.lost0 * weights.from + ends.lost1 * weights.to);
    light.entering += matter == MATTER_DUSTY ? weights.aside * dust : R(0);
    light.lost += matter == MATTER_DUSTY ? weights.aside : R(0);
    return light;
}

/* The same for a piece that ends in the middle of the target, where lost1 and rest1 are 0. */
LR_FN struct line_light light_arrive(enum matter matter, struct line_light light, struct piece_weights weights,
                                     real lost0, real rest0, real dust)
{
    light.entering = light.entering * weights.through + rest0 * weights.from;
    light.lost = light.lost * weights.through + lost0 * weights.from;
    light.entering += matter == MATTER_DUSTY ? weights.aside * dust : R(0);
    light.lost += matter == MATTER_DUSTY ? weights.aside : R(0);
    return light;
}

/* ---- the middle of a cell ---- */

/* A row of inverted cells would amplify without limit. */
LR_FN struct line_light light_limited(struct line_light light)
{
    light.entering = r_min(light.entering, BRIGHTEST);
    return light;
}

/* The intensity that continues: the rest plus the light of the cell. */
LR_FN real light_leaving(struct line_light light, real source)
{
    return light.entering + (R(1) - light.lost) * source;
}

#endif
