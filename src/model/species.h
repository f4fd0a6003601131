/* A molecule in the gas of a model: where it is, what it collides with, and how its level populations are found. The
 * medium of the model (alpha0, b, a, velocity, kappa) represents one of its lines. */
#ifndef LR_MODEL_SPECIES_H
#define LR_MODEL_SPECIES_H

#include "base/constants.h"
#include "lines/collisions.h"
#include "lines/molecule.h"
#include "model/model.h"

enum population_method {
    POPULATIONS_LTE,
    POPULATIONS_GIVEN,     /* read from a file */
    POPULATIONS_TWO_LEVEL, /* the Monte Carlo pass itself: exact redistribution in one line */
    POPULATIONS_LVG,       /* escape probability from the local velocity gradient */
    POPULATIONS_ESCAPE,    /* escape probability from a given length */
    POPULATIONS_EQUILIBRIUM,
    N_POPULATION_METHOD
};

struct population_options {
    enum population_method method;
    bool stimulated;        /* include stimulated emission in opacities; false only with LTE and GIVEN */
    double background;      /* K, blackbody around the mesh */
    struct field length;    /* cm, ESCAPE */
    double error;           /* target relative error of the populations that matter */
    int iterations;         /* at most */
    double noise;           /* target noise of rays, EQUILIBRIUM */
    int directions;         /* of rays, EQUILIBRIUM; 0 = as many as the noise requires */
    bool overlap;           /* LVG, ESCAPE, EQUILIBRIUM: lines that overlap see each other's light */
    double inversion_limit; /* the optical depth of a cell is limited to minus this (masers) */
};

/* g of gas per H2 molecule, unless a model says otherwise: with 0.1 helium atoms per hydrogen nucleus. */
#define SPECIES_MASS_PER_H2 (2.8 * LR_ATOMIC_MASS_UNIT)

struct species {
    struct molecule molecule;
    char name[32];            /* in names of fields: "CO" */
    int line;                 /* the one that is transported and imaged */
    struct field temperature; /* K */
    struct field density;     /* cm^-3, of the molecule in all its levels */
    bool given[N_COLLIDER];
    struct field collider[N_COLLIDER]; /* cm^-3 */
    struct collision_plan plan;
    double mass_per_h2;            /* g of gas per H2 molecule */
    struct field dust_temperature; /* K, of the grey absorber in the medium, which then emits too; 0 = it does not */
    struct population_options options;
    double *populations; /* [n_cell][n_level] as GIVEN; or NULL */
};

/* What was found. */
struct population_step {
    double change; /* largest relative change of a population that matters */
    double error;  /* estimated, of the iteration */
    double radius; /* estimated spectral radius */
    bool accelerated;
};

struct populations {
    int64_t n_cell;
    int n_level;
    double *x;       /* [n_cell][n_level], sum 1; equal populations where there is no gas */
    float *residual; /* [n_cell] largest relative change in the last iteration; or NULL */
    int n_step;
    struct population_step *step; /* [n_step] of the mesh as a whole */
    int iterations;               /* of the slowest cell, if cells are solved independently; otherwise 0 */
    bool converged;
    bool stopped;   /* before that */
    double noise;   /* left by rays: relative rms over populations; NAN = not measured */
    int directions; /* used */
    double seconds;
};

/* What a result stores about them, independent of the model. */
struct population_result {
    enum population_method method;
    char molecule[80], transition[96];
    bool stimulated;
    double background;        /* K */
    struct populations found; /* x is NULL if not requested */
    int n_level, line;        /* line: number in the file, from 1 */
    struct level *level;      /* [n_level] */
    double *excitation;       /* [n_cell] K, of the imaged line; or NULL */
    int64_t n_inverted;       /* cells whose opacity was set to zero */
    double inversion;         /* largest g_l x_u / (g_u x_l) among them */
};

void species_free(struct species *species);                    /* and the struct itself */
void populations_free(struct populations *populations);        /* what it owns */
void population_result_free(struct population_result *result); /* and the struct itself */

/* "lte", "given", "two-level", "lvg", "escape-probability", "equilibrium". */
const char *population_method_name(enum population_method method);
/* Whether it needs collision rates. */
bool population_method_collides(enum population_method method);
/* The density of H2 in all forms among the colliders, and whether it is given, and whether it varies. */
double species_h2_at(const struct species *species, int64_t cell);
bool species_has_h2(const struct species *species);
bool species_h2_varies(const struct species *species);
/* The number of ray directions a model may request on this mesh, EQUILIBRIUM. */
enum { MOST_LAYER_DIRECTIONS = 128 };
struct direction_range {
    int least, most;
};
struct direction_range population_directions(const struct mesh *mesh);
/* "UPPER-LOWER" of the labels of the levels, without spaces: "1-0". */
void species_line_label(const struct molecule *molecule, int line, char *text, size_t size);

#endif
