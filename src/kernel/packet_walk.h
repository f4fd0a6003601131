/* Selects the flights for the mesh in use (walk.h). */
#ifndef LR_KERNEL_PACKET_WALK_H
#define LR_KERNEL_PACKET_WALK_H

#ifdef LR_WALK_SHELLS
#include "kernel/packet_shells.h"
#else
#include "kernel/packet_box.h"
#endif

/* The next step, and the frequencies along it in the frame of the gas. */
LR_FN struct leg packet_aim(struct packet *p)
{
    return walk_aim(&p->at, p->n, p->x, p->outflow);
}

#endif
