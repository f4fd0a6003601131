/* The transport kernel: what one thread does with one packet at a time. Each turn of its loop is one step of the
 * packet's history: a velocity proposal when it waits for a scattering, one segment when it is in flight; a rejected
 * proposal costs that thread a turn, not its warp. Included by cuda_transport.cu, once per mesh and precision. */
#ifndef LR_BACKEND_CUDA_KERNEL_CUH
#define LR_BACKEND_CUDA_KERNEL_CUH

#include "backend/build_views.h"
#include "kernel/deposit.h"
#include "kernel/emission.h"
#include "kernel/flight.h"
#include "kernel/sight.h"
#include "kernel/tables.h"

namespace
{

enum { BLOCK_THREADS = 128 };
#ifdef LR_REAL_DOUBLE
enum { BLOCKS_PER_SM = 4 };
#else
enum { BLOCKS_PER_SM = 8 };
#endif

/* With cameras a thread needs more registers: five blocks leave 96. */
enum { BLOCKS_WITH_CAMERAS = BLOCKS_PER_SM < 5 ? BLOCKS_PER_SM : 5 };

enum { CONSTANT_CDF = 44 * 251, CONSTANT_VOIGT = 5000 };
__constant__ float constant_cdf[CONSTANT_CDF];
__constant__ float constant_voigt[CONSTANT_VOIGT];

struct last_scattering {
    int cell[3];
    real local[3];
};

struct photon;
struct packet;

/* All a kernel needs; passed by value. */
struct pass {
    struct transport_view view;
    struct tally_axes axes;
    struct cone_set cones;
    int64_t n_packet, n_cell;
    struct tally_deal deal;
    int n_group, one_thread_per_packet;
    struct transport_batch *batch;
    double *face_spectrum, *direction_spectrum, *cone;
    double *fields;          /* [n_group][n_cell][2]: weighted length and scattering depth; or NULL */
    float *emissivity;       /* [n_deposit_group][n_camera][n_row][n_channel]; or NULL */
    double *emissivity_wide; /* the same, where there are few voxels */
    int n_deposit_group;
    struct transport_record *record;
    struct last_scattering *last; /* per thread; or NULL */
    unsigned long long *n_record, *queue;
    const volatile int *stop;
    struct photon *photon; /* of each warp, photon_room() */
    struct packet *aside;  /* of each thread */
};

struct packet {
    struct place at;
    struct vec3 n;
    real x, tau;
    real alpha0, a, kappa, eps, b; /* of the cell */
    struct vec3 velocity;
    real weight;                                       /* settled, in working precision */
    double settled;                                    /* weight at the last flush */
    real path;                                         /* up to the last flush */
    real path_part, length, scatter, depth, scattered; /* since the last flush */
    uint32_t events;                                   /* scatterings so far */
    uint32_t id_low, id_high, draw;
    int group;                      /* of batches, for the cell tallies */
    double absorbed, scattered_sum; /* up to the last flush */
    int cell;
    int state;
    int forced;      /* this segment has left its share with the cameras */
    real owed;       /* that share, while OWING */
    real owed_depth; /* of the way to the face ahead, on which the share is left */
    real kept_x;     /* SHELLS: of the packet, while it is where the share is left */
    struct vec3 kept_n;
    real aside; /* SHELLS: the height of that place */
};

/* OWING: about to fly a thin segment, waits for an atom to scatter its share toward the cameras. */
enum { FLYING, WAITING, OWING };

__device__ __forceinline__ void load_cell(struct packet &p, const struct cell_view &cell)
{
    p.alpha0 = cell.alpha0;
    p.a = cell.a;
    p.kappa = cell.kappa;
    p.eps = cell.eps;
    p.b = cell.b;
    p.velocity = vec3_make(cell.vx, cell.vy, cell.vz);
}

/* Velocity of the gas of the cell along the packet; that of shells is radial. */
__device__ __forceinline__ real velocity_along(const struct packet &p)
{
    return WALK_IS_RADIAL ? p.velocity.x * p.n.z : vec3_dot(p.velocity, p.n);
}

__device__ __forceinline__ void set_weight(struct packet &p, double weight)
{
    p.settled = weight;
    p.weight = (real)weight;
}

__device__ __forceinline__ void keep_last(const struct pass &pass, const struct packet &p)
{
    struct last_scattering *last = pass.last + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    last->cell[0] = p.at.i;
    last->cell[1] = p.at.j;
    last->cell[2] = p.at.k;
    last->local[0] = p.at.local.x;
    last->local[1] = p.at.local.y;
    last->local[2] = p.at.local.z;
}

__device__ __forceinline__ void start_packet(const struct pass &pass, struct packet &p, int64_t id)
{
    p.id_low = (uint32_t)id;
    p.id_high = (uint32_t)((uint64_t)id >> 32);
    p.draw = EMISSION_BLOCKS;
    p.group = tally_batch(pass.deal, id) % pass.n_group;
    const struct emitted born = emit_packet(&pass.view, p.id_low, p.id_high);
    p.at = born.at;
    p.n = born.n;
    p.x = born.x;
    p.tau = born.tau;
    p.cell = walk_cell_index(&pass.view.mesh, born.at);
    load_cell(p, pass.view.cell[p.cell]);
    set_weight(p, 1);
    p.path = p.path_part = p.length = p.scatter = p.depth = p.scattered = R(0);
    p.events = 0;
    p.absorbed = p.scattered_sum = 0;
    p.state = FLYING;
    p.forced = 0;
    if (pass.last)
        keep_last(pass, p);
}

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

__device__ __forceinline__ int packet_batch(const struct pass &pass, const struct packet &p)
{
    return tally_batch(pass.deal, (int64_t)(((uint64_t)p.id_high << 32) | p.id_low));
}

/* ---- light toward cameras ---- */

/* In a turn some lanes of a warp have scattered. These wait in a queue of the warp until there is one for every lane,
 * and send their photons toward the cameras together. Few of the photons are worth following: they wait in a list of
 * the warp until there are enough to keep all lanes busy for a while. The packets are put aside then, so that their
 * registers are free. */
enum { WARP = 32, WARPS = BLOCK_THREADS / WARP, QUEUE_ROOM = 2 * WARP, ENOUGH_PHOTONS = 8 * WARP };

/* Packets that have scattered, as they came in. SHELLS: local_y, local_z and toward_z are the direction to the
 * observer.
 */
struct scattering_queue {
    int i[QUEUE_ROOM], j[QUEUE_ROOM], k[QUEUE_ROOM], cell[QUEUE_ROOM], group[QUEUE_ROOM];
    real local_x[QUEUE_ROOM], local_y[QUEUE_ROOM], local_z[QUEUE_ROOM], toward_z[WALK_IS_RADIAL ? QUEUE_ROOM : 1];
    real n_x[QUEUE_ROOM], n_y[QUEUE_ROOM], n_z[QUEUE_ROOM];
    real x[QUEUE_ROOM], u[QUEUE_ROOM], u_side[QUEUE_ROOM];
    real share[QUEUE_ROOM], limit[QUEUE_ROOM];
};

/* A photon toward a camera. SHELLS: as above. */
struct LR_ALIGNED(16) photon {
    int i, j, k; /* cell */
    int channel;
    int slot; /* group x n_camera + camera */
    real local_x, local_y, local_z, toward_z;
    real x, amount, limit;
};

/* What waits in a warp; the same in all lanes. */
struct waiting {
    int scatterings, photons;
};

/* The longest that a list can become: 32 scatterings may have a photon each for every camera. */
__host__ __device__ __forceinline__ int64_t photon_room(int n_camera)
{
    return ENOUGH_PHOTONS + (int64_t)WARP * n_camera;
}

template <int MODE>
__device__ __forceinline__ struct table_view tables_of(const struct pass &pass)
{
    struct table_view table = pass.view.table;
    if (MODE == MODE_TABLE_CONSTANT) {
        table.cdf = constant_cdf;
        table.log_voigt = constant_voigt;
    }
    return table;
}

template <int MODE, bool NARROW>
__device__ __forceinline__ real profile_at(const struct table_view &table, real a, real x)
{
    if (MODE == MODE_TABLE_GLOBAL || MODE == MODE_TABLE_CONSTANT)
        return voigt_table(&table, a, x);
    if (MODE == MODE_APPROXIMATE_VOIGT)
        return voigt_tanh_blend(a, x, (real)voigt_crossing((double)a));
    return NARROW ? voigt_narrow(a, x) : voigt(a, x);
}

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

/* Photons on their way, one in each lane of a warp that serves cameras. */
struct photons {
    struct sight sight;
    real amount, limit;
    int channel, slot;
    bool busy;
    int waiting; /* in the list of the warp; the same in all lanes */
};

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
        p.busy = p.channel >= 0;
    }
    p.waiting = p.waiting > n ? p.waiting - n : 0;
    __syncwarp();
}

