/* The ray tracing kernel. LANES threads share a ray: they walk it together and each follows SAMPLES of its frequencies,
 * so that the threads of a warp read one cell at a time, and its emissivity in one piece. Included by cuda_trace.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_TRACE_KERNEL_CUH
#define LR_BACKEND_CUDA_CUDA_TRACE_KERNEL_CUH

#include "backend/build_views.h"
#include "kernel/aspect.h"
#include "kernel/deposit.h"
#include "kernel/formal_solution.h"
#include "kernel/voigt.h"

namespace
{

enum { TRACE_BLOCK = 128 };
#ifdef LR_REAL_DOUBLE
enum { LINE_BLOCKS_PER_SM = 2, GENERAL_BLOCKS_PER_SM = 2 };
#else
enum { LINE_BLOCKS_PER_SM = 5, GENERAL_BLOCKS_PER_SM = 4 };
#endif

struct plane_light {
    int axis;
    double offset;
    int isotropic, side;
    const real *brightness; /* [n_node][n_channel] */
};

/* All a kernel needs; passed by value. */
struct pass {
    struct trace_view view;
    int n_x, n_y;
    const real *sky; /* [n_node][n_channel] */
    int n_plane, n_probe;
    const struct plane_light *plane;
    const struct trace_probe *probe;
    float *intensity, *optical_depth; /* [n_out][n_y][n_x] */
    double *transmission;             /* [n_probe][n_channel][n_node] */
};

__device__ __forceinline__ real between(real from, real to, real part)
{
    return from + (to - from) * part;
}

/* One cell on the way. */
struct stretch {
    struct cell_view cell;
    struct passage way; /* its length is 0 when there is none */
    real far, near;     /* velocity toward the observer at both ends */
    struct tilt tilt;   /* of the line's own source function */
    real gradient;      /* SHELLS: slope of the outflow */
};

__device__ __forceinline__ real velocity_at(const struct stretch &stretch, real part)
{
    return passage_velocity(&stretch.way, stretch.far, stretch.near, stretch.cell.vx, stretch.gradient, part);
}

__device__ __forceinline__ struct stretch next_stretch(const struct trace_view &view, struct ray &ray, bool &more)
{
    struct stretch stretch;
    stretch.way.length = R(0);
    stretch.far = stretch.near = stretch.tilt.in = stretch.tilt.out = stretch.gradient = R(0);
    while (more && !(stretch.way.length > R(0))) {
        stretch.way = ray_advance(&view.mesh, &ray);
        more = stretch.way.more;
    }
    if (!(stretch.way.length > R(0)))
        return stretch;
    stretch.cell = view.cell[stretch.way.cell];
    stretch.far = stretch.near = cell_velocity_along(&stretch.cell, ray.n);
    if (view.slope) {
        const struct slope_view slope = view.slope[stretch.way.cell];
        if (view.step_velocity && WALK_IS_RADIAL) {
            stretch.gradient = slope.velocity.x;
        } else if (view.step_velocity) {
            stretch.far += vec3_dot(slope.velocity, stretch.way.from);
            stretch.near += vec3_dot(slope.velocity, stretch.way.to);
        }
        if (view.step_source) {
            stretch.tilt.in = vec3_dot(slope.source, stretch.way.from);
            stretch.tilt.out = vec3_dot(slope.source, stretch.way.to);
        }
    }
    if (WALK_IS_RADIAL) {
        stretch.far = velocity_at(stretch, R(0));
        stretch.near = velocity_at(stretch, R(1));
    }
    return stretch;
}

/* The frequencies of one thread. */
template <int SAMPLES>
struct bundle {
    real shift[SAMPLES];
    int channel[SAMPLES], node[SAMPLES]; /* channel -1 = none */
    real intensity[SAMPLES], depth[SAMPLES];
    real thick[SAMPLES];   /* depth of the line since the ray entered the cell */
    real arrived[SAMPLES]; /* scattered light that nothing dims any more */
};

/* Part of a stretch that is taken at one velocity. */
struct part {
    real velocity, from, to;
};

/* Gas with nothing but its line. */
template <int SAMPLES, bool SHINES>
__device__ __forceinline__ void take_line_part(struct bundle<SAMPLES> &b, const struct stretch &here,
                                               const struct part &part)
{
    const real length = here.way.length * (part.to - part.from);
    const real centre_depth = here.cell.alpha0 * here.way.length;
    const real reach = line_reach(here.cell.a, centre_depth);
    const bool bare = here.cell.a * r_max(centre_depth, R(1)) < LINE_FLOOR;
    const real inv_b = r_div(R(1), here.cell.b);
    const real depth = here.cell.alpha0 * length;
    const real shine = here.cell.eps * length;
    const real tilt_in = between(here.tilt.in, here.tilt.out, part.from);
    const real tilt_out = between(here.tilt.in, here.tilt.out, part.to);
    const bool flat = tilt_in == R(0) && tilt_out == R(0);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const real x = (b.shift[k] - part.velocity) * inv_b;
        if (r_abs(x) > reach)
            continue;
        const real profile = bare ? r_exp(-r_min(x * x, LR_VOIGT_T_MAX)) : voigt(here.cell.a, x);
        const real t = depth * profile;
        b.depth[k] += t;
        if (SHINES)
            b.intensity[k] = flat ? formal_step_flat(b.intensity[k], t, shine * profile)
                                  : formal_step(b.intensity[k], t, shine * profile, tilt_in, tilt_out);
    }
}

