/* Where a result may be written: see output_path.h. */
#ifndef LR_IO_RESULT_RESULT_PATH_H
#define LR_IO_RESULT_RESULT_PATH_H

#include <hdf5.h>

#include "base/context.h"

#define RESULT_FORMAT "linerad result" /* root attribute `format` of every result file */

/* Whether an open HDF5 file carries that attribute. */
bool result_path_has_format(hid_t file);
/* Whether the file `path` is HDF5 and its root group has this attribute text. */
bool result_path_says(const char *path, const char *attribute, const char *text);

/* Checks `path` and follows a symbolic link to the file it names; *resolved is freed with free(). */
enum lr_status result_path_resolve(lr_context *ctx, const char *path, char **resolved);

#endif
