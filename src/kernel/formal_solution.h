/* The transfer equation along a ray, cell by cell, at one frequency:
 *
 *     dI/ds = j - alpha I,    alpha = alpha0 H(a, x) + kappa,    j = q H(a, x) + J,    S = j / alpha.
 *
 * S is linear inside a cell about its value in the middle, with a limited slope (van Leer 1977, J. Comput. Phys. 23,
 * 276): the emission of a thin cell is what it should be, an optically thick one shows the S of its near side, and no
 * new extremes appear. The velocity is interpolated between the middles of the segments, in steps of b/4 at most. */
#ifndef LR_KERNEL_FORMAL_SOLUTION_H
#define LR_KERNEL_FORMAL_SOLUTION_H

#include "kernel/real.h"

/* Over a step of depth t that emits `glow` = j ds on average, with S (1 + tilt_in) at its far end and S (1 + tilt_out)
 * at its near end:
 *
 *     I' = I exp(-t) + glow [(1 + tilt_in) m + (tilt_out - tilt_in) (1 - m) / t],   m = (1 - exp(-t)) / t. */
LR_FN real formal_step(real intensity, real t, real glow, real tilt_in, real tilt_out)
{
    const real e = r_exp(-r_min(t, R(80)));
    const int thin = t < R(0.25);
    const real inv = r_div(R(1), thin ? R(1) : t);
    const real m_series =
        R(1) - t * (R(1.0 / 2) - t * (R(1.0 / 6) - t * (R(1.0 / 24) - t * (R(1.0 / 120) - t * R(1.0 / 720)))));
    const real lag_series =
        R(1.0 / 2) - t * (R(1.0 / 6) - t * (R(1.0 / 24) - t * (R(1.0 / 120) - t * (R(1.0 / 720) - t * R(1.0 / 5040)))));
    const real m = thin ? m_series : (R(1) - e) * inv;
    const real lag = thin ? lag_series : (R(1) - m) * inv;
    return intensity * e + glow * ((R(1) + tilt_in) * m + (tilt_out - tilt_in) * lag);
}

/* The same with a constant source function. */
LR_FN real formal_step_flat(real intensity, real t, real glow)
{
    const real e = r_exp(-r_min(t, R(80)));
    const int thin = t < R(0.1);
    const real series = R(1) - t * (R(1.0 / 2) - t * (R(1.0 / 6) - t * (R(1.0 / 24) - t * R(1.0 / 120))));
    const real m = thin ? series : r_div(R(1) - e, thin ? R(1) : t);
    return intensity * e + glow * m;
}

/* Relative change of S from the middle of a cell to its near end. S is given for the cell behind, this one and the one
 * in front, negative where there is none or it holds nothing; lengths are those of the segments. */
LR_FN real source_tilt(real s_behind, real s, real s_front, real l_behind, real l, real l_front)
{
    const real rise_in = r_div(s - s_behind, l + l_behind); /* half the slope: the middles are (l + l') / 2 apart */
    const real rise_out = r_div(s_front - s, l + l_front);
    const real product = rise_in * rise_out;
    const real both = product > R(0) ? r_div(R(2) * product, rise_in + rise_out) : R(0);
    const int behind = s_behind >= R(0);
    const int front = s_front >= R(0);
    const real rise = behind && front ? both : behind ? rise_in : front ? rise_out : R(0);
    const real tilt = s > R(0) ? r_div(rise * l, s) : R(0);
    return r_min(r_max(tilt, R(-1)), R(1));
}

/* Velocity at the face between two segments, linear between their middles. */
LR_FN real velocity_at_face(real v0, real l0, real v1, real l1)
{
    const real sum = l0 + l1;
    return sum > R(0) ? r_div(v0 * l1 + v1 * l0, sum) : R(0.5) * (v0 + v1);
}

/* Steps in which the velocity changes by b/4 at most. */
enum { MOST_VELOCITY_STEPS = 4096 };

LR_FN int velocity_steps(real change, real b)
{
    const real steps = R(4) * r_abs(change) / b;
    return steps < (real)MOST_VELOCITY_STEPS ? (int)steps + 1 : MOST_VELOCITY_STEPS;
}

/* The line of a cell can be left out where it adds less than this to the depth of the segment. */
#define LINE_DEPTH_FLOOR R(1e-8)

/* |x| beyond which the line of a segment of line-centre depth t is below LINE_DEPTH_FLOOR: Gaussian core, or damping
 * wing a / (sqrt(pi) x^2). */
LR_FN real line_reach(real a, real t)
{
    const real excess = r_div(t, LINE_DEPTH_FLOOR);
    if (!(excess > R(1)))
        return R(0);
    const real core = r_sqrt(r_log(excess)) + R(0.5); /* the true profile exceeds its parts near their crossing */
    const real wing = r_sqrt(R_INV_SQRT_PI * a * excess);
    return r_max(core, wing);
}

#endif
