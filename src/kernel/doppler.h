/* Transforms frequencies between frames. x is in Doppler units of the gas, shifts and velocities in the reference b. */
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

#endif
