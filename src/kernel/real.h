/* The working precision: `real` is float ("mixed") unless LR_REAL_DOUBLE is defined. Kernel code calls only r_*, never
 * exp or abs, whose meaning differs between C and C++.
 *
 * On a device in single precision r_exp, r_log, r_div and r_sincos_turn are the hardware approximations: a few units in
 * the last place, absolute error below 5e-7 for the logarithm near 1 and for sine and cosine. */
#ifndef LR_KERNEL_REAL_H
#define LR_KERNEL_REAL_H

#include <math.h>
#include <stdint.h>

#include "kernel/portable.h"

#ifdef LR_REAL_DOUBLE
typedef double real;
#define R_EPSILON 2.220446049250313e-16
#define R_HUGE 1e300
#else
typedef float real;
#define R_EPSILON 1.1920929e-7f
#define R_HUGE 1e37f
#endif

#define R(number) ((real)(number)) /* a literal in working precision */

#define R_PI R(3.14159265358979323846)
#define R_SQRT_PI R(1.77245385090551602730)
#define R_INV_SQRT_PI R(0.56418958354775628695)

#ifdef LR_REAL_DOUBLE
LR_FN real r_exp(real x)
{
    return exp(x);
}
LR_FN real r_log(real x)
{
    return log(x);
}
LR_FN real r_sqrt(real x)
{
    return sqrt(x);
}
LR_FN real r_abs(real x)
{
    return fabs(x);
}
LR_FN real r_floor(real x)
{
    return floor(x);
}
LR_FN real r_div(real a, real b)
{
    return a / b;
}
#else
LR_FN real r_exp(real x)
{
#if LR_ON_DEVICE
    return __expf(x);
#else
    return expf(x);
#endif
}
LR_FN real r_log(real x)
{
#if LR_ON_DEVICE
    return __logf(x);
#else
    return logf(x);
#endif
}
LR_FN real r_sqrt(real x)
{
#if LR_ON_DEVICE
    return __fsqrt_rn(x);
#else
    return sqrtf(x);
#endif
}
LR_FN real r_abs(real x)
{
    return fabsf(x);
}
LR_FN real r_floor(real x)
{
    return floorf(x);
}
LR_FN real r_div(real a, real b)
{
#if LR_ON_DEVICE
    return __fdividef(a, b);
#else
    return a / b;
#endif
}
#endif

LR_FN real r_min(real a, real b)
{
    return a < b ? a : b;
}
LR_FN real r_max(real a, real b)
{
    return a > b ? a : b;
}

struct r_sincos {
    real sin, cos;
};

/* Sine and cosine of u full turns, 0 <= u <= 1.
 *
 * On the host: u = q/4 + r with |r| <= 1/8, Taylor series of sin and cos of t = 2 pi r, |t| <= pi/4 (truncated below
 * one unit in the last place of float or double), then the quarter-turn. Written out because gcc merges sinf and cosf
 * of one argument into a sincos that has no vector form. */
LR_FN struct r_sincos r_sincos_turn(real u)
{
    struct r_sincos result;
#if LR_ON_DEVICE && !defined(LR_REAL_DOUBLE)
    __sincosf(R(6.28318530717958647693) * u - R_PI, &result.sin, &result.cos);
    result.sin = -result.sin;
    result.cos = -result.cos;
#else
    const real q = r_floor(R(4) * u + R(0.5));
    const real t = R(6.28318530717958647693) * (u - R(0.25) * q);
    const real s = t * t;
#ifdef LR_REAL_DOUBLE
    const real sine =
        t * (1.0 + s * (-1.0 / 6 +
                        s * (1.0 / 120 +
                             s * (-1.0 / 5040 +
                                  s * (1.0 / 362880 + s * (-1.0 / 39916800 +
                                                           s * (1.0 / 6227020800.0 - s * (1.0 / 1307674368000.0))))))));
    const real cosine =
        1.0 +
        s * (-0.5 + s * (1.0 / 24 +
                         s * (-1.0 / 720 +
                              s * (1.0 / 40320 + s * (-1.0 / 3628800 +
                                                      s * (1.0 / 479001600.0 + s * (-1.0 / 87178291200.0 +
                                                                                    s * (1.0 / 20922789888000.0))))))));
#else
    const real sine = t * (R(1) + s * (R(-1.0 / 6) + s * (R(1.0 / 120) + s * (R(-1.0 / 5040) + s * R(1.0 / 362880)))));
    const real cosine =
        R(1) + s * (R(-0.5) + s * (R(1.0 / 24) + s * (R(-1.0 / 720) + s * (R(1.0 / 40320) - s * R(1.0 / 3628800)))));
#endif
    const int quarter = (int)q & 3;
    const int swap = quarter & 1;
    const real s1 = swap ? cosine : sine;
    const real c1 = swap ? sine : cosine;
    result.sin = (quarter & 2) ? -s1 : s1;
    result.cos = (quarter == 1 || quarter == 2) ? -c1 : c1;
#endif
    return result;
}

#endif
