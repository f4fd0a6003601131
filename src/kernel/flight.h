/* One straight segment of a flight inside a cell.
 *
 * Packets fly analog free paths in the scattering opacity (1 - eps) alpha0 H; absorption, kappa + eps alpha0 H, takes
 * weight continuously. For a segment of length l that starts with weight w,
 *
 *     INT w ds = w (1 - exp(-kappa_abs l)) / kappa_abs. */
#ifndef LR_KERNEL_FLIGHT_H
#define LR_KERNEL_FLIGHT_H

#include "kernel/walk.h"

struct opacity {
    real scatter, absorb;
};

LR_FN struct opacity opacity_at(real alpha0, real eps, real kappa, real profile)
{
    const real line = alpha0 * profile;
    struct opacity result;
    result.scatter = (R(1) - eps) * line;
    result.absorb = kappa + eps * line;
    return result;
}

struct segment {
    real length;
    real to_face;  /* length to the face ahead */
    real tau_left; /* to the next scattering; 0 when the segment ends with it */
    int scatters;
    int axis; /* of the face where it ends otherwise */
};

LR_FN struct segment fly_segment(struct vec3 local, struct vec3 width, struct vec3 n, real tau, real opacity)
{
    const struct cell_exit exit = walk_exit(local, width, n);
    const real to_scattering = r_div(tau, opacity); /* infinite, or 0/0, where there is no opacity */
    struct segment result;
    result.to_face = exit.distance;
    result.scatters = to_scattering < exit.distance;
    result.length = result.scatters ? to_scattering : exit.distance;
    result.tau_left = result.scatters ? R(0) : r_max(tau - exit.distance * opacity, R(0));
    result.axis = exit.axis;
    return result;
}

/* Where the velocity of the gas along a flight changes inside a cell (shells), a step is so short that it changes by
 * STEP_TURN b at most, and the step sees the gas as it moves in its middle. */
#define STEP_TURN R(0.25)

/* (1 - exp(-f)) / f for f >= 0, without cancellation. */
LR_FN real mean_transmission(real f)
{
    const real series = R(1) - f * (R(0.5) - f * (R(1.0 / 6) - f * R(1.0 / 24)));
    const real bounded = r_min(f, R(80));
    const real direct = r_div(R(1) - r_exp(-bounded), r_max(f, R(0.02)));
    return f < R(0.04) ? series : direct;
}

/* A packet flushes its sums at every face, and when it has scattered FLUSH_EVENTS times since its birth or the last
 * such moment, counted by its own scatterings so that its history depends on nothing else. */
enum { FLUSH_EVENTS = 4096 };

LR_FN int flush_is_due(uint32_t events)
{
    return events % FLUSH_EVENTS == FLUSH_EVENTS - 1;
}

/* Russian roulette: a packet below ROULETTE_BELOW goes on with ten times its weight, one time in ten. Weights between
 * flushes are kept in double: thousands of tiny losses, and one deep loss, are exact alike. */
#define ROULETTE_BELOW 1e-3
#define ROULETTE_SURVIVAL 0.1

#endif
