/* Kernels for the rate equations of level populations (kernel/level_solve.h), one warp per cell. Included by
 * cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_RATES_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_RATES_CUH

#include "backend/cuda/cuda_level_pass.cuh"
#include "kernel/level_rates.h"
#include "kernel/level_solve.h"

namespace
{

struct rate_line {
    int upper, lower;
    double a_ul, weight_ratio, opacity, background;
};

/* Opacity and source function, one thread per cell and line. */
__global__ void glow_kernel(int64_t n_cell, int n_level, int n_line, const struct rate_line *lines, const double *x,
                            const double *strength, const double *most_gain, struct line_glow *glow)
{
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n_cell * n_line)
        return;
    const int64_t cell = at / n_line;
    const struct rate_line line = lines[at - cell * n_line];
    glow[at] = line_glow_of(x[cell * n_level + line.upper], x[cell * n_level + line.lower], line.weight_ratio,
                            strength[cell] * line.opacity, most_gain[cell]);
}

struct rate_pass {
    int64_t n_cell;
    int n_level, n_line;
    const struct rate_line *line;
    const struct gas_view *gas;
    const real *rates;             /* [n_cell][n_level][n_level] of collisions */
    const struct light_sum *light; /* [n_cell][n_line] */
    const double *seen;
    const double *star; /* [n_cell][n_line], or NULL */
    const double *old;
    double *x;
    float *residual;
    double *change;  /* largest, sum of squares, number */
    double *scratch; /* one system per warp if shared memory is too small; or NULL */
};

/* Size of the system of one warp: the matrix, with an odd stride to avoid bank conflicts, and x. */
__host__ __device__ __forceinline__ int system_stride(int n_level)
{
    return n_level | 1;
}
__host__ __device__ __forceinline__ int64_t system_size(int n_level)
{
    return (int64_t)n_level * (system_stride(n_level) + 1);
}

__device__ __forceinline__ double warp_sum(double value)
{
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        value += __shfl_xor_sync(WHOLE_WARP, value, offset);
    return value;
}

__device__ __forceinline__ double warp_max(double value)
{
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        value = fmax(value, __shfl_xor_sync(WHOLE_WARP, value, offset));
    return value;
}

/* level_take_out() by a warp: threads share the k x k elements, as many rows at a time as fit. share[k] is scratch. */
__device__ void warp_take_out(int k, int stride, double *rates, double *share)
{
    const int lane = (int)threadIdx.x % WARP;
    double *row = rates + (int64_t)k * stride;
    double part = 0.0;
    for (int j = lane; j < k; j += WARP)
        part += row[j];
    const double leave = warp_sum(part);
    if (lane == 0)
        row[k] = leave;
    if (leave > 0.0) {
        for (int i = lane; i < k; i += WARP)
            share[i] = level_hand_on(rates[(int64_t)i * stride + k], leave);
        __syncwarp();
        const int width = k > 16 ? 32 : k > 8 ? 16 : k > 4 ? 8 : 4;
        for (int i = lane / width; i < k; i += WARP / width)
            for (int j = lane % width; j < k; j += width)
                rates[(int64_t)i * stride + j] += share[i] * row[j];
    }
    __syncwarp();
}

/* level_put_back() by a warp: as soon as x[k] is known, its flow is added to all higher levels, whose x accumulates the
 * inflow until it is their turn. */
__device__ void warp_put_back(int n, int stride, const double *rates, double *x)
{
    const int lane = (int)threadIdx.x % WARP;
    for (int j = lane; j < n; j += WARP)
        x[j] = 0.0;
    __syncwarp();
    for (int k = 0; k < n; k++) {
        const struct level_filled level =
            k > 0 ? level_fill(x[k], rates[(int64_t)k * stride + k]) : level_fill(1.0, 1.0);
        __syncwarp(); /* all have read x[k] */
        for (int j = lane; j < n; j += WARP) {
            const double scaled = level.scale * x[j];
            x[j] = j < k ? scaled : j == k ? level.x : scaled + level.x * rates[(int64_t)k * stride + j];
        }
        __syncwarp();
    }
}

__device__ void warp_normalise(int n, double *x)
{
    const int lane = (int)threadIdx.x % WARP;
    double part = 0.0;
    for (int j = lane; j < n; j += WARP)
        part += x[j];
    const double sum = warp_sum(part);
    for (int j = lane; j < n; j += WARP)
        x[j] /= sum;
}

