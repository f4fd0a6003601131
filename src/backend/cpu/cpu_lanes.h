/* LANES packets in structure-of-arrays form, and the steps of their histories as loops that the compiler turns into
 * SIMD code. Included by cpu_transport.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_LANES_H
#define LR_BACKEND_CPU_CPU_LANES_H

#include <string.h>

#include "kernel/deposit.h"
#include "kernel/emission.h"
#include "kernel/flight.h"
#include "kernel/sight.h"
#include "kernel/tables.h"

enum { LANES = 64 };
enum { EVENT_NONE = 0, EVENT_FLUSH = -1 }; /* other events: axis of a face crossing, plus 1 */
/* LANE_OWING: about to fly a thin segment, waits for an atom to scatter its share toward the cameras. */
enum lane_state { LANE_IDLE, LANE_FLYING, LANE_SCATTERING, LANE_OWING };

struct lanes {
    _Alignas(64) real local_x[LANES], local_y[LANES], local_z[LANES];
    real width_x[LANES], width_y[LANES], width_z[LANES];
    real nx[LANES], ny[LANES], nz[LANES];
    real x[LANES];   /* frequency in the gas of the cell */
    real tau[LANES]; /* depth to the next scattering */
    real alpha0[LANES], a[LANES], b[LANES], kappa[LANES], eps[LANES];
    real profile[LANES]; /* at x; after a collision on SHELLS, at its place */
    /* SHELLS: radial velocity in units of b; frequency and profile in the middle and at the end of the next step */
    real outflow[LANES], x_middle[LANES], x_end[LANES], profile_middle[LANES], profile_end[LANES];
    /* since the last flush */
    real length[LANES], scatter[LANES], path_part[LANES], depth[LANES], scattered[LANES];
    /* scratch of one round */
    real u[LANES], ratio[LANES];
    int32_t accepted[LANES], event[LANES], collided[LANES];
    int32_t state[LANES];
    uint32_t id_low[LANES], id_high[LANES], draw[LANES];
    uint32_t events[LANES]; /* scatterings so far */
    /* shares for the cameras: what a segment owes; then what is left, by which photon and atom */
    int32_t forced[LANES];                                /* this segment has left its share */
    uint32_t debt[LANES];                                 /* small shares, added up */
    real owed[LANES], owed_way[LANES], owed_depth[LANES]; /* with the way to the face ahead, and its depth */
    real kept_x[LANES], kept_nx[LANES], kept_ny[LANES], kept_nz[LANES]; /* SHELLS: of the packet, while LANE_OWING */
    real share[LANES], in_x[LANES], in_nx[LANES], in_ny[LANES], in_nz[LANES], u_side[LANES], limit[LANES];
    real place[LANES]; /* a uniform number, for the place where the share is left */
    real aside[LANES]; /* SHELLS: height of that place */
    real hidden_reach[LANES], hidden_slope[LANES];
    int32_t noted[LANES]; /* cameras may see it */
    /* scalar state */
    real weight[LANES];    /* settled, for the vector steps */
    double settled[LANES]; /* weight at the last flush */
    double path[LANES], absorbed[LANES], scattered_sum[LANES];
    int64_t cell[LANES];
    int i[LANES], j[LANES], k[LANES];
    int batch[LANES];
    int last_cell[LANES][3];
    real last_local[LANES][3];
};

static inline __attribute__((always_inline)) void propose_lanes(struct lanes *lane, const struct transport_view *view,
                                                                const int mode, const int narrow)
{
    const struct rng_key key = view->key;
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        const int waiting = lane->state[l] >= LANE_SCATTERING;
        const struct random4 random = rng_draw(key, lane->draw[l], lane->id_low[l], lane->id_high[l]);
        const struct velocity_proposal proposal =
            mode == MODE_TABLE_GLOBAL || mode == MODE_TABLE_CONSTANT
                ? propose_velocity_table(&view->table, lane->a[l], lane->x[l], random)
                : propose_velocity(lane->a[l], lane->x[l], random, narrow);
        lane->u[l] = proposal.u;
        lane->ratio[l] = r_div(proposal.uniform, r_max(proposal.chance, R(1e-30)));
        lane->accepted[l] = waiting & (proposal.uniform <= proposal.chance);
        lane->draw[l] += waiting ? 1 : 0;
    }
}

