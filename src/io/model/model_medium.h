/* Section `medium`. */
#ifndef LR_IO_MODEL_MODEL_MEDIUM_H
#define LR_IO_MODEL_MODEL_MEDIUM_H

#include "io/model/model_reader.h"

enum lr_status read_medium(const struct reader *r, const struct yaml_node *node, struct medium *medium);
/* Check the medium as a whole: reject or warn about implausible values (model_plausible.c). */
enum lr_status check_plausible(const struct reader *r, const struct yaml_node *map, const struct medium *medium);

#endif
