/* Sums that are the same to the last bit in whatever order their terms are added.
 *
 * Each term is first rounded to a multiple of a quantum q = 2^k. As long as the sum stays below 2^53 q, every partial
 * sum is such a multiple and a double, so that no addition rounds: threads, devices and parts of a run may add in any
 * order. The quanta are chosen for each run (solve/transport/quanta.c).
 *
 * Adding and subtracting 1.5 x 2^52 q rounds to the nearest multiple. An offset between -q/2 and q/2, added before,
 * makes the expectation of the rounded term equal to the term however small it is: of a term of q/100, one in a hundred
 * counts as q. The offset depends on the history of the packet alone. */
#ifndef LR_KERNEL_EXACT_SUM_H
#define LR_KERNEL_EXACT_SUM_H

#include <string.h>

#include "kernel/portable.h"

/* Bits that depend on all bits of `mixed`: Wellons' lowbias32. */
LR_FN uint32_t scrambled(uint32_t mixed)
{
    mixed ^= mixed >> 16;
    mixed *= 0x7feb352du;
    mixed ^= mixed >> 15;
    mixed *= 0x846ca68bu;
    return mixed ^ (mixed >> 16);
}

/* An offset in quanta, between -1/2 and 1/2 but neither of them: a multiple of the quantum remains what it is. */
LR_FN double quantum_offset(uint32_t bits)
{
    const double unit = 2.3283064365386963e-10; /* 2^-32 */
    return (double)(int32_t)bits * unit + 0.5 * unit;
}

/* A quantum of 0 leaves the value as it is. The compiler may fuse products with sums: those with a quantum are exact.
 */
LR_FN double round_to_quantum(double value, double quantum, double offset)
{
    const double large = 6755399441055744.0 * quantum; /* 1.5 x 2^52 */
    return (value + offset * quantum + large) - large;
}

LR_FN void exact_add(double *to, double value, double quantum, double offset)
{
    shared_add(to, round_to_quantum(value, quantum, offset));
}

/* The largest power of two that is not above a positive number; 0 for 0. */
LR_FN double power_of_two_in(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= 0x7ff0000000000000u;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

#endif