/* Complete redistribution needs no atom: the proposal is the outgoing frequency itself, always accepted. */
static inline void propose_lanes_complete(struct lanes *lane, const struct transport_view *view)
{
    const struct rng_key key = view->key;
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        const int waiting = lane->state[l] >= LANE_SCATTERING;
        const struct random4 random = rng_draw(key, lane->draw[l], lane->id_low[l], lane->id_high[l]);
        lane->u[l] = sample_voigt_profile(lane->a[l], random);
        lane->ratio[l] = rng_uniform(random.r3);
        lane->accepted[l] = waiting;
        lane->draw[l] += waiting ? 1 : 0;
    }
}

static inline __attribute__((always_inline)) void scatter_lanes(struct lanes *lane, const struct transport_view *view,
                                                                const int mode, const int dipole, const int absorbing,
                                                                const int imaging)
{
    const struct rng_key key = view->key;
    const struct transport_view known = *view; /* a copy, which no store into a lane can change */
    const int lone = known.n_camera == 1 && !known.any_near;
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        const int found = lane->accepted[l]; /* an atom */
        const int owing = imaging && lane->state[l] == LANE_OWING;
        const int accepted = found & !owing;
        const struct random4 random = rng_draw(key, lane->draw[l], lane->id_low[l], lane->id_high[l]);
        const struct vec3 n = vec3_make(lane->nx[l], lane->ny[l], lane->nz[l]);
        const real x = lane->x[l];
        const int core = phase_in_core(lane->a[l], x);
        const struct vec3 out =
            dipole ? direction_dipole(n, core ? known.dipole_core : known.dipole_wing, random.r0, random.r1)
                   : direction_isotropic(random.r0, random.r1);
        const real g = vec3_dot(n, out);
        const struct normal_pair thermal = thermal_pair(random.r2, random.r3);
        const real u_perp = thermal.first;
        const real recoil = r_div(known.recoil, lane->b[l]);
        const real tau = r_max(-r_log(lane->ratio[l]), R(0));
        if (imaging) {
            const real weight = absorbing ? lane->weight[l] * r_exp(-r_min(lane->depth[l], R(80))) : R(1);
            const real share = !found ? R(0) : owing ? lane->owed[l] : lane->forced[l] ? R(0) : weight;
            const struct hidden_view hides = {lane->hidden_reach[l], lane->hidden_slope[l]};
            const real farthest = farthest_light(&known, n, x, lane->u[l], thermal.first, mode, lone);
            const int hidden = WALK_KNOWS_SHADE && mode != MODE_APPROXIMATE_VOIGT && hidden_is(hides, farthest, tau);
            lane->share[l] = share;
            lane->in_x[l] = x;
            lane->in_nx[l] = n.x;
            lane->in_ny[l] = n.y;
            lane->in_nz[l] = n.z;
            lane->u_side[l] = thermal.first;
            lane->limit[l] = sight_limit(tau);
            lane->place[l] = owing ? rng_uniform(random.r0) : R(-1);
            lane->noted[l] = (share > R(0)) & !hidden;
            lane->forced[l] = found ? owing : lane->forced[l];
        }
        const real x_out =
            mode == MODE_COMPLETE ? lane->u[l] : redistributed_frequency(x, lane->u[l], u_perp, g, recoil);
        const int back = WALK_IS_RADIAL && imaging && (found & owing); /* from where the share is left */
        lane->nx[l] = accepted ? out.x : back ? lane->kept_nx[l] : n.x;
        lane->ny[l] = accepted ? out.y : back ? lane->kept_ny[l] : n.y;
        lane->nz[l] = accepted ? out.z : back ? lane->kept_nz[l] : n.z;
        lane->x[l] = accepted ? x_out : back ? lane->kept_x[l] : x;
        lane->tau[l] = accepted ? tau : lane->tau[l];
        lane->state[l] = found ? (int32_t)LANE_FLYING : lane->state[l];
        lane->draw[l] += found ? 1 : 0;
        lane->events[l] += accepted ? 1 : 0;
    }
}

