/* The geometry of a refined mesh (mesh.h, AMR). */
#ifndef LR_MESH_AMR_H
#define LR_MESH_AMR_H

#include "mesh/mesh.h"

enum lr_status amr_copy(lr_context *ctx, const struct mesh_tree *from, struct mesh_tree *to);
void amr_free(struct mesh_tree *tree);
/* Cell widths of the brick that contains row i of the mesh. */
void amr_cell_width(const struct mesh_tree *tree, int i, double width[3]);
void amr_cell_box(const struct mesh_tree *tree, const int at[3], double low[3], double high[3]);
void amr_find_point(const struct mesh_tree *tree, const double point[3], int at[3]);
/* Level of a brick, and its position in bricks of that level. */
int amr_brick_place(const struct mesh_tree *tree, int64_t brick, int position[3]);
/* Of the cells of the deepest level. */
double amr_finest_width(const struct mesh_tree *tree, int axis);
void amr_widths(const struct mesh_tree *tree, int axis, double *smallest, double *largest);

#endif