/* One step of all photons on their way; those at its end are left. */
template <int MODE, bool NARROW>
__device__ __forceinline__ void follow_photons(const struct pass &pass, struct photons &p)
{
    const struct transport_view &view = pass.view;
    if (p.busy) {
        const struct table_view table = tables_of<MODE>(pass);
        const real x = sight_aim(&view, &p.sight);
        sight_advance(&view, &p.sight, p.limit, profile_at<MODE, NARROW>(table, view.cell[p.sight.cell].a, x));
        p.busy = p.sight.state == SIGHT_GOES_ON;
        if (p.sight.state == SIGHT_IS_LEFT) {
            const real value = p.amount * sight_transmission(p.sight.depth);
            const int64_t voxel = ((int64_t)p.slot * view.n_row + p.sight.row) * view.channels.n + p.channel;
            if (pass.emissivity_wide)
                atomicAdd(&pass.emissivity_wide[voxel], (double)value);
            else
                atomicAdd(&pass.emissivity[voxel], (float)value);
        }
    }
    __syncwarp();
}

/* Follow all photons of a list. */
template <int MODE, bool NARROW>
__device__ __forceinline__ void follow_list(const struct pass &pass, const struct photon *list, int waiting)
{
    struct photons photons;
    photons.busy = false;
    photons.waiting = waiting;
    __syncwarp();
    while (__any_sync(0xffffffffu, photons.busy || photons.waiting > 0)) {
        take_photons(pass, list, photons);
        follow_photons<MODE, NARROW>(pass, photons);
    }
}

