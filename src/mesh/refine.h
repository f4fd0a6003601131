/* Refined meshes from a rule: a brick is divided into eight while the rule requires finer cells in its box. */
#ifndef LR_MESH_REFINE_H
#define LR_MESH_REFINE_H

#include "kernel/brick.h"
#include "mesh/mesh.h"

/* The deepest level that can be requested; a level has at most 2^REFINE_PLACE_BITS bricks along an axis. */
enum { REFINE_DEEPEST = BRICK_DEEPEST, REFINE_PLACE_BITS = BRICK_POSITION_BITS };

/* The level required in the box: the brick is divided while its own level is lower. */
typedef int refine_rule(const void *user, const double low[3], const double high[3]);

/* cells[] of level 0 in bricks of brick^3, which must divide them. Fails if there are more cells than a mesh can have,
 * or an unreasonable number of bricks. The mesh becomes MESH_AMR; its faces are unchanged. */
enum lr_status mesh_build_refined(lr_context *ctx, const int cells[3], int brick, const double lower[3],
                                  const double size[3], refine_rule *rule, const void *user, struct mesh *mesh);

#endif
