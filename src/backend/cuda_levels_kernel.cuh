/* Kernels for level populations (kernel/level_transfer.h): radiation along rays, one warp per ray; rate equations, one
 * warp per cell; Ng's extrapolation. Included by cuda_levels.cu.
 *
 * A warp walks its ray once for all its lines. In each cell it takes up to eight lines at a time, four threads per line
 * (more threads for the last lines), and those go over the frequencies within reach of the cell. What enters the next
 * cell is kept in shared memory, [line][frequency], because the frequencies within reach change along the way. */
#ifndef LR_BACKEND_CUDA_LEVELS_KERNEL_CUH
#define LR_BACKEND_CUDA_LEVELS_KERNEL_CUH

#include "backend/backend.h"
#include "kernel/level_transfer.h"
#include "kernel/ray_cartesian.h"

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

/* Profile-weighted mean intensity: from elsewhere, and from the cell itself in units of its S. */
struct LR_ALIGNED(2 * sizeof(real)) light {
    real entering, lost;
};
struct LR_ALIGNED(16) light_sum {
    double entering, lost;
};

/* ---- radiation --------------------------------------------------------------------------------------------------- */

/* What all rays have in common; passed by value. */
struct light_pass {
    struct mesh_view mesh;
    const struct gas_cell *gas;
    const struct line_glow *glow; /* [n_cell][n_line] */
    const real *dust;             /* [n_cell][n_line], or NULL */
    const real *background;       /* [n_line] */
    int n_line, n_frequency;
    real first, step, inv_step; /* frequencies */
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

/* From the middle of one cell (a) to the middle of the next (b): the second half of a, the first half of b. At the
 * start of a ray a is b with the length 0. */
struct span {
    int a, b;                /* cells */
    real length_a, length_b; /* half the way through each */
    real kappa_a, kappa_b;
    real share_a, share_b; /* of the other cell in S on the face, seen from a and from b */
    struct slide slide_a, slide_b;
    real middle;      /* y of f = 0 in the middle of b */
    real low, high;   /* f of both projected velocities */
    real reach_scale; /* from x to f, in the hotter cell */
};

struct interval {
    int low, high; /* [low, high) */
};

/* Frequencies at which a span does anything, depth exp(-x^2) > 1e-6 or where there is dust all. `depth` is the larger
 * one of both cells at line centre. */
__device__ __forceinline__ struct interval reach_of(const struct light_pass &pass, const struct span &span, real depth)
{
    const int n = pass.n_frequency;
    struct interval interval = {0, n};
    if (span.kappa_a > R(0) || span.kappa_b > R(0))
        return interval;
    const real reach = r_sqrt(r_log(r_max(depth, R(1))) + R(13.815510557964274)) * span.reach_scale;
    interval.low = (int)r_min(r_max(span.low - reach, R(0)), (real)n);
    interval.high = (int)r_min(r_max(span.high + reach + R(1), R(0)), (real)n);
    return interval;
}

/* One line in a span. With S linear between the ends of each half, the cell b has the weights 1 - lost_*, and what does
 * not come from b is rest_*; in b itself lost_b1 = 0 and rest_b1 = 0 (piece_ends of the CPU backend). */
struct line_span {
    real depth_a, depth_b, grey_a, grey_b, dust_a, dust_b;
    real lost_a0, lost_a1, rest_a0, rest_a1;
    real lost_b0, rest_b0;
    real source;
};

template <bool DUST>
__device__ __forceinline__ struct line_span line_in_span(const struct light_pass &pass, const struct span &span, int l)
{
    const int64_t at_a = (int64_t)span.a * pass.n_line + l;
    const int64_t at_b = (int64_t)span.b * pass.n_line + l;
    const struct line_glow a = pass.glow[at_a];
    const struct line_glow b = pass.glow[at_b];
    /* an inverted cell has a source function of its own sign: nothing to interpolate */
    const bool apart = a.source < R(0) || b.source < R(0);
    const real u_a = apart ? R(0) : span.share_a;
    const real u_b = apart ? R(0) : span.share_b;
    const bool again = span.a == span.b; /* the start of a ray, or next to itself across a periodic face */
    struct line_span line;
    line.depth_a = a.alpha * span.length_a;
    line.depth_b = b.alpha * span.length_b;
    line.lost_a0 = again ? R(0) : R(1);
    line.lost_a1 = again ? u_a : R(1) - u_a;
    line.rest_a0 = again ? R(0) : a.source;
    line.rest_a1 = again ? u_a * b.source : (R(1) - u_a) * a.source;
    line.lost_b0 = u_b;
    line.rest_b0 = u_b * a.source;
    line.source = b.source;
    if (DUST) {
        line.grey_a = span.kappa_a * span.length_a;
        line.grey_b = span.kappa_b * span.length_b;
        line.dust_a = pass.dust ? pass.dust[at_a] : R(0);
        line.dust_b = pass.dust ? pass.dust[at_b] : R(0);
    }
    return line;
}

/* What is in the cells of a span: lines of any depth with dust or without it, or thin lines alone. */
enum matter { DUSTY, CLEAR, THIN };

/* Weights of a step for the line, and what dust adds. */
struct mixed_weights {
    real through, from, to, aside, dust; /* aside: 1 minus these three */
};

template <enum matter MATTER>
__device__ __forceinline__ struct mixed_weights mixed_step(real line, real grey, real dust)
{
    struct mixed_weights mixed;
    const real all = MATTER == DUSTY ? line + grey : line;
    const struct step_weights w = MATTER == THIN ? step_weights_thin(all) : step_weights_of(all);
    mixed.through = w.through;
    mixed.from = w.from;
    mixed.to = w.to;
    mixed.aside = mixed.dust = R(0);
    if (MATTER == DUSTY) {
        const real share = all != R(0) ? r_div(line, all) : R(0);
        mixed.from *= share;
        mixed.to *= share;
        mixed.aside = (R(1) - share) * (w.from + w.to);
        mixed.dust = mixed.aside * dust;
    }
    return mixed;
}

/* Sums of a thread over its frequencies: profile in the middle of b, and the same times both parts of the light. */
struct record {
    real profile, entering, lost;
};

/* One frequency through both halves; gives the light that goes on. `profile` is that in the middle of b. */
template <enum matter MATTER>
__device__ __forceinline__ real cross_span(const struct line_span &line, real entering, real depth_a, real depth_b,
                                           real profile, struct record &record)
{
    const struct mixed_weights a = mixed_step<MATTER>(depth_a, line.grey_a, line.dust_a);
    const struct mixed_weights b = mixed_step<MATTER>(depth_b, line.grey_b, line.dust_b);
    real lost = a.through + (line.lost_a0 * a.from + line.lost_a1 * a.to);
    entering = entering * a.through + (line.rest_a0 * a.from + line.rest_a1 * a.to);
    if (MATTER == DUSTY)
        entering += a.dust;
    if (MATTER == DUSTY)
        lost += a.aside;
    lost = lost * b.through + line.lost_b0 * b.from;
    if (MATTER == DUSTY)
        lost += b.aside;
    entering = entering * b.through + line.rest_b0 * b.from;
    if (MATTER == DUSTY)
        entering += b.dust;
    entering = r_min(entering, BRIGHTEST); /* inverted cells in a row amplify without a limit */
    record.profile += profile;
    record.entering += profile * entering;
    record.lost += profile * lost;
    return entering + (R(1) - lost) * line.source;
}

/* The frequencies low, low + width, ... of one thread. */
template <enum matter MATTER, enum motion MOTION>
__device__ __forceinline__ void cross_frequencies(const struct span &span, const struct line_span &line,
                                                  struct interval at, int width, real *entering, struct record &record)
{
    const real scaled_a = line.depth_a * (MOTION == FAST ? slide_scale(span.slide_a) : R(0.5));
    const real scaled_b = line.depth_b * (MOTION == FAST ? slide_scale(span.slide_b) : R(0.5));
    const real stride = (real)width;
    real f = (real)at.low;
    LR_NO_UNROLL
    for (int i = at.low; i < at.high; i += width) {
        const real profile = gauss(span.middle + span.slide_b.step * f);
        real depth_a = line.depth_a * profile;
        real depth_b = line.depth_b * profile;
        if (MOTION == STILL) {
            if (span.slide_a.low != span.middle || span.slide_a.step != span.slide_b.step)
                depth_a = line.depth_a * gauss(span.slide_a.low + span.slide_a.step * f);
        } else {
            depth_a = scaled_a * slide_sum<MOTION>(span.slide_a, f);
            depth_b = scaled_b * slide_sum<MOTION>(span.slide_b, f);
        }
        entering[i] = cross_span<MATTER>(line, entering[i], depth_a, depth_b, profile, record);
        f += stride;
    }
}

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

/* How many threads, 2^n, a line gets when so many are left: few, so that few are idle at the ends of the intervals, but
 * hardly any without a line to follow. */
__device__ __forceinline__ int group_bits(int lines_left)
{
    return lines_left == 1 ? 5 : lines_left == 2 ? 4 : lines_left < 7 ? 3 : 2;
}

/* Lines `first` .. first + n - 1 through a span, `entering` being their room. The cell b records with the weight given,
 * if that is not 0. */
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
            cross_frequencies<THIN, STILL>(span, line, at, width, mine, record);
        else if (panels == 0)
            cross_frequencies<DUST ? DUSTY : CLEAR, STILL>(span, line, at, width, mine, record);
        else if (panels == 1)
            cross_frequencies<DUST ? DUSTY : CLEAR, GENTLE>(span, line, at, width, mine, record);
        else
            cross_frequencies<DUST ? DUSTY : CLEAR, FAST>(span, line, at, width, mine, record);
        record = group_sum(record, width);
        if (there && part < 2 && weight > R(0) && record.profile > R(0)) {
            struct light *light = &beam.light[(int64_t)span.b * pass.n_line + first + l];
            atomicAdd(part == 0 ? &light->entering : &light->lost,
                      r_div(weight * (part == 0 ? record.entering : record.lost), record.profile));
        }
    }
    __syncwarp(); /* the next span deals the frequencies to other threads */
}