/* SHELLS: toward an observer anywhere. */
__device__ __forceinline__ struct vec3 anywhere(const struct pass &pass, struct packet &p)
{
    const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    return direction_isotropic(random.r0, random.r1);
}

/* Where a share is left. */
__device__ __forceinline__ struct vec3 share_place(const struct packet &p, bool owing, struct random4 random)
{
    if (!owing)
        return p.at.local;
    if (WALK_IS_RADIAL)
        return vec3_make(p.aside, R(0), R(0));
    const real way =
        walk_exit(p.at.local, p.at.width, p.n).distance * scattering_part(rng_uniform(random.r0), p.owed_depth);
    return walk_move(p.at.local, p.at.width, p.n, way).local;
}

/* Send the photons of the last `count` scatterings of the queue, one scattering in each lane. */
template <int MODE>
__device__ __forceinline__ void send_photons(const struct pass &pass, const struct scattering_queue &from, int count,
                                             struct photon *list, struct waiting &waiting)
{
    const struct transport_view &view = pass.view;
    const int lane = (int)threadIdx.x % WARP;
    const bool sends = lane < count;
    const int q = waiting.scatterings - count + (sends ? lane : 0);
    const struct vec3 n = vec3_make(from.n_x[q], from.n_y[q], from.n_z[q]);
    const real x_in = from.x[q];
    const real u = from.u[q];
    const real u_side = from.u_side[q];
    const real limit = from.limit[q];
    const int cell = from.cell[q];
    const struct shade_view shade = view.shade[cell];
    const real recoil = view.recoil > R(0) ? r_div(view.recoil, view.cell[cell].b) : R(0);
    LR_NO_UNROLL
    for (int c = 0; c < view.n_camera; c++) {
        struct vec3 toward = view.camera[c].toward;
        const bool near_observer = !WALK_IS_RADIAL && view.camera[c].perspective;
        const struct vec3 local = vec3_make(from.local_x[q], from.local_y[q], from.local_z[q]);
        if (WALK_IS_RADIAL)
            toward = vec3_make(local.y, local.z, from.toward_z[q]);
        if (near_observer)
            toward = way_to_camera(&view.camera[c], &view.mesh,
                                   place_in_cell(view.mesh, from.i[q], from.j[q], from.k[q], local))
                         .n;
        const real g = vec3_dot(n, toward);
        const real x = MODE == MODE_COMPLETE ? u : redistributed_frequency(x_in, u, u_side, g, recoil);
        const bool hidden =
            !WALK_IS_RADIAL && MODE != MODE_APPROXIMATE_VOIGT && !near_observer && shade_depth(shade, x) > limit;
        const unsigned who = __ballot_sync(0xffffffffu, sends && !hidden);
        if (sends && !hidden) {
            const struct cell_view gas = view.cell[cell];
            const real e1 = !view.dipole ? R(0) : phase_in_core(gas.a, x_in) ? view.dipole_core : R(1);
            struct photon photon;
            photon.i = from.i[q];
            photon.j = from.j[q];
            photon.k = from.k[q];
            photon.slot = from.group[q] * view.n_camera + c;
            photon.channel =
                channel_of_shift(&view.channels, frequency_in_mesh_frame(x, gas.b, cell_velocity_along(&gas, toward)));
            photon.local_x = local.x;
            photon.local_y = local.y;
            photon.local_z = local.z;
            photon.toward_z = toward.z;
            photon.x = x;
            photon.amount = from.share[q] * phase_toward(e1, g);
            photon.limit = limit;
            list[waiting.photons + __popc(who & ((1u << lane) - 1u))] = photon;
        }
        waiting.photons += __popc(who);
    }
    waiting.scatterings -= count;
    __syncwarp();
}

