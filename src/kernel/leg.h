/* One step of a flight through gas whose velocity along it changes: in shells, also inside a cell. The step is short
 * enough that the velocity changes by at most STEP_TURN b. The profile is evaluated at the start, middle and end of the
 * step and interpolated by a parabola,
 *
 *     q(y) = q0 + q1 y + q2 y^2,    INT_0^1 q dy = (start + 4 middle + end) / 6.
 *
 * At x = 2.5 this integral is accurate to 5e-4; a single value in the middle would be off by 6 %, and packets in thick
 * gas would scatter as if they were half a step ahead. */
#ifndef LR_KERNEL_LEG_H
#define LR_KERNEL_LEG_H

#include "kernel/real.h"

#define STEP_TURN R(0.25)

/* The longest step allowed, and the frequencies along it. */
struct leg {
    real reach;
    real start, middle, end;
};

/* The profile along a step; constant in boxes. */
struct profiles {
    real start, middle, end, mean;
};

/* The mean of q over the fraction y of the step, and q at its end. */
LR_FN real leg_mean(real start, real middle, real end, real y)
{
    const real q1 = R(4) * middle - R(3) * start - end;
    const real q2 = R(2) * (start + end) - R(4) * middle;
    return start + y * (R(0.5) * q1 + R(1.0 / 3) * y * q2);
}

LR_FN real leg_value(real start, real middle, real end, real y)
{
    const real q1 = R(4) * middle - R(3) * start - end;
    const real q2 = R(2) * (start + end) - R(4) * middle;
    return r_max(start + y * (q1 + y * q2), R(0));
}

/* The fraction of the step on which a share of the integral is reached, by Newton's method. */
LR_FN real leg_part(real start, real middle, real end, real share)
{
    const real mean = leg_mean(start, middle, end, R(1));
    const real least = R(0.05) * mean;
    real y = share;
    for (int i = 0; i < 4; i++) {
        const real missing = share * mean - y * leg_mean(start, middle, end, y);
        const real slope = r_max(leg_value(start, middle, end, y), least);
        y = r_min(r_max(y + (slope > R(0) ? r_div(missing, slope) : R(0)), R(0)), R(1));
    }
    return y;
}

#endif
