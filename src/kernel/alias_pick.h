/* Random choice from a table of weights (Walker's alias method). */
#ifndef LR_KERNEL_ALIAS_PICK_H
#define LR_KERNEL_ALIAS_PICK_H

#include "kernel/rng.h"
#include "kernel/views.h"

/* Picks an entry with 64 random bits (with 32, some of 1e9 cells would be favoured by a sixth), then keeps it or takes
 * its alias. */
LR_FN int64_t alias_pick(const struct alias_view *alias, struct random4 random)
{
    const uint64_t n = (uint64_t)alias->n;
    const int64_t entry = (int64_t)(((uint64_t)random.r1 * n + (((uint64_t)random.r2 * n) >> 32)) >> 32);
    return rng_uniform(random.r3) <= alias->keep[entry] ? entry : alias->other[entry];
}

#endif
