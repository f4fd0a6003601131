/* Random numbers: Philox4x32 with 7 rounds (Salmon et al. 2011, SC'11; passes BigCrush), from Random123.
 *
 * Key = seed, counter = (draw index, 0, packet id): number k of packet i is a pure function of (seed, i, k), whatever
 * thread or device asks for it. One draw gives four uniform numbers. */
#ifndef LR_KERNEL_RNG_H
#define LR_KERNEL_RNG_H

#include <Random123/philox.h>

#include "kernel/real.h"

enum { RNG_ROUNDS = 7 };

struct random4 {
    uint32_t r0, r1, r2, r3;
};

struct rng_key {
    uint32_t low, high;
};

LR_FN struct rng_key rng_key_from_seed(uint64_t seed)
{
    struct rng_key key;
    key.low = (uint32_t)seed;
    key.high = (uint32_t)(seed >> 32);
    return key;
}

LR_FN struct random4 rng_draw(struct rng_key key, uint32_t draw, uint32_t id_low, uint32_t id_high)
{
    philox4x32_ctr_t counter;
    philox4x32_key_t k;
    struct random4 result;
    counter.v[0] = draw;
    counter.v[1] = 0;
    counter.v[2] = id_low;
    counter.v[3] = id_high;
    k.v[0] = key.low;
    k.v[1] = key.high;
    counter = philox4x32_R(RNG_ROUNDS, counter, k);
    result.r0 = counter.v[0];
    result.r1 = counter.v[1];
    result.r2 = counter.v[2];
    result.r3 = counter.v[3];
    return result;
}

/* A uniform number in (0, 1]; never 0, so that its logarithm is finite (up to 22.9 free paths). */
LR_FN real rng_uniform(uint32_t random)
{
    return (real)random * R(2.3283064365386963e-10) + R(1.1641532182693481e-10);
}

#endif
