/* proposed_area() on the mesh that kernels are compiled for (kernel/walk.h). */
#ifndef LR_SOLVE_TRANSPORT_PROPOSED_AREA_WALK_H
#define LR_SOLVE_TRANSPORT_PROPOSED_AREA_WALK_H

#include "kernel/ray.h"

static inline double walk_area(const struct mesh_view *view, const double point[3], const double direction[3], double q)
{
    struct point3 p, n;
    double density = 0;
    for (int axis = 0; axis < 3; axis++) {
        p.x[axis] = point[axis];
        n.x[axis] = direction[axis];
    }
    struct ray ray = ray_enter(view, p, n, -RAY_FAR, RAY_FAR);
    for (int more = ray.hits; more;) {
        const struct passage way = ray_advance(view, &ray);
        more = way.more;
        density += q * (double)way.length / ((double)way.width.x * (double)way.width.y * (double)way.width.z);
    }
    return density > 0 ? 1 / density : 0;
}

#endif
