/* Rates of collisions in gas of one temperature with given densities of the partners. */
#ifndef LR_LINES_COLLISIONS_H
#define LR_LINES_COLLISIONS_H

#include "lines/molecule.h"

/* Which tabulated partner stands for which density. A file may know H2 as a whole or its two kinds, and a model may
 * too: each density finds rates of its own kind first, then of H2 as a whole or of the other kind. */
enum { MAX_PARTNER = 8 };
struct collision_plan {
    int n_partner;                         /* of the molecule */
    double share[MAX_PARTNER][N_COLLIDER]; /* [partner][collider]: density of the partner = SUM share x density */
    bool thermal[N_COLLIDER];              /* the collider is H2 in two kinds: shares are times those of its kind */
};

/* The share of o-H2 in H2, r / (1 + r) with the ratio of ortho to para
 *
 *     r = min(3, 9 exp(-170.6 K / T)),
 *
 * thermal where only J = 0 and 1 count (170.6 K apart), and the statistical 3:1 of warm gas from 155 K on. */
double collision_ortho_share(double temperature);

/* `given[c]` says that the model has a density of collider c. `replace[c]`, when not 0, is the collider whose rates
 * are to be used for c. H2 as a whole is split into ortho and para by the temperature (collision_ortho_share) where the
 * file has rates for both kinds and none for the whole; a model that knows better gives the kinds. Says in the log what
 * stands for what; fails when a density finds no rates, or when H2 is given both as a whole and by kind. */
enum lr_status collision_plan_make(lr_context *ctx, const struct molecule *molecule, const bool given[N_COLLIDER],
                                   const enum collider replace[N_COLLIDER], struct collision_plan *plan);

/* rate[upper * n_level + lower] and rate[lower * n_level + upper], s^-1: C_ul = SUM n k_ul(T), linear between the
 * tabulated temperatures and clamped outside, C_lu = C_ul (g_u / g_l) exp(-(E_u - E_l) / kT). The diagonal is zero. */
void collision_rates(const struct molecule *molecule, const struct collision_plan *plan, double temperature,
                     const double density[N_COLLIDER], double *rate);

/* The same among the first n levels alone, rate[n * n]. */
void collision_rates_among(const struct molecule *molecule, const struct collision_plan *plan, int n,
                           double temperature, const double density[N_COLLIDER], double *rate);

/* Whether any tabulated partner with a share ends below `high` or begins above `low`. */
bool collision_clamped(const struct molecule *molecule, const struct collision_plan *plan, double low, double high);

#endif
