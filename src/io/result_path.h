/* Where a result may be written: a new file in a folder that exists and takes data, or the place of an earlier
 * result. Nothing else is ever replaced. */
#ifndef LR_IO_RESULT_PATH_H
#define LR_IO_RESULT_PATH_H

#include "base/context.h"

#define RESULT_FORMAT "linerad result" /* root attribute `format` of every result file */

/* Checks `path` and follows a symbolic link to the file it names; *resolved is freed with free(). */
enum lr_status result_path_resolve(lr_context *ctx, const char *path, char **resolved);

#endif