/* What a ray met in a cell. */
struct visit {
    int cell; /* below 0: none yet */
    real length, v, inv_b, kappa;
    bool glows; /* there is gas */
};

__device__ __forceinline__ struct visit visit_cell(const struct light_pass &pass, const struct passage &way,
                                                   struct vec3 n)
{
    const struct gas_cell gas = pass.gas[way.cell];
    struct visit visit;
    visit.cell = way.cell;
    visit.length = way.length;
    visit.v = gas.v[0] * n.x + gas.v[1] * n.y + gas.v[2] * n.z;
    visit.inv_b = gas.inv_b;
    visit.kappa = gas.kappa;
    visit.glows = gas.has_gas > R(0);
    return visit;
}

/* Where the velocity changes by more than so many b from cell to cell it is interpolated; below, one velocity for each
 * cell is as good (both are second order) and the work is less. */
#define GLIDE_ABOVE R(0.35)

__device__ __forceinline__ struct span span_between(const struct light_pass &pass, const struct visit &a,
                                                    const struct visit &b)
{
    const bool joined = a.glows && b.glows;
    const real share = r_div(a.length, a.length + b.length); /* of b, on the face */
    struct span span;
    span.a = a.cell;
    span.b = b.cell;
    span.length_a = R(0.5) * a.length;
    span.length_b = R(0.5) * b.length;
    span.kappa_a = a.kappa;
    span.kappa_b = b.kappa;
    span.share_a = joined ? share : R(0);
    span.share_b = joined ? R(1) - share : R(0);
    span.slide_a = slide_at(pass, a.v, a.inv_b);
    span.slide_b = slide_at(pass, b.v, b.inv_b);
    span.middle = span.slide_b.low;
    if (joined && r_abs(b.v - a.v) * r_max(a.inv_b, b.inv_b) > GLIDE_ABOVE) {
        const real v_face = share * b.v + (R(1) - share) * a.v;
        span.slide_a = slide_over(pass, a.v, v_face, a.inv_b);
        span.slide_b = slide_over(pass, v_face, b.v, b.inv_b);
    }
    span.low = (r_min(a.v, b.v) - pass.first) * pass.inv_step;
    span.high = (r_max(a.v, b.v) - pass.first) * pass.inv_step;
    span.reach_scale = r_div(pass.inv_step, r_min(a.inv_b, b.inv_b));
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
    struct visit last;
    last.cell = -1;
    real length = R(0); /* of the way through this cell so far */
    for (bool more = ray.hits; more;) {
        struct passage way = ray_advance(&pass.mesh, &ray);
        more = way.more;
        way.length += length;
        length = R(0);
        if (more && walk_cell_index(&pass.mesh, ray.at) == way.cell)
            length = way.length; /* a mesh one cell wide and periodic: the same cell again */
        if (length > R(0) || !(way.length > R(0)))
            continue;
        const struct visit here = visit_cell(pass, way, ray.n);
        if (last.cell < 0) {
            last = here;
            last.length = R(0);
            last.glows = false;
        }
        const real weight = here.glows ? area * here.length : R(0);
        if (last.glows || here.glows || (DUST && (last.kappa > R(0) || here.kappa > R(0))))
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

/* blockDim.x / 32 rays to a block. */
template <bool DUST>
__global__ void __launch_bounds__(LEVEL_WARPS *WARP, LIGHT_BLOCKS_PER_SM)
    light_kernel(const __grid_constant__ struct light_pass pass, const __grid_constant__ struct beam beam)
{
    const int warp = (int)threadIdx.x / WARP;
    const int64_t r = (int64_t)blockIdx.x * (blockDim.x / WARP) + warp;
    if (r >= beam.n_ray)
        return;
    const int first = (int)blockIdx.y * pass.lines_per_warp;
    const int n = min(pass.lines_per_warp, pass.n_line - first);
    real *entering = (real *)level_room + (size_t)warp * (size_t)(pass.lines_per_warp * pass.stride);
    for (int l = 0; l < n; l++)
        for (int f = (int)threadIdx.x % WARP; f < pass.n_frequency; f += WARP)
            entering[l * pass.stride + f] = pass.background[first + l];
    __syncwarp();
    follow_ray<DUST>(pass, beam, beam.ray[r], first, n, entering);
}

/* Adds the mean over one direction, one thread per cell and line; each direction counts alike however many of its rays
 * met the cell. The light is left at zero; the length is for the caller to clear. */
__global__ void finish_kernel(int64_t n_cell, int n_line, double weight, const real *length, struct light *now,
                              struct light_sum *sum, double *seen)
{
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n_cell * n_line)
        return;
    const int64_t cell = at / n_line;
    const double met = (double)length[cell];
    if (!(met > 0))
        return;
    const struct light light = now[at];
    const double scale = weight / met;
    struct light_sum total = sum[at];
    total.entering += scale * (double)light.entering;
    total.lost += scale * (double)light.lost;
    sum[at] = total;
    now[at].entering = now[at].lost = R(0);
    if (at == cell * n_line)
        seen[cell] += weight;
}

/* ---- rate equations ---------------------------------------------------------------------------------------------- */

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

/* ---- Ng's extrapolation ------------------------------------------------------------------------------------------ */

/* Iterates, the newest first. */
struct iterates {
    double *x0;
    const double *x1, *x2, *x3;
};

/* Sums a11, a12, a22, c1, c2 (accelerate() of the CPU backend). */
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

/* x0 = (1 - a - b) x0 + a x1 + b x2 within a factor of ten, one thread per cell; not where that inverts a line. */
__global__ void ng_kernel(int64_t n_cell, int n, int n_line, const struct rate_line *lines, struct iterates it,
                          double a, double b)
{
    const int64_t cell = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= n_cell)
        return;
    for (int l = 0; l < n_line; l++) {
        const struct rate_line line = lines[l];
        const int64_t lower = cell * n + line.lower;
        const int64_t upper = cell * n + line.upper;
        if (line.weight_ratio * ng_guess(it, lower, a, b) <= ng_guess(it, upper, a, b) &&
            line.weight_ratio * it.x0[lower] > it.x0[upper])
            return;
    }
    double sum = 0.0;
    for (int64_t i = cell * n; i < (cell + 1) * n; i++) {
        it.x0[i] = ng_guess(it, i, a, b);
        sum += it.x0[i];
    }
    for (int64_t i = cell * n; i < (cell + 1) * n; i++)
        it.x0[i] /= sum;
}

} // namespace

#endif
