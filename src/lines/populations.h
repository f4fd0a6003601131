/* Fractional level populations of one parcel of gas: local thermodynamic equilibrium, and statistical equilibrium. */
#ifndef LR_LINES_POPULATIONS_H
#define LR_LINES_POPULATIONS_H

#include "lines/molecule.h"

/* x[n_level], sum 1: g exp(-E / kT) / Z over all levels of the molecule. */
void populations_lte(const struct molecule *molecule, double temperature, double *x);

/* Excitation temperature, K, of x_u / x_l = (g_u / g_l) exp(-h nu / k Tex) with the frequency of the line; negative if
 * inverted. */
double populations_excitation(const struct molecule *molecule, int line, const double *x);

/* Solve SUM_j x_j R_ji = x_i SUM_j R_ij, SUM x = 1, for rates R[i * n + j] >= 0 from i to j; R is overwritten. See
 * kernel/level_solve.h. */
void populations_solve(int n, double *rates, double *x);

#endif
