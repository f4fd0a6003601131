/* proposed_area_refined(): the same source as proposed_area.c, compiled for a refined mesh. */
#define LR_WALK_AMR
#include "solve/transport/proposed_area.h"

#include "solve/transport/proposed_area_walk.h"

double proposed_area_refined(const struct mesh_view *view, const double point[3], const double direction[3], double q)
{
    return walk_area(view, point, direction, q);
}
