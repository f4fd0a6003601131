/* Section `mesh`. */
#ifndef LR_IO_MODEL_MODEL_MESH_H
#define LR_IO_MODEL_MODEL_MESH_H

#include "io/model/model_reader.h"

enum lr_status read_mesh(const struct reader *r, const struct yaml_node *node, struct mesh *mesh);
/* One word for all faces, or keys x, y, z for both faces of an axis, or x-, x+ ... for one. */
enum lr_status read_faces(const struct reader *r, const struct yaml_node *node, struct mesh *mesh);
/* Its keys `refine` and `brick` (model_refine.c): cells[] of level 0 become a refined mesh. */
enum lr_status read_refined(const struct reader *r, const struct yaml_node *map, const int cells[3],
                            const double lower[3], const double size[3], struct mesh *mesh);
/* Its key `bricks` (model_bricks.c): the same, brick by brick. */
enum lr_status read_bricks(const struct reader *r, const struct yaml_node *map, const int cells[3],
                           const double lower[3], const double size[3], struct mesh *mesh);

#endif
