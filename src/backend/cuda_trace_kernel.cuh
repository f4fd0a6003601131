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

/* The frequencies of one thread. */
template <int SAMPLES>
struct bundle {
    real shift[SAMPLES];
    int channel[SAMPLES]; /* -1 = none */
    real intensity[SAMPLES], depth[SAMPLES];
    real behind[SAMPLES], source[SAMPLES], front[SAMPLES]; /* S; negative = none */
};

__device__ __forceinline__ real emissivity_at(const struct trace_view &view, int index, int channel)
{
    return view.emissivity && channel >= 0
               ? (real)__ldg(&view.emissivity[index * view.stride + channel]) * view.emissivity_unit
               : R(0);
}

/* H and S of the cell in front, for every frequency. In gas with nothing but its line S is the same for all. */
template <int SAMPLES, bool LINE_ONLY>
__device__ __forceinline__ void look_ahead(const struct trace_view &view, struct bundle<SAMPLES> &b,
                                           const struct stretch &front)
{
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        b.behind[k] = b.source[k];
        b.source[k] = b.front[k];
        b.front[k] = R(-1);
        if (!(front.length > R(0)))
            continue;
        if (LINE_ONLY) {
            b.front[k] = front.cell.alpha0 > R(0) ? r_div(front.cell.eps, front.cell.alpha0) : R(-1);
            continue;
        }
        const real x = r_div(b.shift[k] - front.velocity, front.cell.b);
        const real profile = voigt(front.cell.a, x);
        const real opacity = front.cell.alpha0 * profile + front.cell.kappa;
        const real glow = front.cell.eps * profile + emissivity_at(view, front.index, b.channel[k]);
        b.front[k] = opacity > R(0) ? r_div(glow, opacity) : R(-1);
    }
}

/* One step inside a cell at one velocity, over the part from..to of it. */
template <int SAMPLES, bool LINE_ONLY, bool SHINES>
__device__ __forceinline__ void take_step(const struct trace_view &view, struct bundle<SAMPLES> &b,
                                          const struct stretch &here, real l_behind, real l_front, real reach,
                                          real velocity, real from, real to)
{
    const real length = here.length * (to - from);
    const real inv_b = r_div(R(1), here.cell.b);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++) {
        const real x = (b.shift[k] - velocity) * inv_b;
        if (LINE_ONLY && r_abs(x) > reach)
            continue;
        const real profile = voigt(here.cell.a, x);
        const real t = (here.cell.alpha0 * profile + here.cell.kappa) * length;
        b.depth[k] += t;
        if (!SHINES)
            continue;
        const real glow = LINE_ONLY
                              ? here.cell.eps * profile * length
                              : (here.cell.eps * profile + emissivity_at(view, here.index, b.channel[k])) * length;
        const real tilt =
            view.step_source ? source_tilt(b.behind[k], b.source[k], b.front[k], l_behind, here.length, l_front) : R(0);
        b.intensity[k] = formal_step(b.intensity[k], t, glow, tilt * (R(2) * from - R(1)), tilt * (R(2) * to - R(1)));
    }
}

template <int SAMPLES, bool LINE_ONLY, bool SHINES>
__device__ __forceinline__ void cross_cell(const struct trace_view &view, struct bundle<SAMPLES> &b,
                                           const struct stretch &behind, const struct stretch &here,
                                           const struct stretch &front)
{
    const real l_behind = behind.length > R(0) ? behind.length : R(1);
    const real l_front = front.length > R(0) ? front.length : R(1);
    const real reach = LINE_ONLY ? line_reach(here.cell.a, here.cell.alpha0 * here.length) : R_HUGE;
    if (LINE_ONLY && reach <= R(0))
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
    const bool steep = R(4) * (r_abs(in) + r_abs(out)) > here.cell.b;
    const int n_far = steep ? velocity_steps(in, here.cell.b) : 0;
    const int n_near = steep ? velocity_steps(out, here.cell.b) : 1;
    for (int step = 0; step < n_far + n_near; step++) {
        const bool second = step >= n_far;
        const real n = (real)(second ? n_near : n_far);
        const real part = r_div((real)(second ? step - n_far : step) + R(0.5), n);
        const real velocity = steep ? (second ? here.velocity + out * part : far + in * part) : here.velocity;
        const real base = second && steep ? R(0.5) : R(0);
        const real width = steep ? r_div(R(0.5), n) : R(1);
        const real from = steep ? base + R(0.5) * part - R(0.5) * width : R(0);
        take_step<SAMPLES, LINE_ONLY, SHINES>(view, b, here, l_behind, l_front, reach, velocity, from, from + width);
    }
}

template <int SAMPLES, bool LINE_ONLY, bool SHINES>
__device__ __forceinline__ void trace_ray(const struct trace_view &view, struct bundle<SAMPLES> &b, struct ray ray)
{
    bool more = ray.hits;
    struct stretch behind;
    behind.length = R(0);
    struct stretch here = next_stretch(view, ray, more);
#pragma unroll
    for (int k = 0; k < SAMPLES; k++)
        b.behind[k] = b.source[k] = b.front[k] = R(-1);
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
        if (bounded && !(x >= 0 && x < (double)view.mesh.edge[axis][view.mesh.n[axis]]))
            return;
    }
    if (t > line.t_last)
        return;
    struct bundle<SAMPLES> dimmed = b;
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
__global__ void __launch_bounds__(TRACE_BLOCK) trace_kernel(const __grid_constant__ struct pass pass, int first_row)
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
        struct bundle<1> b;
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
