#include "lines/critical_density.h"

#include <math.h>

/* k(T) of one collisional transition, cm^3 s^-1. */
static double rate_at(const struct partner *partner, int transition, double temperature)
{
    const int n = partner->n_temperature;
    const double *t = partner->temperature, *rate = partner->rate + (size_t)transition * (size_t)n;
    if (temperature <= t[0])
        return rate[0];
    for (int i = 1; i < n; i++)
        if (temperature <= t[i])
            return rate[i - 1] + (rate[i] - rate[i - 1]) * (temperature - t[i - 1]) / (t[i] - t[i - 1]);
    return rate[n - 1];
}

double critical_density(const struct molecule *molecule, int line, const struct partner *partner, double temperature)
{
    double sum = 0.0;
    for (int i = 0; i < partner->n_transition; i++)
        if (partner->upper[i] == molecule->line[line].upper)
            sum += rate_at(partner, i, temperature);
    return sum > 0.0 ? molecule->line[line].a_ul / sum : HUGE_VAL;
}
