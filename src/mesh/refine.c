#include "mesh/refine.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/brick.h"

/* Bricks are counted first and stored in a second pass; 2^28 of them take 10 seconds and 8 GiB. */
static const int64_t MOST_BRICKS = (int64_t)1 << 28;

struct refinement {
    const double *lower;
    double width[3]; /* of a brick of level 0 */
    refine_rule *rule;
    const void *user;
    int64_t n, most; /* bricks so far */
    int *level;      /* NULL while they are counted */
    int (*position)[3];
};

/* The eight parts are consecutive, so that neighbours in space are mostly neighbours in memory. */
static void divide(struct refinement *made, int level, const int at[3])
{
    double low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        const double width = made->width[axis] / (1 << level);
        low[axis] = made->lower[axis] + at[axis] * width;
        high[axis] = made->lower[axis] + (at[axis] + 1) * width;
    }
    if (made->n > made->most)
        return;
    if (level < BRICK_DEEPEST && made->rule(made->user, low, high) > level) {
        for (int part = 0; part < 8; part++) {
            const int next[3] = {2 * at[0] + (part >> 2), 2 * at[1] + (part >> 1 & 1), 2 * at[2] + (part & 1)};
            divide(made, level + 1, next);
        }
        return;
    }
    if (made->level) {
        made->level[made->n] = level;
        memcpy(made->position[made->n], at, sizeof made->position[0]);
    }
    made->n++;
}

static void divide_all(struct refinement *made, const int root[3])
{
    int at[3];
    made->n = 0;
    for (at[0] = 0; at[0] < root[0]; at[0]++)
        for (at[1] = 0; at[1] < root[1]; at[1]++)
            for (at[2] = 0; at[2] < root[2]; at[2]++)
                divide(made, 0, at);
}

enum lr_status mesh_build_refined(lr_context *ctx, const int cells[3], int brick, const double lower[3],
                                  const double size[3], refine_rule *rule, const void *user, struct mesh *mesh)
{
    const int64_t per_brick = (int64_t)brick * brick * brick;
    struct refinement made = {.lower = lower, .rule = rule, .user = user};
    int root[3];
    enum lr_status status = LR_OK;
    for (int axis = 0; axis < 3; axis++) {
        if (brick < 1 || cells[axis] % brick != 0)
            return lr_fail(ctx, LR_ERROR_INPUT, "%d cells along %c are not a whole number of bricks of %d", cells[axis],
                           "xyz"[axis], brick);
        root[axis] = cells[axis] / brick;
        made.width[axis] = size[axis] / root[axis];
    }
    made.most = INT32_MAX / per_brick < MOST_BRICKS ? INT32_MAX / per_brick : MOST_BRICKS;
    divide_all(&made, root);
    if (made.n > made.most)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "the refined mesh has more than %lld bricks of %lld cells; refine less, or smaller regions%s",
                       (long long)made.most, (long long)per_brick,
                       made.most == MOST_BRICKS ? ", or use larger bricks" : "");
    const size_t n = (size_t)made.n;
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof *made.level, &made.level));
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof *made.position, &made.position));
    divide_all(&made, root);
    status = mesh_build_amr(ctx, root, (const int[3]){brick, brick, brick}, lower, size, made.n, made.level,
                            (const int(*)[3])made.position, mesh);
done:
    free(made.level);
    free(made.position);
    return status;
}
