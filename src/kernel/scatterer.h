/* The contract of a scatterer, which is all that packets need to know of it: what it absorbs, what it does with a
 * photon, and what it sends to a camera. Each kind answers in a file of its own; the line, for example
 * (scatterer_line.h), with
 *
 *     line_profile, line_profiles          opacity relative to line centre, at one frequency or along a step
 *     line_propose, line_side_velocity     an atom that may absorb the photon
 *     line_absorber                        what the photon that it sends on depends on
 *     line_scatter                         this photon
 *     line_toward, line_farthest           light that it sends toward a camera; a bound on its frequency
 *
 * and a group of lines (scatterer_group.h), which chooses one of them first. scatterers.h asks the right one. */
#ifndef LR_KERNEL_SCATTERER_H
#define LR_KERNEL_SCATTERER_H

#include "kernel/vec3.h"

/* An atom that has absorbed the photon. Velocities in Doppler units of the gas. */
struct absorber {
    real x;         /* of the photon, in the gas; in a group of lines, as far from the line that emits as it was from
                       the line that absorbed */
    real u, u_side; /* velocity along the photon and perpendicular to it; in a group of lines, recoil included */
    real e1;        /* part of its scatterings that are dipole-like */
};

/* A photon after a scattering. */
struct scattered_photon {
    struct vec3 n;
    real x; /* in the gas */
};

/* Light that the same scattering sends toward a camera. */
struct toward {
    real x;      /* in the gas */
    real amount; /* the share of the packet times the phase function */
};

#endif
