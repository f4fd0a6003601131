/* Collision rates in gas of one temperature with given densities of the partners. */
#ifndef LR_LINES_COLLISIONS_H
#define LR_LINES_COLLISIONS_H

#include "lines/molecule.h"

/* Which tabulated partner is used for which density. A file may have total H2 or its two forms, and so may a model:
 * each density first uses rates of its own form, then of total H2 or of the other form. */
enum { MAX_PARTNER = 8 };
struct collision_plan {
    int n_partner;                         /* of the molecule */
    double share[MAX_PARTNER][N_COLLIDER]; /* [partner][collider]: density of the partner = SUM share x density */
    bool thermal[N_COLLIDER]; /* the collider is H2 split in two forms: shares are multiplied by that of each form */
};

/* The share of o-H2 in H2, r / (1 + r) with the ratio of ortho to para
 *
 *     r = min(3, 9 exp(-170.6 K / T)),
 *
 * thermal with only J = 0 and 1 (170.6 K apart), and the statistical 3:1 of warm gas above 155 K. */
double collision_ortho_share(double temperature);

/* `given[c]` says that the model has a density of collider c. `replace[c]`, when not 0, is the collider whose rates are
 * to be used for c. Total H2 is split into ortho and para by temperature (collision_ortho_share) if the file has rates
 * for both forms and none for the total; a model can instead give the two forms. Logs any substitution; fails if a
 * density has no rates, or if both total H2 and one of its forms are given. */
enum lr_status collision_plan_make(lr_context *ctx, const struct molecule *molecule, const bool given[N_COLLIDER],
                                   const enum collider replace[N_COLLIDER], struct collision_plan *plan);

/* rate[upper * n_level + lower] and rate[lower * n_level + upper], s^-1: C_ul = SUM n k_ul(T), linear between the
 * tabulated temperatures and clamped outside, C_lu = C_ul (g_u / g_l) exp(-(E_u - E_l) / kT). The diagonal is zero. */
void collision_rates(const struct molecule *molecule, const struct collision_plan *plan, double temperature,
                     const double density[N_COLLIDER], double *rate);

/* The same for the first n levels only, rate[n * n]. */
void collision_rates_among(const struct molecule *molecule, const struct collision_plan *plan, int n,
                           double temperature, const double density[N_COLLIDER], double *rate);

/* Whether the table of any partner in use ends below `high` or begins above `low`. */
bool collision_clamped(const struct molecule *molecule, const struct collision_plan *plan, double low, double high);

#endif
