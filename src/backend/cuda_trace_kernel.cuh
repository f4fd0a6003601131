/* The ray tracing kernel. LANES threads share a ray: they walk it together and each follows SAMPLES of its frequencies,
 * so that the threads of a warp read one cell at a time, and its emissivity in one piece. Included by cuda_trace.cu. */
#ifndef LR_BACKEND_CUDA_TRACE_KERNEL_CUH
#define LR_BACKEND_CUDA_TRACE_KERNEL_CUH

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
    const real *brightness; /* [n_channel] */
};

/* All a kernel needs; passed by value. */
struct pass {
    struct trace_view view;
    int n_x, n_y;
    const real *sky; /* [n_channel] */
    int n_plane, n_probe;
    const struct plane_light *plane;
    const struct trace_probe *probe;
    float *intensity, *optical_depth; /* [n_out][n_y][n_x] */
    double *transmission;             /* [n_probe][n_channel] */
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

/* The frequencies of one thread. Gas with nothing but its line has one S for all of them. */
template <int SAMPLES, bool LINE_ONLY>
struct bundle {
    enum { SOURCES = LINE_ONLY ? 1 : SAMPLES };
    real shift[SAMPLES];
    int channel[SAMPLES]; /* -1 = none */
    real share[SOURCES];  /* of the channel */
    real intensity[SAMPLES], depth[SAMPLES];
    real behind[SOURCES], source[SOURCES], front[SOURCES]; /* S; negative = none */
    real profile[SOURCES], profile_front[SOURCES];         /* H in the middle of the stretch and of the one in front */
    real light[SOURCES], light_front[SOURCES];             /* emissivity, likewise */
    struct vec3 past[SOURCES];                             /* rise of S along each axis when it was last crossed */
};

__device__ __forceinline__ real middle_velocity(const struct stretch &stretch)
{
    return WALK_IS_RADIAL ? velocity_at(stretch, R(0.5)) : R(0.5) * (stretch.far + stretch.near);
}

/* How much brighter scattered light is at frequency k than on average over its channel: it follows the profile, which
 * is given for all frequencies of this thread. They are all of the channel, or the others are computed. */
template <int SAMPLES>
__device__ __forceinline__ real spread_factor(const struct trace_view &view, const struct bundle<SAMPLES, false> &b,
                                              const struct stretch &front, int k)
{
    if (!view.spread)
        return R(1);
    real mean = R(0);
    if (SAMPLES % view.n_node == 0) {
#pragma unroll
        for (int j = 0; j < SAMPLES; j++)
            mean += b.channel[j] == b.channel[k] ? b.share[j] * b.profile_front[j] : R(0);
    } else {
        for (int node = 0; node < view.n_node; node++) {
            const real shift = sample_shift_at(&view, node, b.channel[k]);
            mean += view.share[node] * voigt(front.cell.a, r_div(shift - middle_velocity(front), front.cell.b));
        }
    }
    return mean > R(1e-30) ? r_div(b.profile_front[k], mean) : R(1);
}

/* The emissivity as stored, in the middle of a stretch. */
__device__ __forceinline__ real stored_light(const struct trace_view &view, const struct passage &way, int channel)
{
    if (WALK_IS_RADIAL) {
        const struct aspects aspects = aspects_about(view.n_aspect, passage_mu(&way));
        const float *cell = view.emissivity + (int64_t)way.cell * view.n_aspect * view.stride + channel;
        return between((real)__ldg(&cell[aspects.low * view.stride]), (real)__ldg(&cell[aspects.high * view.stride]),
                       aspects.share);
    }
    return (real)__ldg(&view.emissivity[way.cell * view.stride + channel]);
}

/* H, emissivity and S in the middle of the stretch in front. Light of a stored channel is spread over its frequencies
 * as the profile is: S, not the emissivity, is smooth across a channel wider than the features of the line. On shells
 * the S behind is kept while the ray is in the same one. */
template <int SAMPLES>
__device__ __forceinline__ void look_ahead(const struct trace_view &view, struct bundle<SAMPLES, false> &b,
                                           const struct stretch &front, bool same)
{
    const bool there = front.way.length > R(0);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        if (!WALK_IS_RADIAL || !same)
            b.behind[k] = b.source[k];
        b.source[k] = b.front[k];
        b.front[k] = R(-1);
        b.profile[k] = b.profile_front[k];
        b.light[k] = b.light_front[k];
        if (there)
            b.profile_front[k] = voigt(front.cell.a, r_div(b.shift[k] - middle_velocity(front), front.cell.b));
    }
    if (!there)
        return;
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const real profile = b.profile_front[k];
        b.light_front[k] = R(0);
        if (view.emissivity && b.channel[k] >= 0)
            b.light_front[k] = stored_light(view, front.way, b.channel[k]) * view.emissivity_unit *
                               spread_factor<SAMPLES>(view, b, front, k);
        const real opacity = front.cell.alpha0 * profile + front.cell.kappa;
        b.front[k] = opacity > R(0) ? r_div(front.cell.eps * profile + b.light_front[k], opacity) : R(-1);
    }
}

