/* From a document to a validated model. */
#ifndef LR_IO_MODEL_MODEL_LOAD_H
#define LR_IO_MODEL_MODEL_LOAD_H

#include "base/context.h"
#include "base/units.h"

/* The model of one line of a document; NULL or "" if it has a single line. */
enum lr_status model_create(lr_context *ctx, struct units *units, const lr_document *document, const char *line,
                            lr_model **model);
/* The model of a text with a single line. `path` names it in messages, and files are looked up in its folder. */
enum lr_status model_load_text(lr_context *ctx, struct units *units, const char *path, const char *text, size_t length,
                               const char *const *settings, int n_setting, lr_model **model);

#endif
