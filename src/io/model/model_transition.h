/* Which lines of a molecule a model means: keys `transition`, `range` and `reference` of section `line`. */
#ifndef LR_IO_MODEL_MODEL_TRANSITION_H
#define LR_IO_MODEL_MODEL_TRANSITION_H

#include "io/model/model_reader.h"
#include "lines/molecule.h"

struct transitions {
    int n;
    int *line;     /* [n] of the molecule: first the one that sets the frequency axis, then by frequency; own */
    char name[40]; /* as the user calls them, or the label of a single line */
};

enum lr_status read_transitions(const struct reader *r, const struct yaml_node *map, const struct molecule *molecule,
                                struct transitions *found);

#endif
