/* The density at which collisions and spontaneous emission depopulate a level at the same rate. */
#ifndef LR_LINES_CRITICAL_DENSITY_H
#define LR_LINES_CRITICAL_DENSITY_H

#include "lines/molecule.h"

/* n_crit = A_ul / SUM_j k_uj(T), cm^-3, over all downward collisions from the upper level with one partner. Rates are
 * interpolated linearly in temperature and clamped outside the table. Infinite without such collisions. */
double critical_density(const struct molecule *molecule, int line, const struct partner *partner, double temperature);

#endif
