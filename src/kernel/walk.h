/* The mesh that kernels walk on: Cartesian, or spherical shells when LR_WALK_SHELLS is defined. A driver is compiled
 * once for each, so that neither costs the other anything. */
#ifndef LR_KERNEL_WALK_H
#define LR_KERNEL_WALK_H

#ifdef LR_WALK_SHELLS
#include "kernel/walk_shells.h"
#else
#include "kernel/walk_cartesian.h"
#endif

#endif
