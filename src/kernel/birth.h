/* Selects the birth of packets for the mesh in use (kernel/walk.h). */
#ifndef LR_KERNEL_BIRTH_H
#define LR_KERNEL_BIRTH_H

#ifdef LR_WALK_SHELLS
#include "kernel/birth_shells.h"
#else
#include "kernel/birth_box.h"
#endif

#endif
