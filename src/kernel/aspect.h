/* Aspects of a shell: the angle to the radius at which light leaves it toward the observer, in bins of equal width in
 *
 *     mu = r_hat . n_cam,    -1 .. 1.
 *
 * Light leaves through the inner sphere where mu < 0 and through the outer one where mu > 0, so the number of bins is
 * even. By symmetry a shell looks the same to every observer at the same mu, so light sent in one direction, drawn
 * uniformly over the sphere for each scattering, represents all observers. */
#ifndef LR_KERNEL_ASPECT_H
#define LR_KERNEL_ASPECT_H

#include "kernel/real.h"

/* The bin that contains mu. */
LR_FN int aspect_of(int n, real mu)
{
    const int bin = (int)(R(0.5) * (mu + R(1)) * (real)n);
    return bin < 0 ? 0 : bin < n ? bin : n - 1;
}

/* Centre of bin j of one sphere, counted from mu = 0, in bin widths: the mean of |mu| over the area that the observer
 * sees, INT mu^2 dmu / INT mu dmu. */
LR_FN real aspect_middle(real j)
{
    return r_div(R(2.0 / 3) * (R(3) * j * (j + R(1)) + R(1)), R(2) * j + R(1));
}

/* The two bins of one sphere whose centres enclose mu, and the weight of the higher one. Beyond the first and the last
 * centre both are the same bin. */
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
