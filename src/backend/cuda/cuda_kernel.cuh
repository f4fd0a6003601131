/* The transport kernel: what one thread does with one packet at a time. Each turn of its loop is one step of the
 * packet's history: a velocity proposal when it waits for a scattering, one segment when it is in flight; a rejected
 * proposal costs that thread a turn, not its warp. Included by cuda_transport.cu, once per mesh and precision. */
#ifndef LR_BACKEND_CUDA_CUDA_KERNEL_CUH
#define LR_BACKEND_CUDA_CUDA_KERNEL_CUH

#include "backend/cuda/cuda_note_scattering.cuh"
#include "backend/cuda/cuda_tally.cuh"

namespace
{

#ifdef LR_REAL_DOUBLE
enum { BLOCKS_PER_SM = 4, BLOCKS_WITH_CAMERAS = 4 };
#else
enum { BLOCKS_PER_SM = 8, BLOCKS_WITH_CAMERAS = 7 };
#endif

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

} // namespace

#endif
