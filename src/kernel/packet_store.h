/* A packet in the middle of its life as plain numbers, which can be kept in a file, and from which it goes on as if
 * nothing had happened, on a CPU or a GPU: each member as a double, which represents it exactly in either precision. */
#ifndef LR_KERNEL_PACKET_STORE_H
#define LR_KERNEL_PACKET_STORE_H

#include "kernel/packet_members.h"

#define STORE_COUNT(type, name, member) +1
#define STORE_PUT(type, name, member) *to++ = (double)p->member;
#define STORE_GET(type, name, member) p->member = (type)*from++;
enum { STORED_NUMBERS = 6 LIFE_MEMBERS(STORE_COUNT) };

LR_FN void packet_store(const struct packet *p, const struct last_place *last, double *to)
{
    LIFE_MEMBERS(STORE_PUT)
    for (int axis = 0; axis < 3; axis++) {
        *to++ = (double)last->cell[axis];
        *to++ = (double)last->local[axis];
    }
}

/* The gas around the packet is not stored: packet_enter() reads it. */
LR_FN void packet_load(const double *from, struct packet *p, struct last_place *last)
{
    LIFE_MEMBERS(STORE_GET)
    for (int axis = 0; axis < 3; axis++) {
        last->cell[axis] = (int)*from++;
        last->local[axis] = (real)*from++;
    }
}

#endif
