/* The kernel for the cameras: each note becomes one photon per camera, and the few that may escape are followed
 * (sight.h), one per lane of a warp. They wait in a short list for a free lane. */
#ifndef LR_BACKEND_CUDA_CUDA_CAMERAS_CUH
#define LR_BACKEND_CUDA_CUDA_CAMERAS_CUH

#include "backend/cuda/cuda_notes.cuh"
#include "kernel/deposit.h"
#include "kernel/sight.h"

namespace
{

enum { LIST_ROOM = 2 * WARP, ENOUGH_FREE = 8 };

#ifdef LR_REAL_DOUBLE
enum { BLOCKS_OF_CAMERAS = 4 };
#else
enum { BLOCKS_OF_CAMERAS = 7 };
#endif

/* A photon toward a camera. The group of its spot is replaced by the slot, group x n_camera + camera, of its light. */
struct LR_ALIGNED(16) photon {
    struct spot spot;
    real x, amount, limit;
    int channel;
};

/* Notes that a warp works on: 32 at a time, for each camera in turn. */
struct desk {
    unsigned page;
    int n, first; /* number of notes on the page; first of the current 32 */
    int camera;
    bool more;
};

/* Photons in flight, one per lane. */
struct photons {
    struct sight sight;
    real amount, limit;
    int channel, slot;
    bool busy, arrived;
    int waiting; /* length of the warp's list; the same in all lanes */
};

/* Moves to the next camera, or to the next 32 notes. */
__device__ __forceinline__ void turn_page(const struct pass &pass, struct desk &desk)
{
    desk.camera++;
    if (desk.camera < pass.view.n_camera)
        return;
    desk.camera = 0;
    desk.first += WARP;
    while (desk.more && desk.first >= desk.n) {
        unsigned page = 0;
        if (threadIdx.x % WARP == 0)
            page = atomicAdd(&pass.counters->served, 1u);
        desk.page = __shfl_sync(0xffffffffu, page, 0);
        desk.more = desk.page < min(pass.counters->taken, pass.n_page);
        desk.n = desk.more ? pass.page_notes[desk.page] : 0;
        desk.first = 0;
    }
}

/* Sends the photons of the current notes toward one camera. */
template <int MODE>
__device__ __forceinline__ void send_photons(const struct pass &pass, const struct desk &desk, struct photon *list,
                                             struct photons &photons)
{
    const struct transport_view &view = pass.view;
    const int lane = (int)threadIdx.x % WARP;
    bool sends = desk.first + lane < desk.n;
    struct photon photon;
    if (sends) {
        const struct note note = pass.note[(int64_t)desk.page * PAGE_NOTES + desk.first + lane];
        const struct place at = spot_place(&view, note.spot);
        const int cell = walk_cell_index(&view.mesh, at);
        const struct cell_view gas = view.cell[cell];
        const struct camera_way way = spot_way(&view, note.spot, at, desk.camera);
        const struct light light =
            note_light(&view, note, note_law(note), note_least(&view, note.spot), at, gas,
                       cell_velocity_along(&gas, way.n), way, note_shade(&view, cell, desk.camera), MODE);
        sends = light.channel >= 0;
        photon.spot = note.spot;
        photon.x = light.x;
        photon.amount = light.amount;
        photon.limit = note.limit;
        photon.channel = light.channel;
        photon.spot.group = note.spot.group * view.n_camera + desk.camera;
    }
    const unsigned who = __ballot_sync(0xffffffffu, sends);
    if (sends)
        list[photons.waiting + __popc(who & ((1u << lane) - 1u))] = photon;
    photons.waiting += __popc(who);
    __syncwarp();
}

/* Stores the light of photons that have arrived. */
__device__ __forceinline__ void leave_light(const struct pass &pass, struct photons &p)
{
    const struct transport_view &view = pass.view;
    if (p.arrived) {
        const real value = p.amount * sight_transmission(p.sight.depth);
        const int64_t voxel = sight_voxel(&view, &p.sight, p.slot, p.channel);
        if (pass.emissivity_wide)
            exact_add(&pass.emissivity_wide[voxel], (double)value, pass.tally.quanta.light, sight_offset(&p.sight));
        else
            atomicAdd(&pass.emissivity[voxel], (float)value);
    }
    p.arrived = false;
    __syncwarp();
}

/* Lanes without a photon take one from the end of the list. */
__device__ __forceinline__ void take_photons(const struct pass &pass, const struct photon *list, struct photons &p)
{
    const struct transport_view &view = pass.view;
    const unsigned free_lanes = __ballot_sync(0xffffffffu, !p.busy);
    const int rank = __popc(free_lanes & ((1u << (threadIdx.x % WARP)) - 1u));
    const int n = __popc(free_lanes);
    if (!p.busy && rank < p.waiting) {
        const struct photon photon = list[p.waiting - 1 - rank];
        const struct place at = spot_place(&view, photon.spot);
        p.channel = photon.channel;
        p.slot = photon.spot.group;
        p.amount = photon.amount;
        p.limit = photon.limit;
        p.sight = sight_begin(&view, at, spot_way(&view, photon.spot, at, p.slot % view.n_camera), photon.x);
        p.busy = true;
    }
    p.waiting = p.waiting > n ? p.waiting - n : 0;
    __syncwarp();
}

/* Advances all photons in flight by one step. */
template <int MODE, bool NARROW>
__device__ __forceinline__ void follow_photons(const struct pass &pass, struct photons &p)
{
    const struct transport_view &view = pass.view;
    if (p.busy) {
        const struct table_view table = tables_of<MODE>(pass);
        const struct leg leg = sight_aim(&view, &p.sight);
        const struct cell_view *gas = &view.cell[p.sight.cell];
        const real profile = gas_profiles(&view, &table, gas->a, gas->b, leg, MODE, NARROW).mean;
        sight_advance(&view, &p.sight, p.limit, profile);
        p.busy = p.sight.state == SIGHT_GOES_ON;
        p.arrived = p.sight.state == SIGHT_IS_LEFT;
    }
    __syncwarp();
}

template <int MODE, bool NARROW>
__global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_OF_CAMERAS)
    camera_kernel(const __grid_constant__ struct pass pass)
{
    __shared__ struct photon lists[WARPS][LIST_ROOM];
    struct photon *list = lists[threadIdx.x / WARP];
    struct desk desk = {};
    desk.camera = pass.view.n_camera;
    desk.more = true;
    struct photons photons;
    photons.busy = photons.arrived = false;
    photons.waiting = 0;
    turn_page(pass, desk);
    while (desk.more || __any_sync(0xffffffffu, photons.busy || photons.arrived || photons.waiting > 0)) {
        while (desk.more && photons.waiting < WARP) {
            send_photons<MODE>(pass, desk, list, photons);
            turn_page(pass, desk);
        }
        if (__popc(__ballot_sync(0xffffffffu, !photons.busy)) >= ENOUGH_FREE || !desk.more) {
            leave_light(pass, photons);
            take_photons(pass, list, photons);
        }
        follow_photons<MODE, NARROW>(pass, photons);
    }
}

} // namespace

#endif
