/* One segment of a packet's flight: to its next scattering, to the face ahead, or to the end of the longest step. */
#ifndef LR_KERNEL_PACKET_FLY_H
#define LR_KERNEL_PACKET_FLY_H

#include "kernel/packet_walk.h"

/* What a segment ends with; any other number is the axis of the face that it ends at, plus 1. */
enum { FLIGHT_GOES_ON = 0, FLIGHT_FLUSHES = -1 };

struct flight {
    int event;
    int collided;
    real profile; /* where it collided */
};

/* A thin segment owes the cameras its share (deposit.h). Returns whether the packet has to wait for an atom. */
LR_FN int packet_owes(const struct transport_view *view, struct packet *p, struct opacity opacity, real way, int thin,
                      const int absorbing)
{
    const real share = packet_weight(p, absorbing) * expected_scattering(opacity, way);
    const real due = thin ? share : R(0);
    const int small = due < view->share_least;
    const uint32_t debt = p->debt + (small ? share_step(due, r_max(view->share_least, R(1e-30))) : 0u);
    const real owed = small ? (share_is_due(debt) ? view->share_least : R(0)) : due;
    const int owing = thin & (owed > R(0));
    p->debt = share_rest(debt);
    p->owed = owing ? owed : due > owed ? PAID : p->owed;
    p->owed_depth = owing ? (opacity.scatter + opacity.absorb) * way : p->owed_depth;
    return owing;
}

/* `seen` are the profiles on the step (packet_aim). With `analog` absorption a packet stops for it as for a scattering;
 * otherwise absorption takes weight on the way. */
LR_FN struct flight packet_fly(const struct transport_view *view, struct packet *p, struct profiles seen,
                               const int absorbing, const int analog, const int imaging)
{
    const int ready = p->state == PACKET_FLYING;
    const real eps = absorbing ? p->eps : R(0);
    const real kappa = absorbing ? p->kappa : R(0);
    struct opacity opacity = opacity_at(p->alpha0, eps, kappa, seen.mean);
    struct segment segment = fly_segment(p->at.local, p->at.width, p->n, p->tau,
                                         analog ? opacity.scatter + opacity.absorb : opacity.scatter);
    struct flight flight;
    int owing = 0;
    if (imaging) {
        const real ahead = opacity.scatter * segment.to_face;
        const int thin = ready & (p->owed == R(0)) & (ahead < view->force_below) & (ahead > R(0));
        if (LR_BRANCH(thin))
            owing = packet_owes(view, p, opacity, segment.to_face, thin, absorbing);
    }
    const int flying = ready - owing;
    const struct stop stop = packet_stop(p, segment, seen, analog);
    segment.length = stop.length;
    opacity = opacity_at(p->alpha0, eps, kappa, stop.mean);
    packet_advance(view, p, seen, segment, flying, owing, imaging);
    flight.event = FLIGHT_GOES_ON;
    flight.collided = 0;
    flight.profile = stop.there;
    if (LR_BRANCH(flying)) {
        const real length = flying ? segment.length : R(0);
        const int scatters = flying & segment.scatters;
        const int meets_face = flying & !segment.scatters & (segment.axis != EXIT_STEP);
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
        p->owed = flying & !segment.scatters & !meets_face ? R(0) : p->owed;
        flight.event = meets_face ? segment.axis + 1 : overdue ? (int)FLIGHT_FLUSHES : (int)FLIGHT_GOES_ON;
        flight.collided = scatters;
        p->state = scatters ? (int)PACKET_WAITING : p->state;
    }
    p->state = owing ? (int)PACKET_OWING : p->state;
    return flight;
}

#endif
