/* Sections `physics`, `output` and `run`. */
#ifndef LR_IO_MODEL_MODEL_OPTIONS_H
#define LR_IO_MODEL_MODEL_OPTIONS_H

#include "io/model/model_reader.h"

enum lr_status read_physics(const struct reader *r, const struct yaml_node *node, struct physics *physics);
enum lr_status read_reference_b(const struct reader *r, const struct yaml_node *output);
enum lr_status read_output(const struct reader *r, const struct yaml_node *node, struct output *output);
enum lr_status read_run(const struct reader *r, const struct yaml_node *node, struct run *run);

#endif
