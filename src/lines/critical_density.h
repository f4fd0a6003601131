/* Where collisions and spontaneous emission empty a level at the same rate. */
#ifndef LR_LINES_CRITICAL_DENSITY_H
#define LR_LINES_CRITICAL_DENSITY_H

#include "lines/molecule.h"

/* n_crit = A_ul / SUM_j k_uj(T), cm^-3, over all downward collisions of the upper level with one partner. Rates are
 * linear between the tabulated temperatures and clamped outside. Infinite without such collisions. */
double critical_density(const struct molecule *molecule, int line, const struct partner *partner, double temperature);

#endif