/* Rates of one cell: collisions and radiation (level_rates.h). */
__device__ void warp_fill(const struct rate_pass &pass, int64_t cell, int stride, double *rates)
{
    const int lane = (int)threadIdx.x % WARP;
    const int n = pass.n_level;
    const real *collisions = pass.rates + cell * n * n;
    for (int at = lane; at < n * n; at += WARP)
        rates[(int64_t)(at / n) * stride + at % n] = (double)collisions[at];
    __syncwarp();
    const double seen = pass.seen[cell];
    for (int l = lane; l < pass.n_line; l += WARP) {
        const struct rate_line line = pass.line[l];
        const int64_t at = cell * pass.n_line + l;
        const struct light_sum mean = light_mean(pass.light[at], seen, line.background);
        const struct line_rates add =
            line_rates_of(line.a_ul, line.weight_ratio, mean, pass.star ? pass.star[at] : 0.0);
        atomicAdd(&rates[(int64_t)line.upper * stride + line.lower], add.down);
        atomicAdd(&rates[(int64_t)line.lower * stride + line.upper], add.up);
    }
    __syncwarp();
}

/* Whether all rates between different levels are finite; the solution would hide those that are not. */
__device__ bool warp_finds_finite(int n, int stride, const double *rates)
{
    double part = 0.0;
    for (int at = (int)threadIdx.x % WARP; at < n * n; at += WARP)
        part += at / n == at % n ? 0.0 : rates[(int64_t)(at / n) * stride + at % n];
    return isfinite(warp_sum(part));
}

/* Writes the new populations. `tally` sums the changes of one thread, but has the largest change of the whole warp. */
__device__ void warp_finish(const struct rate_pass &pass, int64_t cell, const double *x, struct change_tally &tally)
{
    const int lane = (int)threadIdx.x % WARP;
    const int n = pass.n_level;
    const double largest = tally.largest;
    tally.largest = 0.0;
    for (int i = lane; i < n; i += WARP) {
        pass.x[cell * n + i] = x[i];
        if (!(x[i] < LEVEL_MATTERS)) /* NaN counts too, so that it is noticed */
            tally = change_tally_add(tally, x[i], pass.old[cell * n + i]);
    }
    const double most = warp_max(tally.largest);
    if (lane == 0)
        pass.residual[cell] = (float)most;
    tally.largest = fmax(largest, most);
}

__device__ void add_tally(const struct change_tally &tally, double *change)
{
    const double square = warp_sum(tally.square);
    const double count = warp_sum(tally.count);
    if (threadIdx.x % WARP != 0)
        return;
    /* non-negative doubles sort like their bits */
    atomicMax((unsigned long long *)&change[0], (unsigned long long)__double_as_longlong(tally.largest));
    atomicAdd(&change[1], square);
    atomicAdd(&change[2], count);
}

/* New populations; the warps take cells in turn. */
__global__ void __launch_bounds__(LEVEL_WARPS *WARP) rate_kernel(const __grid_constant__ struct rate_pass pass)
{
    const int lane = (int)threadIdx.x % WARP;
    const int n = pass.n_level;
    const int stride = system_stride(n);
    const int warps = (int)blockDim.x / WARP;
    const int warp = (int)threadIdx.x / WARP;
    const int64_t first = (int64_t)blockIdx.x * warps + warp;
    double *rates = pass.scratch ? pass.scratch + first * system_size(n) : level_room + warp * system_size(n);
    double *x = rates + (int64_t)n * stride;
    struct change_tally tally = {0.0, 0.0, 0.0};
    for (int64_t cell = first; cell < pass.n_cell; cell += (int64_t)gridDim.x * warps) {
        if (!(pass.gas[cell].has_gas > R(0))) {
            for (int i = lane; i < n; i += WARP)
                pass.x[cell * n + i] = pass.old[cell * n + i];
            if (lane == 0)
                pass.residual[cell] = 0.0f;
            continue;
        }
        warp_fill(pass, cell, stride, rates);
        const bool finite = warp_finds_finite(n, stride, rates);
        for (int k = n - 1; k > 0; k--)
            warp_take_out(k, stride, rates, x);
        warp_put_back(n, stride, rates, x);
        warp_normalise(n, x);
        __syncwarp();
        if (!finite && lane == 0)
            x[0] = (double)NAN; /* for the host to find */
        __syncwarp();
        warp_finish(pass, cell, x, tally);
        __syncwarp();
    }
    add_tally(tally, pass.change);
}

} // namespace

#endif
