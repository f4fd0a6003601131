/* Warps, and the data that the kernels for level populations read. Included by cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_PASS_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_PASS_CUH

#include "backend/backend.h"
#include "kernel/level_profile.h"
#include "kernel/level_rates.h"
#include "kernel/level_transfer.h"
#include "kernel/level_way.h"

namespace
{

enum { WARP = 32, LEVEL_WARPS = 4 }; /* threads of a warp; warps of a block, at most */
#define WHOLE_WARP 0xffffffffu

extern __shared__ double level_room[];

/* What all rays have in common; passed by value. */
struct light_pass {
    struct mesh_view mesh;
    const struct gas_view *gas;
    const struct line_glow *glow; /* [n_cell][n_line] */
    const real *dust;             /* [n_cell][n_line], or NULL */
    const real *background;       /* [n_line] */
    int n_line;                   /* between cells */
    int n_alone;                  /* the first of them, which overlap with none */
    struct band band;
    real least_depth;   /* inversion limit of half a cell */
    int lines_per_warp; /* blockIdx.y counts these groups of lines */
    int stride;         /* between lines in shared memory: an odd multiple of 4, to avoid bank conflicts */
};

/* Rays of one direction, and where they record. */
struct beam {
    struct point3 direction;
    const struct level_ray *ray;
    int64_t n_ray;
    struct line_light *light; /* [n_cell][n_line] */
    real *length;             /* [n_cell] */
};

} // namespace

#endif