/* Whether a scattering is hidden from all far observers: |x'| <= max(|x|, |x - 2 u|) + |u_side|, and recoil. */
template <int MODE>
__device__ __forceinline__ bool is_hidden(const struct pass &pass, const struct packet &p, real u, real u_side,
                                          real limit)
{
    if (WALK_IS_RADIAL || MODE == MODE_APPROXIMATE_VOIGT || pass.view.any_near)
        return false;
    const real recoil = pass.view.recoil > R(0) ? R(2) * r_div(pass.view.recoil, p.b) : R(0);
    const real most =
        MODE == MODE_COMPLETE ? r_abs(u) : r_max(r_abs(p.x), r_abs(p.x - R(2) * u)) + r_abs(u_side) + recoil;
    return shade_depth(pass.view.shade[p.cell], most) > limit;
}

/* Note `share` photons, scattered by an atom of velocity u along the packet, for the cameras. All lanes of the warp
 * take part; those with nothing to note have share = 0. */
template <int MODE>
__device__ __forceinline__ void
note_scattering(const struct pass &pass, struct packet &p, real u, struct random4 random, bool owing, real share,
                struct scattering_queue &queue, struct photon *list, struct waiting &waiting)
{
    real u_side = R(0);
    real limit = R(0);
    bool sends = share > R(0);
    if (sends) {
        u_side = thermal_pair(random.r2, random.r3).second;
        limit = sight_limit(random);
        sends = !is_hidden<MODE>(pass, p, u, u_side, limit);
    }
    const unsigned who = __ballot_sync(0xffffffffu, sends);
    if (sends) {
        const int q = waiting.scatterings + __popc(who & ((1u << (threadIdx.x % WARP)) - 1u));
        const struct vec3 local = share_place(p, owing, random);
        queue.i[q] = p.at.i;
        queue.j[q] = p.at.j;
        queue.k[q] = p.at.k;
        queue.cell[q] = p.cell;
        queue.group[q] = pass.n_deposit_group > 1 ? packet_batch(pass, p) % pass.n_deposit_group : 0;
        queue.local_x[q] = local.x;
        queue.local_y[q] = local.y;
        queue.local_z[q] = local.z;
        queue.n_x[q] = p.n.x;
        queue.n_y[q] = p.n.y;
        queue.n_z[q] = p.n.z;
        queue.x[q] = p.x;
        queue.u[q] = u;
        queue.u_side[q] = u_side;
        queue.share[q] = share;
        queue.limit[q] = limit;
        if (WALK_IS_RADIAL) {
            const struct vec3 toward = anywhere(pass, p);
            queue.local_y[q] = toward.x;
            queue.local_z[q] = toward.y;
            queue.toward_z[q] = toward.z;
        }
    }
    waiting.scatterings += __popc(who);
    __syncwarp();
    if (waiting.scatterings >= WARP)
        send_photons<MODE>(pass, queue, WARP, list, waiting);
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
    const int in_run = packet_batch(pass, p);
    struct transport_batch *batch = &pass.batch[in_run];
    const double weight = ABSORBING ? p.settled : 1.0;
    atomicAdd(&batch->packets, 1.0);
    atomicAdd(&batch->events, (double)p.events);
    atomicAdd(&batch->scattered, ABSORBING && !pass.view.analog ? p.scattered_sum : (double)p.events);
    if (ABSORBING)
        atomicAdd(&batch->absorbed, p.absorbed);
    if (face < 0)
        return;
    const real x = frequency_in_mesh_frame(p.x, p.b, velocity_along(p));
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
    atomicAdd(&pass.batch[packet_batch(pass, p)].roulette, p.settled - weight);
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

/* Returns whether the packet goes on. */
template <bool ABSORBING>
__device__ __forceinline__ bool cross(const struct pass &pass, struct packet &p, int axis)
{
    flush<ABSORBING>(pass, p);
    const struct crossing crossing = walk_cross(&pass.view.mesh, p.at, p.n, axis);
    if (crossing.escaped) {
        p.at = crossing.at;
        end_packet<ABSORBING>(pass, p, crossing.face);
        return false;
    }
    if (!roulette_survives<ABSORBING>(pass, p)) {
        end_packet<ABSORBING>(pass, p, -1);
        return false;
    }
    const struct vec3 n = crossing.n;
    const int index = walk_cell_index(&pass.view.mesh, crossing.at);
    const struct cell_view to = pass.view.cell[index];
    p.x = frequency_across(p.x, p.b, velocity_along(p), to.b, cell_velocity_along(&to, n));
    p.n = n;
    p.at = crossing.at;
    p.cell = index;
    p.forced = 0;
    load_cell(p, to);
    return true;
}

template <int MODE, bool NARROW>
__device__ __forceinline__ struct velocity_proposal propose(const struct pass &pass, const struct table_view &table,
                                                            struct packet &p)
{
    const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    struct velocity_proposal proposal;
    if (MODE == MODE_COMPLETE) {
        proposal.u = sample_voigt_profile(p.a, random);
        proposal.uniform = rng_uniform(random.r3);
        proposal.chance = R(1);
    } else if (MODE == MODE_TABLE_GLOBAL || MODE == MODE_TABLE_CONSTANT) {
        proposal = propose_velocity_table(&table, p.a, p.x, random);
    } else {
        proposal = propose_velocity(p.a, p.x, random, NARROW);
    }
    return proposal;
}

/* Scatter off an accepted atom. */
template <int MODE>
__device__ __forceinline__ void scatter(const struct pass &pass, struct packet &p, const struct velocity_proposal &atom,
                                        struct random4 random)
{
    const struct vec3 out =
        pass.view.dipole
            ? direction_dipole(p.n, phase_in_core(p.a, p.x) ? pass.view.dipole_core : R(1), random.r0, random.r1)
            : direction_isotropic(random.r0, random.r1);
    if (MODE == MODE_COMPLETE) {
        p.x = atom.u;
    } else {
        const real g = vec3_dot(p.n, out);
        const real u_perp = thermal_pair(random.r2, random.r3).first;
        const real recoil = pass.view.recoil > R(0) ? r_div(pass.view.recoil, p.b) : R(0);
        p.x = redistributed_frequency(p.x, atom.u, u_perp, g, recoil);
    }
    p.n = out;
    p.tau = r_max(-r_log(r_div(atom.uniform, atom.chance)), R(0));
    p.events++;
    p.state = FLYING;
}

/* A turn of a packet that waits for an atom. */
template <int MODE, bool NARROW>
__device__ __forceinline__ void try_scattering(const struct pass &pass, const struct table_view &table,
                                               struct packet &p)
{
    const struct velocity_proposal atom = propose<MODE, NARROW>(pass, table, p);
    if (atom.uniform <= atom.chance)
        scatter<MODE>(pass, p, atom, rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high));
}

