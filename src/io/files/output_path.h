/* Where output may be written: a new file in a folder that exists and takes data, or the place of an earlier file of
 * the same kind. Nothing else is ever replaced. */
#ifndef LR_IO_FILES_OUTPUT_PATH_H
#define LR_IO_FILES_OUTPUT_PATH_H

#include <stdbool.h>

#include "base/context.h"

struct output_kind {
    const char *name;                    /* "linerad result" */
    bool (*recognise)(const char *path); /* whether a file that exists is one */
};

/* Checks `path` and follows a symbolic link to the file it names; *resolved is freed with free(). */
enum lr_status output_path_resolve(lr_context *ctx, const char *path, const struct output_kind *kind, char **resolved);
/* Writes a little to the place where the file will be put together, and removes it. */
enum lr_status output_path_try(lr_context *ctx, const char *resolved);
/* True when there is a file with something in it, which writing would replace. */
bool output_path_taken(const char *path);

#endif
