/* Kernels for the extrapolation of level populations from the last iterates. Included by cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_EXTRAPOLATE_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_EXTRAPOLATE_CUH

#include "backend/cuda/cuda_level_rates.cuh"

namespace
{

/* Iterates, the newest first. */
struct iterates {
    const double *x0, *x1, *x2, *x3;
};

/* The sums of extrapolation.h for two past changes, weighted as by the CPU backend. */
__global__ void ng_sum_kernel(int64_t count, struct iterates it, double *sums)
{
    double sum[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (int64_t)gridDim.x * blockDim.x) {
        const double x0 = it.x0[i];
        if (x0 < LEVEL_MATTERS)
            continue;
        const double x1 = it.x1[i];
        const double x2 = it.x2[i];
        const double weight = 1 / sqrt(x0);
        const double q1 = (x0 - 2 * x1 + x2) * weight;
        const double q2 = (x0 - x1 - x2 + it.x3[i]) * weight;
        const double q3 = (x0 - x1) * weight;
        sum[0] += q1 * q1;
        sum[1] += q1 * q2;
        sum[2] += q2 * q2;
        sum[3] += q1 * q3;
        sum[4] += q2 * q3;
    }
    __syncwarp();
    for (int s = 0; s < 5; s++) {
        const double total = warp_sum(sum[s]);
        if (threadIdx.x % WARP == 0)
            atomicAdd(&sums[s], total);
    }
}

__device__ __forceinline__ double ng_guess(const struct iterates &it, int64_t i, double a, double b)
{
    const double x0 = it.x0[i];
    const double guess = (1 - a - b) * x0 + a * it.x1[i] + b * it.x2[i];
    return guess > 0.1 * x0 && guess < 10 * x0 ? guess : x0;
}

/* (1 - a - b) x0 + a x1 + b x2 within a factor of ten, one thread per cell; x0 where that inverts a line. `guess` may
 * be x3. */
__global__ void ng_kernel(int64_t n_cell, int n, int n_line, const struct rate_line *lines, struct iterates it,
                          double a, double b, double *guess)
{
    const int64_t cell = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= n_cell)
        return;
    bool keep = false;
    for (int l = 0; l < n_line; l++) {
        const struct rate_line line = lines[l];
        const int64_t lower = cell * n + line.lower;
        const int64_t upper = cell * n + line.upper;
        keep = keep || (line.weight_ratio * ng_guess(it, lower, a, b) <= ng_guess(it, upper, a, b) &&
                        line.weight_ratio * it.x0[lower] > it.x0[upper]);
    }
    double sum = 0.0;
    for (int64_t i = cell * n; i < (cell + 1) * n; i++)
        sum += keep ? 0.0 : ng_guess(it, i, a, b);
    for (int64_t i = cell * n; i < (cell + 1) * n; i++)
        guess[i] = keep ? it.x0[i] : ng_guess(it, i, a, b) / sum;
}

__global__ void retreat_kernel(int64_t count, double part, const double *before, const double *guess, double *x)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        x[i] = before[i] + part * (guess[i] - before[i]);
}

} // namespace

#endif
