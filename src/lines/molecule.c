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

static void keep_rates(struct partner *partner, int n_level)
{
    const size_t n = (size_t)partner->n_temperature;
    int kept = 0;
    for (int t = 0; t < partner->n_transition; t++) {
        if (partner->upper[t] >= n_level || partner->lower[t] >= n_level)
            continue;
        partner->upper[kept] = partner->upper[t];
        partner->lower[kept] = partner->lower[t];
        memmove(partner->rate + (size_t)kept * n, partner->rate + (size_t)t * n, n * sizeof *partner->rate);
        kept++;
    }
    partner->n_transition = kept;
}

void molecule_keep_levels(struct molecule *molecule, int n)
{
    int kept = 0;
    for (int l = 0; l < molecule->n_line; l++)
        if (molecule->line[l].upper < n && molecule->line[l].lower < n)
            molecule->line[kept++] = molecule->line[l];
    molecule->n_line = kept;
    molecule->n_level = n < molecule->n_level ? n : molecule->n_level;
    for (int p = 0; p < molecule->n_partner; p++)
        keep_rates(&molecule->partner[p], n);
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
