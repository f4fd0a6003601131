/* Bricks of a refined mesh. All have the same number of cells; a brick of level l is 2^l times smaller than one of
 * level 0 and has a place in a grid of root * 2^l bricks. A 64-bit key identifies it: the level in the upper 4 bits,
 * then 20 bits each for the position along x, y and z.
 *
 * Bricks are found through an octree: link[(i root_y + j) root_z + k] belongs to place (i, j, k) of level 0. A link
 * that is not negative is the number of a brick. Otherwise the links of the eight octants of that place start at ~link,
 * in the order 4 x + 2 y + z. */
#ifndef LR_KERNEL_BRICK_H
#define LR_KERNEL_BRICK_H

#include <stdint.h>

#include "kernel/portable.h"

enum { BRICK_POSITION_BITS = 20, BRICK_DEEPEST = 15 };

struct brick_place {
    int level;
    int x[3];
};

LR_FN uint64_t brick_key(struct brick_place at)
{
    uint64_t key = (uint64_t)at.level;
    for (int axis = 0; axis < 3; axis++)
        key = (key << BRICK_POSITION_BITS) | (uint64_t)at.x[axis];
    return key;
}

LR_FN struct brick_place brick_from_key(uint64_t key)
{
    const uint64_t mask = ((uint64_t)1 << BRICK_POSITION_BITS) - 1;
    struct brick_place at;
    at.level = (int)(key >> (3 * BRICK_POSITION_BITS));
    at.x[0] = (int)((key >> (2 * BRICK_POSITION_BITS)) & mask);
    at.x[1] = (int)((key >> BRICK_POSITION_BITS) & mask);
    at.x[2] = (int)(key & mask);
    return at;
}

/* The octant of the parent that contains a position. */
LR_FN int brick_part(const int x[3])
{
    return 4 * (x[0] & 1) + 2 * (x[1] & 1) + (x[2] & 1);
}

#endif
