/* Profiles of lines over a band of frequencies, written as Doppler shifts: vector loops. Included by cpu_levels.c, once
 * per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_PROFILE_H
#define LR_BACKEND_CPU_CPU_LEVEL_PROFILE_H

#include "kernel/level_transfer.h"

struct band {
    int n;
    real first, step;
};

struct interval {
    int low, high; /* [low, high) */
};

/* Frequencies within |x| < reach of a line whose velocity goes from v0 to v1. */
static struct interval line_interval(struct band band, real v0, real v1, real inv_b, real reach)
{
    const real width = r_div(reach, inv_b);
    const real low = (r_min(v0, v1) - width - band.first) / band.step;
    const real high = (r_max(v0, v1) + width - band.first) / band.step;
    struct interval interval;
    interval.low = low > R(0) ? (int)r_min(low, (real)band.n) : 0;
    interval.high = high < (real)(band.n - 1) ? (int)r_max(high + R(1), R(0)) : band.n;
    return interval;
}

/* Mean of exp(-x^2) over that way, at these frequencies. */
static void fill_profile(struct band band, real v0, real v1, real inv_b, struct interval at, real *profile)
{
    const int panels = profile_panels(v0, v1, inv_b);
    const real x0 = (band.first - v0) * inv_b;
    const real step = band.step * inv_b;
    if (panels == 0) {
#pragma omp simd
        for (int f = at.low; f < at.high; f++) {
            const real x = x0 + step * (real)f;
            profile[f] = r_exp(-x * x);
        }
        return;
    }
    const real part = (v0 - v1) * inv_b / (real)panels;
    const real scale = R(0.5) / (real)panels;
    for (int p = 0; p < panels; p++) {
        const real low = x0 + part * ((real)p + R(0.21132486540518711775));
        const real high = x0 + part * ((real)p + R(0.78867513459481288225));
#pragma omp simd
        for (int f = at.low; f < at.high; f++) {
            const real a = low + step * (real)f;
            const real b = high + step * (real)f;
            const real sum = (r_exp(-a * a) + r_exp(-b * b)) * scale;
            profile[f] = p == 0 ? sum : profile[f] + sum;
        }
    }
}

#endif