/* Part of a stretch that is taken at one velocity. */
struct part {
    real velocity, from, to;
    bool whole; /* the whole stretch: H is known */
};

template <int SAMPLES, bool SHINES>
__device__ __forceinline__ void take_part(const struct trace_view &view, struct bundle<SAMPLES, true> &b,
                                          const struct stretch &here, const struct lean &, const struct part &part)
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

template <int SAMPLES, bool SHINES>
__device__ __forceinline__ void take_part(const struct trace_view &view, struct bundle<SAMPLES, false> &b,
                                          const struct stretch &here, const struct lean &lean, const struct part &part)
{
    const real length = here.way.length * (part.to - part.from);
    const real inv_b = r_div(R(1), here.cell.b);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const real profile =
            SHINES && part.whole ? b.profile[k] : voigt(here.cell.a, (b.shift[k] - part.velocity) * inv_b);
        const real opacity = here.cell.alpha0 * profile + here.cell.kappa;
        const real t = opacity * length;
        b.depth[k] += t;
        if (!SHINES)
            continue;
        const real glow = (here.cell.eps * profile + b.light[k]) * length;
        if (view.step_source) {
            const struct tilt tilt =
                !WALK_IS_RADIAL
                    ? source_tilt(b.behind[k], b.source[k], b.front[k], lean, b.past[k], opacity * here.way.length)
                : view.emissivity
                    ? source_tilt_radial(b.behind[k], b.source[k], b.front[k], lean, opacity * passage_span(&here.way))
                    : here.tilt;
            b.intensity[k] = formal_step(b.intensity[k], t, glow, between(tilt.in, tilt.out, part.from),
                                         between(tilt.in, tilt.out, part.to));
        } else {
            b.intensity[k] = formal_step_flat(b.intensity[k], t, glow);
        }
    }
}

template <int SAMPLES, bool LINE_ONLY, bool SHINES>
__device__ __forceinline__ void cross_stretch(const struct trace_view &view, struct bundle<SAMPLES, LINE_ONLY> &b,
                                              const struct stretch &here, const struct lean &lean)
{
    if (LINE_ONLY && cell_is_empty(&here.cell))
        return;
    const real change = here.near - here.far;
    /* along a ray through shells the velocity changes up to twice as fast as on average */
    const real most = WALK_IS_RADIAL ? R(2) * change : change;
    struct part part;
    part.whole = !(R(4) * r_abs(most) > here.cell.b);
    const int n = part.whole ? 1 : velocity_steps(most, here.cell.b);
    const real share = r_div(R(1), (real)n);
    LR_NO_UNROLL
    for (int i = 0; i < n; i++) {
        part.velocity = WALK_IS_RADIAL ? velocity_at(here, ((real)i + R(0.5)) * share)
                                       : here.far + change * ((real)i + R(0.5)) * share;
        part.from = (real)i * share;
        part.to = ((real)i + R(1)) * share;
        take_part<SAMPLES, SHINES>(view, b, here, lean, part);
    }
}

template <int SAMPLES, bool LINE_ONLY, bool SHINES>
__device__ __forceinline__ void trace_ray(const struct trace_view &view, struct bundle<SAMPLES, LINE_ONLY> &b,
                                          struct ray ray)
{
    const struct vec3 n = ray.n;
    bool more = ray.hits;
    struct lean lean = {};
    struct stretch here = next_stretch(view, ray, more);
    if constexpr (LINE_ONLY || !SHINES) {
        while (here.way.length > R(0)) {
            cross_stretch<SAMPLES, LINE_ONLY, SHINES>(view, b, here, lean);
            here = next_stretch(view, ray, more);
        }
    } else {
        struct vec3 width_behind = here.way.width;
#pragma unroll
        for (int k = 0; k < SAMPLES; k++) {
            b.behind[k] = b.source[k] = b.front[k] = R(-1);
            b.profile_front[k] = b.light_front[k] = R(0);
            b.past[k] = vec3_make(R(0), R(0), R(0));
        }
        bool known[3] = {false, false, false};
        struct passage behind = here.way; /* SHELLS: the last piece, of the shell behind where `known` */
        bool same = false;
        look_ahead<SAMPLES>(view, b, here, false);
        while (here.way.length > R(0)) {
            const struct stretch front = next_stretch(view, ray, more);
            const struct vec3 width_front = front.way.length > R(0) ? front.way.width : here.way.width;
            look_ahead<SAMPLES>(view, b, front, same);
            if (WALK_IS_RADIAL) {
                /* pieces of one shell tell nothing of S around it */
                const bool ahead = front.way.length > R(0) && front.way.cell != here.way.cell;
                const real rise_behind = passage_radius(&here.way) - passage_radius(&behind);
                const real rise_front = passage_radius(&front.way) - passage_radius(&here.way);
                lean = lean_radial(here.way, behind.cell != here.way.cell ? r_div(R(1), rise_behind) : R(0),
                                   ahead ? r_div(R(1), rise_front) : R(0));
                cross_stretch<SAMPLES, LINE_ONLY, SHINES>(view, b, here, lean);
                same = front.way.cell == here.way.cell;
                if (!same)
                    behind = here.way;
                here = front;
                continue;
            }
            lean = lean_of(here.way, n, vec3_along(width_behind, here.way.axis_in),
                           vec3_along(width_front, here.way.axis_out),
                           here.way.axis_out == 0   ? known[0]
                           : here.way.axis_out == 1 ? known[1]
                                                    : known[2]);
            cross_stretch<SAMPLES, LINE_ONLY, SHINES>(view, b, here, lean);
#pragma unroll
            for (int axis = 0; axis < 3; axis++)
                known[axis] |= here.way.axis_out == axis;
#pragma unroll
            for (int k = 0; k < SAMPLES; k++) {
                const real rise = source_rise(b.source[k], b.front[k], lean.inv_front);
                b.past[k].x = lean.axis_out == 0 ? rise : b.past[k].x;
                b.past[k].y = lean.axis_out == 1 ? rise : b.past[k].y;
                b.past[k].z = lean.axis_out == 2 ? rise : b.past[k].z;
            }
            width_behind = here.way.width;
            here = front;
        }
    }
}

