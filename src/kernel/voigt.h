/* The line profile: Hjerting function H(a,x) = (a/pi) INT exp(-y^2) / ((x-y)^2 + a^2) dy = Re w(x + ia), not
 * normalised: INT H dx = sqrt(pi). a is the damping parameter, x the frequency offset in Doppler widths
 * (docs/physics.md).
 *
 * voigt_narrow, 0 <= a <= LR_VOIGT_NARROW_MAX, with s = a^2, t = x^2, u = 1/(t + c):
 *     H = exp(s-t) (1 + k s t + a [G(t) + s K(t)])  +  a u (1/sqrt(pi) + u [P(u) + s Q(u)])
 * the even part exp(s-t) cos(2ax) and the odd part a H1 + a^3 H3 + ... of Harris (1948, ApJ 108, 112); the odd part is
 * never formed as 1 - 2xF(x), which cancels. At a = 0 it is exp(-x^2).
 *
 * voigt_broad, a >= LR_VOIGT_NARROW_MAX, with p = a - ix, q = 2L/(p + L), Z = q - 1 (Weideman 1994, SIAM J. Numer.
 * Anal. 31, 1497, with minimax coefficients and the two leading terms in closed form):
 *     H = Re[(q + q^2/2) / (2 L sqrt(pi)) + q^3 B(Z)]
 *
 * Both have the exact wing a/(sqrt(pi) x^2). Coefficients: docs/derivations/voigt_fit.py. Largest relative error,
 * single precision, |x| <= 1e5 (tests/unit/test_voigt.c): narrow 1.3e-5 for a in 1e-12..0.1, broad 1.8e-5 for a in
 * 0.1..10. The function is due to Hjerting, F. 1938, ApJ 88, 508. */
#ifndef LR_KERNEL_VOIGT_H
#define LR_KERNEL_VOIGT_H

#include "kernel/portable.h"
#include "kernel/real.h"

#define LR_VOIGT_NARROW_MAX R(0.1)

/* Limit of t in exp(-t): beyond it the result is not a normal number, and the vector exponential becomes slow. */
#define LR_VOIGT_T_MAX R(sizeof(real) == sizeof(double) ? 700 : 87)

LR_FN real voigt_narrow(real a, real x)
{
    const real s = a * a;
    const real t = x * x;
    const real t_core = r_min(t, LR_VOIGT_T_MAX);
    const real u = r_div(R(1), t + R(6.7));

    const real core_1 =
        R(-3.36618456) + t_core * (R(0.673071681) + t_core * (R(0.00031521698) + t_core * R(0.00333750248)));
    const real core_3 =
        R(3.05695937) + t_core * (R(1.79932033) + t_core * (R(-0.14160518) + t_core * R(-0.0413295233)));
    const real core = R(1) + s * t_core * R(-2.02913946) + a * (core_1 + s * core_3);

    const real wing_1 =
        R(4.62600311) +
        u * (R(39.5819055) +
             u * (R(196.661158) +
                  u * (R(11840.4724) + u * (R(-241928.51) + u * (R(3905294.17) + u * R(-11471500.4))))));
    const real wing_3 = R(-0.994578362) + u * (R(29.3057791) + u * R(-1029.47866));
    const real wing = R_INV_SQRT_PI + u * (wing_1 + s * wing_3);

    return r_exp(s - t_core) * core + a * u * wing;
}

/* B(Z) by Goertzel's algorithm: division by Z^2 - r Z - n, whose roots are Z and its conjugate, keeps the arithmetic
 * real and leaves B = b1 Z + b0. In the first bracket the terms in L x^2 cancel exactly:
 *
 *     Re[(q + q^2/2)/2L] = ((a+L)^2 (a+2L) + a x^2) / ((a+L)^2 + x^2)^2. */
