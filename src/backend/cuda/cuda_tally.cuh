/* What packets leave in the tallies: per cell, when they cross or settle, and at their end. */
#ifndef LR_BACKEND_CUDA_CUDA_TALLY_CUH
#define LR_BACKEND_CUDA_CUDA_TALLY_CUH

#include "backend/cuda/cuda_packet.cuh"
#include "kernel/flight.h"

namespace
{

/* Move what was gathered in the cell to the tallies; small sums are kept apart from large ones until here. */
template <bool ABSORBING>
__device__ __forceinline__ void flush(const struct pass &pass, struct packet &p)
{
    if (pass.fields) {
        double *field = pass.fields + 2 * (p.group * pass.n_cell + p.cell);
        atomicAdd(field, (double)(ABSORBING ? p.length : p.path_part));
        atomicAdd(field + 1, (double)p.scatter);
    }
    p.path += p.path_part;
    if (ABSORBING && !pass.view.analog) {
        const double after = p.settled * r_exp_minus_wide((double)p.depth);
        p.absorbed += p.settled - after;
        p.scattered_sum += (double)p.scattered;
        set_weight(p, after);
    }
    p.path_part = p.length = p.scatter = p.depth = p.scattered = R(0);
}

/* An escaped packet, for the cameras that look along its way. Light straight from a pointed source is left out: images
 * have it exactly, or not at all. */
__device__ __forceinline__ void count_in_cones(const struct pass &pass, const struct packet &p, int in_run, real shift,
                                               double weight)
{
    const struct cone_set &set = pass.cones;
    if (!cone_has_shift(&set, shift) || (p.events == 0 && packet_is_pointed(&pass.view, p.id_low, p.id_high)))
        return;
    struct vec3 place = vec3_make(R(0), R(0), R(0));
    if (set.places) {
        const struct last_scattering *last = pass.last + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
        const struct vec3 corner = walk_corner(&pass.view.mesh, last->cell[0], last->cell[1], last->cell[2]);
        place = vec3_make(corner.x + last->local[0], corner.y + last->local[1], corner.z + last->local[2]);
    }
    for (int c = 0; c < set.n; c++) {
        const struct cone_share share = cone_share_of(&set.cone[c], p.n);
        if (!share.inside || (set.places && !cone_shows(&set.cone[c], place)))
            continue;
        double *sums = &pass.cone[2 * ((int64_t)in_run * set.n + c)];
        atomicAdd(&sums[0], weight * (double)share.weight);
        atomicAdd(&sums[1], 1.0);
    }
}

/* Count a finished packet: escaped through `face`, or gone (face < 0). */
template <bool ABSORBING>
__device__ __forceinline__ void end_packet(const struct pass &pass, struct packet &p, int face)
{
    const int in_run = p.batch;
    struct transport_batch *batch = &pass.batch[in_run];
    const double weight = ABSORBING ? p.settled : 1.0;
    atomicAdd(&batch->packets, 1.0);
    atomicAdd(&batch->events, (double)p.events);
    atomicAdd(&batch->scattered, ABSORBING && !pass.view.analog ? p.scattered_sum : (double)p.events);
    if (ABSORBING)
        atomicAdd(&batch->absorbed, p.absorbed);
    if (face < 0)
        return;
    const struct cell_view &gas = pass.view.cell[p.cell];
    const real x = frequency_in_mesh_frame(p.x, gas.b, cell_velocity_along(&gas, p.n));
    const int bin = spectrum_bin(&pass.axes, x);
    const int n_slot = pass.axes.n_bin + 2;
    const int n_direction = pass.axes.n_mu * pass.axes.n_phi;
    atomicAdd(&batch->escaped, weight);
    atomicAdd(&batch->path, weight * (double)p.path);
    atomicAdd(&pass.face_spectrum[((int64_t)in_run * TRANSPORT_N_FACE + face) * n_slot + bin], weight);
    atomicAdd(&pass.direction_spectrum[((int64_t)in_run * n_direction + direction_bin(&pass.axes, p.n)) * n_slot + bin],
              weight);
    if (pass.cones.n > 0)
        count_in_cones(pass, p, in_run, x, weight);
    if (!pass.record)
        return;
    struct transport_record *record = &pass.record[atomicAdd(pass.n_record, 1ull)];
    const struct last_scattering *last = pass.last + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    record->id = (int64_t)(((uint64_t)p.id_high << 32) | p.id_low);
    record->scatterings = p.events;
    record->weight = weight;
    record->shift = (double)x;
    record->path = (double)p.path;
    record->face = face;
    record->cell[0] = p.at.i;
    record->cell[1] = p.at.j;
    record->cell[2] = p.at.k;
    record->local[0] = (double)p.at.local.x;
    record->local[1] = (double)p.at.local.y;
    record->local[2] = (double)p.at.local.z;
    record->direction[0] = (double)p.n.x;
    record->direction[1] = (double)p.n.y;
    record->direction[2] = (double)p.n.z;
    for (int axis = 0; axis < 3; axis++) {
        record->last_cell[axis] = last->cell[axis];
        record->last_local[axis] = (double)last->local[axis];
    }
}

/* Russian roulette after a flush; returns whether the packet lives. */
template <bool ABSORBING>
__device__ __forceinline__ bool roulette_survives(const struct pass &pass, struct packet &p)
{
    if (!ABSORBING || p.settled >= ROULETTE_BELOW)
        return true;
    const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    const bool survives = (double)rng_uniform(random.r0) <= ROULETTE_SURVIVAL && p.settled > 0;
    const double weight = survives ? p.settled / ROULETTE_SURVIVAL : 0;
    atomicAdd(&pass.batch[p.batch].roulette, p.settled - weight);
    set_weight(p, weight);
    return survives;
}

/* A packet that stays in one cell for long: settle its sums, and its fate if its weight has become small. Returns
 * whether it goes on. */
template <bool ABSORBING>
__device__ __forceinline__ bool settle(const struct pass &pass, struct packet &p)
{
    flush<ABSORBING>(pass, p);
    const bool alive = roulette_survives<ABSORBING>(pass, p);
    if (!alive)
        end_packet<ABSORBING>(pass, p, -1);
    return alive;
}

/* Sums of cells to sums per volume. A block takes one cell of one camera after the other. */
__global__ void spread_kernel(const struct mesh_view mesh, int64_t n_cell, int n_camera, int n_channel,
                              float *emissivity)
{
    for (int64_t row = blockIdx.x; row < n_cell * n_camera; row += gridDim.x) {
        const int cell = (int)(row % n_cell);
        const int line = cell / mesh.n[2];
        const struct vec3 width = walk_width(&mesh, line / mesh.n[1], line % mesh.n[1], cell % mesh.n[2]);
        const float inverse = 1.0f / (float)(width.x * width.y * width.z);
        for (int c = (int)threadIdx.x; c < n_channel; c += (int)blockDim.x)
            emissivity[row * n_channel + c] *= inverse;
    }
}

/* Sums over the groups of batches, and sums of squares over packets of the group. */
__global__ void fold_kernel(const double *sums, const double *group_packets, int n_group, int64_t n_cell, double *total,
                            double *square)
{
    const int64_t cell = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= n_cell)
        return;
    double t = 0;
    double s = 0;
    for (int group = 0; group < n_group; group++) {
        const double value = sums[2 * (group * n_cell + cell)];
        t += value;
        s += group_packets[group] > 0 ? value * value / group_packets[group] : 0;
    }
    total[cell] = t;
    square[cell] = s;
}

} // namespace

#endif
