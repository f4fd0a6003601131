/* Selects the rays for the mesh in use (kernel/walk.h). */
#ifndef LR_KERNEL_RAY_H
#define LR_KERNEL_RAY_H

#ifdef LR_WALK_SHELLS
#include "kernel/ray_shells.h"
#else
#include "kernel/ray_box.h"
#endif

#endif
