/* Integrals of a cell value along columns of a refined mesh, parallel to an axis. */
#ifndef LR_MESH_COLUMN_H
#define LR_MESH_COLUMN_H

#include "mesh/mesh.h"

typedef double column_value(const void *user, int64_t cell);

/* INT value ds along `axis` through the cells crossed by the line through `point`, from point[axis] to the upper face.
 */
double column_integral(const struct mesh *mesh, int axis, const double point[3], column_value *value, const void *user);
/* The largest INT value ds over all columns across the mesh, for a non-negative value. If the little memory it needs is
 * not available, an upper limit. */
double column_largest(const struct mesh *mesh, int axis, column_value *value, const void *user);

#endif