/* Gas that also absorbs or shines away from its line. */
template <int SAMPLES, bool SHINES>
__device__ __forceinline__ void take_general_part(const struct trace_view &view, struct bundle<SAMPLES> &b,
                                                  const struct stretch &here, const struct part &part)
{
    const real length = here.way.length * (part.to - part.from);
    const real inv_b = r_div(R(1), here.cell.b);
    const real tilt_in = between(here.tilt.in, here.tilt.out, part.from);
    const real tilt_out = between(here.tilt.in, here.tilt.out, part.to);
    const bool flat = tilt_in == R(0) && tilt_out == R(0);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const real profile = voigt(here.cell.a, (b.shift[k] - part.velocity) * inv_b);
        const real line = here.cell.alpha0 * profile * length;
        const real t = line + here.cell.kappa * length;
        b.depth[k] += t;
        b.thick[k] += line;
        if (!SHINES)
            continue;
        real light = here.cell.eps * profile;
        if (view.n_glow > 0 && b.channel[k] >= 0)
            light += sample_glow(&view, here.way.cell, b.node[k], b.channel[k], part.velocity);
        b.intensity[k] = flat ? formal_step_flat(b.intensity[k], t, light * length)
                              : formal_step(b.intensity[k], t, light * length, tilt_in, tilt_out);
    }
}

template <int SAMPLES, bool LINE_ONLY, bool SHINES>
__device__ __forceinline__ void cross_stretch(const struct trace_view &view, struct bundle<SAMPLES> &b,
                                              const struct stretch &here)
{
    if (LINE_ONLY && cell_is_empty(&here.cell))
        return;
    const real change = here.near - here.far;
    /* along a ray through shells the velocity changes up to twice as fast as on average */
    const real most = WALK_IS_RADIAL ? R(2) * change : change;
    const int n = R(4) * r_abs(most) > here.cell.b ? velocity_steps(most, here.cell.b) : 1;
    const real share = r_div(R(1), (real)n);
    LR_NO_UNROLL
    for (int i = 0; i < n; i++) {
        struct part part;
        part.velocity = WALK_IS_RADIAL ? velocity_at(here, ((real)i + R(0.5)) * share)
                                       : here.far + change * ((real)i + R(0.5)) * share;
        part.from = (real)i * share;
        part.to = ((real)i + R(1)) * share;
        if (LINE_ONLY)
            take_line_part<SAMPLES, SHINES>(b, here, part);
        else
            take_general_part<SAMPLES, SHINES>(view, b, here, part);
    }
}

/* The mean of the shape of light over the channel of each frequency. They are all with this thread, or with others of
 * the LANES that share the ray. */
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

/* Scattered light of a cell as it is stored, over the way of the ray through the cell; SHELLS: where it leaves one. */
__device__ __forceinline__ real stored_light(const struct trace_view &view, const struct passage &way, int channel)
{
    if (WALK_IS_RADIAL) {
        const struct aspects aspects = aspects_about(view.n_aspect, passage_mu(&way));
        const float *cell = view.emissivity + (int64_t)way.cell * view.n_aspect * view.stride + channel;
        return between((real)__ldg(&cell[aspects.low * view.stride]), (real)__ldg(&cell[aspects.high * view.stride]),
                       aspects.share);
    }
    return (real)__ldg(&view.emissivity[way.cell * view.stride + channel]) * way.length;
}

