/* Where an escaped packet is counted. */
#ifndef LR_KERNEL_TALLY_H
#define LR_KERNEL_TALLY_H

#include "kernel/vec3.h"

/* The batch of a packet: chunks are dealt out in turn, so that a run that is stopped early has fed all batches, while
 * packets in flight together mostly share one. */
LR_FN int tally_batch(int64_t packet, int64_t chunk, int n_batch)
{
    return (int)((packet / chunk) % n_batch);
}

struct tally_axes {
    int n_bin; /* bins 1..n_bin; 0 and n_bin + 1 hold what lies outside */
    real x_first, inv_x_step;
    int n_mu, n_phi, axis;
};

LR_FN int spectrum_bin(const struct tally_axes *axes, real x)
{
    const real position = (x - axes->x_first) * axes->inv_x_step;
    if (!(position >= R(0)))
        return 0;
    return position < (real)axes->n_bin ? (int)position + 1 : axes->n_bin + 1;
}

/* Bins of equal solid angle: mu = n.axis in n_mu steps from -1, azimuth in n_phi steps from the next axis (y for x,
 * z for y, x for z). */
LR_FN int direction_bin(const struct tally_axes *axes, struct vec3 n)
{
    const real mu = axes->axis == 0 ? n.x : axes->axis == 1 ? n.y : n.z;
    const real p = axes->axis == 0 ? n.y : axes->axis == 1 ? n.z : n.x;
    const real q = axes->axis == 0 ? n.z : axes->axis == 1 ? n.x : n.y;
    int i = (int)((mu + R(1)) * R(0.5) * (real)axes->n_mu);
    i = i < 0 ? 0 : i < axes->n_mu ? i : axes->n_mu - 1;
    if (axes->n_phi == 1)
        return i;
    const double turn = atan2((double)q, (double)p) * 0.15915494309189535;
    int j = (int)((turn < 0 ? turn + 1 : turn) * axes->n_phi);
    j = j < 0 ? 0 : j < axes->n_phi ? j : axes->n_phi - 1;
    return i * axes->n_phi + j;
}

#endif
