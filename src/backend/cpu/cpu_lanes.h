/* LANES packets as a structure of arrays, and the frequent steps of their histories (kernel/packet.h) as loops that the
 * compiler vectorises: a loop reads a packet from its lane, takes the step, and writes back what the step changes.
 * Included by cpu_transport.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_LANES_H
#define LR_BACKEND_CPU_CPU_LANES_H

#include <string.h>

#include "kernel/packet_jump.h"
#include "kernel/packet_members.h"
#include "kernel/packet_show.h"

enum { LANES = 64 };
enum { EVENT_NONE = 0, EVENT_FLUSH = -1, EVENT_ABSORBED = -2 };

#define LANE_FN static inline __attribute__((always_inline))

#define CHOICE_MEMBERS(MEMBER)                                                                                         \
    MEMBER(real, choice_sum, sum)                                                                                      \
    MEMBER(real, choice_uniform, uniform)                                                                              \
    MEMBER(real, choice_centre, centre)                                                                                \
    MEMBER(real, choice_width, width)                                                                                  \
    MEMBER(real, choice_a, a)                                                                                          \
    MEMBER(real, choice_turn, turn)                                                                                    \
    MEMBER(real, choice_recoil, recoil)                                                                                \
    MEMBER(real, choice_dipole, dipole)                                                                                \
    MEMBER(real, choice_partner, partner)                                                                              \
    MEMBER(int32_t, choice_dipole_kind, dipole_kind)

#define LANE_ARRAY(type, name, member) _Alignas(64) type name[LANES];
#define LANE_ONE(type, name, member) lane->name[l] = R(1);
#define LANE_GET(type, name, member) p->member = lane->name[l];
#define LANE_PUT(type, name, member) lane->name[l] = p->member;

struct lanes {
    PACKET_MEMBERS(LANE_ARRAY)
    /* The next step: profile at its start, middle and end; frequencies there. */
    _Alignas(64) real profile[LANES], profile_middle[LANES], profile_end[LANES], x_middle[LANES], x_end[LANES];
    /* The proposed atom. */
    real u[LANES], uniform[LANES], chance[LANES];
    int32_t found[LANES];
    /* The line of a group that is to absorb (struct group_choice). */
    CHOICE_MEMBERS(LANE_ARRAY)
    _Alignas(64) real opacity[LANES];
    /* How the segment ended (struct flight). */
    int32_t event[LANES], collided[LANES]; /* axis of a face, plus 1; or EVENT_... */
    int32_t may_jump[LANES];
    /* What cameras may see: the packet before scattering, and its share. */
    int32_t owing[LANES], visible[LANES], was_owing[LANES];
    real in_x[LANES], in_n_x[LANES], in_n_y[LANES], in_n_z[LANES], share[LANES];
    real out_x[LANES], out_u[LANES], u_side[LANES], e1[LANES]; /* struct absorber */
    struct last_place last[LANES];
};

LANE_FN void lane_get(const struct lanes *lane, int l, struct packet *p){PACKET_MEMBERS(LANE_GET)}

LANE_FN void lane_put(struct lanes *lane, int l, const struct packet *p){PACKET_MEMBERS(LANE_PUT)}

LANE_FN void choice_get(const struct lanes *lane, int l, struct group_choice *p){CHOICE_MEMBERS(LANE_GET)}

LANE_FN void choice_put(struct lanes *lane, int l, const struct group_choice *p){CHOICE_MEMBERS(LANE_PUT)}

/* Of one line there is nothing to choose. */
LANE_FN struct group_choice lane_choice(const struct lanes *lane, int l, const int mode)
{
    struct group_choice choice = group_choice_begin(0);
    if (mode == REDISTRIBUTION_GROUP)
        choice_get(lane, l, &choice);
    return choice;
}

LANE_FN struct velocity_proposal lane_atom(const struct lanes *lane, int l)
{
    return (struct velocity_proposal){.u = lane->u[l], .uniform = lane->uniform[l], .chance = lane->chance[l]};
}