/* SHELLS whose gas moves: see STEP_TURN. */
static inline void aim_lanes(struct lanes *lane)
{
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        const struct vec3 local = vec3_make(lane->local_x[l], lane->local_y[l], lane->local_z[l]);
        const struct vec3 n = vec3_make(lane->nx[l], lane->ny[l], lane->nz[l]);
        const struct vec3 width = vec3_make(lane->width_x[l], lane->width_y[l], R_HUGE);
        const struct leg leg = leg_ahead(local, width, n, lane->x[l], lane->outflow[l]);
        lane->width_z[l] = leg.reach;
        lane->x_middle[l] = leg.middle;
        lane->x_end[l] = leg.end;
    }
}

/* The profiles of all lanes at some frequencies. */
static inline __attribute__((always_inline)) void profile_lanes(const struct lanes *lane,
                                                                const struct transport_view *view, const real *x,
                                                                real *profile, const int mode, const int narrow)
{
    if (mode == MODE_TABLE_GLOBAL || mode == MODE_TABLE_CONSTANT) {
#pragma omp simd
        for (int l = 0; l < LANES; l++)
            profile[l] = voigt_table(&view->table, lane->a[l], x[l]);
        return;
    }
    if (mode == MODE_APPROXIMATE_VOIGT) {
        for (int l = 0; l < LANES; l++)
            profile[l] = voigt_tanh_blend(lane->a[l], x[l], (real)voigt_crossing((double)lane->a[l]));
        return;
    }
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        profile[l] = voigt_narrow(r_min(lane->a[l], LR_VOIGT_NARROW_MAX), x[l]);
    if (narrow)
        return;
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        profile[l] = lane->a[l] > LR_VOIGT_NARROW_MAX ? voigt_broad(lane->a[l], x[l]) : profile[l];
}

/* The same along the next step; in SHELLS at rest, and in boxes, it does not change. */
static inline __attribute__((always_inline)) void profile_steps(struct lanes *lane, const struct transport_view *view,
                                                                const int flows, const int mode, const int narrow)
{
    profile_lanes(lane, view, lane->x, lane->profile, mode, narrow);
    if (!WALK_IS_RADIAL)
        return;
    if (flows) {
        aim_lanes(lane);
        profile_lanes(lane, view, lane->x_middle, lane->profile_middle, mode, narrow);
        profile_lanes(lane, view, lane->x_end, lane->profile_end, mode, narrow);
    } else {
        memcpy(lane->profile_middle, lane->profile, sizeof lane->profile);
        memcpy(lane->profile_end, lane->profile, sizeof lane->profile);
    }
}

