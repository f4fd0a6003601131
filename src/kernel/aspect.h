/* Aspects: how the sphere by which light leaves a shell is turned toward the observer there, as bins of equal width in
 *
 *     mu = r_hat . n_cam,    -1 .. 1.
 *
 * Light leaves by the inner sphere where mu < 0, by the outer one where mu > 0: their number is even. By symmetry a
 * shell shines toward every observer alike where it has the same mu: what a scattering sends toward a direction drawn
 * for it, uniform over the sphere, stands for all observers. */
#ifndef LR_KERNEL_ASPECT_H
#define LR_KERNEL_ASPECT_H

#include "kernel/real.h"

/* The bin of mu. */
LR_FN int aspect_of(int n, real mu)
{
    const int bin = (int)(R(0.5) * (mu + R(1)) * (real)n);
    return bin < 0 ? 0 : bin < n ? bin : n - 1;
}

/* The middle of bin j of one sphere, counted from mu = 0, in widths of a bin: the mean of |mu| over the area that the
 * observer sees, INT mu^2 dmu / INT mu dmu. */
LR_FN real aspect_middle(real j)
{
    return r_div(R(2.0 / 3) * (R(3) * j * (j + R(1)) + R(1)), R(2) * j + R(1));
}

/* The bins of one sphere between whose middles mu lies, and the weight of the higher one; beyond the first and the last
 * middle there is one bin. */
struct aspects {
    int low, high;
    real share;
};

LR_FN struct aspects aspects_about(int n, real mu)
{
    const int half = n / 2;
    const real position = r_min(r_abs(mu) * (real)half, (real)half);
    const int inside = (int)position < half ? (int)position : half - 1;
    const int below = position < aspect_middle((real)inside) ? inside - 1 : inside;
    const int low = below > 0 ? below : 0;
    const int high = below + 1 < half ? below + 1 : half - 1;
    const real middle = aspect_middle((real)low);
    const real next = aspect_middle((real)high);
    struct aspects result;
    result.low = mu < R(0) ? half - 1 - low : half + low;
    result.high = mu < R(0) ? half - 1 - high : half + high;
    result.share = high > low ? r_div(position - middle, next - middle) : R(0);
    return result;
}

#endif
