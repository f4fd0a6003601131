#include "mesh/amr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/brick.h"

/* ---- building the octree ---- */

enum { NOT_THERE = INT32_MAX };

static enum lr_status grow_links(lr_context *ctx, struct mesh_tree *tree, int64_t *room)
{
    if (tree->n_link + 8 <= *room)
        return LR_OK;
    const int64_t wanted = 2 * *room + 8;
    if (wanted > INT32_MAX - 1)
        return lr_fail(ctx, LR_ERROR_INPUT, "the refined mesh has too many bricks for its octree");
    int32_t *grown = realloc(tree->link, (size_t)wanted * sizeof *grown);
    if (!grown)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the octree of the mesh");
    tree->link = grown;
    *room = wanted;
    return LR_OK;
}

static enum lr_status check_place(lr_context *ctx, const struct mesh_tree *tree, int64_t b, int level,
                                  const int position[3])
{
    if (level < 0 || level > BRICK_DEEPEST)
        return lr_fail(ctx, LR_ERROR_INPUT, "brick %lld is on level %d; levels run from 0 to %d", (long long)b, level,
                       BRICK_DEEPEST);
    for (int axis = 0; axis < 3; axis++) {
        const int64_t places = (int64_t)tree->root[axis] << level;
        if (places > (int64_t)1 << BRICK_POSITION_BITS || places * tree->brick[axis] > INT32_MAX / 2)
            return lr_fail(ctx, LR_ERROR_INPUT,
                           "brick %lld: level %d has %lld positions along %c, more than 2^%d, or more than 2^30 cells",
                           (long long)b, level, (long long)places, "xyz"[axis], BRICK_POSITION_BITS);
        if (position[axis] < 0 || position[axis] >= places)
            return lr_fail(
                ctx, LR_ERROR_INPUT,
                "brick %lld: position %d along %c is outside the mesh, whose level %d has positions 0 to %lld",
                (long long)b, position[axis], "xyz"[axis], level, (long long)places - 1);
    }
    return LR_OK;
}

/* Inserts a brick, dividing nodes on the way. */
static enum lr_status insert_brick(lr_context *ctx, struct mesh_tree *tree, int64_t b, struct brick_place at,
                                   int64_t *room)
{
    int64_t where = 0;
    for (int axis = 0; axis < 3; axis++)
        where = where * tree->root[axis] + (at.x[axis] >> at.level);
    for (int level = 0; level < at.level; level++) {
        if (tree->link[where] == NOT_THERE) {
            LR_TRY(grow_links(ctx, tree, room));
            tree->link[where] = ~(int32_t)tree->n_link;
            for (int part = 0; part < 8; part++)
                tree->link[tree->n_link++] = NOT_THERE;
        }
        if (tree->link[where] >= 0)
            return lr_fail(ctx, LR_ERROR_INPUT,
                           "brick %lld (level %d, position %d %d %d) lies inside brick %d of level %d", (long long)b,
                           at.level, at.x[0], at.x[1], at.x[2], tree->link[where], level);
        const int up = at.level - level - 1;
        const int part[3] = {at.x[0] >> up, at.x[1] >> up, at.x[2] >> up};
        where = ~tree->link[where] + brick_part(part);
    }
    if (tree->link[where] != NOT_THERE)
        return tree->link[where] < 0
                   ? lr_fail(ctx, LR_ERROR_INPUT,
                             "brick %lld (level %d, position %d %d %d) overlaps bricks of finer levels", (long long)b,
                             at.level, at.x[0], at.x[1], at.x[2])
                   : lr_fail(ctx, LR_ERROR_INPUT, "bricks %d and %lld are both at level %d, position %d %d %d",
                             tree->link[where], (long long)b, at.level, at.x[0], at.x[1], at.x[2]);
    tree->link[where] = (int32_t)b;
    return LR_OK;
}

static enum lr_status fail_hole(lr_context *ctx, const int root[3], int64_t where)
{
    return lr_fail(ctx, LR_ERROR_INPUT, "the bricks leave a hole: there is none at level 0, position %lld %lld %lld",
                   (long long)(where / root[2] / root[1]), (long long)(where / root[2] % root[1]),
                   (long long)(where % root[2]));
}

