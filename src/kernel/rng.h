/* Random numbers: Philox4x32 with 7 rounds (Salmon et al. 2011, SC'11; passes BigCrush), from Random123.
 *
 * Key = seed, counter = (draw index, sequence, packet id): number k of packet i is a pure function of (seed, i, k), on
 * any thread or device. One draw gives four uniform numbers. */
#ifndef LR_KERNEL_RNG_H
#define LR_KERNEL_RNG_H

#include <Random123/philox.h>

#include "kernel/real.h"

enum { RNG_ROUNDS = 7 };

struct random4 {
    uint32_t r0, r1, r2, r3;
};

/* The keys of all rounds, computed once since they depend only on the seed. */
struct rng_key {
    philox4x32_key_t round[RNG_ROUNDS];
};

LR_FN struct rng_key rng_key_from_seed(uint64_t seed)
{
    struct rng_key key;
    key.round[0].v[0] = (uint32_t)seed;
    key.round[0].v[1] = (uint32_t)(seed >> 32);
    for (int i = 1; i < RNG_ROUNDS; i++)
        key.round[i] = _philox4x32bumpkey(key.round[i - 1]);
    return key;
}

/* A draw of another sequence of the same packet: the draws of packets themselves are sequence 0. */
LR_FN struct random4 rng_draw_aside(struct rng_key key, uint32_t sequence, uint32_t draw, uint32_t id_low,
                                    uint32_t id_high)
{
    philox4x32_ctr_t counter;
    struct random4 result;
    counter.v[0] = draw;
    counter.v[1] = sequence;
    counter.v[2] = id_low;
    counter.v[3] = id_high;
    counter = _philox4x32round(counter, key.round[0]);
    counter = _philox4x32round(counter, key.round[1]);
    counter = _philox4x32round(counter, key.round[2]);
    counter = _philox4x32round(counter, key.round[3]);
    counter = _philox4x32round(counter, key.round[4]);
    counter = _philox4x32round(counter, key.round[5]);
    counter = _philox4x32round(counter, key.round[6]);
    result.r0 = counter.v[0];
    result.r1 = counter.v[1];
    result.r2 = counter.v[2];
    result.r3 = counter.v[3];
    return result;
}

LR_FN struct random4 rng_draw(struct rng_key key, uint32_t draw, uint32_t id_low, uint32_t id_high)
{
    return rng_draw_aside(key, 0, draw, id_low, id_high);
}

/* A uniform number in (0, 1]; never 0, so that its logarithm is finite (up to 22.9 free paths). */
LR_FN real rng_uniform(uint32_t random)
{
    return (real)random * R(2.3283064365386963e-10) + R(1.1641532182693481e-10);
}

#endif