LR_FN real voigt_broad(real a, real x)
{
    const real pole = R(3.3);
    const real t = x * x;
    const real d = a + pole;
    const real inv = r_div(R(1), d * d + t);
    const real q_re = R(2) * pole * d * inv;
    const real q_abs2 = R(4) * pole * pole * inv;
    const real r = R(2) * q_re - R(2);
    const real n = r + R(1) - q_abs2;

    const real b12 = R(-5.2284922e-07);
    const real b11 = R(-1.49623902e-06) + r * b12;
    const real b10 = R(4.25517583e-07) + r * b11 + n * b12;
    const real b9 = R(7.5014092e-06) + r * b10 + n * b11;
    const real b8 = R(2.41918547e-06) + r * b9 + n * b10;
    const real b7 = R(-5.54884723e-05) + r * b8 + n * b9;
    const real b6 = R(-0.000130928858) + r * b7 + n * b8;
    const real b5 = R(0.000144293762) + r * b6 + n * b7;
    const real b4 = R(0.00172713408) + r * b5 + n * b6;
    const real b3 = R(0.00600744734) + r * b4 + n * b5;
    const real b2 = R(0.013941908) + r * b3 + n * b4;
    const real b1 = R(0.0248309015) + r * b2 + n * b3;
    const real b0 = R(0.0357823949) + n * b2;

    const real q2_re = R(2) * q_re * q_re - q_abs2;
    const real q3_re = R(2) * q_re * q2_re - q_abs2 * q_re;
    const real q4_re = R(2) * q_re * q3_re - q_abs2 * q2_re;
    const real leading = (d * d * (d + pole) + a * t) * inv * inv;
    return R_INV_SQRT_PI * leading + b1 * q4_re + (b0 - b1) * q3_re;
}

/* H(a,x), a in 0..10. Vector loops call the branch they need instead. */
LR_FN real voigt(real a, real x)
{
    return a <= LR_VOIGT_NARROW_MAX ? voigt_narrow(a, x) : voigt_broad(a, x);
}

/* x0 > 0 beyond which exp(-x^2) stays below a/(sqrt(pi)(x^2+a^2)); in double, once per cell.
 *
 * With y = x^2 + a^2 it is the larger root of y - log y = a^2 + log(sqrt(pi)/a). The right side is at least 1.41 and
 * the left side has its minimum 1 at y = 1, so this root exists for every a > 0 (the other one, where it exists, is the
 * Lorentz peak at |x| < a^(1/2)). Newton's method on a convex function from above: log y <= y/2 + log 2 - 1 gives the
 * start, and five steps reach rounding for a in 1e-12..10. At a = 0 there is no crossing: infinity. */
LR_FN double voigt_crossing(double a)
{
    if (!(a > 0)) {
        return HUGE_VAL;
    }
    const double log_ratio = 0.57236494292470008707 - log(a); /* log(sqrt(pi)/a) */
    const double rhs = a * a + log_ratio;
    double y = 2 * rhs - 0.61370563888010937;
    for (int step = 0; step < 5; step++) {
        y = y * (rhs - 1 + log(y)) / (y - 1);
    }
    return sqrt(log_ratio + log(y));
}

/* The crude profile of mode approximate-voigt: (1-w) exp(-x^2) + w a/(sqrt(pi)(x^2+a^2)), w = [1+tanh(2|x|-2 x0)]/2 =
 * 1/(1 + exp(4(x0-|x|))), x0 = voigt_crossing(a). Compared with H it is 50 to 60 % low at x0 for a <= 0.1 (where both
 * parts matter, it takes half of each), too high in the core by about a, and since w > 0 at x = 0 the Lorentz peak
 * 1/(sqrt(pi) a) leaks through: below a = 1e-9 it exceeds the Gaussian at |x| < a. */
LR_FN real voigt_tanh_blend(real a, real x, real x0)
{
    const real t = x * x;
    const real distance = t + a * a;
    const real lorentz = distance > 0 ? r_div(R_INV_SQRT_PI * a, distance) : R(0);
    const real odds = r_exp(r_max(r_min(R(4) * (x0 - r_abs(x)), R(40)), R(-40))); /* (1-w)/w */
    return r_div(odds * r_exp(-r_min(t, LR_VOIGT_T_MAX)) + lorentz, R(1) + odds);
}

#endif
