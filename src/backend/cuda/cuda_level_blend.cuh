/* Kernels for lines that overlap (kernel/level_blend.h), one warp per ray or, for starlight, per cell. What a warp
 * knows of its ray is in shared memory; each thread works on its own frequencies there. Included by cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_BLEND_CUH
#define LR_BACKEND_CUDA_CUDA_LEVEL_BLEND_CUH

#include "backend/cuda/cuda_level_light.cuh"
#include "backend/cuda/cuda_level_star.cuh"
#include "kernel/level_blend_star.h"

namespace
{

struct blend_pass {
    struct light_pass light;
    struct blend_view blend;
    bool counts; /* adds up the weights of the rays, which otherwise light_kernel does */
};

__device__ __forceinline__ real warp_most(real value)
{
    for (int offset = WARP / 2; offset > 0; offset /= 2)
        value = r_max(value, __shfl_xor_sync(WHOLE_WARP, value, offset));
    return value;
}

__device__ __forceinline__ struct blend_record warp_record(struct blend_record sum)
{
    for (int offset = WARP / 2; offset > 0; offset /= 2) {
        sum.profile += __shfl_xor_sync(WHOLE_WARP, sum.profile, offset);
        sum.entering += __shfl_xor_sync(WHOLE_WARP, sum.entering, offset);
        sum.lost += __shfl_xor_sync(WHOLE_WARP, sum.lost, offset);
    }
    return sum;
}

__device__ __forceinline__ const struct line_glow *glow_at(const struct light_pass &pass, int cell)
{
    return pass.glow + (int64_t)cell * pass.n_line;
}

/* Depth of the thickest line over a path through a cell. */
__device__ __forceinline__ real thickest_in(const struct blend_pass &pass, int cell, real length)
{
    const struct line_glow *glow = glow_at(pass.light, cell);
    real depth = R(0);
    for (int m = (int)threadIdx.x % WARP; m < pass.blend.n; m += WARP)
        depth = r_max(depth, r_abs(glow[pass.blend.first + m].alpha) * length);
    return warp_most(depth);
}

/* ---- rays -------------------------------------------------------------------------------------------------------- */

__device__ __forceinline__ struct blend_piece blend_piece_of(const struct blend_pass &pass, const struct piece &from,
                                                             int target)
{
    const struct gas_view &gas = pass.light.gas[from.cell];
    struct blend_piece piece;
    piece.here = glow_at(pass.light, from.cell);
    piece.other = glow_at(pass.light, from.other);
    piece.is_target = from.cell == target;
    piece.is_other = from.other == target;
    piece.length = from.length;
    piece.u0 = from.u0;
    piece.u1 = from.u1;
    piece.v0 = from.v0;
    piece.v1 = from.v1;
    piece.inv_b = gas.inv_b;
    piece.grey = gas.kappa * from.length;
    piece.least = pass.light.least_depth;
    piece.dust.at_zero = piece.dust.slope = R(0);
    if (pass.light.dust)
        piece.dust = blend_dust(&pass.blend, pass.light.dust + (int64_t)from.cell * pass.light.n_line);
    return piece;
}

__device__ __forceinline__ struct blend_window blend_window_at(const struct blend_pass &pass, const struct piece &piece)
{
    const struct gas_view &gas = pass.light.gas[piece.cell];
    return blend_window_of(piece.v0, piece.v1, gas.inv_b, gas.kappa > R(0));
}

/* From the middle of the last cell, if there is one, to that of this one. The cell records if the weight is not 0. */
__device__ void cross_blend(const struct blend_pass &pass, const struct beam &beam, const struct visit &last,
                            const struct visit &here, real weight, struct blend_room room)
{
    const struct blend_view *blend = &pass.blend;
    const int lane = (int)threadIdx.x % WARP;
    const struct face face = face_between(&last, &here);
    const struct piece end = piece_from_face(&last, &here, &face, weight);
    const struct line_glow *glow = glow_at(pass.light, here.cell);
    struct blend_window window = blend_window_at(pass, end);
    real depth = thickest_in(pass, here.cell, here.length);
    if (last.cell >= 0)
        depth = r_max(depth, thickest_in(pass, last.cell, last.length));
    const real reach = profile_reach(depth);
    if (last.cell >= 0) {
        const struct piece begin = piece_to_face(&last, &here, &face);
        const struct blend_piece first = blend_piece_of(pass, begin, here.cell);
        window = blend_window_join(window, blend_window_at(pass, begin));
        blend_cross(blend, &first, &window, reach, lane, WARP, room);
    }
    const struct blend_piece second = blend_piece_of(pass, end, here.cell);
    blend_cross(blend, &second, &window, reach, lane, WARP, room);
    for (int m = 0; weight > R(0) && m < blend->n; m++) {
        const struct blend_record seen =
            warp_record(blend_see(blend, glow, &window, m, here.v, here.inv_b, reach, lane, WARP, room));
        struct line_light *light = &beam.light[(int64_t)here.cell * pass.light.n_line + blend->first + m];
        if (lane < 2 && seen.profile > R(0))
            atomicAdd(lane == 0 ? &light->entering : &light->lost,
                      r_div(weight * (lane == 0 ? seen.entering : seen.lost), seen.profile));
    }
    blend_leave(blend, glow, &window, reach, lane, WARP, room);
}

