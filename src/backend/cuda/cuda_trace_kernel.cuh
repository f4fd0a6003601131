/* The ray tracing kernel. LANES threads share a ray: they walk it together, each with SAMPLES of its frequencies, so
 * that the threads of a warp read one cell at a time and its emissivity contiguously. Included by cuda_trace.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_TRACE_KERNEL_CUH
#define LR_BACKEND_CUDA_CUDA_TRACE_KERNEL_CUH

#include "backend/build_trace_view.h"
#include "kernel/stretch.h"

namespace
{

enum { TRACE_BLOCK = 128 };
#ifdef LR_REAL_DOUBLE
enum { LINE_BLOCKS_PER_SM = 2, GENERAL_BLOCKS_PER_SM = 2 };
#else
enum { LINE_BLOCKS_PER_SM = 5, GENERAL_BLOCKS_PER_SM = 4 };
#endif

/* What the gas has: nothing but one line, that and absorption or light away from it, or several lines as well. */
enum gas_kind { GAS_LINE, GAS_GENERAL, GAS_GROUP };

/* All that a kernel needs; passed by value. */
struct pass {
    struct trace_view view;
    int n_x, n_y;
    int row_step; /* between the rows that are traced */
    int n_probe;
    const struct trace_probe *probe;
    float *intensity, *optical_depth; /* [n_out][n_y][n_x] */
    double *transmission;             /* [n_probe][n_channel][n_node] */
};

/* A cell on the path of a ray; all zero if there is none. (With unset members the compiler needs more registers.) */
struct visit {
    struct trace_cell cell;
    struct stretch stretch;
};

__device__ __forceinline__ struct visit next_visit(const struct trace_view &view, struct ray &ray, bool &more)
{
    struct visit visit = {};
    while (more && !(visit.stretch.way.length > R(0))) {
        visit.stretch.way = ray_advance(&view.mesh, &ray);
        more = visit.stretch.way.more;
    }
    if (visit.stretch.way.length > R(0)) {
        visit.cell = view.cell[visit.stretch.way.cell];
        visit.stretch = stretch_make(&view, &visit.cell, ray.n, visit.stretch.way);
    }
    return visit;
}

/* The frequencies of one thread. */
template <int SAMPLES>
struct bundle {
    real shift[SAMPLES];
    int channel[SAMPLES], node[SAMPLES]; /* channel -1: none */
    real intensity[SAMPLES], depth[SAMPLES];
    real thick[SAMPLES];   /* line depth since the ray entered the cell */
    real arrived[SAMPLES]; /* scattered light that nothing attenuates any more */
};

/* Through gas that has nothing but its line. */
template <int SAMPLES, bool SHINES>
__device__ __forceinline__ void take_line_part(struct bundle<SAMPLES> &b, const struct visit &here,
                                               const struct part &part)
{
    const struct part_gas gas = part_gas_of(&here.cell, &here.stretch, part);
    const struct line_seen seen = line_of_stretch(&here.cell, &here.stretch);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const real x = sample_x(b.shift[k], part.velocity, gas.inv_b);
        if (r_abs(x) > seen.reach)
            continue;
        const struct passed passed =
            pass_line(gas, b.intensity[k], shape_profile(here.cell.a, x, seen.shape), gas.flat);
        b.depth[k] += passed.depth;
        if (SHINES)
            b.intensity[k] = passed.intensity;
    }
}

/* Through gas that also absorbs or emits away from its line. */
template <int SAMPLES, bool SHINES>
__device__ __forceinline__ void take_general_part(const struct trace_view &view, struct bundle<SAMPLES> &b,
                                                  const struct visit &here, const struct part &part)
{
    const struct part_gas gas = part_gas_of(&here.cell, &here.stretch, part);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const real profile = voigt(here.cell.a, sample_x(b.shift[k], part.velocity, gas.inv_b));
        real glow = R(0);
        if (SHINES && view.n_glow > 0 && b.channel[k] >= 0)
            glow = sample_glow(&view, here.stretch.way.cell, b.node[k], b.channel[k], part.velocity);
        const struct passed passed = pass_gas(gas, b.intensity[k], profile, glow, gas.flat);
        b.depth[k] += passed.depth;
        b.thick[k] += passed.line;
        if (SHINES)
            b.intensity[k] = passed.intensity;
    }
}

