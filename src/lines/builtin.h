/* Molecules, atoms and ions known by name, without collision partners. */
#ifndef LR_LINES_BUILTIN_H
#define LR_LINES_BUILTIN_H

#include "lines/molecule.h"

/* Name and what it is, from 0; NULL behind the last. */
const char *builtin_name(int index);
const char *builtin_text(int index);

/* The index of a name, large or small letters; or -1, and *nearest is that of one that is spelt much alike, or -1. */
int builtin_find(const char *name, int *nearest);

/* "13CO" of "13co", "OH" of "oh18cm": what a field of its density is called; NULL when the name is not built in. */
const char *builtin_species(const char *name);

/* A built-in name, or else the path of a LAMDA file relative to `folder` (NULL: the current one); or, where there is no
 * such file, a built-in name in other letters (CO, HCO+). *molecule is empty
 * before; release with molecule_free(). */
enum lr_status molecule_find(lr_context *ctx, const char *name, const char *folder, struct molecule *molecule);

#endif
