/* The ray tracing kernel. LANES threads share a ray: they walk it together and each follows SAMPLES of its frequencies,
 * so that the threads of a warp read one cell at a time, and its emissivity in one piece. Included by cuda_trace.cu. */
#ifndef LR_BACKEND_CUDA_TRACE_KERNEL_CUH
#define LR_BACKEND_CUDA_TRACE_KERNEL_CUH

#include "backend/build_views.h"
#include "kernel/formal_solution.h"
#include "kernel/voigt.h"

namespace
{

enum { TRACE_BLOCK = 128 };
#ifdef LR_REAL_DOUBLE
enum { TRACE_BLOCKS_PER_SM = 2 };
#else
enum { TRACE_BLOCKS_PER_SM = 5 };
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

/* One cell on the way. */
struct stretch {
    struct cell_view cell;
    int index;
    real length; /* 0 = there is none */
    real velocity;
};

__device__ __forceinline__ struct stretch next_stretch(const struct trace_view &view, struct ray &ray, bool &more)
{
    struct stretch stretch;
    stretch.length = R(0);
    stretch.velocity = R(0);
    stretch.index = 0;
    while (more && !(stretch.length > R(0))) {
        stretch.index = walk_cell_index(&view.mesh, ray.at);
        stretch.cell = view.cell[stretch.index];
        stretch.velocity = cell_velocity_along(&stretch.cell, ray.n);
        const struct ray_step step = ray_advance(&view.mesh, &ray);
        stretch.length = step.length;
        more = step.more;
    }
    return stretch;
}

/* The frequencies of one thread. Gas with nothing but its line has one S for all of them. */
template <int SAMPLES, bool LINE_ONLY>
struct bundle {
    enum { SOURCES = LINE_ONLY ? 1 : SAMPLES };
    real shift[SAMPLES];
    int channel[SAMPLES]; /* -1 = none */
    real intensity[SAMPLES], depth[SAMPLES];
    real behind[SOURCES], source[SOURCES], front[SOURCES]; /* S; negative = none */
    real profile[SOURCES], profile_front[SOURCES];         /* H in the middle of the cell and of the one in front */
};

__device__ __forceinline__ real emissivity_at(const struct trace_view &view, int index, int channel)
{
    return view.emissivity && channel >= 0
               ? (real)__ldg(&view.emissivity[index * view.stride + channel]) * view.emissivity_unit
               : R(0);
}

/* H and S of the cell in front. */
template <int SAMPLES, bool LINE_ONLY>
__device__ __forceinline__ void look_ahead(const struct trace_view &view, struct bundle<SAMPLES, LINE_ONLY> &b,
                                           const struct stretch &front)
{
#pragma unroll
    for (int k = 0; k < (LINE_ONLY ? 1 : SAMPLES); k++) {
        b.behind[k] = b.source[k];
        b.source[k] = b.front[k];
        b.front[k] = R(-1);
        b.profile[k] = b.profile_front[k];
        if (!(front.length > R(0)))
            continue;
        if (LINE_ONLY) {
            b.front[k] = front.cell.alpha0 > R(0) ? r_div(front.cell.eps, front.cell.alpha0) : R(-1);
            continue;
        }
        const real profile = voigt(front.cell.a, r_div(b.shift[k] - front.velocity, front.cell.b));
        const real opacity = front.cell.alpha0 * profile + front.cell.kappa;
        const real glow = front.cell.eps * profile + emissivity_at(view, front.index, b.channel[k]);
        b.front[k] = opacity > R(0) ? r_div(glow, opacity) : R(-1);
        b.profile_front[k] = profile;
    }
}

/* What a step needs to know of its cell. */
struct step {
    real velocity, from, to; /* the part of the cell it covers */
    real l_behind, l_front;
    real reach; /* of the line, in |x| */
    bool bare;  /* damping does not matter */
    bool whole; /* one step over the whole cell: H is known */
};

template <int SAMPLES, bool LINE_ONLY, bool SHINES>
__device__ __forceinline__ void take_step(const struct trace_view &view, struct bundle<SAMPLES, LINE_ONLY> &b,
                                          const struct stretch &here, const struct step &step)
{
    const real length = here.length * (step.to - step.from);
    const real inv_b = r_div(R(1), here.cell.b);
    const real lean_in = R(2) * step.from - R(1);
    const real lean_out = R(2) * step.to - R(1);
    real tilt = R(0);
    if (LINE_ONLY && SHINES && view.step_source)
        tilt = source_tilt(b.behind[0], b.source[0], b.front[0], step.l_behind, here.length, step.l_front);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const real x = (b.shift[k] - step.velocity) * inv_b;
        if (LINE_ONLY && r_abs(x) > step.reach)
            continue;
        real profile;
        if (LINE_ONLY)
            profile = step.bare ? r_exp(-r_min(x * x, LR_VOIGT_T_MAX)) : voigt(here.cell.a, x);
        else
            profile = SHINES && step.whole ? b.profile[k] : voigt(here.cell.a, x);
        const real t = (here.cell.alpha0 * profile + here.cell.kappa) * length;
        b.depth[k] += t;
        if (!SHINES)
            continue;
        if (LINE_ONLY) {
            const real glow = b.source[0] * t;
            b.intensity[k] = tilt == R(0) ? formal_step_flat(b.intensity[k], t, glow)
                                          : formal_step(b.intensity[k], t, glow, tilt * lean_in, tilt * lean_out);
            continue;
        }
        const real glow = (here.cell.eps * profile + emissivity_at(view, here.index, b.channel[k])) * length;
        if (view.step_source) {
            tilt = source_tilt(b.behind[k], b.source[k], b.front[k], step.l_behind, here.length, step.l_front);
            b.intensity[k] = formal_step(b.intensity[k], t, glow, tilt * lean_in, tilt * lean_out);
        } else {
            b.intensity[k] = formal_step_flat(b.intensity[k], t, glow);
        }
    }
}

