/* The working precision: `real` is float ("mixed") unless LR_REAL_DOUBLE is defined. Kernel code calls only r_*, never
 * exp or abs, whose meaning differs between C and C++.
 *
 * On a device in single precision r_exp, r_log, r_div and r_sincos_turn are the hardware approximations: a few units in
 * the last place, absolute error below 5e-7 for the logarithm near 1 and for sine and cosine. */
#ifndef LR_KERNEL_REAL_H
#define LR_KERNEL_REAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

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

/* x rounded to the nearest integer, |x| < 2^21: adding and subtracting 1.5 x 2^(mantissa bits) removes the fraction.
 * Works with every SIMD instruction set. */
LR_FN real r_round(real x)
{
#ifdef LR_REAL_DOUBLE
    const real magic = 6755399441055744.0;
#else
    const real magic = 12582912.0f;
#endif
    return (x + magic) - magic;
}

/* On the host, exp and log are written out: the scalar functions of the C library keep the compiler from vectorising
 * loops over packets, and its vector functions are slower (docs/architecture.md).
 *
 * exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln(2)/2, Taylor series to one unit in the last place; x is limited
 * to the range where the result is a normal number. */
LR_FN real r_exp_host(real x)
{
#ifdef LR_REAL_DOUBLE
    const real bounded = x > 708.0 ? 708.0 : (x < -708.0 ? -708.0 : x);
    const real n = r_round(bounded * 1.4426950408889634074);
    const real r = (bounded - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    const real tail =
        1.0 / 5040 +
        r * (1.0 / 40320 +
             r * (1.0 / 362880 +
                  r * (1.0 / 3628800 + r * (1.0 / 39916800 + r * (1.0 / 479001600 + r * (1.0 / 6227020800.0))))));
    const real series =
        1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * tail))))));
    const int64_t bits = ((int64_t)n + 1023) << 52;
    double scale;
#else
    const real bounded = x > 87.0f ? 87.0f : (x < -87.0f ? -87.0f : x);
    const real n = r_round(bounded * 1.44269504f);
    const real r = (bounded - n * 0.693359375f) + n * 2.12194440e-4f;
    const real series =
        R(1) +
        r * (R(1) + r * (R(0.5) + r * (R(1.0 / 6) + r * (R(1.0 / 24) + r * (R(1.0 / 120) +
                                                                            r * (R(1.0 / 720) + r * R(1.0 / 5040)))))));
    const int32_t bits = ((int32_t)n + 127) << 23;
    float scale;
#endif
    memcpy(&scale, &bits, sizeof scale);
    return series * scale;
}

/* log(x) = e ln 2 + 2 atanh(s), s = (m - 1)/(m + 1), x = 2^e m with m in [1/sqrt 2, sqrt 2), for normal x > 0. */
LR_FN real r_log_host(real x)
{
#ifdef LR_REAL_DOUBLE
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int64_t shifted = bits - 0x3fe6a09e667f3bcd; /* of sqrt(1/2) */
    const int32_t exponent = (int32_t)(shifted >> 52);
    bits -= (int64_t)exponent * ((int64_t)1 << 52);
    double m;
    memcpy(&m, &bits, sizeof m);
    const real s = (m - 1.0) / (m + 1.0);
    const real t = s * s;
    const real high = 1.0 / 13 + t * (1.0 / 15 + t * (1.0 / 17 + t * (1.0 / 19 + t * (1.0 / 21))));
    const real sum = 1.0 / 3 + t * (1.0 / 5 + t * (1.0 / 7 + t * (1.0 / 9 + t * (1.0 / 11 + t * high))));
    return (real)exponent * 0.69314718055994530942 + (2.0 * s + 2.0 * s * t * sum);
#else
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int32_t exponent = (bits - 0x3f3504f3) >> 23; /* of sqrt(1/2) */
    bits -= exponent * (1 << 23);
    float m;
    memcpy(&m, &bits, sizeof m);
    const real s = (m - R(1)) / (m + R(1));
    const real t = s * s;
    const real sum = R(1.0 / 3) + t * (R(1.0 / 5) + t * (R(1.0 / 7) + t * R(1.0 / 9)));
    return (real)exponent * R(0.69314718055994530942) + (R(2) * s + R(2) * s * t * sum);
#endif
}

LR_FN real r_exp(real x)
{
#if LR_ON_DEVICE && defined(LR_REAL_DOUBLE)
    return exp(x);
#elif LR_ON_DEVICE
    return __expf(x);
#else
    return r_exp_host(x);
#endif
}

/* 2^x; in single precision on a device one instruction cheaper than exp. */
LR_FN real r_exp2(real x)
{
#if LR_ON_DEVICE && defined(LR_REAL_DOUBLE)
    return exp2(x);
#elif LR_ON_DEVICE
    return exp2f(x);
#else
    return r_exp_host(x * R(0.69314718055994530942));
#endif
}

/* exp(-x^2) for y = R_GAUSS_UNIT x: a power of two on a device. */
#if LR_ON_DEVICE
#define R_GAUSS_UNIT R(1.20112240878644984) /* sqrt(log2 e) */
#else
#define R_GAUSS_UNIT R(1)
#endif
LR_FN real r_gauss(real y)
{
#if LR_ON_DEVICE
    return r_exp2(-y * y);
#else
    return r_exp(-y * y);
#endif
}

/* exp(-x) in double in either working precision, for sums that must not drift. */
LR_FN double r_exp_minus_wide(double x)
{
    return exp(-x);
}

LR_FN real r_log(real x)
{
#if LR_ON_DEVICE && defined(LR_REAL_DOUBLE)
    return log(x);
#elif LR_ON_DEVICE
    return __logf(x);
#else
    return r_log_host(x);
#endif
}

LR_FN real r_sqrt(real x)
{
#ifdef LR_REAL_DOUBLE
    return sqrt(x);
#else
    return sqrtf(x); /* approximate on a device: built with -prec-sqrt=false */
#endif
}

LR_FN real r_abs(real x)
{
#ifdef LR_REAL_DOUBLE
    return fabs(x);
#else
    return fabsf(x);
#endif
}

LR_FN real r_div(real a, real b)
{
#if LR_ON_DEVICE && !defined(LR_REAL_DOUBLE)
    return __fdividef(a, b);
#else
    return a / b;
#endif
}

LR_FN real r_min(real a, real b)
{
    return a < b ? a : b;
}
LR_FN real r_max(real a, real b)
{
    return a > b ? a : b;
}

/* Linear interpolation; `part` is 0 .. 1. */
LR_FN real r_between(real from, real to, real part)
{
    return from + (to - from) * part;
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
    const real q = r_round(R(4) * u);
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
