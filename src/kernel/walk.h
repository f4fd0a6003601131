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

/* The place after a jump, which may lead into another cell of the same gas; the direction n there stays as it is. */
LR_FN struct place walk_jump(const struct mesh_view *mesh, const struct ball_view *balls, struct place at,
                             struct vec3 jump, struct vec3 *n)
{
    const struct vec3 to = vec3_make(at.local.x + jump.x, at.local.y + jump.y, at.local.z + jump.z);
    (void)n;
    if (to.x >= R(0) && to.x <= at.width.x && to.y >= R(0) && to.y <= at.width.y && to.z >= R(0) &&
        to.z <= at.width.z) {
        at.local = to;
        return at;
    }
    const struct vec3 corner = walk_corner(mesh, at.i, at.j, at.k);
    double point[3] = {(double)corner.x + (double)to.x, (double)corner.y + (double)to.y,
                       (double)corner.z + (double)to.z};
    for (int axis = 0; axis < 3; axis++) {
        const double size = walk_size(mesh, axis);
        point[axis] -= balls->endless[axis] ? size * floor(point[axis] / size) : 0;
    }
    return walk_place(mesh, point, -1);
}
#endif

#endif
