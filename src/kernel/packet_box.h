/* Flights of packets in boxes: straight, through gas with one velocity per cell. */
#ifndef LR_KERNEL_PACKET_BOX_H
#define LR_KERNEL_PACKET_BOX_H

#include "kernel/packet.h"

/* Where a flight stops if it ends in a scattering, and the profile up to there and at that place. */
LR_FN struct stop packet_stop(const struct packet *p, struct segment segment, struct profiles seen, const int analog)
{
    struct stop stop;
    (void)p;
    (void)analog;
    stop.length = segment.length;
    stop.mean = stop.there = seen.start;
    return stop;
}

/* Whether the segment reaches a face: always, since steps are not limited. */
LR_FN int packet_meets_face(struct segment segment)
{
    (void)segment;
    return 1;
}

/* Moves the packet by the segment if `flying`. */
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

/* Restores frequency and direction after a share is deposited: in boxes they have not changed. */
LR_FN void packet_come_back(struct packet *p, int back)
{
    (void)p;
    (void)back;
}

/* Random place on the way to the face ahead where the packet deposits the share it owes. */
LR_FN struct vec3 packet_share_place(const struct packet *p, struct random4 random)
{
    const real part = scattering_part(rng_uniform(random.r0), p->owed_depth);
    const real way = part * walk_exit(p->at.local, p->at.width, p->n).distance;
    return walk_move(p->at.local, p->at.width, p->n, way).local;
}

#endif
