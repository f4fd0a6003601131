/* A run that follows only some of the packets: part `part` of `parts` equal ones, counted from 1. */
#ifndef LR_MODEL_SHARE_H
#define LR_MODEL_SHARE_H

#include <stdint.h>

/* How many of n packets are in the parts before this one. */
static inline int64_t share_before(int64_t n, int part, int parts)
{
    return n / parts * (part - 1) + n % parts * (part - 1) / parts;
}

#endif