/* The same with cameras, for all lanes of the warp together. Cameras get what a thin segment owes, or the count of a
 * scattering. */
template <int MODE, bool ABSORBING, bool NARROW>
__device__ __forceinline__ void try_scattering_in_sight(const struct pass &pass, const struct table_view &table,
                                                        struct packet &p, bool alive, struct scattering_queue &queue,
                                                        struct photon *list, struct waiting &waiting)
{
    struct velocity_proposal atom = {};
    struct random4 random = {};
    bool found = false;
    if (alive && p.state != FLYING) {
        atom = propose<MODE, NARROW>(pass, table, p);
        found = atom.uniform <= atom.chance;
        if (found)
            random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    }
    const bool owing = found && p.state == OWING;
    const real counted = found && !p.forced ? (ABSORBING ? p.weight * r_exp(-p.depth) : R(1)) : R(0);
    __syncwarp();
    note_scattering<MODE>(pass, p, atom.u, random, owing, owing ? p.owed : counted, queue, list, waiting);
    if (found) {
        p.forced = owing;
        if (WALK_IS_RADIAL && owing) {
            p.x = p.kept_x;
            p.n = p.kept_n;
        }
        if (p.state == WAITING)
            scatter<MODE>(pass, p, atom, random);
        p.state = FLYING;
    }
}

