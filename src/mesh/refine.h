/* Refined meshes from a rule: a brick is divided into eight while the rule wants finer cells in its box. */
#ifndef LR_MESH_REFINE_H
#define LR_MESH_REFINE_H

#include "kernel/brick.h"
#include "mesh/mesh.h"

/* The deepest level that can be asked for; a level has at most 2^REFINE_PLACE_BITS bricks along an axis. */
enum { REFINE_DEEPEST = BRICK_DEEPEST, REFINE_PLACE_BITS = BRICK_POSITION_BITS };

/* The level that is wanted in the box: the brick is divided while its own is below. */
typedef int refine_rule(const void *user, const double low[3], const double high[3]);

/* cells[] of level 0 in bricks of brick^3, which must divide them. Fails when there are more cells than a mesh can
 * have, or more bricks than are reasonable. The mesh becomes MESH_AMR; its faces are left alone. */
enum lr_status mesh_build_refined(lr_context *ctx, const int cells[3], int brick, const double lower[3],
                                  const double size[3], refine_rule *rule, const void *user, struct mesh *mesh);

#endif
