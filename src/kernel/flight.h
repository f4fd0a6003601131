/* One straight segment of a flight inside a cell.
 *
 * Free paths are analog in the scattering opacity (1 - eps) alpha0 H; absorption, kappa + eps alpha0 H, reduces the
 * weight continuously. For a segment of length l that starts with weight w,
 *
 *     INT w ds = w (1 - exp(-kappa_abs l)) / kappa_abs. */
#ifndef LR_KERNEL_FLIGHT_H
#define LR_KERNEL_FLIGHT_H

#include "kernel/leg.h"
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
    real to_face;  /* distance to the face ahead */
    real tau_left; /* to the next scattering; 0 when the segment ends with it */
    int scatters;
    int axis; /* of the face where it ends if it does not scatter */
};

LR_FN struct segment fly_segment(struct vec3 local, cell_extent width, struct vec3 n, real tau, real opacity)
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

/* Where a flight stops on such a step; fly_segment has found the share of its depth. The opacity is alpha0 times the
 * profile plus a grey part. */
struct stop {
    real length;
    real mean, there; /* of the profile up to this place; the profile at it */
};

LR_FN struct stop stop_on_leg(struct segment segment, real alpha0, real grey, real start, real middle, real end)
{
    const real share = r_min(r_div(segment.length, segment.to_face), R(1));
    const real y = leg_part(alpha0 * start + grey, alpha0 * middle + grey, alpha0 * end + grey, share);
    struct stop stop;
    stop.length = y * segment.to_face;
    stop.mean = leg_mean(start, middle, end, y);
    stop.there = leg_value(start, middle, end, y);
    return stop;
}

/* (1 - exp(-f)) / f for f >= 0, without cancellation. */
LR_FN real mean_transmission(real f)
{
    const real series = R(1) - f * (R(0.5) - f * (R(1.0 / 6) - f * R(1.0 / 24)));
    const real bounded = r_min(f, R(80));
    const real direct = r_div(R(1) - r_exp(-bounded), r_max(f, R(0.02)));
    return f < R(0.04) ? series : direct;
}

/* A packet flushes its sums at every face and after every FLUSH_EVENTS scatterings. It counts its own scatterings, so
 * that its history depends on nothing else. */
enum { FLUSH_EVENTS = 4096 };

LR_FN int flush_is_due(uint32_t events)
{
    return events % FLUSH_EVENTS == FLUSH_EVENTS - 1;
}

/* Russian roulette: a packet with weight below ROULETTE_BELOW survives one time in ten, with ten times the weight.
 * Weights are kept in double between flushes, so that thousands of tiny losses are as accurate as one large loss. */
#define ROULETTE_BELOW 1e-3
#define ROULETTE_SURVIVAL 0.1

#endif
