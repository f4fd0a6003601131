/* What flights of packets are in boxes: straight, in gas that moves as one. */
#ifndef LR_KERNEL_PACKET_BOX_H
#define LR_KERNEL_PACKET_BOX_H

#include "kernel/packet.h"

/* The frequencies at which the next step meets the gas. */
LR_FN struct leg packet_aim(struct packet *p)
{
    struct leg leg;
    leg.reach = R_HUGE;
    leg.start = leg.middle = leg.end = p->x;
    return leg;
}

/* Where on the way a flight stops that ends in a scattering, and what it sees up to there and at that place. */
LR_FN struct stop packet_stop(const struct packet *p, struct segment segment, struct profiles seen, const int analog)
{
    struct stop stop;
    (void)p;
    (void)analog;
    stop.length = segment.length;
    stop.mean = stop.there = seen.start;
    return stop;
}

/* Whether the longest step reaches a face: any does. */
LR_FN int packet_meets_face(struct segment segment)
{
    (void)segment;
    return 1;
}

/* Fly the length, if `flying`. */
LR_FN void packet_advance(const struct transport_view *view, struct packet *p, struct profiles seen,
                          struct segment segment, int flying, int owing, const int imaging)
{
    const real length = flying ? segment.length : R(0);
    (void)view;
    (void)seen;
    (void)owing;
    (void)imaging;
    p->at.local.x += length * p->n.x;
    p->at.local.y += length * p->n.y;
    p->at.local.z += length * p->n.z;
}

/* Frequency and direction of a packet after it has left its share: those it still has. */
LR_FN void packet_come_back(struct packet *p, int back)
{
    (void)p;
    (void)back;
}

/* The place on the way to the face ahead where the share of a packet that owes one is left. */
LR_FN struct vec3 packet_share_place(const struct packet *p, struct random4 random)
{
    const real part = scattering_part(rng_uniform(random.r0), p->owed_depth);
    const real way = part * walk_exit(p->at.local, p->at.width, p->n).distance;
    return walk_move(p->at.local, p->at.width, p->n, way).local;
}

#endif
