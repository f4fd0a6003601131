/* Line profiles along rays, for level populations, on a frequency grid that all lines share: f = 0 .. n - 1 are Doppler
 * shifts in equal steps. Along a piece of a ray the projected velocity changes linearly from v0 to v1. The mean profile
 * of the piece,
 *
 *     INT exp(-x^2) ds / INT ds,      x = (shift - v) / b,
 *
 * is computed by two-point Gauss-Legendre quadrature in panels over which v changes by at most PROFILE_PANEL b. */
#ifndef LR_KERNEL_LEVEL_PROFILE_H
#define LR_KERNEL_LEVEL_PROFILE_H

#include "kernel/real.h"

struct band {
    int n;
    real first, step, inv_step;
};

LR_FN struct band band_make(int n, double first, double step)
{
    struct band band;
    band.n = n;
    band.first = (real)first;
    band.step = (real)step;
    band.inv_step = (real)(1 / step);
    return band;
}

/* Position f of a velocity on the grid. */
LR_FN real band_place(const struct band *band, real v)
{
    return (v - band->first) * band->inv_step;
}

/* ---- the range of a line ---- */

struct interval {
    int low, high; /* [low, high) */
};

/* Lines are neglected where their depth is below FAINTEST_DEPTH: beyond this |x|, with `depth` at line centre. */
#define FAINTEST_DEPTH 1e-6
#define LOG_FAINTEST_DEPTH R(-13.815510557964274)

LR_FN real profile_reach(real depth)
{
    return r_sqrt(r_log(r_max(depth, R(1))) - LOG_FAINTEST_DEPTH);
}

/* Frequencies from `low` to `high`, extended by `reach` on both sides. */
LR_FN struct interval band_interval(const struct band *band, real low, real high, real reach)
{
    const real n = (real)band->n;
    struct interval interval;
    interval.low = (int)r_min(r_max(low - reach, R(0)), n);
    interval.high = (int)r_min(r_max(high + reach + R(1), R(0)), n);
    return interval;
}

/* Frequencies within |x| < reach of a line whose velocity changes from v0 to v1. */
LR_FN struct interval line_interval(const struct band *band, real v0, real v1, real inv_b, real reach)
{
    return band_interval(band, band_place(band, r_min(v0, v1)), band_place(band, r_max(v0, v1)),
                         r_div(reach * band->inv_step, inv_b));
}

/* ---- the mean profile ---- */

/* If v / b changes by less than this, the profile is evaluated at the mean velocity. */
#define PROFILE_STILL R(1e-4)
#define PROFILE_PANEL 0.7
enum { PROFILE_MOST_PANELS = 64 };
/* Gauss-Legendre nodes, (1 -+ 1 / sqrt 3) / 2. */
#define PROFILE_NODE_LOW R(0.21132486540518711775)
#define PROFILE_NODE_HIGH R(0.78867513459481288225)

LR_FN int profile_panels(real v0, real v1, real inv_b)
{
    const real panels = r_abs(v1 - v0) * inv_b * R(1 / PROFILE_PANEL);
    return panels < PROFILE_STILL * R(1 / PROFILE_PANEL) ? 0
           : panels < R(PROFILE_MOST_PANELS - 1)         ? 1 + (int)panels
                                                         : PROFILE_MOST_PANELS;
}

/* The profile along a piece, in terms of y = R_GAUSS_UNIT x. */
struct slide {
    real low, high; /* nodes of the first panel, at f = 0 */
    real step;      /* from f to f + 1 */
    real part;      /* from panel to panel */
    int panels;     /* 0: the velocity hardly changes and both nodes coincide */
};

/* At a single velocity. */
LR_FN struct slide slide_at(const struct band *band, real v, real inv_b)
{
    const real scale = R_GAUSS_UNIT * inv_b;
    struct slide slide;
    slide.step = band->step * scale;
    slide.low = slide.high = (band->first - v) * scale;
    slide.part = R(0);
    slide.panels = 0;
    return slide;
}

LR_FN struct slide slide_over(const struct band *band, real v0, real v1, real inv_b)
{
    struct slide slide = slide_at(band, v0, inv_b);
    slide.panels = profile_panels(v0, v1, inv_b);
    slide.part = r_div((v0 - v1) * (R_GAUSS_UNIT * inv_b), (real)(slide.panels > 1 ? slide.panels : 1));
    slide.high += slide.part * (slide.panels == 0 ? R(0.5) : PROFILE_NODE_HIGH);
    slide.low += slide.part * (slide.panels == 0 ? R(0.5) : PROFILE_NODE_LOW);
    return slide;
}

/* The profile without panels. */
LR_FN real slide_still(const struct slide *slide, real f)
{
    return r_gauss(slide->low + slide->step * f);
}

/* Sum over the two nodes of a panel. */
LR_FN real slide_pair(real low, real high)
{
    return r_gauss(low) + r_gauss(high);
}

/* The same for panel p. */
LR_FN real slide_panel(const struct slide *slide, real f, int p)
{
    const real along = slide->part * (real)p;
    return slide_pair(slide->low + along + slide->step * f, slide->high + along + slide->step * f);
}

/* Sum over all panels, or over the two coincident nodes if there are none. */
LR_FN real slide_sum(const struct slide *slide, real f, int panels)
{
    const real low = slide->low + slide->step * f;
    const real high = slide->high + slide->step * f;
    real sum = slide_pair(low, high);
    LR_NO_UNROLL
    for (int p = 1; p < panels; p++)
        sum += slide_pair(low + slide->part * (real)p, high + slide->part * (real)p);
    return sum;
}

/* Factor that turns this sum into a mean. */
LR_FN real slide_scale(const struct slide *slide)
{
    return slide->panels > 1 ? r_div(R(0.5), (real)slide->panels) : R(0.5);
}

#endif