/* Every node must lead to a brick. */
static enum lr_status find_holes(lr_context *ctx, const struct mesh_tree *tree)
{
    const int64_t n_root = (int64_t)tree->root[0] * tree->root[1] * tree->root[2];
    for (int64_t where = 0; where < tree->n_link; where++) {
        if (tree->link[where] != NOT_THERE)
            continue;
        if (where < n_root)
            return fail_hole(ctx, tree->root, where);
        /* any brick of the same eight identifies the node */
        const int64_t first = where - (where - n_root) % 8;
        for (int part = 0; part < 8; part++)
            if (tree->link[first + part] != NOT_THERE && tree->link[first + part] >= 0) {
                const struct brick_place next = brick_from_key(tree->key[tree->link[first + part]]);
                return lr_fail(ctx, LR_ERROR_INPUT,
                               "the bricks leave a hole: brick %d (level %d, position %d %d %d) is missing one of the "
                               "eight siblings that replace a brick of level %d",
                               tree->link[first + part], next.level, next.x[0], next.x[1], next.x[2], next.level - 1);
            }
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "the bricks leave a hole: a refined brick is not filled by eight smaller ones");
    }
    return LR_OK;
}

/* With fewer bricks than positions on level 0 there is a hole among the first n_brick + 1 positions: found without an
 * array of all positions, of which a small file may claim to have very many. */
static enum lr_status find_early_hole(lr_context *ctx, const struct mesh_tree *tree, const int *level,
                                      const int (*position)[3])
{
    bool *taken = NULL;
    LR_TRY(lr_allocate(ctx, (size_t)tree->n_brick + 1, sizeof *taken, &taken));
    enum lr_status status = LR_OK;
    for (int64_t b = 0; b < tree->n_brick && status == LR_OK; b++) {
        int64_t where = 0;
        status = check_place(ctx, tree, b, level[b], position[b]);
        for (int axis = 0; axis < 3 && status == LR_OK; axis++)
            where = where * tree->root[axis] + (position[b][axis] >> level[b]);
        if (status == LR_OK && where <= tree->n_brick)
            taken[where] = true;
    }
    int64_t where = 0;
    while (where < tree->n_brick && taken[where])
        where++;
    free(taken);
    return status == LR_OK ? fail_hole(ctx, tree->root, where) : status;
}

static enum lr_status fill_tree(lr_context *ctx, struct mesh_tree *tree, const int *level, const int (*position)[3])
{
    const int64_t n_root = (int64_t)tree->root[0] * tree->root[1] * tree->root[2];
    int64_t room = n_root + 8 * (tree->n_brick / 7 + 1);
    LR_TRY(lr_allocate(ctx, (size_t)tree->n_brick, sizeof *tree->key, &tree->key));
    LR_TRY(lr_allocate(ctx, (size_t)room, sizeof *tree->link, &tree->link));
    for (tree->n_link = 0; tree->n_link < n_root; tree->n_link++)
        tree->link[tree->n_link] = NOT_THERE;
    for (int64_t b = 0; b < tree->n_brick; b++) {
        LR_TRY(check_place(ctx, tree, b, level[b], position[b]));
        const struct brick_place at = {level[b], {position[b][0], position[b][1], position[b][2]}};
        tree->key[b] = brick_key(at);
        tree->deepest = level[b] > tree->deepest ? level[b] : tree->deepest;
        LR_TRY(insert_brick(ctx, tree, b, at, &room));
    }
    return find_holes(ctx, tree);
}

enum lr_status mesh_build_amr(lr_context *ctx, const int root[3], const int brick[3], const double lower[3],
                              const double size[3], int64_t n_brick, const int *level, const int (*position)[3],
                              struct mesh *mesh)
{
    struct mesh_tree *tree = &mesh->tree;
    int64_t n_root = 1, n_cell = n_brick;
    for (int axis = 0; axis < 3; axis++) {
        if (root[axis] < 1 || brick[axis] < 1)
            return lr_fail(ctx, LR_ERROR_INPUT, "a refined mesh needs at least one brick and one cell along %c",
                           "xyz"[axis]);
        if (!(size[axis] > 0 && isfinite(size[axis]) && isfinite(lower[axis])))
            return lr_fail(ctx, LR_ERROR_INPUT, "the size of the refined mesh along %c is not positive", "xyz"[axis]);
        n_root = n_root > INT32_MAX ? n_root : n_root * root[axis];
        n_cell = n_cell > INT32_MAX ? n_cell : n_cell * brick[axis];
        tree->root[axis] = root[axis];
        tree->brick[axis] = brick[axis];
        tree->lower[axis] = lower[axis];
        tree->size[axis] = size[axis];
    }
    if (n_brick < 1 || n_root > INT32_MAX / 2 || n_cell > INT32_MAX)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "a refined mesh must have between 1 and 2^31 - 1 cells; this one has %lld bricks",
                       (long long)n_brick);
    mesh->kind = MESH_AMR;
    mesh->n[0] = (int)n_brick * brick[0];
    mesh->n[1] = brick[1];
    mesh->n[2] = brick[2];
    tree->n_brick = n_brick;
    tree->deepest = 0;
    return n_root > n_brick ? find_early_hole(ctx, tree, level, position) : fill_tree(ctx, tree, level, position);
}

