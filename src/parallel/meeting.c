#include "parallel/meeting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parallel/communicator.h"

bool team_is_large(const lr_context *ctx)
{
    return ctx->team && ctx->team->size > 1;
}

bool team_is_helper(const lr_context *ctx)
{
    return ctx->team && ctx->team->rank > 0;
}

/* One number of each rank; freed with free(). */
static int64_t *exchange(struct communicator *team, int64_t mine)
{
    int64_t *all = malloc((size_t)team->size * sizeof *all);
    if (!all)
        team->abandon(team, LR_ERROR_MEMORY);
    else
        team->exchange(team, mine, all);
    return all;
}

/* The text of rank `who`, everywhere. */
static enum lr_status spread_failure(lr_context *ctx, int who, enum lr_status status)
{
    struct communicator *team = ctx->team;
    char text[sizeof ctx->error];
    memcpy(text, ctx->error, sizeof text);
    team->broadcast(team, who, text, sizeof text);
    team->failed = (int)status;
    if (who == 0)
        return lr_fail(ctx, status, "%s", text);
    return lr_fail(ctx, status, "rank %d of %d: %.900s", who, team->size, text);
}

enum { STATUS_BITS = 8 };

enum lr_status team_meet(lr_context *ctx, enum team_place place, enum lr_status status)
{
    struct communicator *team = ctx->team;
    if (!team_is_large(ctx))
        return status;
    if (team->failed != LR_OK)
        return (enum lr_status)team->failed;
    int64_t *all = exchange(team, (int64_t)place << STATUS_BITS | (int64_t)status);
    int who = -1;
    bool together = true;
    for (int r = team->size - 1; r >= 0; r--) {
        if ((all[r] & ((1 << STATUS_BITS) - 1)) != LR_OK)
            who = r;
        together = together && all[r] >> STATUS_BITS == (int64_t)place;
    }
    const enum lr_status worst = who >= 0 ? (enum lr_status)(all[who] & ((1 << STATUS_BITS) - 1)) : LR_OK;
    free(all);
    if (who >= 0)
        return spread_failure(ctx, who, worst);
    if (together)
        return LR_OK;
    team->failed = LR_ERROR_INTERNAL;
    return lr_fail(ctx, LR_ERROR_INTERNAL, "the processes of this job are no longer in step");
}

enum lr_status team_share(lr_context *ctx, enum team_place place, void *data, int64_t bytes)
{
    LR_TRY(team_meet(ctx, place, LR_OK));
    if (team_is_large(ctx))
        ctx->team->broadcast(ctx->team, 0, data, bytes);
    return LR_OK;
}

enum lr_status team_least(lr_context *ctx, enum team_place place, double *value)
{
    int64_t bits;
    LR_TRY(team_meet(ctx, place, LR_OK));
    if (!team_is_large(ctx))
        return LR_OK;
    memcpy(&bits, value, sizeof bits);
    int64_t *all = exchange(ctx->team, bits);
    for (int r = 0; r < ctx->team->size; r++) {
        double other;
        memcpy(&other, &all[r], sizeof other);
        *value = other < *value ? other : *value;
    }
    free(all);
    return LR_OK;
}

enum lr_status team_compare(lr_context *ctx, enum team_place place, uint64_t value, bool *equal)
{
    *equal = true;
    LR_TRY(team_meet(ctx, place, LR_OK));
    if (!team_is_large(ctx))
        return LR_OK;
    int64_t *all = exchange(ctx->team, (int64_t)value);
    for (int r = 0; r < ctx->team->size; r++)
        *equal = *equal && all[r] == (int64_t)value;
    free(all);
    return LR_OK;
}

enum lr_status lr_team_agree(lr_context *ctx, enum lr_status status)
{
    return team_meet(ctx, PLACE_AGREE, status);
}
