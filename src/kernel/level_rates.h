/* Radiative terms of the rate equations (level_solve.h), from direction averages of the light in the middle of a cell
 * (level_transfer.h): A (lost + entering) down per molecule in the upper level, (g_u / g_l) A entering up per molecule
 * in the lower one. Also measures how much the populations change. */
#ifndef LR_KERNEL_LEVEL_RATES_H
#define LR_KERNEL_LEVEL_RATES_H

#include "kernel/level_transfer.h"

/* Sums over directions. */
struct LR_ALIGNED(16) light_sum {
    double entering, lost;
};

/* Adds one direction. `light` is the sum over its rays, `length` the sum of their weights in the cell: each direction
 * counts the same, however many of its rays met the cell. */
LR_FN struct light_sum light_sum_add(struct light_sum sum, struct line_light light, double weight, double length)
{
    const double scale = weight / length;
    sum.entering += scale * (double)light.entering;
    sum.lost += scale * (double)light.lost;
    return sum;
}

/* Mean over the directions that met the cell, whose weights add up to `seen`. If none did, the cell sees the background
 * and loses all its own light. */
LR_FN struct light_sum light_mean(struct light_sum sum, double seen, double background)
{
    struct light_sum mean;
    mean.entering = seen > 0 ? sum.entering / seen : background;
    mean.lost = seen > 0 ? sum.lost / seen : 1;
    return mean;
}

struct line_rates {
    double down, up;
};

/* `star` is the direct light of stars, which is added. */
LR_FN struct line_rates line_rates_of(double a_ul, double weight_ratio, struct light_sum mean, double star)
{
    const double entering = mean.entering + star;
    struct line_rates rates;
    rates.down = a_ul * (mean.lost + entering);
    rates.up = a_ul * weight_ratio * entering;
    return rates;
}

/* Changes relative to the new populations. */
struct change_tally {
    double largest, square, count;
};

LR_FN struct change_tally change_tally_add(struct change_tally tally, double now, double before)
{
    const double change = (now > before ? now - before : before - now) / now;
    tally.largest = change > tally.largest ? change : tally.largest;
    tally.square += change * change;
    tally.count += 1;
    return tally;
}

#endif
