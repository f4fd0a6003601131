/* Warps, and profiles of lines along half a cell, for the kernels of level populations. Included by cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_PROFILE_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_PROFILE_CUH

#include "backend/backend.h"
#include "kernel/level_rates.h"
#include "kernel/level_transfer.h"
#include "kernel/ray.h"

namespace
{

enum { WARP = 32, LEVEL_WARPS = 4 }; /* threads; warps of a block at most */
#define WHOLE_WARP 0xffffffffu

extern __shared__ double level_room[];

/* What rays need of a cell. */
struct LR_ALIGNED(32) gas_cell {
    real inv_b;
    real v[3];
    real kappa;
    real has_gas; /* 1 or 0 */
    real unused[2];
};

/* What all rays have in common; passed by value. */
struct light_pass {
    struct mesh_view mesh;
    const struct gas_cell *gas;
    const struct line_glow *glow; /* [n_cell][n_line] */
    const real *dust;             /* [n_cell][n_line], or NULL */
    const real *background;       /* [n_line] */
    int n_line, n_frequency;
    real first, step, inv_step; /* frequencies */
    real least_depth;           /* of half a cell, in inversions */
    int lines_per_warp;         /* blockIdx.y counts such parts */
    int stride;                 /* from line to line in shared memory: an odd multiple of 4, so that no banks collide */
};

/* Rays of one direction, and where they record. */
struct beam {
    struct point3 direction;
    const struct level_ray *ray;
    int64_t n_ray;
    struct light *light; /* [n_cell][n_line] */
    real *length;        /* [n_cell] */
};

/* exp(-x^2) of y = SQRT_LOG2_E x. */
#define SQRT_LOG2_E R(1.20112240878644984)
__device__ __forceinline__ real gauss(real y)
{
    return r_exp2(-y * y);
}

/* The profile along half a cell, in which the projected velocity changes evenly: the mean over `panels` of two nodes
 * each (profile_mean). In y = SQRT_LOG2_E x, for frequency f. */
struct slide {
    real low, high; /* the nodes of the first panel, at f = 0 */
    real step;      /* from f to f + 1 */
    real part;      /* from panel to panel */
    int panels;     /* 0: the velocity does not change */
};

/* At one velocity. */
__device__ __forceinline__ struct slide slide_at(const struct light_pass &pass, real v, real inv_b)
{
    const real scale = SQRT_LOG2_E * inv_b;
    struct slide slide;
    slide.step = pass.step * scale;
    slide.low = slide.high = (pass.first - v) * scale;
    slide.part = R(0);
    slide.panels = 0;
    return slide;
}

__device__ __forceinline__ struct slide slide_over(const struct light_pass &pass, real v0, real v1, real inv_b)
{
    struct slide slide = slide_at(pass, v0, inv_b);
    slide.panels = profile_panels(v0, v1, inv_b);
    slide.part = r_div((v0 - v1) * (SQRT_LOG2_E * inv_b), (real)(slide.panels > 1 ? slide.panels : 1));
    slide.high += slide.part * R(0.78867513459481288225);
    slide.low += slide.part * R(0.21132486540518711775);
    return slide;
}

/* How many panels the profile takes in both halves of a span. */
enum motion { STILL, GENTLE, FAST }; /* none, one, more */

/* Sum over the nodes: two per panel. */
template <enum motion MOTION>
__device__ __forceinline__ real slide_sum(const struct slide &slide, real f)
{
    const real low = slide.low + slide.step * f;
    const real high = slide.high + slide.step * f;
    real sum = gauss(low) + gauss(high);
    if (MOTION == FAST) {
        LR_NO_UNROLL
        for (int p = 1; p < slide.panels; p++)
            sum += gauss(low + slide.part * (real)p) + gauss(high + slide.part * (real)p);
    }
    return sum;
}

/* Turns that sum into a mean. */
__device__ __forceinline__ real slide_scale(const struct slide &slide)
{
    return slide.panels > 1 ? r_div(R(0.5), (real)slide.panels) : R(0.5);
}

} // namespace

#endif