/* The body of each loop is a function: gcc keeps variables that are declared in the loop itself, and whose address is
 * taken, in memory, and does not vectorise the loop. */
LANE_FN void propose_lane(struct lanes *lane, int l, const struct transport_view *view, const int mode,
                          const int narrow)
{
    struct packet packet;
    struct packet *p = &packet;
    lane_get(lane, l, p);
    const struct group_choice choice = lane_choice(lane, l, mode);
    const struct velocity_proposal atom = packet_propose(view, &view->table, p, &choice, mode, narrow);
    lane->u[l] = atom.u;
    lane->uniform[l] = atom.uniform;
    lane->chance[l] = atom.chance;
    lane->found[l] = packet_accepts(p, atom);
    lane->draw[l] = p->draw;
}

LANE_FN void propose_lanes(struct lanes *lane, const struct transport_view *view, const int mode, const int narrow)
{
    const struct transport_view known = *view; /* a local copy, so that no store into a lane can change it */
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        propose_lane(lane, l, &known, mode, narrow);
}

/* ---- groups of lines: one line after another, each in SIMD loops over the lanes ---- */

LANE_FN real line_opacity_lane(const struct lanes *lane, int l, const struct ways_view *group,
                               const struct group_way *way, const real *x, const int broad)
{
    const struct group_member line = group_member_of(way, group->turbulence2, lane->a[l], lane->b[l]);
    const real distance = group_member_distance(line, x[l]);
    return line.strength *
           (broad ? voigt_broad(line.a, distance) : voigt_narrow(r_min(line.a, LR_VOIGT_NARROW_MAX), distance));
}

LANE_FN int line_is_broad(const struct lanes *lane, int l, const struct ways_view *group, const struct group_way *way)
{
    return group_member_of(way, group->turbulence2, lane->a[l], lane->b[l]).a > LR_VOIGT_NARROW_MAX;
}

/* Opacity of the line of a way at the given frequencies. */
LANE_FN void line_opacity_lanes(const struct lanes *lane, const struct ways_view *group, const struct group_way *from,
                                const real *x, real *opacity)
{
    const struct group_way way = *from; /* a local copy, so that no store into a lane can change it */
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        opacity[l] = line_opacity_lane(lane, l, group, &way, x, 0);
    if (!group->broad)
        return;
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        opacity[l] = line_is_broad(lane, l, group, &way) ? line_opacity_lane(lane, l, group, &way, x, 1) : opacity[l];
}

LANE_FN void group_profile_lanes(struct lanes *lane, const struct ways_view *group, const real *x, real *profile)
{
    real sum[LANES] = {0};
    for (int i = 0; i < group->n; i++) {
        if (!group->way[i].opens)
            continue;
        line_opacity_lanes(lane, group, &group->way[i], x, lane->opacity);
#pragma omp simd
        for (int l = 0; l < LANES; l++)
            sum[l] += lane->opacity[l];
    }
    memcpy(profile, sum, sizeof sum);
}

LANE_FN void begin_choice_lane(struct lanes *lane, int l, const struct transport_view *view)
{
    struct packet packet;
    lane_get(lane, l, &packet);
    const struct group_choice choice = group_choice_begin(packet_draw_aside(view, &packet).r0);
    choice_put(lane, l, &choice);
}

LANE_FN void consider_lane(struct lanes *lane, int l, const struct ways_view *group, const struct group_way *way)
{
    struct group_choice choice;
    choice_get(lane, l, &choice);
    const struct group_member line = group_member_of(way, group->turbulence2, lane->a[l], lane->b[l]);
    choice = group_consider(choice, way, line, lane->opacity[l], lane->b[l]);
    choice_put(lane, l, &choice);
}

/* The lines that are to absorb. What is chosen for packets in flight is not used. */
LANE_FN void choose_lanes(struct lanes *lane, const struct transport_view *view)
{
    const struct transport_view known = *view;
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        begin_choice_lane(lane, l, &known);
    for (int i = 0; i < known.group.n; i++) {
        const struct group_way way = known.group.way[i];
        if (way.opens)
            line_opacity_lanes(lane, &known.group, &way, lane->x, lane->opacity);
#pragma omp simd
        for (int l = 0; l < LANES; l++)
            consider_lane(lane, l, &known.group, &way);
    }
}

