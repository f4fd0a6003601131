/* A context with its units, for tests of what reads them. */
#ifndef UNITS_WORLD_H
#define UNITS_WORLD_H

#include "base/units.h"

struct world {
    lr_context *ctx;
    struct units *units;
};

static int setup(void **state)
{
    static struct world world;
    world.ctx = lr_context_create();
    *state = &world;
    return units_create(world.ctx, &world.units) != LR_OK;
}

static int teardown(void **state)
{
    struct world *world = *state;
    units_free(world->units);
    lr_context_free(world->ctx);
    return 0;
}

#endif
