/* The contract of a scatterer, which is all that packets need to know of it: what it absorbs, what it does with a
 * photon, and what it sends to a camera. Each kind answers in a file of its own; the line, for example
 * (scatterer_line.h), with
 *
 *     line_profile, line_profiles          opacity relative to line centre, at one frequency or along a step
 *     line_propose, line_side_velocity     an atom that may absorb the photon
 *     line_scatter                         the photon that it sends on
 *     line_toward, line_farthest           light that it sends toward a camera; a bound on its frequency */
#ifndef LR_KERNEL_SCATTERER_H
#define LR_KERNEL_SCATTERER_H

#include "kernel/vec3.h"

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
