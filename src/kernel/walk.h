/* The mesh in use: rectilinear; spherical shells if LR_WALK_SHELLS is defined; refined if LR_WALK_AMR is. A driver is
 * compiled once for each, so that no mesh slows down another. */
#ifndef LR_KERNEL_WALK_H
#define LR_KERNEL_WALK_H

#if defined(LR_WALK_SHELLS)
#include "kernel/walk_shells.h"
#elif defined(LR_WALK_AMR)
#include "kernel/walk_amr.h"
#else
#include "kernel/walk_cartesian.h"
#endif

#ifndef LR_WALK_SHELLS
/* The place at `local` in a cell. */
LR_FN struct place walk_place_in(const struct mesh_view *mesh, int i, int j, int k, struct vec3 local)
{
    struct place at;
    at.i = i;
    at.j = j;
    at.k = k;
    at.local = local;
    at.width = walk_width(mesh, i, j, k);
    return at;
}
#endif

#endif
