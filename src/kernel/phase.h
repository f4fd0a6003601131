/* Directions after scattering: isotropic, or the dipole mixture
 *
 *     P(g) = (1 - E1) + (3/4) E1 (1 + g^2),   g = cos(gamma),  mean 1 over the sphere. */
#ifndef LR_KERNEL_PHASE_H
#define LR_KERNEL_PHASE_H

#include "kernel/rng.h"
#include "kernel/vec3.h"

/* Direction with cosine mu to the z axis and an azimuth of `turn` full turns. */
LR_FN struct vec3 direction_about_z(real mu, real turn)
{
    const real sine = r_sqrt(r_max(R(1) - mu * mu, R(0)));
    const struct r_sincos azimuth = r_sincos_turn(turn);
    return vec3_make(sine * azimuth.cos, sine * azimuth.sin, mu);
}

LR_FN struct vec3 direction_isotropic(uint32_t random_mu, uint32_t random_azimuth)
{
    return direction_about_z(R(2) * rng_uniform(random_mu) - R(1), rng_uniform(random_azimuth));
}

/* Rotates `local` from the frame with z axis (0,0,1) to the frame with z axis `axis`, the one of Duff et al. 2017 (JCGT
 * 6, 1), which has no singular direction. */
LR_FN struct vec3 direction_turned_to(struct vec3 axis, struct vec3 local)
{
    const real sign = axis.z < R(0) ? R(-1) : R(1);
    const real p = r_div(R(-1), sign + axis.z);
    const real q = axis.x * axis.y * p;
    return vec3_make(local.x * (R(1) + sign * axis.x * axis.x * p) + local.y * q + local.z * axis.x,
                     local.x * sign * q + local.y * (sign + axis.y * axis.y * p) + local.z * axis.y,
                     -local.x * sign * axis.x - local.y * axis.y + local.z * axis.z);
}

/* Cosine of the scattering angle of a pure dipole: the root of g^3 + 3 g = 4 (2 u - 1) by Cardano's formula, written
 * with hyperbolic sines: g = 2 sinh(asinh(q) / 3), q = 2 (2 u - 1). */
LR_FN real dipole_cosine(real uniform)
{
    const real q = R(4) * uniform - R(2);
    const real size = r_abs(q);
    const real third = r_exp(r_log(size + r_sqrt(size * size + R(1))) * R(1.0 / 3));
    const real g = r_min(third - r_div(R(1), third), R(1));
    return q < R(0) ? -g : g;
}

/* Whether the photon scatters in the Doppler core: within one Doppler width, or where exp(-x^2) exceeds the damping
 * wing a / (sqrt(pi) x^2). */
LR_FN int phase_in_core(real a, real x)
{
    const real xx = x * x;
    return xx < R(1) || R_SQRT_PI * xx * r_exp(-r_min(xx, R(80))) > a;
}

/* The new direction for a dipole fraction e1. One uniform number decides whether this scattering is dipole-like and
 * then, rescaled, gives the angle. */
LR_FN struct vec3 direction_dipole(struct vec3 n, real e1, uint32_t random_mu, uint32_t random_azimuth)
{
    const real uniform = rng_uniform(random_mu);
    const int dipole = uniform <= e1;
    const real rest = r_min(dipole ? r_div(uniform, e1) : r_div(uniform - e1, R(1) - e1), R(1));
    const real g = dipole ? dipole_cosine(rest) : R(2) * rest - R(1);
    const struct vec3 local = direction_about_z(g, rng_uniform(random_azimuth));
    return direction_normalised(direction_turned_to(n, local));
}

/* E1 may be negative, down to -2: as a mixture of isotropic light and of light across the photon, P = (3/2) (1 - g^2),
 *
 *     1 + E1 (3 g^2 - 1) / 4 = (1 + E1 / 2) - (E1 / 2) (3/2) (1 - g^2).
 *
 * Chooses one of the three laws, by the E1 that it has itself. */
#define PHASE_ACROSS R(-2)

LR_FN real phase_law(real e1, real uniform)
{
    const real across = R(-0.5) * e1;
    return e1 > R(0) ? (uniform <= e1 ? R(1) : R(0)) : (uniform <= across ? PHASE_ACROSS : R(0));
}

/* The middle one of three uniform numbers between -1 and 1 has the density 3/4 (1 - g^2). */
LR_FN real across_cosine(struct random4 random)
{
    const real one = rng_uniform(random.r1);
    const real two = rng_uniform(random.r2);
    const real three = rng_uniform(random.r3);
    const real middle = r_max(r_min(one, two), r_min(r_max(one, two), three));
    return R(2) * middle - R(1);
}

/* The new direction for one of these laws; `more` are random numbers for light across. */
LR_FN struct vec3 direction_of_law(struct vec3 n, real law, uint32_t random_mu, uint32_t random_azimuth,
                                   struct random4 more)
{
    const real uniform = rng_uniform(random_mu);
    const real g = law > R(0) ? dipole_cosine(uniform) : law < R(0) ? across_cosine(more) : R(2) * uniform - R(1);
    const struct vec3 local = direction_about_z(g, rng_uniform(random_azimuth));
    return direction_normalised(direction_turned_to(n, local));
}

#endif
