/* Files of the Leiden Atomic and Molecular Database (Schoeier et al. 2005, A&A 432, 369). */
#ifndef LR_LINES_LAMDA_READ_H
#define LR_LINES_LAMDA_READ_H

#include "lines/molecule.h"

/* *molecule must be empty; errors name the file and line. Release with molecule_free(). */
enum lr_status lamda_read(lr_context *ctx, const char *path, struct molecule *molecule);
/* The same from `size` bytes of text; `name` is used for the file in messages. */
enum lr_status lamda_read_text(lr_context *ctx, const char *name, const char *text, size_t size,
                               struct molecule *molecule);

#endif
