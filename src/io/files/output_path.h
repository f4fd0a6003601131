/* Where output may be written: a new file in an existing writable folder, or in place of an earlier file of the same
 * kind. Nothing else is ever overwritten. */
#ifndef LR_IO_FILES_OUTPUT_PATH_H
#define LR_IO_FILES_OUTPUT_PATH_H

#include <stdbool.h>

#include "base/context.h"

struct output_kind {
    const char *name;                    /* "linerad result" */
    bool (*recognise)(const char *path); /* whether an existing file is of this kind */
};

/* Checks `path` and follows a symbolic link to the file it names; *resolved is freed with free(). */
enum lr_status output_path_resolve(lr_context *ctx, const char *path, const struct output_kind *kind, char **resolved);
/* Writes a small file where the output will be assembled, and removes it. */
enum lr_status output_path_try(lr_context *ctx, const char *resolved);
/* True if there is a non-empty file that would be overwritten. */
bool output_path_taken(const char *path);

#endif
