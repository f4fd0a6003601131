/* Aspects: how a place on a shell is turned toward the observer, as bins of equal width in
 *
 *     mu = r_hat . n_cam,    -1 .. 1.
 *
 * By symmetry the gas of a shell shines toward every observer alike where it has the same mu: what a scattering sends
 * toward a direction drawn for it, uniform over the sphere, stands for all observers. */
#ifndef LR_KERNEL_ASPECT_H
#define LR_KERNEL_ASPECT_H

#include "kernel/real.h"

/* The bin of mu. */
LR_FN int aspect_of(int n, real mu)
{
    const int bin = (int)(R(0.5) * (mu + R(1)) * (real)n);
    return bin < 0 ? 0 : bin < n ? bin : n - 1;
}

/* The bins between whose middles mu lies, and the weight of the higher one; beyond the first and the last middle there
 * is one bin. */
struct aspects {
    int low, high;
    real share;
};

LR_FN struct aspects aspects_about(int n, real mu)
{
    const real position = R(0.5) * (mu + R(1)) * (real)n - R(0.5);
    const real inside = r_min(r_max(position, R(0)), (real)(n - 1));
    struct aspects result;
    result.low = (int)inside;
    result.high = result.low + 1 < n ? result.low + 1 : result.low;
    result.share = inside - (real)result.low;
    return result;
}

#endif
