/* The transfer equation along a ray, cell by cell, at one frequency:
 *
 *     dI/ds = j - alpha I,    alpha = alpha0 H(a, x) + kappa,    S = j / alpha,
 *
 * where j is the light that the gas creates, in the line or with a spectrum of its own. Without packets, S is linear
 * inside a cell about its value in the middle: a thin cell emits the right amount, and a thick one shows the S of its
 * near side. The velocity is linear too (slope.h), in steps of at most b/4. With packets, cells are uniform for rays,
 * as they are for packets.
 *
 * Scattered light E is added where the ray leaves a cell, because E is the light that leaves it (sight.h):
 *
 *     I_out = I_in exp(-t) + created light + E,
 *
 * or at the end of the ray if E is the light that leaves the mesh. */
#ifndef LR_KERNEL_FORMAL_SOLUTION_H
#define LR_KERNEL_FORMAL_SOLUTION_H

#include "kernel/real.h"

/* Depths below which a series replaces a difference of nearly equal numbers: where the first omitted term is as small
 * as the cancellation error in the working precision. */
#define FORMAL_SERIES_BELOW R(sizeof(real) == sizeof(double) ? 0.03 : 0.25)
#define FORMAL_FLAT_SERIES_BELOW R(sizeof(real) == sizeof(double) ? 0.005 : 0.1)
#define EXIT_SERIES_BELOW R(sizeof(real) == sizeof(double) ? 2e-4 : 0.02)

/* Over a step of depth t that emits `glow` = j ds on average, with S (1 + tilt_in) at its far end and S (1 + tilt_out)
 * at its near end:
 *
 *     I' = I exp(-t) + glow [(1 + tilt_in) m + (tilt_out - tilt_in) (1 - m) / t],   m = (1 - exp(-t)) / t. */
LR_FN real formal_step(real intensity, real t, real glow, real tilt_in, real tilt_out)
{
    const real e = r_exp(-r_min(t, R(80)));
    const int thin = t < FORMAL_SERIES_BELOW;
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
    const int thin = t < FORMAL_FLAT_SERIES_BELOW;
    const real series = R(1) - t * (R(1.0 / 2) - t * (R(1.0 / 6) - t * (R(1.0 / 24) - t * R(1.0 / 120))));
    const real m = thin ? series : r_div(R(1) - e, thin ? R(1) : t);
    return intensity * e + glow * m;
}

struct tilt {
    real in, out; /* S at the two ends is S (1 + tilt) */
};

/* Scattered light that leaves a cell (sight.h) is known per channel. Within the channel it is assumed to vary with the
 * depth t of the cell's line on this way as 1 - exp(-t): like the profile if the cell is thin, flat if it is thick. The
 * channel mean is preserved. */
LR_FN real exit_shape(real t)
{
    const real series = t * (R(1) - t * (R(0.5) - t * R(1.0 / 6)));
    return t < EXIT_SERIES_BELOW ? series : R(1) - r_exp(-r_min(t, R(80)));
}

/* The resulting factor at one frequency, from the shape there and its mean over the channel. */
LR_FN real exit_factor(real shape, real mean)
{
    return mean > R(1e-30) ? r_div(shape, mean) : R(1);
}

/* Number of steps in each of which the velocity changes by at most b/4. */
enum { MOST_VELOCITY_STEPS = 4096 };

LR_FN int velocity_steps(real change, real b)
{
    const real steps = R(4) * r_abs(change) / b;
    return steps < (real)MOST_VELOCITY_STEPS ? (int)steps + 1 : MOST_VELOCITY_STEPS;
}

/* The line of a cell is neglected where it is below this fraction of its centre and adds less than this depth. */
#define LINE_FLOOR R(1e-8)

/* |x| beyond which the line of a segment of line-centre depth t is below LINE_FLOOR: Gaussian core, or damping wing
 * a / (sqrt(pi) x^2). */
LR_FN real line_reach(real a, real t)
{
    const real excess = r_div(r_max(t, R(1)), LINE_FLOOR);
    const real core = r_sqrt(r_log(excess)) + R(0.5); /* the true profile exceeds its parts near their crossing */
    const real wing = r_sqrt(R_INV_SQRT_PI * a * excess);
    return r_max(core, wing);
}

#endif