enum lr_status amr_copy(lr_context *ctx, const struct mesh_tree *from, struct mesh_tree *to)
{
    *to = *from;
    to->key = NULL;
    to->link = NULL;
    LR_TRY(lr_allocate(ctx, (size_t)from->n_brick, sizeof *to->key, &to->key));
    LR_TRY(lr_allocate(ctx, (size_t)from->n_link, sizeof *to->link, &to->link));
    memcpy(to->key, from->key, (size_t)from->n_brick * sizeof *to->key);
    memcpy(to->link, from->link, (size_t)from->n_link * sizeof *to->link);
    return LR_OK;
}

void amr_free(struct mesh_tree *tree)
{
    free(tree->key);
    free(tree->link);
    tree->key = NULL;
    tree->link = NULL;
}

/* ---- where cells are ---- */

int amr_brick_place(const struct mesh_tree *tree, int64_t brick, int position[3])
{
    const struct brick_place place = brick_from_key(tree->key[brick]);
    memcpy(position, place.x, sizeof place.x);
    return place.level;
}

static double width_on_level(const struct mesh_tree *tree, int axis, int level)
{
    return ldexp(tree->size[axis] / ((double)tree->root[axis] * tree->brick[axis]), -level);
}

double amr_finest_width(const struct mesh_tree *tree, int axis)
{
    return width_on_level(tree, axis, tree->deepest);
}

void amr_cell_width(const struct mesh_tree *tree, int i, double width[3])
{
    const struct brick_place place = brick_from_key(tree->key[i / tree->brick[0]]);
    for (int axis = 0; axis < 3; axis++)
        width[axis] = width_on_level(tree, axis, place.level);
}

void amr_cell_box(const struct mesh_tree *tree, const int at[3], double low[3], double high[3])
{
    const struct brick_place place = brick_from_key(tree->key[at[0] / tree->brick[0]]);
    for (int axis = 0; axis < 3; axis++) {
        const int inside = axis == 0 ? at[0] % tree->brick[0] : at[axis];
        const double cells = (double)tree->root[axis] * tree->brick[axis] * (double)(1 << place.level);
        const double index = (double)place.x[axis] * tree->brick[axis] + inside;
        low[axis] = tree->lower[axis] + tree->size[axis] * (index / cells);
        high[axis] = tree->lower[axis] + tree->size[axis] * ((index + 1) / cells);
    }
}

/* The position along one axis on a level, clamped to the mesh. */
static int place_on_level(const struct mesh_tree *tree, int axis, int level, double x)
{
    const double cells = (double)tree->root[axis] * tree->brick[axis] * (double)(1 << level);
    const double index = floor((x - tree->lower[axis]) / tree->size[axis] * cells);
    return (int)fmin(fmax(index, 0), cells - 1);
}

void amr_find_point(const struct mesh_tree *tree, const double point[3], int at[3])
{
    int cell[3], place[3], level = 0;
    for (int axis = 0; axis < 3; axis++)
        place[axis] = place_on_level(tree, axis, 0, point[axis]) / tree->brick[axis];
    int64_t where = ((int64_t)place[0] * tree->root[1] + place[1]) * tree->root[2] + place[2];
    while (tree->link[where] < 0) {
        level++;
        for (int axis = 0; axis < 3; axis++)
            place[axis] = place_on_level(tree, axis, level, point[axis]) / tree->brick[axis];
        where = ~tree->link[where] + brick_part(place);
    }
    for (int axis = 0; axis < 3; axis++)
        cell[axis] = place_on_level(tree, axis, level, point[axis]) - place[axis] * tree->brick[axis];
    at[0] = tree->link[where] * tree->brick[0] + cell[0];
    at[1] = cell[1];
    at[2] = cell[2];
}

void amr_widths(const struct mesh_tree *tree, int axis, double *smallest, double *largest)
{
    int lowest = tree->deepest;
    for (int64_t b = 0; b < tree->n_brick; b++) {
        const int level = brick_from_key(tree->key[b]).level;
        lowest = level < lowest ? level : lowest;
    }
    *smallest = width_on_level(tree, axis, tree->deepest);
    *largest = width_on_level(tree, axis, lowest);
}
