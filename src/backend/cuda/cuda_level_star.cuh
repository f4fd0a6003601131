/* Kernel for direct starlight (kernel/level_star.h), one warp per cell: it follows the light from the star to the cell
 * for all its lines, whose depths are in shared memory, [line][frequency]. Included by cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_STAR_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_STAR_CUH

#include "backend/cuda/cuda_level_light.cuh"
#include "kernel/level_star.h"

namespace
{

/* What a cell sees of a star. */
struct LR_ALIGNED(2 * sizeof(real)) star_cell {
    real dilution, length;
};

struct star_pass {
    struct point3 point;
    int64_t n_cell;
    const struct star_cell *cell; /* [n_cell] */
    const struct star_line *line; /* [n_line] */
    double *light;                /* [n_cell][n_line], sum over the stars so far */
};

/* The lines of a warp. */
struct star_desk {
    int first, n;
    real *depth; /* [n][stride], from the star so far */
    real grey;   /* the same for dust */
};

/* Frequencies at which the thickest of these lines matters, for velocities from v0 to v1. */
__device__ __forceinline__ struct interval star_reach(const struct light_pass &pass, const struct star_desk &desk,
                                                      int cell, real length, real v0, real v1, real inv_b)
{
    const struct line_glow *glow = pass.glow + (int64_t)cell * pass.n_line + desk.first;
    real depth = R(1);
    for (int l = (int)threadIdx.x % WARP; l < desk.n; l += WARP)
        depth = r_max(depth, r_abs(glow[l].alpha) * length);
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        depth = r_max(depth, __shfl_xor_sync(WHOLE_WARP, depth, offset));
    return line_interval(&pass.band, v0, v1, inv_b, profile_reach(depth));
}

/* Attenuates the light on the part of its path in one cell. */
__device__ void dim_star(const struct light_pass &pass, const struct star_pass &star, const struct visit &visit,
                         real v0, real v1, struct star_desk &desk)
{
    const real length = R(0.5) * visit.length;
    const struct line_glow *glow = pass.glow + (int64_t)visit.cell * pass.n_line + desk.first;
    desk.grey += visit.kappa * length;
    if (!visit.has_gas)
        return;
    const struct interval at = star_reach(pass, desk, visit.cell, length, v0, v1, visit.inv_b);
    const struct slide slide = slide_over(&pass.band, v0, v1, visit.inv_b);
    for (int f = at.low + (int)threadIdx.x % WARP; f < at.high; f += WARP) {
        const real piece = length * slide_scale(&slide) * slide_sum(&slide, (real)f, slide.panels);
        for (int l = 0; l < desk.n; l++) {
            real *depth = desk.depth + l * pass.stride + f;
            *depth = star_dim(*depth, glow[l].alpha * piece, star.line[desk.first + l].least);
        }
    }
    __syncwarp(); /* the next piece assigns the frequencies to other threads */
}

/* What the cell at the end sees, in all lines. */
__device__ void see_star(const struct light_pass &pass, const struct star_pass &star, const struct star_end &end,
                         const struct star_desk &desk)
{
    const struct visit &visit = end.visit;
    const struct star_cell seen = star.cell[visit.cell];
    const struct line_glow *glow = pass.glow + (int64_t)visit.cell * pass.n_line + desk.first;
    const struct interval at = star_reach(pass, desk, visit.cell, seen.length, end.v0, end.v1, visit.inv_b);
    const struct slide slide = slide_over(&pass.band, end.v0, end.v1, visit.inv_b);
    const real grey = visit.kappa * seen.length;
    for (int l = 0; l < desk.n; l++) {
        const struct star_line line = star.line[desk.first + l];
        struct record record = {R(0), R(0), R(0)};
        for (int f = at.low + (int)threadIdx.x % WARP; f < at.high; f += WARP) {
            const real profile = slide_scale(&slide) * slide_sum(&slide, (real)f, slide.panels);
            const real here = glow[l].alpha * seen.length * profile + grey;
            record.profile += profile;
            record.entering += profile * star_seen(desk.depth[l * pass.stride + f] + desk.grey, here, line.brightest);
        }
        record = group_sum(record, WARP);
        if (threadIdx.x % WARP == 0)
            star.light[(int64_t)visit.cell * pass.n_line + desk.first + l] +=
                star_light((double)seen.dilution, line.light, record.entering, record.profile);
    }
}

__device__ void shine_on_cell(const struct light_pass &pass, const struct star_pass &star, int target,
                              struct star_desk &desk)
{
    struct star_way way = star_way_to(&pass.mesh, star.point, target);
    while (star_way_goes_on(&way)) {
        const struct star_step step = star_way_next(&pass.mesh, pass.gas, target, &way);
        if (!step.counts)
            continue;
        if (step.last.cell >= 0)
            dim_star(pass, star, step.last, step.last.v, step.face.v_last, desk);
        if (step.arrives) {
            see_star(pass, star, star_end_at(&step), desk);
            return;
        }
        dim_star(pass, star, step.here, step.face.v_here, step.here.v, desk);
    }
    see_star(pass, star, star_end_beside(pass.gas, target, &way), desk);
}

/* blockDim.x / 32 cells per block; blockIdx.y counts groups of lines. As many blocks fit as of light_kernel. */
__global__ void __launch_bounds__(LEVEL_WARPS *WARP, LIGHT_BLOCKS_PER_SM)
    star_kernel(const __grid_constant__ struct light_pass pass, const __grid_constant__ struct star_pass star)
{
    const int warp = (int)threadIdx.x / WARP;
    const int64_t cell = (int64_t)blockIdx.x * (blockDim.x / WARP) + warp;
    if (cell >= star.n_cell || !(pass.gas[cell].has_gas > R(0)))
        return;
    struct star_desk desk;
    desk.first = (int)blockIdx.y * pass.lines_per_warp;
    desk.n = min(pass.lines_per_warp, pass.n_alone - desk.first);
    desk.depth = (real *)level_room + (size_t)warp * (size_t)(pass.lines_per_warp * pass.stride);
    desk.grey = R(0);
    for (int i = (int)threadIdx.x % WARP; i < desk.n * pass.stride; i += WARP)
        desk.depth[i] = R(0);
    __syncwarp();
    shine_on_cell(pass, star, (int)cell, desk);
}

} // namespace

#endif
