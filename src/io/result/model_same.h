/* Whether two models are the same in everything that sums of packets depend on. */
#ifndef LR_IO_RESULT_MODEL_SAME_H
#define LR_IO_RESULT_MODEL_SAME_H

#include "model/model.h"

/* Compares two models as YAML with settings applied. If they differ in more than how a run is carried out, *difference
 * says in which key: "medium.temperature is 100 K here and 50 K there". With `seeds`, the seed may differ as well.
 * Freed with free(); NULL: they are the same. */
enum lr_status model_difference(lr_context *ctx, const char *one, const char *other, bool seeds, char **difference);
/* The same for what run.until asks for, and nothing else. */
enum lr_status model_aim_difference(lr_context *ctx, const char *one, const char *other, char **difference);

#endif
