/* The area represented by a ray, if cells of many sizes propose rays (level_rays.c). A cell proposes a ray with
 * probability q, through a uniformly chosen point. The density of rays in the plane perpendicular to them is then SUM q
 * l / V over the cells that a ray crosses, where l is its path through the cell; the area is the inverse. */
#ifndef LR_SOLVE_TRANSPORT_PROPOSED_AREA_H
#define LR_SOLVE_TRANSPORT_PROPOSED_AREA_H

#include "kernel/views.h"

typedef double proposed_area_fn(const struct mesh_view *view, const double point[3], const double direction[3],
                                double q);

/* Both from one source: kernels are compiled for one mesh at a time. */
proposed_area_fn proposed_area_rectilinear, proposed_area_refined;

#endif
