/* Core skipping, for comparison with codes that use it (Ahn, Lee & Lee 2002, ApJ 567, 922): a photon that scatters at
 * |x| < x_crit in the gas meets an atom whose velocity u_perp perpendicular to it, a vector in two dimensions, is
 * larger than x_crit. With a uniform number U,
 *
 *     p(u_perp) ~ u_perp exp(-u_perp^2)  for  u_perp > x_crit:      u_perp = sqrt(x_crit^2 - ln U),
 *
 * in a random direction, so that most photons leave the core at once. x_crit is given or follows from the gas of a cell
 * of line-centre depth tau from its middle to the nearest face (Smith et al. 2015, MNRAS 449, 4336):
 *
 *     x_crit = 0.2 (a tau)^(1/3)  where  a tau >= 1;  otherwise every scattering is followed.
 *
 * Squares are kept, and 0 where nothing is skipped. */
#ifndef LR_KERNEL_CORE_SKIPPING_H
#define LR_KERNEL_CORE_SKIPPING_H

#include "kernel/rng.h"
#include "kernel/walk.h"

/* x_crit^2 in gas of this a tau. */
LR_FN real core_of_depth(real a_tau)
{
    return a_tau >= R(1) ? R(0.04) * r_exp(R(2.0 / 3) * r_log(a_tau)) : R(0);
}

/* x_crit^2 in a cell. */
LR_FN real core_of_cell(const struct skip_view *skip, real alpha0, real a, cell_extent width)
{
    if (!skip->on)
        return R(0);
    if (skip->x_crit > R(0))
        return skip->x_crit * skip->x_crit;
    return core_of_depth(a * alpha0 * walk_half_width(skip->endless, width));
}

/* Component of u_perp in one plane through the photon: a thermal velocity for photons outside the core. */
LR_FN real side_velocity(real x, real core, uint32_t random_speed, uint32_t random_angle)
{
    const real least = x * x < core ? core : R(0);
    const real speed = r_sqrt(least - r_log(rng_uniform(random_speed)));
    return speed * r_sincos_turn(rng_uniform(random_angle)).cos;
}

#endif
