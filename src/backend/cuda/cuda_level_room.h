/* Device memory for level populations: the layout of shared memory, and what is allocated. Included by
 * cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_ROOM_H
#define LR_BACKEND_CUDA_CUDA_LEVEL_ROOM_H

#include <algorithm>

#include "backend/cuda/cuda_level_state.h"

namespace
{

/* Allows a kernel the shared memory that light needs. */
bool allow_bytes(struct levels *levels, const void *kernel)
{
    return okay(&levels->device,
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)levels->light_bytes));
}

/* Divides the lines of a ray among warps and chooses the warps per block so that they fit into shared memory. */
bool plan_light(struct levels *levels, int most_bytes)
{
    struct light_pass *pass = &levels->pass;
    pass->stride = (levels->job.n_frequency + 3) / 4 * 4;
    pass->stride += pass->stride % 8 == 0 ? 4 : 0;
    const int fitting = std::max(LIGHT_ROOM / pass->stride / 4 * 4, 4);
    pass->lines_per_warp = std::max(std::min(fitting, level_alone_count(&levels->job)), 1);
    const size_t per_warp = (size_t)pass->lines_per_warp * (size_t)pass->stride * sizeof(real);
    levels->light_warps = (int)std::min<size_t>(LEVEL_WARPS, (size_t)most_bytes / per_warp);
    levels->light_bytes = (size_t)levels->light_warps * per_warp;
    const void *kernel = levels->dusty ? (const void *)light_kernel<true> : (const void *)light_kernel<false>;
    return levels->light_warps > 0 && allow_bytes(levels, kernel) && allow_bytes(levels, (const void *)star_kernel);
}

/* The same for lines that overlap. */
bool plan_blend(struct levels *levels, int number, int most_bytes)
{
    const struct level_blend *from = &levels->job.blend[number];
    struct blend_launch *blend = &(*levels->blends)[(size_t)number];
    struct device *device = &levels->device;
    const size_t per_warp = (size_t)blend_room_size(from->n, from->n_frequency) * sizeof(real);
    const size_t per_star = (size_t)BLEND_STAR_ROWS * (size_t)from->n_frequency * sizeof(real);
    blend->warps = (int)std::min<size_t>(LEVEL_WARPS, (size_t)most_bytes / per_warp);
    blend->bytes = (size_t)blend->warps * per_warp;
    blend->star_warps = (int)std::min<size_t>(LEVEL_WARPS, (size_t)most_bytes / per_star);
    blend->star_bytes = (size_t)blend->star_warps * per_star;
    levels->blend_bytes = std::max(levels->blend_bytes, blend->bytes);
    levels->blend_star_bytes = std::max(levels->blend_star_bytes, blend->star_bytes);
    okay(device, cudaFuncSetAttribute((const void *)blend_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)levels->blend_bytes));
    okay(device, cudaFuncSetAttribute((const void *)star_blend_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)levels->blend_star_bytes));
    return blend->warps > 0 && blend->star_warps > 0 && device->error == cudaSuccess;
}

/* Systems of rate equations are in shared memory, or in device memory if they are too large. */
bool plan_rates(struct levels *levels, int most_bytes)
{
    struct device *device = &levels->device;
    const size_t per_warp = (size_t)system_size(levels->job.n_level) * sizeof(double);
    const int fitting = (int)std::min<size_t>(LEVEL_WARPS, (size_t)most_bytes / per_warp);
    int processors = 1;
    int per_processor = 0;
    levels->rate_warps = fitting > 0 ? fitting : (int)LEVEL_WARPS;
    levels->rate_bytes = (size_t)fitting * per_warp;
    okay(device,
         cudaFuncSetAttribute(rate_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)levels->rate_bytes));
    okay(device, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, levels->number));
    okay(device, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, rate_kernel, levels->rate_warps * WARP,
                                                               levels->rate_bytes));
    const int64_t needed = (levels->job.n_cell + levels->rate_warps - 1) / levels->rate_warps;
    per_processor = fitting > 0 ? std::max(per_processor, 1) : 2;
    levels->rate_blocks = (unsigned)std::min<int64_t>(needed, (int64_t)per_processor * processors);
    return device->error == cudaSuccess;
}

size_t scratch_bytes(const struct levels *levels)
{
    return levels->rate_bytes > 0 ? 0
                                  : (size_t)levels->rate_blocks * (size_t)levels->rate_warps *
                                        (size_t)system_size(levels->job.n_level) * sizeof(double);
}

/* Bytes of device memory needed, without the rays. */
double memory_needed(const struct levels *levels, bool shines)
{
    const double cells = (double)levels->job.n_cell;
    const double levels_number = levels->job.n_level;
    const double per_line = sizeof(struct line_glow) + N_LANE * sizeof(struct line_light) + sizeof(struct light_sum) +
                            (shines ? sizeof(real) : 0) + (levels->job.n_star > 0 ? sizeof(double) : 0);
    const double per_cell = sizeof(struct gas_view) + (double)levels->job.n_star * sizeof(struct star_cell) +
                            3 * sizeof(double) + N_LANE * sizeof(real) + sizeof(float) + per_line * levels->job.n_line +
                            (N_PAST + 1) * levels_number * sizeof(double) +
                            levels_number * levels_number * sizeof(real);
    return cells * per_cell + (double)scratch_bytes(levels);
}

bool reserve(struct levels *levels, bool shines)
{
    struct device *device = &levels->device;
    const size_t cells = (size_t)levels->job.n_cell;
    const size_t level_number = (size_t)levels->job.n_level;
    levels->gas = (struct gas_view *)device_reserve(device, cells * sizeof *levels->gas);
    levels->strength = (double *)device_reserve(device, cells * sizeof *levels->strength);
    levels->most_gain = (double *)device_reserve(device, cells * sizeof *levels->most_gain);
    levels->dust = shines ? (real *)device_reserve(device, voxels(levels) * sizeof *levels->dust) : NULL;
    levels->rates = (real *)device_reserve(device, cells * level_number * level_number * sizeof *levels->rates);
    levels->glow = (struct line_glow *)device_copy(device, voxels(levels) * sizeof *levels->glow, NULL);
    levels->light = (struct light_sum *)device_copy(device, voxels(levels) * sizeof *levels->light, NULL);
    levels->seen = (double *)device_copy(device, cells * sizeof *levels->seen, NULL);
    levels->star =
        levels->job.n_star > 0 ? (double *)device_reserve(device, voxels(levels) * sizeof *levels->star) : NULL;
    levels->residual = (float *)device_copy(device, cells * sizeof *levels->residual, NULL);
    levels->sums = (double *)device_copy(device, N_SUM * sizeof *levels->sums, NULL);
    levels->x = (double *)device_copy(device, populations(levels) * sizeof *levels->x, NULL);
    for (int i = 0; i < N_PAST; i++)
        levels->past[i] = (double *)device_copy(device, populations(levels) * sizeof *levels->x, NULL);
    levels->scratch = scratch_bytes(levels) > 0 ? (double *)device_reserve(device, scratch_bytes(levels)) : NULL;
    for (struct lane &lane : levels->lane) {
        lane.light = (struct line_light *)device_copy(device, voxels(levels) * sizeof *lane.light, NULL);
        lane.length = (real *)device_copy(device, cells * sizeof *lane.length, NULL);
        okay(device, cudaStreamCreate(&lane.stream));
        okay(device, cudaEventCreateWithFlags(&lane.done, cudaEventDisableTiming));
    }
    return device->error == cudaSuccess;
}

} // namespace

#endif
