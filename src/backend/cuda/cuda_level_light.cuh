/* Kernels for the radiation along rays in level populations (kernel/level_transfer.h), one warp per ray. Included by
 * cuda_levels.cu.
 *
 * A warp walks its ray once for all its lines. In each cell it takes up to eight lines at a time, four threads per line
 * (more for the last lines), which share the frequencies within reach of the cell. What enters the next cell is kept in
 * shared memory, [line][frequency], because the range of frequencies changes along the ray. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_LIGHT_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_LIGHT_CUH

#include "backend/cuda/cuda_level_span.cuh"

namespace
{

/* Sum over groups of `width` threads, 4, 8, 16 or 32; all threads of the warp take part. */
__device__ __forceinline__ struct record group_sum(struct record sum, int width)
{
#pragma unroll
    for (int offset = 1; offset < WARP; offset *= 2) {
        if (offset >= 4 && offset >= width)
            break;
        sum.profile += __shfl_xor_sync(WHOLE_WARP, sum.profile, offset);
        sum.entering += __shfl_xor_sync(WHOLE_WARP, sum.entering, offset);
        sum.lost += __shfl_xor_sync(WHOLE_WARP, sum.lost, offset);
    }
    return sum;
}

/* log2 of the number of threads per line when this many lines are left: few, so that few are idle at the ends of the
 * intervals, but enough that hardly any is without a line. */
__device__ __forceinline__ int group_bits(int lines_left)
{
    return lines_left == 1 ? 5 : lines_left == 2 ? 4 : lines_left < 7 ? 3 : 2;
}

/* Takes lines `first` .. first + n - 1 through a span; `entering` holds their light. Cell b records it with the given
 * weight, if not 0. */
template <bool DUST>
__device__ __forceinline__ void cross_lines(const struct light_pass &pass, const struct beam &beam,
                                            const struct span &span, real weight, int first, int n, real *entering)
{
    const int lane = (int)threadIdx.x % WARP;
    const int panels = max(span.slide_a.panels, span.slide_b.panels);
    int bits = 5;
    for (int done = 0; done < n; done += WARP >> bits) {
        bits = group_bits(n - done);
        const int width = 1 << bits;
        const int group = lane >> bits;
        const int part = lane & (width - 1);
        const bool there = group < n - done;
        const int l = done + (there ? group : 0);
        const struct line_span line = line_in_span<DUST>(pass, span, first + l);
        const real depth = r_max(r_abs(line.depth_a), r_abs(line.depth_b));
        struct interval at = reach_of(pass, span, depth);
        at.low = there ? at.low + part : at.high;
        struct record record = {R(0), R(0), R(0)};
        real *mine = entering + l * pass.stride;
        if (panels == 0 && !DUST && __all_sync(WHOLE_WARP, depth < STEP_IS_THIN))
            cross_frequencies<MATTER_THIN, STILL>(span, line, at, width, mine, record);
        else if (panels == 0)
            cross_frequencies<DUST ? MATTER_DUSTY : MATTER_CLEAR, STILL>(span, line, at, width, mine, record);
        else if (panels == 1)
            cross_frequencies<DUST ? MATTER_DUSTY : MATTER_CLEAR, GENTLE>(span, line, at, width, mine, record);
        else
            cross_frequencies<DUST ? MATTER_DUSTY : MATTER_CLEAR, FAST>(span, line, at, width, mine, record);
        record = group_sum(record, width);
        if (there && part < 2 && weight > R(0) && record.profile > R(0)) {
            struct line_light *light = &beam.light[(int64_t)span.b * pass.n_line + first + l];
            atomicAdd(part == 0 ? &light->entering : &light->lost,
                      r_div(weight * (part == 0 ? record.entering : record.lost), record.profile));
        }
    }
    __syncwarp(); /* the next span assigns the frequencies to other threads */
}

