/* A linear molecule without electronic angular momentum, from its constants:
 * E_J = B J (J + 1) - D J^2 (J + 1)^2 + H J^3 (J + 1)^3, g_J = 2 J + 1, lines J + 1 -> J with
 * A = 64 pi^4 nu^3 mu^2 (J + 1) / (3 h c^3 (2 J + 3)). */
#ifndef LR_LINES_ROTOR_H
#define LR_LINES_ROTOR_H

#include "lines/molecule.h"

struct rotor {
    double b, d, h; /* Hz */
    double dipole;  /* statC cm */
    double mass;    /* g */
    int highest;    /* J */
};

/* *molecule must be empty; fails if a level would lie below the previous one. Release with molecule_free(). */
enum lr_status rotor_make(lr_context *ctx, const char *name, const struct rotor *rotor, struct molecule *molecule);

#endif