/* SHELLS: set the longest step (STEP_TURN), and return the frequency at which the gas is met in its middle. */
__device__ __forceinline__ real aim(struct packet &p)
{
    p.at.width.z = R_HUGE;
    if (p.velocity.x == R(0))
        return p.x;
    const real outflow = r_div(p.velocity.x, p.b);
    const real reach = walk_reach(p.at.local, p.at.width, p.n, r_div(STEP_TURN, r_abs(outflow)));
    const real step = r_min(walk_exit(p.at.local, p.at.width, p.n).distance, reach);
    p.at.width.z = reach;
    return p.x - outflow * (walk_move(p.at.local, p.at.width, p.n, R(0.5) * step).n.z - p.n.z);
}

__device__ __forceinline__ void advance(struct packet &p, real length)
{
    if (WALK_IS_RADIAL) {
        const struct flown flown = walk_move(p.at.local, p.at.width, p.n, length);
        if (p.velocity.x != R(0))
            p.x -= r_div(p.velocity.x, p.b) * (flown.n.z - p.n.z);
        p.at.local = flown.local;
        p.n = flown.n;
        return;
    }
    p.at.local.x += length * p.n.x;
    p.at.local.y += length * p.n.y;
    p.at.local.z += length * p.n.z;
}

/* SHELLS: frequency and direction as at a place on the segment where its share may be scattered. */
__device__ __forceinline__ void step_aside(const struct pass &pass, struct packet &p, real length, real depth)
{
    const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    const real way = length * scattering_part(rng_uniform(random.r0), depth);
    const struct flown flown = walk_move(p.at.local, p.at.width, p.n, way);
    p.kept_x = p.x;
    p.kept_n = p.n;
    p.aside = flown.local.x;
    p.x -= r_div(p.velocity.x, p.b) * (flown.n.z - p.n.z);
    p.n = flown.n;
}

