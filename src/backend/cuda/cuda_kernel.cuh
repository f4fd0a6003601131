/* The transport kernel: what one thread does with one packet at a time. Each turn of its loop is one step of the
 * packet's history: a velocity proposal when it waits for a scattering, one segment when it is in flight; a rejected
 * proposal costs that thread a turn, not its warp. Included by cuda_transport.cu, once per mesh and precision. */
#ifndef LR_BACKEND_CUDA_CUDA_KERNEL_CUH
#define LR_BACKEND_CUDA_CUDA_KERNEL_CUH

#include "backend/cuda/cuda_notes.cuh"
#include "kernel/deposit.h"
#include "kernel/emission.h"
#include "kernel/flight.h"
#include "kernel/sight.h"

namespace
{

#ifdef LR_REAL_DOUBLE
enum { BLOCKS_PER_SM = 4, BLOCKS_WITH_CAMERAS = 4 };
#else
enum { BLOCKS_PER_SM = 8, BLOCKS_WITH_CAMERAS = 7 };
#endif

struct packet {
    struct place at;
    struct vec3 n;
    real x, tau;
    real alpha0, a, kappa, eps;                        /* of the cell */
    real outflow;                                      /* SHELLS: of its gas, in units of b */
    struct hidden_view hidden;                         /* of the cell; with cameras */
    real weight;                                       /* settled, in working precision */
    double settled;                                    /* weight at the last flush */
    real path;                                         /* up to the last flush */
    real path_part, length, scatter, depth, scattered; /* since the last flush */
    uint32_t events;                                   /* scatterings so far */
    uint32_t id_low, id_high, draw;
    uint16_t batch, group;          /* the group of batches for the cell tallies */
    double absorbed, scattered_sum; /* up to the last flush */
    int cell;
    int state;
    real owed;       /* to the cameras, for this segment; PAID: nothing any more */
    uint32_t debt;   /* small shares, added up */
    real owed_depth; /* of the way to the face ahead, on which the share is left */
    real kept_x;     /* SHELLS: of the packet, while it is where the share is left */
    struct vec3 kept_n;
    real aside; /* SHELLS: the height of that place */
};

/* OWING: about to fly a thin segment, waits for an atom to scatter its share toward the cameras. EMPTY: the thread has
 * no packet, and there may be more; FINISHED: there are none. */
enum { FLYING, WAITING, OWING, EMPTY, FINISHED };
#define PAID R(-1)

__device__ __forceinline__ void load_cell(const struct pass &pass, struct packet &p, const struct cell_view &cell)
{
    if (WALK_KNOWS_SHADE)
        p.hidden = pass.view.hidden[(int64_t)p.cell * pass.view.hidden_step];
    p.alpha0 = cell.alpha0;
    p.a = cell.a;
    p.kappa = cell.kappa;
    p.eps = cell.eps;
    p.outflow = WALK_IS_RADIAL ? r_div(cell.vx, cell.b) : R(0);
}

/* In units of b. */
__device__ __forceinline__ real recoil_of(const struct pass &pass, const struct packet &p)
{
    return pass.view.recoil > R(0) ? r_div(pass.view.recoil, pass.view.cell[p.cell].b) : R(0);
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
    p.batch = (uint16_t)tally_batch(pass.deal, id);
    p.group = (uint16_t)(p.batch % pass.n_group);
    const struct emitted born = emit_packet(&pass.view, p.id_low, p.id_high);
    p.at = born.at;
    p.n = born.n;
    p.x = born.x;
    p.tau = born.tau;
    p.cell = walk_cell_index(&pass.view.mesh, born.at);
    load_cell(pass, p, pass.view.cell[p.cell]);
    set_weight(p, 1);
    p.path = p.path_part = p.length = p.scatter = p.depth = p.scattered = R(0);
    p.events = 0;
    p.absorbed = p.scattered_sum = 0;
    p.state = FLYING;
    p.owed = R(0);
    p.debt = share_start(&pass.view, p.id_low, p.id_high);
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

/* Note the light that an atom of velocity u along the packet scatters: what a thin segment owes, or the count of a
 * scattering. */
template <int MODE, bool ABSORBING, bool LONE>
__device__ __forceinline__ void note_scattering(const struct pass &pass, struct packet &p,
                                                const struct velocity_proposal &atom, struct random4 random,
                                                struct note_page *to)
{
    const bool owing = p.state == OWING;
    const real weight = ABSORBING ? p.weight * r_exp(-p.depth) : R(1);
    const real share = p.owed == R(0) ? weight : p.owed;
    const real u_side = thermal_pair(random.r2, random.r3).first;
    const real free_path = free_path_after(atom.uniform, atom.chance);
    bool hidden = false;
    if (WALK_KNOWS_SHADE && MODE != MODE_APPROXIMATE_VOIGT) /* whose profile can be lower */
        hidden = hidden_is(p.hidden, farthest_light(&pass.view, p.n, p.x, atom.u, u_side, MODE, LONE), free_path);
    if (hidden || share <= R(0))
        return;
    const struct vec3 local = share_place(p, owing, random);
    struct note filled;
    filled.i = p.at.i;
    filled.j = p.at.j;
    filled.k = p.at.k;
    filled.group = pass.n_deposit_group > 1 ? p.batch % pass.n_deposit_group : 0;
    filled.local_x = local.x;
    filled.local_y = local.y;
    filled.local_z = local.z;
    filled.toward_z = R(0);
    if (WALK_IS_RADIAL) {
        const struct vec3 toward = anywhere(pass, p);
        filled.local_y = toward.x;
        filled.local_z = toward.y;
        filled.toward_z = toward.z;
    }
    filled.n_x = p.n.x;
    filled.n_y = p.n.y;
    filled.n_z = p.n.z;
    filled.x = p.x;
    filled.u = atom.u;
    filled.u_side = u_side;
    filled.share = share;
    filled.limit = sight_limit(free_path);
    *next_note(pass, to) = filled;
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
    const struct cell_view from = pass.view.cell[p.cell];
    const struct cell_view to = pass.view.cell[index];
    p.x = frequency_across(p.x, from.b, cell_velocity_along(&from, p.n), to.b, cell_velocity_along(&to, n));
    p.n = n;
    p.at = crossing.at;
    p.cell = index;
    p.owed = R(0);
    load_cell(pass, p, to);
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
            ? direction_dipole(p.n, phase_in_core(p.a, p.x) ? pass.view.dipole_core : pass.view.dipole_wing, random.r0,
                               random.r1)
            : direction_isotropic(random.r0, random.r1);
    if (MODE == MODE_COMPLETE) {
        p.x = atom.u;
    } else {
        const real g = vec3_dot(p.n, out);
        const real u_perp = thermal_pair(random.r2, random.r3).first;
        p.x = redistributed_frequency(p.x, atom.u, u_perp, g, recoil_of(pass, p));
    }
    p.n = out;
    p.tau = free_path_after(atom.uniform, atom.chance);
    p.events++;
    p.state = FLYING;
}

/* A turn of a packet that waits for an atom. */
template <int MODE, bool ABSORBING, bool NARROW, bool NOTING, bool LONE>
__device__ __forceinline__ void try_scattering(const struct pass &pass, const struct table_view &table,
                                               struct packet &p, struct note_page *to)
{
    const struct velocity_proposal atom = propose<MODE, NARROW>(pass, table, p);
    if (atom.uniform > atom.chance)
        return;
    const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    if (NOTING) {
        note_scattering<MODE, ABSORBING, LONE>(pass, p, atom, random, to);
        if (p.state == OWING) {
            if (WALK_IS_RADIAL) {
                p.x = p.kept_x;
                p.n = p.kept_n;
            }
            p.owed = PAID;
            p.state = FLYING;
            return;
        }
        p.owed = R(0);
    }
    scatter<MODE>(pass, p, atom, random);
}

/* What the packet sees on its next step; SHELLS: set the longest one. */
__device__ __forceinline__ struct leg aim(struct packet &p)
{
    if (!WALK_IS_RADIAL) {
        const struct leg still = {R_HUGE, p.x, p.x, p.x};
        return still;
    }
    const struct leg leg = leg_ahead(p.at.local, p.at.width, p.n, p.x, p.outflow);
    p.at.width.z = leg.reach;
    return leg;
}

__device__ __forceinline__ void advance(struct packet &p, real length)
{
    if (WALK_IS_RADIAL) {
        const struct flown flown = walk_move(p.at.local, p.at.width, p.n, length);
        p.x -= p.outflow * (flown.n.z - p.n.z);
        p.at.local = flown.local;
        p.n = flown.n;
        return;
    }
    p.at.local.x += length * p.n.x;
    p.at.local.y += length * p.n.y;
    p.at.local.z += length * p.n.z;
}

/* SHELLS: frequency and direction as at a place on the segment where its share may be scattered. */
__device__ __forceinline__ void step_aside(const struct pass &pass, struct packet &p, const struct profiles &seen,
                                           real length, real depth)
{
    const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
    const real share = scattering_part(rng_uniform(random.r0), depth);
    const real way = length * leg_part(seen.start, seen.middle, seen.end, share);
    const struct flown flown = walk_move(p.at.local, p.at.width, p.n, way);
    p.kept_x = p.x;
    p.kept_n = p.n;
    p.aside = flown.local.x;
    p.x -= p.outflow * (flown.n.z - p.n.z);
    p.n = flown.n;
}

/* One segment; returns whether the packet goes on. */
template <int MODE, bool ABSORBING, bool NARROW, bool EMISSIVITY>
__device__ __forceinline__ bool fly(const struct pass &pass, const struct table_view &table, struct packet &p)
{
    const struct profiles seen = leg_profile<MODE, NARROW>(table, p.a, aim(p));
    const real eps = ABSORBING ? p.eps : R(0);
    const real kappa = ABSORBING ? p.kappa : R(0);
    const bool analog = ABSORBING && pass.view.analog;
    struct opacity opacity = opacity_at(p.alpha0, eps, kappa, seen.mean);
    struct opacity there = opacity; /* at the end of the segment */
    struct segment segment =
        fly_segment(p.at.local, p.at.width, p.n, p.tau, analog ? opacity.scatter + opacity.absorb : opacity.scatter);
    const real ahead = opacity.scatter * segment.to_face;
    if (EMISSIVITY && p.owed == R(0) && ahead < pass.view.force_below && ahead > R(0)) {
        const real weight = ABSORBING ? p.weight * r_exp(-p.depth) : R(1);
        p.owed = weight * expected_scattering(opacity, segment.to_face);
        if (p.owed < pass.view.share_least) {
            p.debt += share_step(p.owed, pass.view.share_least);
            p.owed = share_is_due(p.debt) ? pass.view.share_least : R(0);
            p.debt = share_rest(p.debt);
        }
        if (p.owed > R(0)) {
            p.owed_depth = (opacity.scatter + opacity.absorb) * segment.to_face;
            p.state = OWING;
            if (WALK_IS_RADIAL)
                step_aside(pass, p, seen, segment.to_face, p.owed_depth);
            return true;
        }
        p.owed = PAID;
    }
    if (WALK_IS_RADIAL && segment.scatters) {
        const struct stop stop =
            stop_on_leg(segment, p.alpha0, analog ? kappa : R(0), seen.start, seen.middle, seen.end);
        segment.length = stop.length;
        opacity = opacity_at(p.alpha0, eps, kappa, stop.mean);
        there = opacity_at(p.alpha0, eps, kappa, stop.there);
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
        p.owed = R(0);
        return true;
    }
    if (!segment.scatters)
        return cross<ABSORBING>(pass, p, segment.axis);
    p.state = WAITING;
    if (pass.last)
        keep_last(pass, p);
    if (analog) {
        const struct random4 random = rng_draw(pass.view.key, p.draw++, p.id_low, p.id_high);
        if (rng_uniform(random.r0) * (there.scatter + there.absorb) <= there.absorb) {
            flush<ABSORBING>(pass, p);
            p.absorbed = p.settled;
            end_packet<ABSORBING>(pass, p, -1);
            return false;
        }
    }
    return flush_is_due(p.events) ? settle<ABSORBING>(pass, p) : true;
}

/* A packet from the queue; or, before the first turn, that of the thread. */
__device__ __forceinline__ void next_packet(const struct pass &pass, struct packet &p)
{
    const int64_t id = pass.one_thread_per_packet ? pass.n_packet : (int64_t)atomicAdd(pass.queue, 1ull);
    p.state = FINISHED;
    if (id < pass.n_packet && !*pass.stop)
        start_packet(pass, p, id);
}

__device__ __forceinline__ void first_packet(const struct pass &pass, struct packet &p)
{
    const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    p.state = EMPTY;
    if (pass.one_thread_per_packet && thread < pass.n_packet && !*pass.stop)
        start_packet(pass, p, thread);
}

template <int MODE, bool ABSORBING, bool NARROW>
__global__ void __launch_bounds__(BLOCK_THREADS, BLOCKS_PER_SM)
    transport_kernel(const __grid_constant__ struct pass pass)
{
    const struct table_view table = tables_of<MODE>(pass);
    struct packet p;
    first_packet(pass, p);
    for (;;) {
        if (p.state == EMPTY)
            next_packet(pass, p);
        if (p.state == FINISHED)
            return;
        if (p.state == WAITING)
            try_scattering<MODE, ABSORBING, NARROW, false, false>(pass, table, p, NULL);
        if (p.state == FLYING && !fly<MODE, ABSORBING, NARROW, false>(pass, table, p))
            p.state = EMPTY;
        /* Turns are taken together: without this the compiler sends a rejected lane straight back to propose again,
         * while the rest of the warp waits (3.4e10 instead of 4.4e10 scatterings/s on an H200). */
        __syncwarp();
    }
}

/* A packet that is put aside or taken up again: what it needs and its cell does not say. All else would have to stay in
 * registers. */
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
    to.batch = from.batch;
    to.group = from.group;
    to.cell = from.cell;
    to.state = from.state;
    to.owed = from.owed;
    to.debt = from.debt;
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
__device__ __forceinline__ void take_up(const struct pass &pass, const struct packet &aside, struct packet &p)
{
    copy_packet<ABSORBING>(aside, p);
    if (p.state == EMPTY || p.state == FINISHED)
        return;
    set_weight(p, ABSORBING ? p.settled : 1.0);
    load_cell(pass, p, pass.view.cell[p.cell]);
}

/* The same with cameras, for one round (cuda_notes.cuh). LONE: there is but one, and it is far away. */
template <int MODE, bool ABSORBING, bool NARROW, bool LONE>
__global__ void __launch_bounds__(BLOCK_THREADS, ABSORBING ? BLOCKS_WITH_CAMERAS - 1 : BLOCKS_WITH_CAMERAS)
    noting_kernel(const __grid_constant__ struct pass pass)
{
    __shared__ struct note_page pages[WARPS];
    struct note_page *to = &pages[threadIdx.x / WARP];
    struct packet *aside = &pass.aside[(int64_t)blockIdx.x * blockDim.x + threadIdx.x];
    const struct table_view table = tables_of<MODE>(pass);
    struct packet p;
    if (pass.round == 0)
        first_packet(pass, p);
    else
        take_up<ABSORBING>(pass, *aside, p);
    open_page(pass, to);
    for (unsigned look = 0; __any_sync(0xffffffffu, p.state != FINISHED) && page_has_room(pass, to, look); look++) {
        LR_NO_UNROLL
        for (int turn = 0; turn < TURNS_PER_LOOK; turn++) {
            if (p.state == EMPTY)
                next_packet(pass, p);
            if (p.state == WAITING || p.state == OWING)
                try_scattering<MODE, ABSORBING, NARROW, true, LONE>(pass, table, p, to);
            if (p.state == FLYING && !fly<MODE, ABSORBING, NARROW, true>(pass, table, p))
                p.state = EMPTY;
            __syncwarp();
        }
    }
    close_page(pass, to);
    copy_packet<ABSORBING>(p, *aside);
    if (__any_sync(0xffffffffu, p.state != FINISHED) && threadIdx.x % WARP == 0)
        atomicAdd(&pass.counters->unfinished, 1u);
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
