/* Fields from formulas: {formula: '1e-3 cm^-3 * (r / 2 kpc)^-2'}, at the centres of cells. */
#ifndef LR_IO_MODEL_MODEL_FORMULA_H
#define LR_IO_MODEL_MODEL_FORMULA_H

#include "io/model/model_reader.h"
#include "io/snapshot/field_rule.h"

/* One formula for one field, a list of three for three. */
enum lr_status read_field_formula(const struct reader *r, const struct yaml_node *map, const struct field_rule *rule,
                                  int n_field, struct field *field);

#endif
