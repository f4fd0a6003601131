/* Fields over the mesh: a number, a dataset, regions, or another form that a model may use. */
#ifndef LR_IO_MODEL_MODEL_FIELD_H
#define LR_IO_MODEL_MODEL_FIELD_H

#include "io/model/model_reader.h"
#include "io/snapshot/field_rule.h"

enum lr_status read_field(const struct reader *r, const struct yaml_node *node, const struct field_rule *rule,
                          struct field *field);
/* Three fields: a list of three, three formulas, or one dataset of shape (3, ...). On shells a single radial field, in
 * field[0]. */
enum lr_status read_vector_field(const struct reader *r, const struct yaml_node *node, const struct field_rule *rule,
                                 struct field field[3]);
/* As mesh_name_cell(). */
void name_cell(const struct mesh *mesh, int64_t cell, char *text, size_t size);

#endif