/* One segment; returns whether the packet goes on. */
template <int MODE, bool ABSORBING, bool NARROW, bool EMISSIVITY>
__device__ __forceinline__ bool fly(const struct pass &pass, const struct table_view &table, struct packet &p)
{
    const real profile = profile_at<MODE, NARROW>(table, p.a, WALK_IS_RADIAL ? aim(p) : p.x);
    const struct opacity opacity = opacity_at(p.alpha0, ABSORBING ? p.eps : R(0), ABSORBING ? p.kappa : R(0), profile);
    const bool analog = ABSORBING && pass.view.analog;
    const real stopping = analog ? opacity.scatter + opacity.absorb : opacity.scatter;
    const struct segment segment = fly_segment(p.at.local, p.at.width, p.n, p.tau, stopping);
    const real ahead = opacity.scatter * segment.to_face;
    if (EMISSIVITY && !p.forced && ahead < pass.view.force_below && ahead > R(0)) {
        p.owed = (ABSORBING ? p.weight * r_exp(-p.depth) : R(1)) * expected_scattering(opacity, segment.to_face);
        p.owed_depth = (opacity.scatter + opacity.absorb) * segment.to_face;
        p.state = OWING;
        if (WALK_IS_RADIAL)
            step_aside(pass, p, segment.to_face, p.owed_depth);
        return true;
    }
    advance(p, segment.length);
    p.tau = segment.tau_left;
    p.path_part += segment.length;
    real weighted = segment.length;
    if (ABSORBING) {
        if (!analog) {
            const real depth = opacity.absorb * segment.length;
            weighted *= p.weight * r_exp(-p.depth) * mean_transmission(depth);
            p.depth += depth;
            p.scattered += segment.scatters ? p.weight * r_exp(-p.depth) : R(0);
        }
        p.length += weighted;
    }
    p.scatter += weighted * opacity.scatter;
    if (WALK_IS_RADIAL && !segment.scatters && segment.axis == EXIT_STEP) {
        p.forced = 0;
        return true;
    }
    if (!segment.scatters)
        return cross<ABSORBING>(pass, p, segment.axis);
    p.state = WAITING;
    if (pass.last)
        keep_last(pass, p);
    if (analog) {
        const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
        if (rng_uniform(random.r0) * stopping <= opacity.absorb) {
            flush<ABSORBING>(pass, p);
            p.absorbed = p.settled;
            end_packet<ABSORBING>(pass, p, -1);
            return false;
        }
    }
    return flush_is_due(p.events) ? settle<ABSORBING>(pass, p) : true;
}

/* A packet from the queue, or the next one of the thread; returns whether there is one. */
__device__ __forceinline__ bool next_packet(const struct pass &pass, struct packet &p, int64_t &fixed)
{
    int64_t id = fixed;
    if (!pass.one_thread_per_packet)
        id = (int64_t)atomicAdd(pass.queue, 1ull);
    fixed = pass.n_packet;
    if (id >= pass.n_packet || *pass.stop)
        return false;
    start_packet(pass, p, id);
    return true;
}

template <int MODE, bool ABSORBING, bool NARROW>
__global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_PER_SM)
    transport_kernel(const __grid_constant__ struct pass pass)
{
    const struct table_view table = tables_of<MODE>(pass);
    struct packet p;
    bool alive = false;
    int64_t fixed = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (;;) {
        if (!alive && !next_packet(pass, p, fixed))
            return;
        if (p.state != FLYING)
            try_scattering<MODE, NARROW>(pass, table, p);
        alive = p.state != FLYING || fly<MODE, ABSORBING, NARROW, false>(pass, table, p);
        /* Turns are taken together: without this the compiler sends a rejected lane straight back to propose again,
         * while the rest of the warp waits (3.4e10 instead of 4.4e10 scatterings/s on an H200). */
        __syncwarp();
    }
}

