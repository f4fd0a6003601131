/* The temperature of the gas. */
#ifndef LR_IO_MODEL_MODEL_TEMPERATURE_H
#define LR_IO_MODEL_MODEL_TEMPERATURE_H

#include "io/model/model_reader.h"

/* The temperature of the gas (model_temperature.c): a field, a recipe, or that of the snapshot; *found is false if
 * there is none. */
enum lr_status read_temperature(const struct reader *r, const struct yaml_node *map, struct field *temperature,
                                bool *found);
/* Whether it will be derived from a pressure, and thus from the mass of the gas. */
bool temperature_needs_mass(const struct reader *r, const struct yaml_node *map);

#endif
