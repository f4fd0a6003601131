/* Kernels for the rate equations of level populations (kernel/level_solve.h), one warp per cell. Included by
 * cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_RATES_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_RATES_CUH

#include "backend/cuda/cuda_level_profile.cuh"

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
    const struct gas_cell *gas;
    const real *rates;             /* [n_cell][n_level][n_level] by collisions */
    const struct light_sum *light; /* [n_cell][n_line] */
    const double *seen;
    const double *star; /* [n_cell][n_line], or NULL */
    const double *old;
    double *x;
    float *residual;
    double *change;  /* largest, sum of squares, number */
    double *scratch; /* one system per warp where shared memory is too small; or NULL */
};

/* Numbers of the system of one warp: the matrix with rows at an odd distance, so that no banks collide, and x. */
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

/* level_take_out() by a warp: threads share the k x k elements, as many rows at once as fit. share[k] is scratch. */
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
        for (int i = lane; i < k; i += WARP) {
            const double into = rates[(int64_t)i * stride + k];
            share[i] = into > 0.0 ? into / leave : 0.0;
        }
        __syncwarp();
        const int width = k > 16 ? 32 : k > 8 ? 16 : k > 4 ? 8 : 4;
        for (int i = lane / width; i < k; i += WARP / width)
            for (int j = lane % width; j < k; j += width)
                rates[(int64_t)i * stride + j] += share[i] * row[j];
    }
    __syncwarp();
}

/* level_put_back() by a warp: as soon as x[k] is known, its molecules flow on to all levels above, whose x gathers what
 * flows in until it is their turn. */
__device__ void warp_put_back(int n, int stride, const double *rates, double *x)
{
    const int lane = (int)threadIdx.x % WARP;
    const double large = 1e150;
    for (int j = lane; j < n; j += WARP)
        x[j] = 0.0;
    __syncwarp();
    for (int k = 0; k < n; k++) {
        const double leave = k > 0 ? rates[(int64_t)k * stride + k] : 1.0;
        const double flow = k > 0 ? x[k] : 1.0;
        const bool is_trap = flow > 0.0 && !(leave > 1e-300 * flow);
        double here = is_trap ? 1.0 : flow > 0.0 ? flow / leave : 0.0;
        double scale = 1.0;
        if (is_trap || here > large) {
            scale = is_trap ? 0.0 : 1.0 / here;
            here = 1.0;
        }
        __syncwarp(); /* all have read x[k] */
        for (int j = lane; j < n; j += WARP) {
            const double scaled = scale * x[j];
            x[j] = j < k ? scaled : j == k ? here : scaled + here * rates[(int64_t)k * stride + j];
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

/* Rates of one cell: collisions, and radiation as add_radiation() of the CPU backend. */
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
        double entering = line.background;
        double lost = 1.0;
        if (seen > 0) {
            const struct light_sum light = pass.light[cell * pass.n_line + l];
            entering = light.entering / seen;
            lost = light.lost / seen;
        }
        if (pass.star)
            entering += pass.star[cell * pass.n_line + l];
        atomicAdd(&rates[(int64_t)line.upper * stride + line.lower], line.a_ul * (lost + entering));
        atomicAdd(&rates[(int64_t)line.lower * stride + line.upper], line.a_ul * line.weight_ratio * entering);
    }
    __syncwarp();
}

/* Changes seen by one thread. */
struct tally {
    double largest, square, count;
};

__device__ void warp_finish(const struct rate_pass &pass, int64_t cell, const double *x, struct tally &tally)
{
    const int lane = (int)threadIdx.x % WARP;
    const int n = pass.n_level;
    double most = 0.0;
    for (int i = lane; i < n; i += WARP) {
        const double now = x[i];
        pass.x[cell * n + i] = now;
        if (now < LEVEL_MATTERS)
            continue;
        const double relative = fabs(now - pass.old[cell * n + i]) / now;
        most = fmax(most, relative);
        tally.square += relative * relative;
        tally.count += 1.0;
    }
    most = warp_max(most);
    if (lane == 0)
        pass.residual[cell] = (float)most;
    tally.largest = fmax(tally.largest, most);
}

__device__ void add_tally(const struct tally &tally, double *change)
{
    const double square = warp_sum(tally.square);
    const double count = warp_sum(tally.count);
    if (threadIdx.x % WARP != 0)
        return;
    /* doubles that are not negative have the order of their bits */
    atomicMax((unsigned long long *)&change[0], (unsigned long long)__double_as_longlong(tally.largest));
    atomicAdd(&change[1], square);
    atomicAdd(&change[2], count);
}

/* New populations; each warp takes every so manieth cell. */
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
    struct tally tally = {0.0, 0.0, 0.0};
    for (int64_t cell = first; cell < pass.n_cell; cell += (int64_t)gridDim.x * warps) {
        if (!(pass.gas[cell].has_gas > R(0))) {
            for (int i = lane; i < n; i += WARP)
                pass.x[cell * n + i] = pass.old[cell * n + i];
            if (lane == 0)
                pass.residual[cell] = 0.0f;
            continue;
        }
        warp_fill(pass, cell, stride, rates);
        for (int k = n - 1; k > 0; k--)
            warp_take_out(k, stride, rates, x);
        warp_put_back(n, stride, rates, x);
        warp_normalise(n, x);
        warp_finish(pass, cell, x, tally);
        __syncwarp();
    }
    add_tally(tally, pass.change);
}

} // namespace

#endif
