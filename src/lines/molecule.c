#include "lines/molecule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"

void molecule_free(struct molecule *molecule)
{
    for (int p = 0; molecule->partner && p < molecule->n_partner; p++) {
        free(molecule->partner[p].temperature);
        free(molecule->partner[p].upper);
        free(molecule->partner[p].lower);
        free(molecule->partner[p].rate);
    }
    free(molecule->partner);
    free(molecule->line);
    free(molecule->level);
    memset(molecule, 0, sizeof *molecule);
}

double molecule_kelvin(double energy)
{
    return energy * (LR_PLANCK * LR_LIGHT_SPEED / LR_BOLTZMANN);
}

const char *collider_name(enum collider collider)
{
    static const char *const names[N_COLLIDER] = {"?", "H2", "p-H2", "o-H2", "e", "H", "He", "H+"};
    return collider > 0 && collider < N_COLLIDER ? names[collider] : names[0];
}

double molecule_boltzmann(const struct molecule *molecule, int upper, int lower, double temperature)
{
    if (!(temperature > 0.0))
        return 0.0;
    return exp(-molecule_kelvin(molecule->level[upper].energy - molecule->level[lower].energy) / temperature);
}