LANE_FN void try_jump_lane(struct lanes *lane, int l, const struct transport_view *view)
{
    struct packet packet;
    lane_get(lane, l, &packet);
    lane->may_jump[l] = packet_may_jump(view, &packet);
}

/* Which packets are in the middle of deep gas. */
LANE_FN void find_jumps(struct lanes *lane, const struct transport_view *view)
{
    const struct transport_view known = *view;
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        try_jump_lane(lane, l, &known);
}

LANE_FN void scatter_lane(struct lanes *lane, int l, const struct transport_view *view, const int lone, const int mode,
                          const int dipole, const int absorbing, const int imaging)
{
    struct packet packet;
    struct packet *p = &packet;
    lane_get(lane, l, p);
    const struct velocity_proposal atom = lane_atom(lane, l);
    const int found = lane->found[l];
    const struct random4 random = packet_draw(view, p, found);
    const struct group_choice choice = lane_choice(lane, l, mode);
    const struct absorber absorber = packet_absorber(view, p, &choice, atom, random, mode, dipole);
    if (imaging) {
        const struct shown shown = packet_show(view, p, atom, absorber, found, mode, absorbing, lone);
        lane->visible[l] = shown.visible;
        lane->was_owing[l] = p->state == PACKET_OWING;
        lane->in_x[l] = p->x;
        lane->in_n_x[l] = p->n.x;
        lane->in_n_y[l] = p->n.y;
        lane->in_n_z[l] = p->n.z;
        lane->share[l] = shown.share;
        lane->out_x[l] = absorber.x;
        lane->out_u[l] = absorber.u;
        lane->u_side[l] = absorber.u_side;
        lane->e1[l] = absorber.e1;
    }
    packet_scatter(view, p, atom, absorber, random, found, mode, dipole, imaging);
    PHOTON_MEMBERS(LANE_PUT)
    if (imaging)
        lane->owed[l] = p->owed;
}

LANE_FN void scatter_lanes(struct lanes *lane, const struct transport_view *view, const int mode, const int dipole,
                           const int absorbing, const int imaging)
{
    const struct transport_view known = *view;
    if (imaging && known.n_camera == 1 && !known.any_near) {
#pragma omp simd
        for (int l = 0; l < LANES; l++)
            scatter_lane(lane, l, &known, 1, mode, dipole, absorbing, imaging);
        return;
    }
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        scatter_lane(lane, l, &known, 0, mode, dipole, absorbing, imaging);
}

/* The profiles of all lanes at the given frequencies. */
LANE_FN void profile_lanes(struct lanes *lane, const struct transport_view *view, const real *x, real *profile,
                           const int mode, const int narrow)
{
    if (mode == REDISTRIBUTION_GROUP) {
        const struct ways_view group = view->group;
        group_profile_lanes(lane, &group, x, profile);
        return;
    }
    if (mode == REDISTRIBUTION_APPROXIMATE_VOIGT) { /* finds the crossing of core and wing, so it does not vectorise */
        for (int l = 0; l < LANES; l++)
            profile[l] = line_profile(&view->table, lane->a[l], x[l], mode, narrow);
        return;
    }
    if (mode == REDISTRIBUTION_TABLE_GLOBAL || mode == REDISTRIBUTION_TABLE_CONSTANT) {
#pragma omp simd
        for (int l = 0; l < LANES; l++)
            profile[l] = line_profile(&view->table, lane->a[l], x[l], mode, narrow);
        return;
    }
    /* The two branches of voigt() in separate loops: in one loop they need too many registers. */
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        profile[l] = voigt_narrow(r_min(lane->a[l], LR_VOIGT_NARROW_MAX), x[l]);
    if (narrow)
        return;
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        profile[l] = lane->a[l] > LR_VOIGT_NARROW_MAX ? voigt_broad(lane->a[l], x[l]) : profile[l];
}