template <int LANES, int SAMPLES>
__device__ __forceinline__ void add_scattered(const struct trace_view &view, struct bundle<SAMPLES> &b,
                                              const struct passage &way)
{
    if (view.escaped) {
#pragma unroll
        for (int k = 0; k < SAMPLES; k++)
            if (b.channel[k] >= 0)
                b.arrived[k] += stored_light(view, way, b.channel[k]) * view.emissivity_unit;
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
            b.intensity[k] +=
                stored_light(view, way, b.channel[k]) * view.emissivity_unit * exit_factor(shape[k], mean[k]);
}

template <int LANES, int SAMPLES, bool LINE_ONLY, bool SHINES>
__device__ __forceinline__ void trace_ray(const struct trace_view &view, struct bundle<SAMPLES> &b, struct ray ray)
{
    const bool scatters = !LINE_ONLY && SHINES && view.emissivity;
    bool more = ray.hits;
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        b.thick[k] = b.arrived[k] = R(0);
    struct stretch here = next_stretch(view, ray, more);
    while (here.way.length > R(0)) {
        cross_stretch<SAMPLES, LINE_ONLY, SHINES>(view, b, here);
        const struct passage way = here.way;
        here = next_stretch(view, ray, more);
        /* the way through a shell can be several stretches */
        const bool leaves = !WALK_IS_RADIAL || !(here.way.length > R(0)) || here.way.cell != way.cell;
        if (scatters && leaves) {
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

/* Light of a plane that this line crosses, dimmed on its way out. */
template <int LANES, int SAMPLES, bool LINE_ONLY>
__device__ void add_plane(const struct trace_view &view, struct bundle<SAMPLES> &b, const struct line3 &line,
                          const struct plane_light &plane)
{
    const double mu = line.n.x[plane.axis];
    if (mu == 0 || (plane.side != 0 && mu * plane.side < 0))
        return;
    const double t = (plane.offset - line.p.x[plane.axis]) / mu;
    for (int axis = 0; axis < 3; axis++) {
        const double x = line.p.x[axis] + t * line.n.x[axis];
        const bool bounded = axis != plane.axis && view.mesh.face[2 * axis] != FACE_IS_PERIODIC;
        if (bounded && !(x >= 0 && x < walk_size(&view.mesh, axis)))
            return;
    }
    if (t > line.t_last)
        return;
    struct bundle<SAMPLES> dimmed = b;
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        dimmed.depth[k] = R(0);
    trace_ray<LANES, SAMPLES, LINE_ONLY, false>(view, dimmed, ray_enter(&view.mesh, line.p, line.n, t, line.t_last));
    const real factor = plane.isotropic ? (real)(1 / fabs(mu)) : R(1);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        if (b.channel[k] >= 0)
            b.intensity[k] += factor * plane.brightness[b.node[k] * view.n_channel + b.channel[k]] *
                              r_exp(-r_min(dimmed.depth[k], R(80)));
}

struct sample {
    int node, channel;
};

/* How many channels the threads of a ray take at a time, all their frequencies together. */
__host__ __device__ __forceinline__ int channels_per_ray(const struct trace_view &view, int samples)
{
    return samples / view.n_node;
}

/* Which frequency k of a thread is. A line reaches few channels: there neighbouring threads have neighbouring channels,
 * so that whole rounds can be left out. Otherwise the threads of a ray have all frequencies of some channels, one after
 * the other. */
template <int LANES, int SAMPLES, bool LINE_ONLY>
__device__ __forceinline__ struct sample sample_of(const struct trace_view &view, int lane, int k)
{
    struct sample sample;
    if (LINE_ONLY) {
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
    const int row = cell / view.mesh.n[2];
    const int at[3] = {row / view.mesh.n[1], row % view.mesh.n[1], cell % view.mesh.n[2]};
    const struct camera_view camera = trace_camera(&view);
    slope[cell] = cell_slopes(&view.mesh, view.cell, at, trace_direction(&camera, &view.mesh, at));
}

template <int LANES, int SAMPLES, bool LINE_ONLY>
__global__ void __launch_bounds__(TRACE_BLOCK, LINE_ONLY ? LINE_BLOCKS_PER_SM : GENERAL_BLOCKS_PER_SM)
    trace_kernel(const __grid_constant__ struct pass pass, int first_row)
{
    const struct trace_view &view = pass.view;
    const int lane = (int)threadIdx.x % LANES;
    const int px = (int)blockIdx.x * (TRACE_BLOCK / LANES) + (int)threadIdx.x / LANES;
    const int py = first_row + (int)blockIdx.y;
    if (px >= pass.n_x)
        return;
    struct bundle<SAMPLES> b;
    real weight[SAMPLES];
    real light[SAMPLES];
    real opaque[SAMPLES];
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const struct sample sample = sample_of<LANES, SAMPLES, LINE_ONLY>(view, lane, k);
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
            b.intensity[k] = b.channel[k] >= 0 ? pass.sky[b.node[k] * view.n_channel + b.channel[k]] : R(0);
            b.depth[k] = R(0);
        }
        trace_ray<LANES, SAMPLES, LINE_ONLY, true>(view, b,
                                                   ray_enter(&view.mesh, line.p, line.n, -RAY_FAR, line.t_last));
        for (int p = 0; p < pass.n_plane; p++)
            add_plane<LANES, SAMPLES, LINE_ONLY>(view, b, line, pass.plane[p]);
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
        struct point3 start;
        struct point3 n;
        for (int axis = 0; axis < 3; axis++) {
            start.x[axis] = probe.start[axis];
            n.x[axis] = probe.direction[axis];
        }
        trace_ray<1, 1, false, false>(view, b, ray_enter(&view.mesh, start, n, 0, probe.length));
        pass.transmission[(int64_t)blockIdx.x * view.n_channel * view.n_node + sample] = exp(-(double)b.depth[0]);
    }
}

} // namespace

#endif
