/* The lines of a document that a command works on: all, or one. */
#ifndef LINERAD_CLI_LINES_H
#define LINERAD_CLI_LINES_H

#include "linerad.h"

struct lines {
    int first, end; /* as lr_document_line() counts them; `end` is the one after the last */
};

/* All lines of a document, or the one that is `wanted` (NULL = all). `model` is its name in messages. Returns an exit
 * code. */
int lines_find(const lr_document *document, const char *model, const char *wanted, struct lines *lines);

#endif
