/* The transport kernel: what one thread does with one packet at a time. Each turn of its loop is one step of the
 * packet's history: a velocity proposal when it waits for a scattering, one segment when it is in flight; a rejected
 * proposal costs that thread a turn, not its warp. Included by cuda_transport.cu, once per mesh and precision. */
#ifndef LR_BACKEND_CUDA_KERNEL_CUH
#define LR_BACKEND_CUDA_KERNEL_CUH

#include "backend/build_views.h"
#include "kernel/aspect.h"
#include "kernel/deposit.h"
#include "kernel/emission.h"
#include "kernel/flight.h"
#include "kernel/tables.h"

namespace
{

enum { BLOCK_THREADS = 128 };
#ifdef LR_REAL_DOUBLE
enum { BLOCKS_PER_SM = 4 };
#else
enum { BLOCKS_PER_SM = 8 };
#endif
/* With cameras a packet needs more registers: seven blocks leave 72 for each thread, eight spill (slower by 13 %). */
enum { BLOCKS_WITH_CAMERAS = BLOCKS_PER_SM < 7 ? BLOCKS_PER_SM : 7 };

enum { CONSTANT_CDF = 44 * 251, CONSTANT_VOIGT = 5000 };
__constant__ float constant_cdf[CONSTANT_CDF];
__constant__ float constant_voigt[CONSTANT_VOIGT];

struct last_scattering {
    int cell[3];
    real local[3];
};

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
    float *emissivity;       /* [n_deposit_group][n_camera][n_cell][n_aspect][n_channel]; or NULL */
    double *emissivity_wide; /* the same, where there are few voxels */
    int n_deposit_group;
    struct transport_record *record;
    struct last_scattering *last; /* per thread; or NULL */
    unsigned long long *n_record, *queue;
    const volatile int *stop;
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
    int forced;  /* this segment has left its share with the cameras */
    real owed;   /* that share, while OWING */
    real kept_x; /* SHELLS: of the packet, while it is where the share is left */
    struct vec3 kept_n;
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

__device__ void start_packet(const struct pass &pass, struct packet &p, int64_t id)
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

/* SHELLS: toward an observer anywhere. */
__device__ __forceinline__ struct vec3 anywhere(const struct pass &pass, struct packet &p)
{
    const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    return direction_isotropic(random.r0, random.r1);
}

/* Leave `share` scatterings, by an atom of velocity u along the packet, with every camera. */
template <int MODE>
__device__ void deposit(const struct pass &pass, struct packet &p, real u, real u_side, real share)
{
    const struct transport_view &view = pass.view;
    const real e1 = !view.dipole ? R(0) : phase_in_core(p.a, p.x) ? view.dipole_core : R(1);
    const real recoil = view.recoil > R(0) ? r_div(view.recoil, p.b) : R(0);
    const int64_t group = pass.n_deposit_group > 1 ? packet_batch(pass, p) % pass.n_deposit_group : 0;
    for (int c = 0; c < view.n_camera; c++) {
        const struct vec3 toward =
            WALK_IS_RADIAL ? anywhere(pass, p) : camera_direction(&view.camera[c], &view.mesh, p.at);
        const real g = vec3_dot(p.n, toward);
        const real x = MODE == MODE_COMPLETE ? u : redistributed_frequency(p.x, u, u_side, g, recoil);
        const real projected = WALK_IS_RADIAL ? p.velocity.x * toward.z : vec3_dot(p.velocity, toward);
        const int channel = channel_of_shift(&view.channels, frequency_in_mesh_frame(x, p.b, projected));
        if (channel < 0)
            continue;
        int64_t row = (group * view.n_camera + c) * pass.n_cell + p.cell;
        if (WALK_IS_RADIAL)
            row = row * view.n_aspect + aspect_of(view.n_aspect, toward.z);
        const int64_t voxel = row * view.channels.n + channel;
        const real value = share * phase_toward(e1, g);
        if (pass.emissivity_wide)
            atomicAdd(&pass.emissivity_wide[voxel], (double)value);
        else
            atomicAdd(&pass.emissivity[voxel], (float)value);
    }
}

/* An escaped packet, for the cameras that look along its way. Light straight from a pointed source is left out: images
 * have it exactly, or not at all. */
__device__ void count_in_cones(const struct pass &pass, const struct packet &p, int in_run, real shift, double weight)
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
__device__ void end_packet(const struct pass &pass, struct packet &p, int face)
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

/* What the cameras get of an accepted atom: the share that a thin segment owes, or the count of a scattering. */
template <int MODE, bool ABSORBING>
__device__ __forceinline__ void serve_cameras(const struct pass &pass, struct packet &p,
                                              const struct velocity_proposal &atom, struct random4 random)
{
    const bool owing = p.state == OWING;
    if (owing || !p.forced) {
        const real counted = ABSORBING ? p.weight * r_exp(-p.depth) : R(1);
        deposit<MODE>(pass, p, atom.u, thermal_pair(random.r2, random.r3).second, owing ? p.owed : counted);
    }
    p.forced = owing;
    if (WALK_IS_RADIAL && owing) {
        p.x = p.kept_x;
        p.n = p.kept_n;
    }
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

/* The same with cameras, for all lanes of the warp together: lanes that have nothing for the cameras would otherwise
 * run ahead on their own. */
template <int MODE, bool ABSORBING, bool NARROW>
__device__ __forceinline__ void try_scattering_in_sight(const struct pass &pass, const struct table_view &table,
                                                        struct packet &p)
{
    struct velocity_proposal atom;
    struct random4 random;
    bool found = false;
    if (p.state != FLYING) {
        atom = propose<MODE, NARROW>(pass, table, p);
        found = atom.uniform <= atom.chance;
        if (found)
            random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    }
    __syncwarp();
    if (found)
        serve_cameras<MODE, ABSORBING>(pass, p, atom, random);
    __syncwarp();
    if (found && p.state == WAITING)
        scatter<MODE>(pass, p, atom, random);
    p.state = found ? FLYING : p.state;
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
    const struct vec3 n = walk_move(p.at.local, p.at.width, p.n, way).n;
    p.kept_x = p.x;
    p.kept_n = p.n;
    p.x -= r_div(p.velocity.x, p.b) * (n.z - p.n.z);
    p.n = n;
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
        p.state = OWING;
        if (WALK_IS_RADIAL)
            step_aside(pass, p, segment.to_face, (opacity.scatter + opacity.absorb) * segment.to_face);
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

template <int MODE, bool ABSORBING, bool NARROW, bool EMISSIVITY>
__global__ void __launch_bounds__(BLOCK_THREADS, EMISSIVITY ? BLOCKS_WITH_CAMERAS : BLOCKS_PER_SM)
    transport_kernel(const __grid_constant__ struct pass pass)
{
    struct table_view table = pass.view.table;
    if (MODE == MODE_TABLE_CONSTANT) {
        table.cdf = constant_cdf;
        table.log_voigt = constant_voigt;
    }
    struct packet p;
    bool alive = false;
    int64_t fixed = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (;;) {
        if (!alive) {
            int64_t id = fixed;
            if (!pass.one_thread_per_packet)
                id = (int64_t)atomicAdd(pass.queue, 1ull);
            fixed = pass.n_packet;
            if (id >= pass.n_packet || *pass.stop)
                return;
            start_packet(pass, p, id);
            alive = true;
        }
        if (EMISSIVITY)
            try_scattering_in_sight<MODE, ABSORBING, NARROW>(pass, table, p);
        else if (p.state != FLYING)
            try_scattering<MODE, NARROW>(pass, table, p);
        if (p.state == FLYING)
            alive = fly<MODE, ABSORBING, NARROW, EMISSIVITY>(pass, table, p);
        /* Turns are taken together: without this the compiler sends a rejected lane straight back to propose again,
         * while the rest of the warp waits (3.4e10 instead of 4.4e10 scatterings/s on an H200). */
        __syncwarp();
    }
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
