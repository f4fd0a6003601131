/* A model file as read: its text, parsed once, with the settings applied to it. It knows its lines and the files it
 * refers to; models are made from copies of its tree (model_load.h). */
#ifndef LR_IO_MODEL_DOCUMENT_H
#define LR_IO_MODEL_DOCUMENT_H

#include "io/yaml/yaml_tree.h"

struct lr_document {
    char *name;             /* name used in messages: the path of the file */
    char *folder;           /* where relative paths start: "", or ending in a slash */
    char *text;             /* as read */
    struct yaml_tree *tree; /* with the settings applied; its list of lines is checked */
    int n_setting;
    char **setting;
    int n_array;
    struct lr_array *array; /* values, names and units are the caller's */
};

/* From text in memory. `folder` is as above. */
enum lr_status document_create(lr_context *ctx, const char *name, const char *folder, const char *text, size_t length,
                               const char *const *settings, int n_setting, lr_document **document);
/* The same for the text of a file: relative paths start in its folder. */
enum lr_status document_create_beside(lr_context *ctx, const char *path, const char *text, size_t length,
                                      const char *const *settings, int n_setting, lr_document **document);

#endif
