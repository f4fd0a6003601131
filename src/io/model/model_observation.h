/* Sections `channels`, `cameras` and `image`. They depend only on mesh, line, medium, reference_b and run of the
 * model. */
#ifndef LR_IO_MODEL_MODEL_OBSERVATION_H
#define LR_IO_MODEL_MODEL_OBSERVATION_H

#include "io/model/model_reader.h"

/* Into model->camera. */
enum lr_status read_cameras(const struct reader *r, const struct yaml_node *node);
/* Called after the cameras, with whose pixels it must be consistent. A NULL node gives the defaults. */
enum lr_status read_image(const struct reader *r, const struct yaml_node *node, struct image_options *image);
/* All three sections of the document, and whether they are consistent. */
enum lr_status read_imaging(const struct reader *r);

#endif
