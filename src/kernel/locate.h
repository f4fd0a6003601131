/* Search in an increasing array. */
#ifndef LR_KERNEL_LOCATE_H
#define LR_KERNEL_LOCATE_H

#include "kernel/real.h"

/* The interval of an increasing array of n + 1 edges that contains a coordinate, by bisection: about log2(n) steps. */
LR_FN int walk_locate(const real *edge, int n, real coordinate)
{
    int low = 0;
    int high = n;
    LR_NO_UNROLL
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        const int above = coordinate >= edge[middle];
        low = above ? middle : low;
        high = above ? high : middle;
    }
    return low;
}

#endif