LANE_FN void aim_lane(struct lanes *lane, int l)
{
    struct packet packet;
    struct packet *p = &packet;
    lane_get(lane, l, p);
    const struct leg leg = packet_aim(p);
    EXTENT_MEMBERS(LANE_PUT)
    lane->x_middle[l] = leg.middle;
    lane->x_end[l] = leg.end;
}

/* The profiles along the next step; constant in boxes and in gas at rest. */
LANE_FN void profile_steps(struct lanes *lane, const struct transport_view *view, const int flows, const int mode,
                           const int narrow)
{
    profile_lanes(lane, view, lane->x, lane->profile, mode, narrow);
    if (!WALK_IS_RADIAL)
        return;
    if (!flows) {
        memcpy(lane->profile_middle, lane->profile, sizeof lane->profile);
        memcpy(lane->profile_end, lane->profile, sizeof lane->profile);
        return;
    }
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        aim_lane(lane, l);
    profile_lanes(lane, view, lane->x_middle, lane->profile_middle, mode, narrow);
    profile_lanes(lane, view, lane->x_end, lane->profile_end, mode, narrow);
}

LANE_FN struct profiles lane_profiles(const struct lanes *lane, int l)
{
    struct profiles seen;
    seen.start = seen.middle = seen.end = seen.mean = lane->profile[l];
    if (WALK_IS_RADIAL) {
        seen.middle = lane->profile_middle[l];
        seen.end = lane->profile_end[l];
        seen.mean = leg_mean(seen.start, seen.middle, seen.end, R(1));
    }
    return seen;
}

LANE_FN void owe_lane(struct lanes *lane, int l, const struct transport_view *view, const int absorbing,
                      const int analog)
{
    struct packet p;
    lane_get(lane, l, &p);
    lane->owing[l] = packet_owes(view, &p, packet_look(&p, lane_profiles(lane, l), absorbing, analog), absorbing);
    lane->owed[l] = p.owed;
    lane->owed_depth[l] = p.owed_depth;
    lane->debt[l] = p.debt;
}

LANE_FN void fly_lane(struct lanes *lane, int l, const struct transport_view *view, const int absorbing,
                      const int analog, const int imaging)
{
    struct packet packet;
    struct packet *p = &packet;
    lane_get(lane, l, p);
    const struct profiles seen = lane_profiles(lane, l);
    const struct ahead ahead = packet_look(p, seen, absorbing, analog);
    const int owing = imaging ? lane->owing[l] : 0;
    const struct flight flight = packet_fly(view, p, seen, ahead, owing, absorbing, analog, imaging);
    PLACE_MEMBERS(LANE_PUT)
    PHOTON_MEMBERS(LANE_PUT)
    SUM_MEMBERS(LANE_PUT)
    if (absorbing) {
        LOSS_MEMBERS(LANE_PUT)
    }
    if (imaging) {
        SHARE_MEMBERS(LANE_PUT)
        ASIDE_MEMBERS(LANE_PUT)
    }
    lane->event[l] = flight.crosses ? flight.axis + 1 : flight.overdue ? EVENT_FLUSH : EVENT_NONE;
    lane->collided[l] = flight.collided;
    lane->profile[l] = flight.profile;
}

LANE_FN struct flight lane_flight(const struct lanes *lane, int l)
{
    return (struct flight){.crosses = lane->event[l] > EVENT_NONE,
                           .axis = lane->event[l] - 1,
                           .collided = lane->collided[l],
                           .absorbed = lane->event[l] == EVENT_ABSORBED,
                           .overdue = lane->event[l] == EVENT_FLUSH,
                           .profile = lane->profile[l]};
}

LANE_FN void fly_lanes(struct lanes *lane, const struct transport_view *view, const int absorbing, const int analog,
                       const int imaging)
{
    const struct transport_view known = *view;
    if (imaging) {
#pragma omp simd
        for (int l = 0; l < LANES; l++)
            owe_lane(lane, l, &known, absorbing, analog);
    }
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        fly_lane(lane, l, &known, absorbing, analog, imaging);
}

#endif
