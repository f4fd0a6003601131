/* The area that a ray stands for which cells of many sizes propose (level_rays.c). A cell proposes a ray with the
 * probability q, through a point that is uniform in it. The density of rays in the plane across them is then
 * SUM q l / V over the cells that a ray meets, l being its way through the cell: its inverse is the area. */
#ifndef LR_SOLVE_TRANSPORT_PROPOSED_AREA_H
#define LR_SOLVE_TRANSPORT_PROPOSED_AREA_H

#include "kernel/views.h"

typedef double proposed_area_fn(const struct mesh_view *view, const double point[3], const double direction[3],
                                double q);

/* Two of one source: kernels are compiled for one mesh at a time. */
proposed_area_fn proposed_area_rectilinear, proposed_area_refined;

#endif