static inline __attribute__((always_inline)) void fly_lanes(struct lanes *lane, const struct transport_view *view,
                                                            const int absorbing, const int analog, const int imaging)
{
    const real force_below = view->force_below;
    const real share_least = view->share_least;
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        const int ready = lane->state[l] == LANE_FLYING;
        const real start = lane->profile[l];
        const real middle = WALK_IS_RADIAL ? lane->profile_middle[l] : start;
        const real end = WALK_IS_RADIAL ? lane->profile_end[l] : start;
        const real mean = WALK_IS_RADIAL ? leg_mean(start, middle, end, R(1)) : start;
        struct opacity opacity = opacity_at(lane->alpha0[l], lane->eps[l], lane->kappa[l], mean);
        const real stopping = analog ? opacity.scatter + opacity.absorb : opacity.scatter;
        struct segment segment = fly_segment(vec3_make(lane->local_x[l], lane->local_y[l], lane->local_z[l]),
                                             vec3_make(lane->width_x[l], lane->width_y[l], lane->width_z[l]),
                                             vec3_make(lane->nx[l], lane->ny[l], lane->nz[l]), lane->tau[l], stopping);
        int owing = 0;
        if (imaging) {
            const real depth = opacity.scatter * segment.to_face;
            const int thin = ready & !lane->forced[l] & (depth < force_below) & (depth > R(0));
            const real weight = absorbing ? lane->weight[l] * r_exp(-r_min(lane->depth[l], R(80))) : R(1);
            const real share = weight * expected_scattering(opacity, segment.to_face);
            const real due = thin ? share : R(0);
            const uint32_t step = share_step(due, r_max(share_least, R(1e-30)));
            const uint32_t debt = lane->debt[l] + (due < share_least ? step : 0u);
            const real owed = due < share_least ? (share_is_due(debt) ? share_least : R(0)) : due;
            owing = owed > R(0) ? thin : 0;
            lane->debt[l] = share_rest(debt);
            lane->forced[l] = due > owed ? 1 : lane->forced[l];
            lane->owed[l] = owing ? owed : lane->owed[l];
            lane->owed_way[l] = owing ? segment.to_face : lane->owed_way[l];
            lane->owed_depth[l] = owing ? (opacity.scatter + opacity.absorb) * segment.to_face : lane->owed_depth[l];
        }
        const int flying = ready & !owing;
        if (WALK_IS_RADIAL) {
            const struct stop stop =
                stop_on_leg(segment, lane->alpha0[l], analog ? lane->kappa[l] : R(0), start, middle, end);
            segment.length = segment.scatters ? stop.length : segment.length;
            opacity = opacity_at(lane->alpha0[l], lane->eps[l], lane->kappa[l], segment.scatters ? stop.mean : mean);
            lane->profile[l] = stop.there;
        }
        const real length = flying ? segment.length : R(0);
        if (WALK_IS_RADIAL) {
            real way = length;
            if (imaging) {
                const struct random4 random = rng_draw(view->key, lane->draw[l], lane->id_low[l], lane->id_high[l]);
                const real part = scattering_part(rng_uniform(random.r0), lane->owed_depth[l]);
                way = owing ? segment.to_face * leg_part(start, middle, end, part) : length;
                lane->draw[l] += owing ? 1 : 0;
                lane->kept_x[l] = owing ? lane->x[l] : lane->kept_x[l];
                lane->kept_nx[l] = owing ? lane->nx[l] : lane->kept_nx[l];
                lane->kept_ny[l] = owing ? lane->ny[l] : lane->kept_ny[l];
                lane->kept_nz[l] = owing ? lane->nz[l] : lane->kept_nz[l];
            }
            const struct flown flown = walk_move(vec3_make(lane->local_x[l], lane->local_y[l], lane->local_z[l]),
                                                 vec3_make(lane->width_x[l], lane->width_y[l], lane->width_z[l]),
                                                 vec3_make(lane->nx[l], lane->ny[l], lane->nz[l]), way);
            const int turns = flying | owing;
            lane->x[l] -= turns ? lane->outflow[l] * (flown.n.z - lane->nz[l]) : R(0);
            lane->aside[l] = owing ? flown.local.x : lane->aside[l];
            lane->local_x[l] = flying ? flown.local.x : lane->local_x[l];
            lane->nx[l] = turns ? flown.n.x : lane->nx[l];
            lane->ny[l] = turns ? flown.n.y : lane->ny[l];
            lane->nz[l] = turns ? flown.n.z : lane->nz[l];
        } else {
            lane->local_x[l] += length * lane->nx[l];
            lane->local_y[l] += length * lane->ny[l];
            lane->local_z[l] += length * lane->nz[l];
        }
        lane->tau[l] = flying ? segment.tau_left : lane->tau[l];
        lane->path_part[l] += length;
        real weighted = length;
        const int scatters = flying & segment.scatters;
        if (absorbing && !analog) {
            const real depth = opacity.absorb * length;
            weighted = lane->weight[l] * r_exp(-r_min(lane->depth[l], R(80))) * length * mean_transmission(depth);
            const real after = lane->depth[l] + depth;
            lane->depth[l] = after;
            lane->scattered[l] += scatters ? lane->weight[l] * r_exp(-r_min(after, R(80))) : R(0);
        }
        lane->length[l] += weighted;
        lane->scatter[l] += weighted * opacity.scatter;
        lane->collided[l] = scatters;
        const int overdue = scatters & flush_is_due(lane->events[l]);
        const int ends_inside = WALK_IS_RADIAL && segment.axis == EXIT_STEP;
        const int crosses = flying & !segment.scatters & !ends_inside;
        if (WALK_IS_RADIAL && imaging)
            lane->forced[l] = flying & !segment.scatters & ends_inside ? 0 : lane->forced[l];
        lane->event[l] = crosses ? segment.axis + 1 : overdue ? EVENT_FLUSH : EVENT_NONE;
        lane->state[l] = scatters ? (int32_t)LANE_SCATTERING : owing ? (int32_t)LANE_OWING : lane->state[l];
    }
}

#endif
