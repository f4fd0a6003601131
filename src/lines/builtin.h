/* Molecules, atoms and ions known by name, without collision partners. */
#ifndef LR_LINES_BUILTIN_H
#define LR_LINES_BUILTIN_H

#include "lines/molecule.h"

/* Name and description, from 0; NULL after the last. */
const char *builtin_name(int index);
const char *builtin_text(int index);

/* The index of a name (case-insensitive); or -1, and *nearest is the index of a similar name, or -1. */
int builtin_find(const char *name, int *nearest);

/* "13CO" of "13co", "OH" of "oh18cm": the name used in fields of its density; NULL if the name is not built in. */
const char *builtin_species(const char *name);

/* A built-in name, or the path of a LAMDA file relative to `folder` (NULL: the current one); or, if there is no such
 * file, a built-in name in different case (CO, HCO+). *molecule is empty before; release with molecule_free(). */
enum lr_status molecule_find(lr_context *ctx, const char *name, const char *folder, struct molecule *molecule);

#endif
