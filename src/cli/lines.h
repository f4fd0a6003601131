/* The lines of a model that a command works on. */
#ifndef LINERAD_CLI_LINES_H
#define LINERAD_CLI_LINES_H

#include "linerad.h"
#include "settings.h"

/* The names of all lines of a model, or of the one `wanted` (NULL = all), as returned by lr_model_lines(); freed with
 * lr_text_free(). Returns an exit code. */
int lines_find(lr_context *ctx, const char *model, const struct settings *settings, const char *wanted, char **names);

#endif