__device__ void follow_blend(const struct blend_pass &pass, const struct beam &beam, const struct level_ray &from,
                             struct blend_room room)
{
    const struct mesh_view *mesh = &pass.light.mesh;
    struct point3 p;
    for (int axis = 0; axis < 3; axis++)
        p.x[axis] = from.point[axis];
    struct ray ray = ray_enter(mesh, p, beam.direction, -RAY_FAR, RAY_FAR);
    struct visit last = visit_none();
    for (bool more = ray.hits; more;) {
        const struct passage way = pass_cell(mesh, &ray);
        more = way.more;
        if (!(way.length > R(0)))
            continue;
        const struct visit here = visit_cell(pass.light.gas, way.cell, way.length, ray.n);
        const real weight = visit_weight(&here, (real)from.area);
        cross_blend(pass, beam, last, here, weight, room);
        if (pass.counts && weight > R(0) && threadIdx.x % WARP == 0)
            atomicAdd(&beam.length[here.cell], weight);
        last = here;
    }
}

/* blockDim.x / 32 rays per block. */
__global__ void __launch_bounds__(LEVEL_WARPS *WARP)
    blend_kernel(const __grid_constant__ struct blend_pass pass, const __grid_constant__ struct beam beam)
{
    const int warp = (int)threadIdx.x / WARP;
    const int lane = (int)threadIdx.x % WARP;
    const int64_t r = (int64_t)blockIdx.x * (blockDim.x / WARP) + warp;
    const int64_t size = blend_room_size(pass.blend.n, pass.blend.band.n);
    if (r >= beam.n_ray)
        return;
    real *memory = (real *)level_room + warp * size;
    const struct blend_room room = blend_room_at(pass.blend.n, pass.blend.band.n, memory);
    for (int64_t i = lane; i < size; i += WARP)
        memory[i] = R(0);
    __syncwarp(); /* rows are divided among the threads in another way */
    blend_begin(&pass.blend, room, lane, WARP);
    follow_blend(pass, beam, beam.ray[r], room);
}

/* ---- starlight --------------------------------------------------------------------------------------------------- */

__device__ __forceinline__ struct star_span star_span_of(const struct blend_pass &pass, const struct visit &visit,
                                                         real length, real v0, real v1)
{
    struct star_span span;
    span.v[0] = v0;
    span.v[1] = v1;
    span.v[2] = v1;
    span.parts = 1;
    span.inv_b = visit.inv_b;
    span.length = length;
    span.glow = glow_at(pass.light, visit.cell);
    return span;
}

__device__ void dim_blend(const struct blend_pass &pass, const struct star_pass &star, const struct visit &visit,
                          real v0, real v1, real *grey, struct blend_star_room room)
{
    const real length = R(0.5) * visit.length;
    *grey += visit.kappa * length;
    if (!visit.has_gas)
        return;
    const struct star_span span = star_span_of(pass, visit, length, v0, v1);
    const real reach = profile_reach(thickest_in(pass, visit.cell, length));
    blend_star_dim(&pass.blend, &span, star.line[pass.blend.first].least, reach, (int)threadIdx.x % WARP, WARP, room);
}

__device__ void see_blend(const struct blend_pass &pass, const struct star_pass &star, const struct star_end &end,
                          real before, struct blend_star_room room)
{
    const struct visit &visit = end.visit;
    const struct star_cell seen = star.cell[visit.cell];
    const struct star_span span = star_span_of(pass, visit, seen.length, end.v0, end.v1);
    const real reach = profile_reach(thickest_in(pass, visit.cell, seen.length));
    const int lane = (int)threadIdx.x % WARP;
    blend_star_depth(&pass.blend, &span, reach, lane, WARP, room);
    for (int m = 0; m < pass.blend.n; m++) {
        const int line = pass.blend.first + m;
        const struct blend_record record =
            warp_record(blend_star_see(&pass.blend, &span, m, before, visit.kappa * seen.length,
                                       star.line[line].brightest, reach, lane, WARP, room));
        if (lane == 0)
            star.light[(int64_t)visit.cell * pass.light.n_line + line] +=
                star_light((double)seen.dilution, star.line[line].light, record.entering, record.profile);
    }
}

__device__ void shine_on_blend(const struct blend_pass &pass, const struct star_pass &star, int target,
                               struct blend_star_room room)
{
    struct star_way way = star_way_to(&pass.light.mesh, star.point, target);
    real grey = R(0);
    while (star_way_goes_on(&way)) {
        const struct star_step step = star_way_next(&pass.light.mesh, pass.light.gas, target, &way);
        if (!step.counts)
            continue;
        if (step.last.cell >= 0)
            dim_blend(pass, star, step.last, step.last.v, step.face.v_last, &grey, room);
        if (step.arrives) {
            see_blend(pass, star, star_end_at(&step), grey, room);
            return;
        }
        dim_blend(pass, star, step.here, step.face.v_here, step.here.v, &grey, room);
    }
    see_blend(pass, star, star_end_beside(pass.light.gas, target, &way), grey, room);
}

/* blockDim.x / 32 cells per block. */
__global__ void __launch_bounds__(LEVEL_WARPS *WARP)
    star_blend_kernel(const __grid_constant__ struct blend_pass pass, const __grid_constant__ struct star_pass star)
{
    const int warp = (int)threadIdx.x / WARP;
    const int64_t cell = (int64_t)blockIdx.x * (blockDim.x / WARP) + warp;
    const int64_t size = (int64_t)BLEND_STAR_ROWS * pass.blend.band.n;
    if (cell >= star.n_cell || !(pass.light.gas[cell].has_gas > R(0)))
        return;
    real *memory = (real *)level_room + warp * size;
    for (int64_t i = (int)threadIdx.x % WARP; i < size; i += WARP)
        memory[i] = R(0);
    __syncwarp();
    shine_on_blend(pass, star, (int)cell, blend_star_room_at(pass.blend.band.n, memory));
}

} // namespace

#endif
