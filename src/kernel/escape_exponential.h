/* An escape probability with its slope, and the simplest one: (1 - exp(-y)) / y, along a single direction. */
#ifndef LR_KERNEL_ESCAPE_EXPONENTIAL_H
#define LR_KERNEL_ESCAPE_EXPONENTIAL_H

#include <math.h>

#include "kernel/portable.h"

struct escape_beta {
    double value, slope;
};

/* g(y) = (1 - exp(-y)) / y and g'(y), from the series SUM (-y)^m / (m+1)! for |y| < 1/2. */
LR_FN struct escape_beta escape_exponential(double y)
{
    struct escape_beta g;
    if (fabs(y) < 0.5) {
        const double inverse[12] = {1.0 / 2, 1.0 / 3, 1.0 / 4,  1.0 / 5,  1.0 / 6,  1.0 / 7,
                                    1.0 / 8, 1.0 / 9, 1.0 / 10, 1.0 / 11, 1.0 / 12, 1.0 / 13};
        g.value = 1.0;
        g.slope = 0.0;
        LR_NO_UNROLL
        for (int m = fabs(y) < 1e-3 ? 5 : 12; m >= 1; m--) { /* nested form: 1 - (y/2) (1 - (y/3) (1 - ...)) */
            g.slope = -(g.value + y * g.slope) * inverse[m - 1];
            g.value = 1.0 - y * g.value * inverse[m - 1];
        }
        return g;
    }
    const double decay = exp(-y);
    g.value = (1.0 - decay) / y;
    g.slope = (decay - g.value) / y;
    return g;
}

#endif
