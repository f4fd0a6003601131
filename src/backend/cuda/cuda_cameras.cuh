/* The kernel that serves cameras: each note becomes one photon per camera, and the few that may get out are followed
 * (sight.h), one in each lane of a warp. They wait in a short list for a free lane. */
#ifndef LR_BACKEND_CUDA_CUDA_CAMERAS_CUH
#define LR_BACKEND_CUDA_CUDA_CAMERAS_CUH

#include "backend/cuda/cuda_notes.cuh"
#include "kernel/deposit.h"
#include "kernel/sight.h"

namespace
{

enum { LIST_ROOM = 2 * WARP, ENOUGH_FREE = 8 };

/* A photon toward a camera. SHELLS: local_y, local_z and toward_z are its direction. */
struct photon {
    int i, j, k; /* cell */
    int channel;
    int slot; /* group x n_camera + camera */
    real local_x, local_y, local_z, toward_z;
    real x, amount, limit;
};

/* Notes that a warp works on: 32 at a time, for one camera after the other. */
struct desk {
    unsigned page;
    int n, first; /* notes of the page, and the first of those at hand */
    int camera;
    bool more;
};

/* Photons on their way, one in each lane. */
struct photons {
    struct sight sight;
    real amount, limit;
    int channel, slot;
    bool busy, arrived;
    int waiting; /* in the list of the warp; the same in all lanes */
};

__device__ __forceinline__ struct place place_in_cell(const struct mesh_view &mesh, int i, int j, int k,
                                                      struct vec3 local)
{
    struct place at;
    at.i = i;
    at.j = j;
    at.k = k;
    at.local = local;
    at.width = walk_width(&mesh, i, j, k);
    if (WALK_IS_RADIAL)
        at.width.y = mesh.edge[0][i];
    return at;
}

/* The next 32 notes, or the same for the next camera. */
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

/* Send the photons of the notes at hand toward one camera. */
template <int MODE>
__device__ __forceinline__ void send_photons(const struct pass &pass, const struct desk &desk, struct photon *list,
                                             struct photons &photons)
{
    const struct transport_view &view = pass.view;
    const int lane = (int)threadIdx.x % WARP;
    const struct camera_view &camera = view.camera[desk.camera];
    const bool near_observer = !WALK_IS_RADIAL && camera.perspective;
    bool sends = desk.first + lane < desk.n;
    struct photon photon;
    if (sends) {
        const struct note note = pass.note[(int64_t)desk.page * PAGE_NOTES + desk.first + lane];
        const struct vec3 local = vec3_make(note.local_x, note.local_y, note.local_z);
        const struct place at = place_in_cell(view.mesh, note.i, note.j, note.k, local);
        const int cell = walk_cell_index(&view.mesh, at);
        const struct cell_view gas = view.cell[cell];
        const struct vec3 n = vec3_make(note.n_x, note.n_y, note.n_z);
        const struct vec3 toward = WALK_IS_RADIAL  ? vec3_make(local.y, local.z, note.toward_z)
                                   : near_observer ? way_to_camera(&camera, &view.mesh, at).n
                                                   : camera.toward;
        const struct light light = light_toward(&view, gas.a, gas.b, cell_velocity_along(&gas, toward),
                                                vec3_dot(n, toward), note.x, note.u, note.u_side, note.share, MODE);
        sends = light.channel >= 0;
        if (WALK_KNOWS_SHADE && MODE != MODE_APPROXIMATE_VOIGT && !near_observer) {
            const struct shade_view shade = view.shade ? view.shade[camera.shade * view.n_cell + cell] : shade_none();
            const real way = walk_exit(local, at.width, toward).distance;
            sends &=
                shade_depth(shade, light.x) + shade_own_depth(gas.alpha0, gas.a, gas.kappa, light.x, way) < note.limit;
        }
        photon.i = note.i;
        photon.j = note.j;
        photon.k = note.k;
        photon.channel = light.channel;
        photon.slot = note.group * view.n_camera + desk.camera;
        photon.local_x = local.x;
        photon.local_y = local.y;
        photon.local_z = local.z;
        photon.toward_z = toward.z;
        photon.x = light.x;
        photon.amount = light.amount;
        photon.limit = note.limit;
    }
    const unsigned who = __ballot_sync(0xffffffffu, sends);
    if (sends)
        list[photons.waiting + __popc(who & ((1u << lane) - 1u))] = photon;
    photons.waiting += __popc(who);
    __syncwarp();
}

/* What photons brought along is left where it belongs. */
__device__ __forceinline__ void leave_light(const struct pass &pass, struct photons &p)
{
    const struct transport_view &view = pass.view;
    if (p.arrived) {
        const real value = p.amount * sight_transmission(p.sight.depth);
        const int64_t voxel = ((int64_t)p.slot * view.n_row + p.sight.row) * view.channels.n + p.channel;
        if (pass.emissivity_wide)
            atomicAdd(&pass.emissivity_wide[voxel], (double)value);
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
        const struct vec3 local = vec3_make(photon.local_x, photon.local_y, photon.local_z);
        p.channel = photon.channel;
        p.slot = photon.slot;
        p.amount = photon.amount;
        p.limit = photon.limit;
        p.sight.at = place_in_cell(view.mesh, photon.i, photon.j, photon.k, local);
        p.sight.cell = walk_cell_index(&view.mesh, p.sight.at);
        p.sight.left = R_HUGE;
        if (WALK_IS_RADIAL) {
            p.sight.n = vec3_make(local.y, local.z, photon.toward_z);
        } else {
            const struct camera_way way = way_to_camera(&view.camera[p.slot % view.n_camera], &view.mesh, p.sight.at);
            p.sight.n = way.n;
            p.sight.left = way.distance;
        }
        p.sight.x = photon.x;
        p.sight.depth = R(0);
        p.sight.row = sight_first_row(p.sight.cell);
        p.busy = true;
    }
    p.waiting = p.waiting > n ? p.waiting - n : 0;
    __syncwarp();
}

/* One step of all photons on their way. */
template <int MODE, bool NARROW>
__device__ __forceinline__ void follow_photons(const struct pass &pass, struct photons &p)
{
    const struct transport_view &view = pass.view;
    if (p.busy) {
        const struct table_view table = tables_of<MODE>(pass);
        const struct leg leg = sight_aim(&view, &p.sight);
        const real profile = leg_profile<MODE, NARROW>(table, view.cell[p.sight.cell].a, leg).mean;
        sight_advance(&view, &p.sight, p.limit, profile);
        p.busy = p.sight.state == SIGHT_GOES_ON;
        p.arrived = p.sight.state == SIGHT_IS_LEFT;
    }
    __syncwarp();
}

template <int MODE, bool NARROW>
__global__ void __launch_bounds__(BLOCK_THREADS) camera_kernel(const __grid_constant__ struct pass pass)
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