/* Through gas with several lines. */
template <int SAMPLES, bool SHINES>
__device__ __forceinline__ void take_group_part(const struct trace_view &view, struct bundle<SAMPLES> &b,
                                                const struct visit &here, const struct part &part)
{
    const struct part_gas gas = part_gas_of(&here.cell, &here.stretch, part);
    real profile[SAMPLES];
    real bright[SAMPLES];
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        profile[k] = bright[k] = R(0);
    LR_NO_UNROLL
    for (int l = 0; l < view.group.n; l++) {
        const struct group_line line = view.group.line[l];
        const struct line_part own = line_part_of(&view.group, &here.cell, &here.stretch, l);
#pragma unroll
        for (int k = 0; k < SAMPLES; k++) {
            const real x = sample_x(group_shift(&line, b.shift[k]), part.velocity, gas.inv_b);
            if (r_abs(x) > own.seen.reach)
                continue;
            const real h = shape_profile(own.a, x, own.seen.shape);
            profile[k] += own.share.opacity * h;
            bright[k] += own.share.shine * h;
        }
    }
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        real glow = R(0);
        if (SHINES && view.n_glow > 0 && b.channel[k] >= 0)
            glow = sample_glow(&view, here.stretch.way.cell, b.node[k], b.channel[k], part.velocity);
        const struct passed passed = pass_lines(gas, b.intensity[k], profile[k], bright[k], glow, gas.flat);
        b.depth[k] += passed.depth;
        b.thick[k] += passed.line;
        if (SHINES)
            b.intensity[k] = passed.intensity;
    }
}

template <int SAMPLES, int GAS, bool SHINES>
__device__ __forceinline__ void cross_stretch(const struct trace_view &view, struct bundle<SAMPLES> &b,
                                              const struct visit &here)
{
    if (GAS == GAS_LINE && cell_is_empty(&here.cell))
        return;
    const int n = part_count(&here.stretch, here.cell.b);
    LR_NO_UNROLL
    for (int i = 0; i < n; i++) {
        const struct part part = part_of(&here.stretch, i, n);
        if (GAS == GAS_LINE)
            take_line_part<SAMPLES, SHINES>(b, here, part);
        else if (GAS == GAS_GROUP)
            take_group_part<SAMPLES, SHINES>(view, b, here, part);
        else
            take_general_part<SAMPLES, SHINES>(view, b, here, part);
    }
}

/* Mean of the light's shape over the channel of each frequency. The frequencies of a channel are all in this thread, or
 * in the LANES that share the ray. */
template <int LANES, int SAMPLES>
__device__ __forceinline__ void mean_shapes(const struct trace_view &view, const struct bundle<SAMPLES> &b,
                                            const real (&shape)[SAMPLES], real (&mean)[SAMPLES])
{
    real weighted[SAMPLES];
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        weighted[k] = b.channel[k] >= 0 ? view.share[b.node[k]] * shape[k] : R(0);
        mean[k] = R(0);
    }
    if (SAMPLES % view.n_node == 0) {
#pragma unroll
        for (int k = 0; k < SAMPLES; k++)
#pragma unroll
            for (int j = 0; j < SAMPLES; j++)
                mean[k] += b.channel[j] == b.channel[k] ? weighted[j] : R(0);
        return;
    }
    const int lane = (int)threadIdx.x % LANES;
    const unsigned group = ((1u << LANES) - 1u) << ((int)threadIdx.x % 32 - lane);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        for (int node = 0; node < view.n_node; node++) {
            const int index = lane * SAMPLES + k - b.node[k] + node;
#pragma unroll
            for (int j = 0; j < SAMPLES; j++) {
                const real theirs = __shfl_sync(group, weighted[j], index / SAMPLES, LANES);
                mean[k] += j == index % SAMPLES ? theirs : R(0);
            }
        }
}

