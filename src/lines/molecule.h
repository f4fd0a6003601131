/* A molecule, atom or ion: its levels, lines and collision rates. Read from a LAMDA
 * file (lamda_read.h), made from constants (rotor.h), or known by name (builtin.h). */
#ifndef LR_LINES_MOLECULE_H
#define LR_LINES_MOLECULE_H

#include "base/context.h"

/* Collision partners, numbered as in the LAMDA format. */
enum collider {
    COLLIDER_H2 = 1,
    COLLIDER_PARA_H2,
    COLLIDER_ORTHO_H2,
    COLLIDER_ELECTRON,
    COLLIDER_H,
    COLLIDER_HE,
    COLLIDER_PROTON,
    N_COLLIDER /* arrays over colliders have this length; entry 0 is not used */
};

struct level {
    double energy; /* cm^-1 above the lowest level */
    double weight; /* statistical */
    char label[40];
};

struct transition {
    int upper, lower; /* levels, from 0 */
    double a_ul;      /* s^-1 */
    double frequency; /* Hz */
};

/* Downward rates of one partner; those not listed are zero. */
struct partner {
    enum collider collider;
    char reference[160];
    int n_temperature;
    double *temperature; /* K, increasing */
    int n_transition;
    int *upper, *lower; /* levels, from 0 */
    double *rate;       /* [n_transition][n_temperature] cm^3 s^-1 */
};

struct molecule {
    char name[80];
    double mass; /* g */
    int n_level, n_line, n_partner;
    struct level *level;
    struct transition *line;
    struct partner *partner;
    double lowest; /* cm^-1: the energy of the lowest level in the source, such as 23.79 in a file of ortho-H2O only */
};

/* The molecule of the public interface. */
struct lr_molecule {
    struct molecule data;
};

void molecule_free(struct molecule *molecule); /* frees what it owns, not the struct itself */
/* Keep only the first n levels, and the lines and rates between them. */
void molecule_keep_levels(struct molecule *molecule, int n);

/* h c E / k of an energy in cm^-1, K. */
double molecule_kelvin(double energy);
/* "H2", "p-H2", "o-H2", "e", "H", "He", "H+". */
const char *collider_name(enum collider collider);
/* Boltzmann factor exp(-(E_upper - E_lower) / k T) of two levels, 0 at T = 0. */
double molecule_boltzmann(const struct molecule *molecule, int upper, int lower, double temperature);

#endif