__device__ __forceinline__ struct span span_between(const struct light_pass &pass, const struct visit &a,
                                                    const struct visit &b)
{
    const struct face face = face_between(&a, &b);
    struct span span;
    span.a = a.cell;
    span.b = b.cell;
    span.length_a = R(0.5) * a.length;
    span.length_b = R(0.5) * b.length;
    span.kappa_a = a.kappa;
    span.kappa_b = b.kappa;
    span.share_a = face.share_last;
    span.share_b = face.share_here;
    span.slide_a = slide_at(&pass.band, a.v, a.inv_b);
    span.slide_b = slide_at(&pass.band, b.v, b.inv_b);
    span.middle = span.slide_b.low;
    if (face.glides) {
        span.slide_a = slide_over(&pass.band, a.v, face.v_last, a.inv_b);
        span.slide_b = slide_over(&pass.band, face.v_here, b.v, b.inv_b);
    }
    span.low = band_place(&pass.band, r_min(a.v, b.v));
    span.high = band_place(&pass.band, r_max(a.v, b.v));
    span.reach_scale = r_div(pass.band.inv_step, r_min(a.inv_b, b.inv_b));
    return span;
}

template <bool DUST>
__device__ void follow_ray(const struct light_pass &pass, const struct beam &beam, const struct level_ray &from,
                           int first, int n, real *entering)
{
    const real area = (real)from.area;
    struct point3 p;
    for (int axis = 0; axis < 3; axis++)
        p.x[axis] = from.point[axis];
    struct ray ray = ray_enter(&pass.mesh, p, beam.direction, -RAY_FAR, RAY_FAR);
    struct visit last = visit_none();
    real length = R(0); /* path through this cell so far */
    for (bool more = ray.hits; more;) {
        struct passage way = ray_advance(&pass.mesh, &ray);
        more = way.more;
        way.length += length;
        length = R(0);
        if (ray_stays(&pass.mesh, &ray, &way))
            length = way.length;
        if (length > R(0) || !(way.length > R(0)))
            continue;
        const struct visit here = visit_cell(pass.gas, way.cell, way.length, ray.n);
        if (last.cell < 0) {
            last = here;
            last.length = R(0);
            last.has_gas = 0;
        }
        const real weight = visit_weight(&here, area);
        if (last.has_gas || here.has_gas || (DUST && (last.kappa > R(0) || here.kappa > R(0))))
            cross_lines<DUST>(pass, beam, span_between(pass, last, here), weight, first, n, entering);
        if (first == 0 && weight > R(0) && threadIdx.x % WARP == 0)
            atomicAdd(&beam.length[here.cell], weight);
        last = here;
    }
}

#ifdef LR_REAL_DOUBLE
enum { LIGHT_BLOCKS_PER_SM = 4 };
#else
enum { LIGHT_BLOCKS_PER_SM = 6 };
#endif

/* blockDim.x / 32 rays per block. */
template <bool DUST>
__global__ void __launch_bounds__(LEVEL_WARPS *WARP, LIGHT_BLOCKS_PER_SM)
    light_kernel(const __grid_constant__ struct light_pass pass, const __grid_constant__ struct beam beam)
{
    const int warp = (int)threadIdx.x / WARP;
    const int64_t r = (int64_t)blockIdx.x * (blockDim.x / WARP) + warp;
    if (r >= beam.n_ray)
        return;
    const int first = (int)blockIdx.y * pass.lines_per_warp;
    const int n = min(pass.lines_per_warp, pass.n_alone - first);
    real *entering = (real *)level_room + (size_t)warp * (size_t)(pass.lines_per_warp * pass.stride);
    for (int l = 0; l < n; l++)
        for (int f = (int)threadIdx.x % WARP; f < pass.band.n; f += WARP)
            entering[l * pass.stride + f] = pass.background[first + l];
    __syncwarp();
    follow_ray<DUST>(pass, beam, beam.ray[r], first, n, entering);
}

/* Adds the mean over one direction, one thread per cell and line. Resets the light to zero; the caller must clear the
 * length. */
__global__ void finish_kernel(int64_t n_cell, int n_line, double weight, const real *length, struct line_light *now,
                              struct light_sum *sum, double *seen)
{
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n_cell * n_line)
        return;
    const int64_t cell = at / n_line;
    const double met = (double)length[cell];
    if (!(met > 0))
        return;
    sum[at] = light_sum_add(sum[at], now[at], weight, met);
    now[at].entering = now[at].lost = R(0);
    if (at == cell * n_line)
        seen[cell] += weight;
}

} // namespace

#endif
