/* Line profiles (kernel/level_profile.h) over many frequencies, in vector loops. Included by cpu_levels.c, once per
 * precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_PROFILE_H
#define LR_BACKEND_CPU_CPU_LEVEL_PROFILE_H

#include "kernel/level_profile.h"

/* The mean profile at these frequencies while the velocity changes from v0 to v1. */
static void fill_profile(const struct band *band, real v0, real v1, real inv_b, struct interval at, real *profile)
{
    const struct slide slide = slide_over(band, v0, v1, inv_b);
    const real scale = slide_scale(&slide);
    if (slide.panels == 0) {
#pragma omp simd
        for (int f = at.low; f < at.high; f++)
            profile[f] = slide_still(&slide, (real)f);
        return;
    }
    for (int p = 0; p < slide.panels; p++) {
#pragma omp simd
        for (int f = at.low; f < at.high; f++) {
            const real part = scale * slide_panel(&slide, (real)f, p);
            profile[f] = p == 0 ? part : profile[f] + part;
        }
    }
}

#endif
