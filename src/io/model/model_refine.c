/* The keys `refine` and `brick` of the section `mesh`: [{sphere: {...}, levels: N}, ...]. A brick is divided into eight
 * as long as it overlaps a region whose `levels` exceed its own level. */
#include <stdlib.h>

#include "io/model/model_mesh.h"
#include "io/model/model_region.h"
#include "io/model/model_value.h"
#include "mesh/refine.h"

enum { MOST_IN_BRICK = 64 };

struct wish {
    struct region region;
    int levels;
};

struct wishes {
    struct wish *wish;
    int n;
};

static int wanted_level(const void *user, const double low[3], const double high[3])
{
    const struct wishes *wishes = user;
    int level = 0;
    for (int i = 0; i < wishes->n; i++)
        if (wishes->wish[i].levels > level && region_overlaps(&wishes->wish[i].region, low, high))
            level = wishes->wish[i].levels;
    return level;
}

static enum lr_status read_wish(const struct reader *r, const struct yaml_node *entry, struct wish *wish)
{
    const struct yaml_node *levels = NULL;
    LR_TRY(read_region(r, entry, &SCHEMA_REFINE, &wish->region));
    LR_TRY(require_key(r, entry, "levels", &levels));
    return read_int(r, levels, 1, REFINE_DEEPEST, &wish->levels);
}

/* Fails if a level has more positions than can be counted. */
static enum lr_status check_depth(const struct reader *r, const struct yaml_node *list, const struct wishes *wishes,
                                  const int cells[3], int brick)
{
    for (int i = 0; i < wishes->n; i++)
        for (int axis = 0; axis < 3; axis++)
            if ((int64_t)(cells[axis] / brick) << wishes->wish[i].levels > (int64_t)1 << REFINE_PLACE_BITS)
                return READER_FAIL(
                    r, list,
                    "region %d: %d levels with %d bricks along %c are too many; the finest level may have at most 2^%d",
                    i, wishes->wish[i].levels, cells[axis] / brick, "xyz"[axis], REFINE_PLACE_BITS);
    return LR_OK;
}

static enum lr_status build(const struct reader *r, const struct yaml_node *map, struct wishes *wishes,
                            const int cells[3], const double lower[3], const double size[3], struct mesh *mesh)
{
    const struct yaml_node *list = yaml_find(map, "refine"), *brick_node = yaml_find(map, "brick");
    int brick = 1;
    LR_TRY(read_int(r, brick_node, 1, MOST_IN_BRICK, &brick));
    for (int axis = 0; axis < 3; axis++)
        if (cells[axis] % brick != 0)
            return READER_FAIL(r, brick_node, "%d cells along %c are not a whole number of bricks of %d", cells[axis],
                               "xyz"[axis], brick);
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next)
        LR_TRY(read_wish(r, entry, &wishes->wish[wishes->n++]));
    LR_TRY(check_depth(r, list, wishes, cells, brick));
    return place_error(r, list, mesh_build_refined(r->ctx, cells, brick, lower, size, wanted_level, wishes, mesh));
}

enum lr_status read_refined(const struct reader *r, const struct yaml_node *map, const int cells[3],
                            const double lower[3], const double size[3], struct mesh *mesh)
{
    const struct yaml_node *list = yaml_find(map, "refine");
    const int level_0[3] = {cells[0], cells[1], cells[2]}; /* a copy: `cells` may be part of the mesh */
    struct wishes wishes = {NULL, 0};
    LR_TRY(yaml_expect(r->ctx, r->tree, list, YAML_LIST));
    LR_TRY(lr_allocate(r->ctx, (size_t)list->n_child + 1, sizeof *wishes.wish, &wishes.wish));
    const enum lr_status status = build(r, map, &wishes, level_0, lower, size, mesh);
    free(wishes.wish);
    return status;
}
