/* Groups of lines of atoms and ions, known by name. Data and their sources: docs/atoms.md. */
#ifndef LR_MODEL_ATOM_GROUP_H
#define LR_MODEL_ATOM_GROUP_H

#include <stdbool.h>

#include "base/context.h"
#include "model/model.h"

/* The number of a group, or -1; *nearest is then one that is spelt similarly, or -1. */
int atom_group_find(const char *name, int *nearest);
const char *atom_group_name(int group);
/* "lyman_alpha_fine, mgii, ..." */
void atom_group_list(char *text, size_t size);
/* Whether the group may have deuterium. */
bool atom_group_has_deuterium(int group);
/* The group, and its first line, the one with the largest oscillator strength. `deuterium`: atoms of it per atom. */
enum lr_status atom_group_make(lr_context *ctx, int group, double deuterium, struct line *first,
                               struct line_group *lines);

#endif
