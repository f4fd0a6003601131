/* Selects the flights for the mesh in use (walk.h). */
#ifndef LR_KERNEL_PACKET_WALK_H
#define LR_KERNEL_PACKET_WALK_H

#ifdef LR_WALK_SHELLS
#include "kernel/packet_shells.h"
#else
#include "kernel/packet_box.h"
#endif

#endif
