#include "lines/populations.h"

#include <math.h>

#include "base/constants.h"
#include "kernel/level_solve.h"

void populations_lte(const struct molecule *molecule, double temperature, double *x)
{
    double lowest = molecule->level[0].energy;
    for (int i = 1; i < molecule->n_level; i++)
        lowest = fmin(lowest, molecule->level[i].energy);
    const double kelvin = LR_PLANCK * LR_LIGHT_SPEED / LR_BOLTZMANN; /* K per cm^-1 */
    for (int i = 0; i < molecule->n_level; i++) {
        const double energy = kelvin * (molecule->level[i].energy - lowest);
        const double ground = energy > 0.0 ? 0.0 : 1.0;
        x[i] = molecule->level[i].weight * (temperature > 0.0 ? exp(-energy / temperature) : ground);
    }
    level_normalise(molecule->n_level, x);
}

/* Tex = (h nu / k) / ln(x_l g_u / (x_u g_l)): infinite for equal populations per state, 0 for an empty upper level. */
double populations_excitation(const struct molecule *molecule, int line, const double *x)
{
    const struct transition *t = &molecule->line[line];
    const double upper = x[t->upper] / molecule->level[t->upper].weight;
    const double lower = x[t->lower] / molecule->level[t->lower].weight;
    const double energy = LR_PLANCK * t->frequency / LR_BOLTZMANN;
    if (upper == lower)
        return HUGE_VAL;
    /* ln(1 + d) keeps precision where upper and lower are nearly equal */
    const double difference = (lower - upper) / upper;
    return energy / (fabs(difference) < 0.5 ? log1p(difference) : log(lower) - log(upper));
}

void populations_solve(int n, double *rates, double *x)
{
    level_solve(n, n, rates, x);
}
