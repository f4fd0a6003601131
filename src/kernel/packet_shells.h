/* Flights of packets in shells: the frame of the packet turns with the radius, and the velocity of the gas along the
 * flight changes with it. A packet that owes a share therefore moves to the place of the share, waits there for an atom
 * in the local frame, and returns. */
#ifndef LR_KERNEL_PACKET_SHELLS_H
#define LR_KERNEL_PACKET_SHELLS_H

#include "kernel/packet.h"

/* Where a flight stops if it ends in a scattering, and the profile up to there and at that place. */
LR_FN struct stop packet_stop(const struct packet *p, struct segment segment, struct profiles seen, const int analog)
{
    struct stop stop;
    stop.length = segment.length;
    stop.mean = seen.mean;
    stop.there = seen.start;
    if (LR_BRANCH(segment.scatters)) {
        const struct stop found =
            stop_on_leg(segment, p->alpha0, analog ? p->kappa : R(0), seen.start, seen.middle, seen.end);
        stop.length = segment.scatters ? found.length : stop.length;
        stop.mean = segment.scatters ? found.mean : stop.mean;
        stop.there = segment.scatters ? found.there : stop.there;
    }
    return stop;
}

/* Whether the segment reaches a face rather than the end of the longest step. */
LR_FN int packet_meets_face(struct segment segment)
{
    return segment.axis != EXIT_STEP;
}

/* Moves the packet by the segment if `flying`; if `owing`, takes direction and frequency at the place of the share. */
LR_FN void packet_advance(const struct transport_view *view, struct packet *p, struct profiles seen,
                          struct segment segment, int flying, int owing, const int imaging)
{
    real way = flying ? segment.length : R(0);
    if (imaging && LR_BRANCH(owing)) {
        const struct random4 random = rng_draw(view->key, p->draw, p->id_low, p->id_high);
        const real share = scattering_part(rng_uniform(random.r0), p->owed_depth);
        way = owing ? segment.to_face * leg_part(seen.start, seen.middle, seen.end, share) : way;
        p->draw += owing ? 1u : 0u;
        p->kept_x = owing ? p->x : p->kept_x;
        p->kept_n = vec3_select(owing, p->n, p->kept_n);
    }
    const int turns = flying | owing;
    const struct flown flown = walk_move(p->at.local, p->at.width, p->n, way);
    p->x -= turns ? p->outflow * (flown.n.z - p->n.z) : R(0);
    p->n = vec3_select(turns, flown.n, p->n);
    p->aside = owing ? flown.local.x : p->aside;
    p->at.local.x = flying ? flown.local.x : p->at.local.x;
}

LR_FN void packet_come_back(struct packet *p, int back)
{
    p->n = vec3_select(back, p->kept_n, p->n);
    p->x = back ? p->kept_x : p->x;
}

LR_FN struct vec3 packet_share_place(const struct packet *p, struct random4 random)
{
    (void)random;
    return vec3_make(p->aside, R(0), R(0));
}

#endif