template <int LANES, int SAMPLES>
__device__ __forceinline__ void add_scattered(const struct trace_view &view, struct bundle<SAMPLES> &b,
                                              const struct passage &way)
{
    const struct stored_light stored = passage_light(&way, view.n_aspect, view.stride, view.emissivity_unit);
    if (view.escaped) {
#pragma unroll
        for (int k = 0; k < SAMPLES; k++)
            if (b.channel[k] >= 0)
                b.arrived[k] += stored_light_at(stored, view.emissivity, b.channel[k]);
        return;
    }
    real shape[SAMPLES];
    real mean[SAMPLES];
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        shape[k] = exit_shape(b.thick[k]);
    mean_shapes<LANES, SAMPLES>(view, b, shape, mean);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        if (b.channel[k] >= 0)
            b.intensity[k] += stored_light_at(stored, view.emissivity, b.channel[k]) * exit_factor(shape[k], mean[k]);
}

template <int LANES, int SAMPLES, int GAS, bool SHINES>
__device__ __forceinline__ void trace_ray(const struct trace_view &view, struct bundle<SAMPLES> &b, struct ray ray)
{
    const bool scatters = GAS != GAS_LINE && SHINES && view.emissivity;
    bool more = ray.hits;
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        b.thick[k] = b.arrived[k] = R(0);
    struct visit here = next_visit(view, ray, more);
    while (here.stretch.way.length > R(0)) {
        cross_stretch<SAMPLES, GAS, SHINES>(view, b, here);
        const struct passage way = here.stretch.way;
        here = next_visit(view, ray, more);
        if (scatters && passage_leaves(&way, &here.stretch.way)) {
            add_scattered<LANES, SAMPLES>(view, b, way);
#pragma unroll
            for (int k = 0; k < SAMPLES; k++)
                b.thick[k] = R(0);
        }
    }
    if (scatters) {
#pragma unroll
        for (int k = 0; k < SAMPLES; k++)
            b.intensity[k] += b.arrived[k];
    }
}

/* Light of a plane that this line crosses, attenuated on its way out. */
template <int LANES, int SAMPLES, int GAS>
__device__ void add_plane(const struct trace_view &view, struct bundle<SAMPLES> &b, const struct line3 &line,
                          const struct plane_view &plane)
{
    const struct plane_meeting meeting = plane_meet(&view.mesh, &plane, &line);
    if (!meeting.met)
        return;
    struct bundle<SAMPLES> dimmed = b;
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        dimmed.depth[k] = R(0);
    trace_ray<LANES, SAMPLES, GAS, false>(view, dimmed, ray_enter(&view.mesh, line.p, line.n, meeting.t, line.t_last));
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        if (b.channel[k] >= 0)
            b.intensity[k] += meeting.factor * plane.brightness[b.node[k] * view.n_channel + b.channel[k]] *
                              r_exp(-r_min(dimmed.depth[k], R(80)));
}

struct sample {
    int node, channel;
};

/* How many channels, with all their frequencies, the threads of a ray take at a time. */
__host__ __device__ __forceinline__ int channels_per_ray(const struct trace_view &view, int samples)
{
    return samples / view.n_node;
}

/* Which sample is frequency k of a thread. A lone line reaches few channels: neighbouring threads then get neighbouring
 * channels, so that whole rounds can be skipped. Otherwise each channel's frequencies are consecutive, so that the
 * threads of a ray hold whole channels. */
template <int LANES, int SAMPLES, int GAS>
__device__ __forceinline__ struct sample sample_of(const struct trace_view &view, int lane, int k)
{
    struct sample sample;
    if (GAS == GAS_LINE) {
        const int index = ((int)blockIdx.z * SAMPLES + k) * LANES + lane;
        sample.node = index / view.n_channel;
        sample.channel = index - sample.node * view.n_channel;
    } else {
        const int index = lane * SAMPLES + k;
        const int channels = channels_per_ray(view, LANES * SAMPLES);
        const int within = index / view.n_node;
        sample.node = index - within * view.n_node;
        sample.channel = within < channels ? (int)blockIdx.z * channels + within : view.n_channel;
    }
    return sample;
}

