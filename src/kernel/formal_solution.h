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

LR_FN real vec3_along(struct vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

struct tilt {
    real in, out; /* S at the ends of the way is S (1 + tilt), within 0 and 2 S */
};

LR_FN real tilt_bounded(real tilt)
{
    return r_min(r_max(tilt, R(-1)), R(1));
}

/* How the source function lies around a cell on the way of a ray, for all frequencies alike. Along each axis S changes
 * as it last did when the ray crossed a face of that axis; ahead it changes as toward the next cell. Where both are
 * known, they are limited as by van Leer. */
struct lean {
    int axis_in, axis_out;
    int known;                  /* the axis of the face ahead has been crossed before */
    real inv_behind, inv_front; /* 1 / distance between the middles across the two faces */
    struct vec3 in, out;        /* ends of the way from the middle of the cell, in the direction of flight */
};

LR_FN struct vec3 vec3_with(struct vec3 v, struct vec3 n)
{
    return vec3_make(n.x < R(0) ? -v.x : v.x, n.y < R(0) ? -v.y : v.y, n.z < R(0) ? -v.z : v.z);
}

LR_FN struct lean lean_of(struct passage here, struct vec3 n, real width_behind, real width_front, int known)
{
    struct lean lean;
    lean.axis_in = here.axis_in;
    lean.axis_out = here.axis_out;
    lean.known = known;
    lean.inv_behind = r_div(R(2), vec3_along(here.width, here.axis_in) + width_behind);
    lean.inv_front = r_div(R(2), vec3_along(here.width, here.axis_out) + width_front);
    lean.in = vec3_with(here.from, n);
    lean.out = vec3_with(here.to, n);
    return lean;
}

/* Rise of S per length from this cell to the next; a negative S is that of no cell, or of an empty one. */
LR_FN real source_rise(real s, real s_next, real inv_distance)
{
    return (s >= R(0)) & (s_next >= R(0)) ? (s_next - s) * inv_distance : R(0);
}

/* `past` holds the rises along the axes at their last crossings, 0 before the first; `depth` is that of the way. In gas
 * too thin to hide anything (depth below 1/4) slopes fade: they change nothing, but where S is no more than a quotient
 * of two small numbers they are wild. */
LR_FN struct tilt source_tilt(real s_behind, real s, real s_front, struct lean lean, struct vec3 past, real depth)
{
    const int front = s_front >= R(0);
    const real rise_in = source_rise(s_behind, s, lean.inv_behind);
    const real rise_out = source_rise(s, s_front, lean.inv_front);
    const int behind = s_behind >= R(0);
    const real x = (lean.axis_in == 0) & behind ? rise_in : past.x;
    const real y = (lean.axis_in == 1) & behind ? rise_in : past.y;
    const real z = (lean.axis_in == 2) & behind ? rise_in : past.z;
    const real before = lean.axis_out == 0 ? x : lean.axis_out == 1 ? y : z;
    const int both = lean.axis_in == lean.axis_out ? behind : lean.known;
    const real product = before * rise_out;
    const real mean = product > R(0) ? r_div(R(2) * product, before + rise_out) : R(0);
    const real ahead = !front ? before : both ? mean : rise_out;
    const real sx = lean.axis_out == 0 ? ahead : x;
    const real sy = lean.axis_out == 1 ? ahead : y;
    const real sz = lean.axis_out == 2 ? ahead : z;
    const real inv = s > R(0) ? r_div(r_min(R(4) * depth, R(1)), s) : R(0);
    struct tilt result;
    result.in = tilt_bounded((sx * lean.in.x + sy * lean.in.y + sz * lean.in.z) * inv);
    result.out = tilt_bounded((sx * lean.out.x + sy * lean.out.y + sz * lean.out.z) * inv);
    return result;
}

/* Shells: S changes along the radius, as between the shell behind and that in front; `inv_` are 1 / (difference of
 * their radii), with its sign, and 0 where the other piece is of the same shell and tells nothing. */
LR_FN struct lean lean_radial(struct passage here, real inv_behind, real inv_front)
{
    struct lean lean;
    lean.axis_in = lean.axis_out = 0;
    lean.known = 0;
    lean.inv_behind = inv_behind;
    lean.inv_front = inv_front;
    lean.in = here.from;
    lean.out = here.to;
    return lean;
}

LR_FN struct tilt source_tilt_radial(real s_behind, real s, real s_front, struct lean lean, real depth)
{
    const int behind = (s_behind >= R(0)) & (lean.inv_behind != R(0));
    const int front = (s_front >= R(0)) & (lean.inv_front != R(0));
    const real before = (s - s_behind) * lean.inv_behind;
    const real ahead = (s_front - s) * lean.inv_front;
    const real product = before * ahead;
    const real mean = product > R(0) ? r_div(R(2) * product, before + ahead) : R(0);
    const real slope = behind & front ? mean : behind ? before : front ? ahead : R(0);
    const real farthest = r_max(r_abs(lean.in.x), r_abs(lean.out.x));
    const real relative = r_div(slope, r_max(s, r_abs(slope) * farthest)); /* S stays positive, and linear */
    const real fading = s > R(0) ? relative * r_min(R(4) * depth, R(1)) : R(0);
    struct tilt result;
    result.in = lean.in.x * fading;
    result.out = lean.out.x * fading;
    return result;
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
