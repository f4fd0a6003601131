/* Kernels that extrapolate level populations from the last iterates. Included by cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_EXTRAPOLATE_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_EXTRAPOLATE_CUH

#include "backend/cuda/cuda_level_rates.cuh"
#include "kernel/extrapolation.h"

namespace
{

/* Number of iterates kept besides the newest one, order of the extrapolation, and number of its sums. */
enum { N_PAST = LEVEL_LEAST_PAST, N_CHANGE = N_PAST - 1, N_SUM = N_CHANGE * (N_CHANGE + 3) / 2 };

/* Newest first. */
struct iterates {
    const double *x[N_PAST + 1];
};

/* Iterates of one population. */
struct history {
    double x[N_PAST + 1];
};

__device__ __forceinline__ struct history gather_iterates(const struct iterates &it, int64_t i)
{
    struct history here;
#pragma unroll
    for (int j = 0; j <= N_PAST; j++)
        here.x[j] = it.x[j][i];
    return here;
}

/* The sums of extrapolation.h over all populations that matter. */
__global__ void ng_sum_kernel(int64_t count, const __grid_constant__ struct iterates it, double *sums)
{
    double sum[N_SUM] = {0.0};
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (int64_t)gridDim.x * blockDim.x) {
        const struct history here = gather_iterates(it, i);
        if (!(here.x[0] < LEVEL_MATTERS))
            extrapolation_add(N_CHANGE, here.x, sum);
    }
    __syncwarp();
#pragma unroll
    for (int s = 0; s < N_SUM; s++) {
        const double total = warp_sum(sum[s]);
        if (threadIdx.x % WARP == 0)
            atomicAdd(&sums[s], total);
    }
}

struct guess_weights {
    double of[N_PAST];
};

__device__ __forceinline__ double ng_guess(const struct iterates &it, int64_t i, const struct guess_weights &weight)
{
    return extrapolation_guess(N_CHANGE, weight.of, gather_iterates(it, i).x);
}

/* One thread per cell; keeps the newest populations if a line would be inverted. `guess` may be the oldest iterate. */
__global__ void ng_kernel(int64_t n_cell, int n, int n_line, const struct rate_line *lines,
                          const __grid_constant__ struct iterates it,
                          const __grid_constant__ struct guess_weights weight, double *guess)
{
    const int64_t cell = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= n_cell)
        return;
    bool keep = false;
    for (int l = 0; l < n_line; l++) {
        const struct rate_line line = lines[l];
        const int64_t lower = cell * n + line.lower;
        const int64_t upper = cell * n + line.upper;
        keep = keep || extrapolation_inverts(line.weight_ratio, it.x[0][lower], it.x[0][upper],
                                             ng_guess(it, lower, weight), ng_guess(it, upper, weight));
    }
    double sum = 0.0;
    for (int64_t i = cell * n; i < (cell + 1) * n; i++)
        sum += keep ? 0.0 : ng_guess(it, i, weight);
    for (int64_t i = cell * n; i < (cell + 1) * n; i++)
        guess[i] = keep ? it.x[0][i] : ng_guess(it, i, weight) / sum;
}

__global__ void retreat_kernel(int64_t count, double part, const double *before, const double *guess, double *x)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = extrapolation_retreat(before[i], guess[i], part);
}

} // namespace

#endif