/* Slopes inside all cells, one thread each. */
__global__ void slope_kernel(const __grid_constant__ struct trace_view view, int n_cell, struct slope_view *slope)
{
    const int cell = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (cell >= n_cell)
        return;
    slope[cell] = trace_slopes(&view, cell);
}

template <int LANES, int SAMPLES, int GAS>
__global__ void __launch_bounds__(TRACE_BLOCK, GAS == GAS_LINE ? LINE_BLOCKS_PER_SM : GENERAL_BLOCKS_PER_SM)
    trace_kernel(const __grid_constant__ struct pass pass, int first_row)
{
    const struct trace_view &view = pass.view;
    const int lane = (int)threadIdx.x % LANES;
    const int px = (int)blockIdx.x * (TRACE_BLOCK / LANES) + (int)threadIdx.x / LANES;
    const int py = first_row + pass.row_step * (int)blockIdx.y;
    if (px >= pass.n_x)
        return;
    struct bundle<SAMPLES> b;
    real weight[SAMPLES];
    real light[SAMPLES];
    real opaque[SAMPLES];
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const struct sample sample = sample_of<LANES, SAMPLES, GAS>(view, lane, k);
        const bool used = sample.channel < view.n_channel && sample.node < view.n_node;
        b.channel[k] = used ? sample.channel : -1;
        b.node[k] = sample.node;
        b.shift[k] = used ? sample_shift_at(&view, sample.node, sample.channel) : R_HUGE;
        weight[k] = used ? view.weight[sample.node] : R(0);
        light[k] = opaque[k] = R(0);
    }
    for (int r = 0; r < view.rays * view.rays; r++) {
        const struct line3 line = eye_line(&view.eye, px * view.rays + r % view.rays, py * view.rays + r / view.rays);
#pragma unroll
        for (int k = 0; k < SAMPLES; k++) {
            b.intensity[k] = b.channel[k] >= 0 ? view.sky[b.node[k] * view.n_channel + b.channel[k]] : R(0);
            b.depth[k] = R(0);
        }
        trace_ray<LANES, SAMPLES, GAS, true>(view, b, ray_enter(&view.mesh, line.p, line.n, -RAY_FAR, line.t_last));
        for (int p = 0; p < view.n_plane; p++)
            add_plane<LANES, SAMPLES, GAS>(view, b, line, view.plane[p]);
#pragma unroll
        for (int k = 0; k < SAMPLES; k++) {
            light[k] += b.intensity[k];
            opaque[k] += b.depth[k];
        }
    }
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        if (b.channel[k] < 0)
            continue;
        const int64_t at = ((int64_t)(b.channel[k] / view.merge) * pass.n_y + py) * pass.n_x + px;
        atomicAdd(&pass.intensity[at], (float)(weight[k] * light[k]));
        if (pass.optical_depth)
            atomicAdd(&pass.optical_depth[at], (float)(weight[k] * opaque[k]));
    }
}

/* Transmission from a point to the observer: one block per point. */
template <int GAS>
__global__ void probe_kernel(const __grid_constant__ struct pass pass)
{
    const struct trace_view &view = pass.view;
    const struct trace_probe probe = pass.probe[blockIdx.x];
    for (int sample = (int)threadIdx.x; sample < view.n_channel * view.n_node; sample += (int)blockDim.x) {
        struct bundle<1> b;
        b.channel[0] = sample / view.n_node;
        b.node[0] = sample - b.channel[0] * view.n_node;
        b.shift[0] = sample_shift_at(&view, b.node[0], b.channel[0]);
        b.intensity[0] = b.depth[0] = R(0);
        trace_ray<1, 1, GAS, false>(
            view, b, ray_enter(&view.mesh, make_point(probe.start), make_point(probe.direction), 0, probe.length));
        pass.transmission[(int64_t)blockIdx.x * view.n_channel * view.n_node + sample] = exp(-(double)b.depth[0]);
    }
}

} // namespace

#endif
