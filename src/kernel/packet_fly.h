/* One segment of a packet's flight: to its next scattering, to the face ahead, or to the end of the longest step. */
#ifndef LR_KERNEL_PACKET_FLY_H
#define LR_KERNEL_PACKET_FLY_H

#include "kernel/packet_walk.h"

/* How a segment ends. */
struct flight {
    int crosses, axis; /* reaches the face of a cell */
    int collided;      /* scatters or, with analog absorption, may be absorbed */
    int absorbed;      /* was absorbed there (packet_is_absorbed) */
    int overdue;       /* has scattered often since the last flush: another is due */
    real profile;      /* at the place of the collision */
};

/* The segment ahead of a packet. */
struct ahead {
    struct opacity opacity;
    struct segment segment;
};

/* `seen` is the profile along the step (packet_aim). With `analog` absorption the packet stops for it as for a
 * scattering; otherwise absorption reduces the weight along the way. */
LR_FN struct ahead packet_look(const struct packet *p, struct profiles seen, const int absorbing, const int analog)
{
    struct ahead ahead;
    ahead.opacity = packet_opacity(p, seen.mean, absorbing);
    ahead.segment = fly_segment(p->at.local, p->at.width, p->n, p->tau,
                                analog ? ahead.opacity.scatter + ahead.opacity.absorb : ahead.opacity.scatter);
    return ahead;
}

/* A thin segment owes the cameras its share (deposit.h). Returns whether the packet must wait for an atom. */
LR_FN int packet_owes(const struct transport_view *view, struct packet *p, struct ahead ahead, const int absorbing)
{
    const real way = ahead.segment.to_face;
    const real depth = ahead.opacity.scatter * way;
    const int ready = p->state == PACKET_FLYING;
    const int thin = ready & (p->owed == R(0)) & (depth < view->force_below) & (depth > R(0));
    int owing = 0;
    if (LR_BRANCH(thin)) {
        const real share = packet_weight(p, absorbing) * expected_scattering(ahead.opacity, way);
        const real due = thin ? share : R(0);
        const int small = due < view->share_least;
        const uint32_t debt = p->debt + (small ? share_step(due, r_max(view->share_least, R(1e-30))) : 0u);
        const real owed = small ? (share_is_due(debt) ? view->share_least : R(0)) : due;
        owing = thin & (owed > R(0));
        p->debt = share_rest(debt);
        p->owed = owing ? owed : due > owed ? PAID : p->owed;
        p->owed_depth = owing ? (ahead.opacity.scatter + ahead.opacity.absorb) * way : p->owed_depth;
    }
    return owing;
}

/* Flies the segment or, if `owing`, waits for an atom. */
LR_FN struct flight packet_fly(const struct transport_view *view, struct packet *p, struct profiles seen,
                               struct ahead ahead, int owing, const int absorbing, const int analog, const int imaging)
{
    const int ready = p->state == PACKET_FLYING;
    const int flying = owing ? 0 : ready;
    const struct stop stop = packet_stop(p, ahead.segment, seen, analog);
    const struct opacity opacity = packet_opacity(p, stop.mean, absorbing);
    struct segment segment = ahead.segment;
    struct flight flight;
    segment.length = stop.length;
    packet_advance(view, p, seen, segment, flying, owing, imaging);
    flight.crosses = flight.collided = flight.absorbed = flight.overdue = 0;
    flight.axis = segment.axis;
    flight.profile = stop.there;
    if (LR_BRANCH(flying)) {
        const real length = flying ? segment.length : R(0);
        const int scatters = flying & segment.scatters;
        const int meets_face = flying & !segment.scatters & packet_meets_face(segment);
        const int overdue = scatters & flush_is_due(p->events);
        real weighted = length;
        p->tau = flying ? segment.tau_left : p->tau;
        p->path_part += length;
        if (absorbing) {
            if (!analog) {
                const real depth = opacity.absorb * length;
                weighted = packet_weight(p, absorbing) * length * mean_transmission(depth);
                p->depth += depth;
                p->scattered += scatters ? packet_weight(p, absorbing) : R(0);
            }
            p->length += weighted;
        }
        p->scatter += weighted * opacity.scatter;
        p->owed = (flying & !segment.scatters & !meets_face) ? R(0) : p->owed;
        flight.crosses = meets_face;
        flight.collided = scatters;
        flight.overdue = overdue;
        p->state = scatters ? (int)PACKET_WAITING : p->state;
    }
    p->state = owing ? (int)PACKET_OWING : p->state;
    return flight;
}

#endif