/* Put a packet aside, and take it up again: what it needs, and what its cell does not say. Nothing of it stays in
 * registers in between. */
template <bool ABSORBING>
__device__ __forceinline__ void copy_packet(const struct packet &from, struct packet &to)
{
    to.at = from.at;
    to.n = from.n;
    to.x = from.x;
    to.tau = from.tau;
    to.path = from.path;
    to.path_part = from.path_part;
    to.scatter = from.scatter;
    to.events = from.events;
    to.id_low = from.id_low;
    to.id_high = from.id_high;
    to.draw = from.draw;
    to.group = from.group;
    to.cell = from.cell;
    to.state = from.state;
    to.forced = from.forced;
    to.owed = from.owed;
    to.owed_depth = from.owed_depth;
    if (WALK_IS_RADIAL) {
        to.kept_x = from.kept_x;
        to.kept_n = from.kept_n;
        to.aside = from.aside;
    }
    if (ABSORBING) {
        to.settled = from.settled;
        to.length = from.length;
        to.depth = from.depth;
        to.scattered = from.scattered;
        to.absorbed = from.absorbed;
        to.scattered_sum = from.scattered_sum;
    }
}

template <bool ABSORBING>
__device__ __forceinline__ void put_aside(const struct packet &p, struct packet &aside)
{
    copy_packet<ABSORBING>(p, aside);
    asm volatile("" ::: "memory");
}

template <bool ABSORBING>
__device__ __forceinline__ void take_up(const struct pass &pass, const struct packet &aside, struct packet &p)
{
    copy_packet<ABSORBING>(aside, p);
    if (ABSORBING)
        p.weight = (real)p.settled;
    load_cell(p, pass.view.cell[p.cell]);
}

/* The same with cameras. */
template <int MODE, bool ABSORBING, bool NARROW>
__global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_WITH_CAMERAS)
    camera_kernel(const __grid_constant__ struct pass pass)
{
    __shared__ struct scattering_queue queues[WARPS];
    struct scattering_queue &queue = queues[threadIdx.x / WARP];
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    struct photon *list = pass.photon + thread / WARP * photon_room(pass.view.n_camera);
    const struct table_view table = tables_of<MODE>(pass);
    struct waiting waiting = {0, 0};
    struct packet p;
    bool alive = false;
    bool more = true; /* packets to start */
    int64_t fixed = thread;
    do {
        while (waiting.photons < ENOUGH_PHOTONS) {
            if (!alive && more)
                alive = more = next_packet(pass, p, fixed);
            if (!__any_sync(0xffffffffu, alive))
                break;
            try_scattering_in_sight<MODE, ABSORBING, NARROW>(pass, table, p, alive, queue, list, waiting);
            __syncwarp();
            if (alive && p.state == FLYING)
                alive = fly<MODE, ABSORBING, NARROW, true>(pass, table, p);
            __syncwarp();
        }
        if (!__any_sync(0xffffffffu, alive) && waiting.scatterings > 0)
            send_photons<MODE>(pass, queue, waiting.scatterings, list, waiting);
        put_aside<ABSORBING>(p, pass.aside[thread]);
        follow_list<MODE, NARROW>(pass, list, waiting.photons);
        waiting.photons = 0;
        if (alive)
            take_up<ABSORBING>(pass, pass.aside[thread], p);
    } while (__any_sync(0xffffffffu, alive));
}

/* How well cells are hidden from the cameras, one thread each. */
__global__ void shade_kernel(const __grid_constant__ struct transport_view view, int n_cell, struct shade_view *shade)
{
    const int cell = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (cell >= n_cell)
        return;
    const int row = cell / view.mesh.n[2];
    const int at[3] = {row / view.mesh.n[1], row % view.mesh.n[1], cell % view.mesh.n[2]};
    shade[cell] = cell_shade(&view.mesh, view.cell, at);
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
