/* Load a model from text that is already in memory; lr_model_load() reads the file and calls this. */
#ifndef LR_IO_MODEL_MODEL_LOAD_H
#define LR_IO_MODEL_MODEL_LOAD_H

#include "base/context.h"
#include "base/units.h"

/* `path` names the model in messages, and HDF5 files are looked up beside it. */
enum lr_status model_load_text(lr_context *ctx, struct units *units, const char *path, const char *text, size_t length,
                               const char *const *settings, int n_setting, lr_model **model);
/* What a program gives beside the text: the folder where relative paths start, and its arrays. */
struct model_memory {
    const char *folder; /* "" or with a slash at its end */
    const struct lr_array *array;
    int n_array;
};
enum lr_status model_load_memory(lr_context *ctx, struct units *units, const char *name, const char *text,
                                 size_t length, const struct model_memory *memory, const char *const *settings,
                                 int n_setting, const char *line, lr_model **model);

/* The same for one line of a document that has several; `line` may be NULL. */
enum lr_status model_load_line_text(lr_context *ctx, struct units *units, const char *path, const char *text,
                                    size_t length, const char *const *settings, int n_setting, const char *line,
                                    lr_model **model);

/* Fill camera, channels, image and run of a model that already has mesh, line, medium and reference_b, from the
 * resolved text of the model it came from (model_imaging.c). Settings may change how images are made and where; any
 * other needs a new run and is an error. `path` names the text in messages. */
enum lr_status model_read_imaging(lr_context *ctx, const char *path, const char *resolved, const char *const *settings,
                                  int n_setting, lr_model *model);

#endif
