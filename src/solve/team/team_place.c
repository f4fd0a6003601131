#include "solve/team/team_place.h"

#include <string.h>

#include "parallel/communicator.h"
#include "parallel/meeting.h"

void team_choose_device(const lr_context *ctx, const char *wanted, struct worker *worker)
{
    const int count = worker->backend->device_count();
    if (team_is_large(ctx) && !strchr(wanted, ':') && count > 1)
        worker->device = ctx->team->node_rank % count;
}

enum lr_status team_share_memory(lr_context *ctx, const struct worker *worker, double *bytes)
{
    if (!team_is_large(ctx))
        return LR_OK;
    const int n = worker->backend->device_count(), ranks = ctx->team->node_size;
    *bytes /= (ranks + n - 1) / n;
    return team_least(ctx, PLACE_MEMORY, bytes);
}
