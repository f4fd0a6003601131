/* The transfer equation along a ray, cell by cell, at one frequency:
 *
 *     dI/ds = j - alpha I,    alpha = alpha0 H(a, x) + kappa,    j = q H(a, x) + J,    S = j / alpha.
 *
 * S is linear inside a cell about its value in the middle: the emission of a thin cell is what it should be, and an
 * optically thick one shows the S of its near side. The velocity is linear too (slope.h), in steps of b/4 at most. */
#ifndef LR_KERNEL_FORMAL_SOLUTION_H
#define LR_KERNEL_FORMAL_SOLUTION_H

#include "kernel/ray.h"

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

/* Where the source function of the cells behind and in front lies, seen from the middle of a cell: S there, S here and
 * what follows for both ends of the way through it. S changes along the axis of the face the ray came in by as the cell
 * behind says, along that of the face it leaves by as the cell in front says; when both are one axis, limited as by van
 * Leer. A negative S is that of no cell, or of an empty one. */
struct lean {
    int same;                   /* both faces are of one axis */
    real inv_behind, inv_front; /* 1 / distance between the middles across those faces */
    real behind_in, behind_out; /* places of the two ends along the first axis, in the direction of flight */
    real front_in, front_out;   /* and along the second */
};

LR_FN real vec3_along(struct vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

LR_FN struct lean lean_of(struct passage here, struct vec3 n, real width_behind, real width_front)
{
    const real sign_in = vec3_along(n, here.axis_in) < R(0) ? R(-1) : R(1);
    const real sign_out = vec3_along(n, here.axis_out) < R(0) ? R(-1) : R(1);
    struct lean lean;
    lean.same = here.axis_in == here.axis_out;
    lean.inv_behind = r_div(R(2), vec3_along(here.width, here.axis_in) + width_behind);
    lean.inv_front = r_div(R(2), vec3_along(here.width, here.axis_out) + width_front);
    lean.behind_in = sign_in * vec3_along(here.from, here.axis_in);
    lean.behind_out = sign_in * vec3_along(here.to, here.axis_in);
    lean.front_in = sign_out * vec3_along(here.from, here.axis_out);
    lean.front_out = sign_out * vec3_along(here.to, here.axis_out);
    return lean;
}

struct tilt {
    real in, out; /* S at the ends of the way is S (1 + tilt), within 0 and 2 S */
};

LR_FN real tilt_bounded(real tilt)
{
    return r_min(r_max(tilt, R(-1)), R(1));
}

LR_FN struct tilt source_tilt(real s_behind, real s, real s_front, struct lean lean)
{
    const int behind = s_behind >= R(0);
    const int front = s_front >= R(0);
    const real rise_in = behind ? (s - s_behind) * lean.inv_behind : R(0);
    const real rise_out = front ? (s_front - s) * lean.inv_front : R(0);
    const real sum = rise_in + rise_out;
    const real product = rise_in * rise_out;
    const real mean = product > R(0) ? r_div(R(2) * product, sum) : R(0);
    const real limited = (behind & front) ? mean : sum;
    const real first = lean.same ? limited : rise_in;
    const real second = lean.same ? R(0) : rise_out;
    const real inv = s > R(0) ? r_div(R(1), s) : R(0);
    struct tilt tilt;
    tilt.in = tilt_bounded((first * lean.behind_in + second * lean.front_in) * inv);
    tilt.out = tilt_bounded((first * lean.behind_out + second * lean.front_out) * inv);
    return tilt;
}

/* Steps in which the velocity changes by b/4 at most. */
enum { MOST_VELOCITY_STEPS = 4096 };

LR_FN int velocity_steps(real change, real b)
{
    const real steps = R(4) * r_abs(change) / b;
    return steps < (real)MOST_VELOCITY_STEPS ? (int)steps + 1 : MOST_VELOCITY_STEPS;
}

/* The line of a cell is left out where it is below this share of its centre, and adds less than this to the depth. */
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
