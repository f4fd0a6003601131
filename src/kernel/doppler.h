/* Transforms frequencies between frames. x is in Doppler units of the gas, shifts and velocities in the reference b.
 *
 * The lines of a group (scatterer_group.h) may be far apart. Their photons have a logarithmic shift, c ln(nu / nu0),
 * in which gas moves all lines by the same velocity and all widths are the b of their atoms; with z = shift / c,
 *
 *     logarithmic shift / c = ln(1 + z) = z - z^2 / 2 + z^3 / 3 - ...,     |z| < 0.01. */
#ifndef LR_KERNEL_DOPPLER_H
#define LR_KERNEL_DOPPLER_H

#include "kernel/real.h"

/* Frequency of a photon in the gas of a new cell. Its shift in the mesh frame does not change at the face:
 *
 *     x' b' + v'.n' = x b + v.n        (n' differs from n only after a reflection). */
LR_FN real frequency_across(real x, real b, real projected, real b_new, real projected_new)
{
    return r_div(x * b + (projected - projected_new), b_new);
}

/* Shift in the mesh frame, in units of the reference Doppler parameter; `projected` is v.n. */
LR_FN real frequency_in_mesh_frame(real x, real b, real projected)
{
    return x * b + projected;
}

/* Between shifts and logarithmic shifts; `beta` is the unit of both over c, or 0 where they are the same. */
LR_FN real logarithmic_shift(real shift, real beta)
{
    const real z = beta * shift;
    return shift - shift * z * (R(0.5) - z * (R(1.0 / 3) - R(0.25) * z));
}

LR_FN real shift_of_logarithmic(real logarithmic, real beta)
{
    const real z = beta * logarithmic;
    return logarithmic + logarithmic * z * (R(0.5) + z * (R(1.0 / 6) + R(1.0 / 24) * z));
}

#endif
