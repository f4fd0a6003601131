/* The mesh that kernels walk on: rectilinear; spherical shells when LR_WALK_SHELLS is defined; refined when LR_WALK_AMR
 * is. A driver is compiled once for each, so that none costs the others anything. */
#ifndef LR_KERNEL_WALK_H
#define LR_KERNEL_WALK_H

#if defined(LR_WALK_SHELLS)
#include "kernel/walk_shells.h"
#elif defined(LR_WALK_AMR)
#include "kernel/walk_amr.h"
#else
#include "kernel/walk_cartesian.h"
#endif

#endif
