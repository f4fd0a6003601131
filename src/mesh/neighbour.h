/* The cells on the other side of a face of a cell. */
#ifndef LR_MESH_NEIGHBOUR_H
#define LR_MESH_NEIGHBOUR_H

#include "mesh/mesh.h"

enum { MESH_MOST_NEIGHBOURS = 4 };

/* Not SHELLS. What lies behind the face of cell `at` on one side (-1 or 1) of an axis: one cell, or, on a refined mesh,
 * those behind the centres of the four quarters of the face, the same cell up to four times. Beyond a periodic face are
 * the cells of the other end, with `centre` at their apparent position. None behind any other face of the mesh. Returns
 * their number. */
int mesh_neighbours(const struct mesh *mesh, const int at[3], int axis, int side, int64_t cell[MESH_MOST_NEIGHBOURS],
                    double centre[MESH_MOST_NEIGHBOURS][3]);
/* The centre of a cell. SHELLS: its radius, in x. */
void mesh_cell_centre(const struct mesh *mesh, const int at[3], double centre[3]);

#endif
