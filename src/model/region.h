/* Simple bodies that paint values onto a mesh: boxes, spheres, shells and slabs. Lengths in cm. */
#ifndef LR_MODEL_REGION_H
#define LR_MODEL_REGION_H

#include "model/model.h"

enum region_kind { REGION_BOX, REGION_SHELL };

/* A slab is a box unbounded along two axes; a sphere is a shell without a hole. */
struct region {
    enum region_kind kind;
    double low[3], high[3]; /* BOX; may be infinite */
    double centre[3];       /* SHELL */
    double inner, outer;    /* SHELL */
};

/* The fraction of a cell's volume inside the region: exact for a box, from 8 x 8 x 8 points for a cell cut by the
 * surface of a sphere. */
double region_fraction(const struct region *region, const double low[3], const double high[3]);
/* Whether any of the region's volume is inside the cell; exact. */
bool region_overlaps(const struct region *region, const double low[3], const double high[3]);
bool region_contains(const struct region *region, const double point[3]);

/* Set the values [n_cell] inside the region. Extensive: by volume fraction, so that mass is conserved; otherwise where
 * the cell centre lies inside. On shells the region is a SHELL about the origin. */
void region_paint(const struct region *region, const struct mesh *mesh, bool extensive, double value, double *values);

#endif
