#include "solve/stage/life_table.h"

#include <math.h>

/* Fewer deaths do not make a rate. */
static const double FEWEST_DEATHS = 8;

/* The last of n is at its median when exp(-gamma) of them are expected to be left, for lives that end at random. */
static const double LAST = 0.5615;

static double bin_age(int bin)
{
    return bin == 0 ? 0 : exp2(0.5 * bin);
}

/* Packets that ended or were left in a bin. */
static double bin_number(const struct transport_lives *ended, const struct transport_lives *left, int bin)
{
    return ended->number[bin] + left->number[bin];
}

/* Steps made at the ages of a bin, by those packets and by the `through` others that became older. */
static double bin_exposure(const struct transport_lives *ended, const struct transport_lives *left, int bin,
                           double through)
{
    return (bin_age(bin + 1) - bin_age(bin)) * through + ended->steps[bin] + left->steps[bin] -
           bin_age(bin) * bin_number(ended, left, bin);
}

/* Finds where the tail begins, and its rate: the oldest ages that have enough deaths. */
static bool find_tail(const struct transport_lives *ended, const struct transport_lives *left, struct life_table *table)
{
    double deaths = 0, exposure = 0, through = 0;
    for (int bin = LIFE_BINS - 1; bin >= 0; bin--) {
        exposure += bin_exposure(ended, left, bin, through);
        deaths += ended->number[bin];
        through += bin_number(ended, left, bin);
        if (deaths >= FEWEST_DEATHS) {
            table->n_bin = bin;
            table->tail_rate = deaths / exposure;
            return true;
        }
    }
    return false;
}

static void add_up(const struct transport_lives *ended, const struct transport_lives *left, struct life_table *table)
{
    for (int bin = 0; bin < LIFE_BINS; bin++) {
        table->n_ended += ended->number[bin];
        table->n_left += left->number[bin];
        table->steps += ended->steps[bin] + left->steps[bin];
        table->steps_left += left->steps[bin];
    }
}

bool life_table_make(const struct transport_lives *ended, const struct transport_lives *left, struct life_table *table)
{
    *table = (struct life_table){0};
    add_up(ended, left, table);
    if (!find_tail(ended, left, table))
        return false;
    double at_risk = table->n_ended + table->n_left;
    table->alive[0] = 1;
    for (int bin = 0; bin < table->n_bin; bin++) {
        /* Those left in a bin were at risk in half of it, on average. */
        table->alive[bin + 1] = table->alive[bin] * (1 - ended->number[bin] / (at_risk - 0.5 * left->number[bin]));
        table->age[bin + 1] = bin_age(bin + 1);
        at_risk -= bin_number(ended, left, bin);
    }
    const int last = table->n_bin;
    table->beyond[last] = table->alive[last] / table->tail_rate;
    for (int bin = last - 1; bin >= 0; bin--)
        table->beyond[bin] = table->beyond[bin + 1] + 0.5 * (table->alive[bin] + table->alive[bin + 1]) *
                                                          (table->age[bin + 1] - table->age[bin]);
    table->mean = table->beyond[0];
    return true;
}

/* The age at which a falling function, exponential in the tail, has this value. */
static double age_at(const struct life_table *table, const double *function, double value)
{
    const int last = table->n_bin;
    if (value >= function[0])
        return 0;
    if (value <= function[last])
        return table->age[last] + log(function[last] / value) / table->tail_rate;
    int bin = 0;
    while (function[bin + 1] > value)
        bin++;
    const double part = (function[bin] - value) / (function[bin] - function[bin + 1]);
    return table->age[bin] + part * (table->age[bin + 1] - table->age[bin]);
}

/* The integral of such a function up to this age. */
static double integral_to(const struct life_table *table, const double *function, double age)
{
    const int last = table->n_bin;
    double sum = 0;
    for (int bin = 0; bin < last && age > table->age[bin]; bin++) {
        const double width = table->age[bin + 1] - table->age[bin];
        const double part = fmin((age - table->age[bin]) / width, 1);
        sum += part * width * (function[bin] + 0.5 * part * (function[bin + 1] - function[bin]));
    }
    if (age > table->age[last])
        sum += function[last] * -expm1(-table->tail_rate * (age - table->age[last])) / table->tail_rate;
    return sum;
}

/* When the last of n packets ends. The function is in proportion to those that are left. */
static double time_of_last(const struct life_table *table, const double *function, double n, double n_steady)
{
    const double least = fmin(n_steady / n, 1);
    const double steady_from = age_at(table, function, function[0] * least);
    const double end = age_at(table, function, function[0] * LAST / n);
    if (end <= steady_from)
        return integral_to(table, function, end) / function[0];
    return integral_to(table, function, steady_from) / function[0] + least * (end - steady_from);
}

double life_table_last_born(const struct life_table *table, double n, double n_steady)
{
    return time_of_last(table, table->alive, n, n_steady);
}

double life_table_last_alive(const struct life_table *table, double n, double n_steady)
{
    return time_of_last(table, table->beyond, n, n_steady);
}