template <int SAMPLES, bool LINE_ONLY, bool SHINES>
__device__ __forceinline__ void cross_cell(const struct trace_view &view, struct bundle<SAMPLES, LINE_ONLY> &b,
                                           const struct stretch &behind, const struct stretch &here,
                                           const struct stretch &front)
{
    const real centre_depth = here.cell.alpha0 * here.length;
    struct step step;
    step.l_behind = behind.length > R(0) ? behind.length : R(1);
    step.l_front = front.length > R(0) ? front.length : R(1);
    step.reach = LINE_ONLY ? line_reach(here.cell.a, centre_depth) : R_HUGE;
    step.bare = here.cell.a * centre_depth < LINE_DEPTH_FLOOR;
    if (LINE_ONLY && step.reach <= R(0))
        return;
    real far = here.velocity;
    real near = here.velocity;
    if (view.step_velocity) {
        if (behind.length > R(0))
            far = velocity_at_face(behind.velocity, behind.length, here.velocity, here.length);
        if (front.length > R(0))
            near = velocity_at_face(here.velocity, here.length, front.velocity, front.length);
    }
    const real in = here.velocity - far;
    const real out = near - here.velocity;
    step.whole = !(R(4) * (r_abs(in) + r_abs(out)) > here.cell.b);
    if (step.whole) {
        step.velocity = here.velocity;
        step.from = R(0);
        step.to = R(1);
        take_step<SAMPLES, LINE_ONLY, SHINES>(view, b, here, step);
        return;
    }
    const int n_far = velocity_steps(in, here.cell.b);
    const int n_near = velocity_steps(out, here.cell.b);
    LR_NO_UNROLL
    for (int i = 0; i < n_far + n_near; i++) {
        const bool second = i >= n_far;
        const real width = r_div(R(1), (real)(second ? n_near : n_far));
        const real part = (real)(second ? i - n_far : i) * width; /* of this half */
        step.velocity = second ? here.velocity + out * (part + R(0.5) * width) : far + in * (part + R(0.5) * width);
        step.from = (second ? R(0.5) : R(0)) + R(0.5) * part;
        step.to = step.from + R(0.5) * width;
        take_step<SAMPLES, LINE_ONLY, SHINES>(view, b, here, step);
    }
}

template <int SAMPLES, bool LINE_ONLY, bool SHINES>
__device__ __forceinline__ void trace_ray(const struct trace_view &view, struct bundle<SAMPLES, LINE_ONLY> &b,
                                          struct ray ray)
{
    bool more = ray.hits;
    struct stretch behind;
    behind.length = R(0);
    behind.velocity = R(0);
    struct stretch here = next_stretch(view, ray, more);
#pragma unroll
    for (int k = 0; k < (LINE_ONLY ? 1 : SAMPLES); k++) {
        b.behind[k] = b.source[k] = b.front[k] = R(-1);
        b.profile_front[k] = R(0);
    }
    if (SHINES)
        look_ahead<SAMPLES, LINE_ONLY>(view, b, here);
    while (here.length > R(0)) {
        const struct stretch front = next_stretch(view, ray, more);
        if (SHINES)
            look_ahead<SAMPLES, LINE_ONLY>(view, b, front);
        cross_cell<SAMPLES, LINE_ONLY, SHINES>(view, b, behind, here, front);
        behind = here;
        here = front;
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
        if (bounded && !(x >= 0 && x < (double)view.mesh.edge[axis][view.mesh.n[axis]]))
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

template <int LANES, int SAMPLES, bool LINE_ONLY>
__global__ void __launch_bounds__(TRACE_BLOCK, TRACE_BLOCKS_PER_SM)
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
        const int sample = ((int)blockIdx.z * SAMPLES + k) * LANES + lane;
        const int node = sample / view.n_channel;
        const bool used = node < view.n_node;
        b.channel[k] = used ? sample - node * view.n_channel : -1;
        b.shift[k] = used ? sample_shift_at(&view, node, b.channel[k]) : R_HUGE;
        weight[k] = used ? view.weight[node] : R(0);
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
        const double weight = (double)view.weight[node] * view.merge * view.rays * view.rays;
        atomicAdd(&pass.transmission[(int64_t)blockIdx.x * view.n_channel + b.channel[0]],
                  weight * exp(-(double)b.depth[0]));
    }
}

} // namespace

#endif