/* Light of a plane that this line crosses, dimmed on its way out. */
template <int SAMPLES, bool LINE_ONLY>
__device__ void add_plane(const struct trace_view &view, struct bundle<SAMPLES, LINE_ONLY> &b, const struct line3 &line,
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
    struct bundle<SAMPLES, LINE_ONLY> dimmed = b;
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        dimmed.depth[k] = R(0);
    trace_ray<SAMPLES, LINE_ONLY, false>(view, dimmed, ray_enter(&view.mesh, line.p, line.n, t, line.t_last));
    const real factor = plane.isotropic ? (real)(1 / fabs(mu)) : R(1);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        if (b.channel[k] >= 0)
            b.intensity[k] += factor * plane.brightness[b.channel[k]] * r_exp(-r_min(dimmed.depth[k], R(80)));
}

struct sample {
    int node, channel;
};

/* Which frequency k of a thread is. A line reaches few channels: there neighbouring threads have neighbouring channels,
 * so that whole rounds can be left out. Otherwise a thread has all frequencies of a channel, as far as they go. */
template <int LANES, int SAMPLES, bool LINE_ONLY>
__device__ __forceinline__ struct sample sample_of(const struct trace_view &view, int lane, int k)
{
    struct sample sample;
    if (LINE_ONLY) {
        const int index = ((int)blockIdx.z * SAMPLES + k) * LANES + lane;
        sample.node = index / view.n_channel;
        sample.channel = index - sample.node * view.n_channel;
    } else {
        const int index = ((int)blockIdx.z * LANES + lane) * SAMPLES + k;
        sample.channel = index / view.n_node;
        sample.node = index - sample.channel * view.n_node;
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
    struct bundle<SAMPLES, LINE_ONLY> b;
    real weight[SAMPLES];
    real light[SAMPLES];
    real opaque[SAMPLES];
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const struct sample sample = sample_of<LANES, SAMPLES, LINE_ONLY>(view, lane, k);
        const bool used = sample.channel < view.n_channel && sample.node < view.n_node;
        b.channel[k] = used ? sample.channel : -1;
        b.shift[k] = used ? sample_shift_at(&view, sample.node, sample.channel) : R_HUGE;
        weight[k] = used ? view.weight[sample.node] : R(0);
        if (!LINE_ONLY)
            b.share[k] = used ? view.share[sample.node] : R(0);
        light[k] = opaque[k] = R(0);
    }
    for (int r = 0; r < view.rays * view.rays; r++) {
        const struct line3 line = eye_line(&view.eye, px * view.rays + r % view.rays, py * view.rays + r / view.rays);
#pragma unroll
        for (int k = 0; k < SAMPLES; k++) {
            b.intensity[k] = b.channel[k] >= 0 ? pass.sky[b.channel[k]] : R(0);
            b.depth[k] = R(0);
        }
        trace_ray<SAMPLES, LINE_ONLY, true>(view, b, ray_enter(&view.mesh, line.p, line.n, -RAY_FAR, line.t_last));
        for (int p = 0; p < pass.n_plane; p++)
            add_plane<SAMPLES, LINE_ONLY>(view, b, line, pass.plane[p]);
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
        const int node = sample / view.n_channel;
        struct bundle<1, false> b;
        b.channel[0] = sample - node * view.n_channel;
        b.shift[0] = sample_shift_at(&view, node, b.channel[0]);
        b.intensity[0] = b.depth[0] = R(0);
        struct point3 start;
        struct point3 n;
        for (int axis = 0; axis < 3; axis++) {
            start.x[axis] = probe.start[axis];
            n.x[axis] = probe.direction[axis];
        }
        trace_ray<1, false, false>(view, b, ray_enter(&view.mesh, start, n, 0, probe.length));
        const double weight = (double)view.share[node];
        atomicAdd(&pass.transmission[(int64_t)blockIdx.x * view.n_channel + b.channel[0]],
                  weight * exp(-(double)b.depth[0]));
    }
}

} // namespace

#endif
