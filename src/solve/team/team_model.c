/* A model for all ranks of a job: one rank of each machine reads it, and its large arrays are shared with the others
 * there. Whatever prevents that, they read it themselves. */
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/context.h"
#include "linerad_tools.h"
#include "model/model_blocks.h"
#include "parallel/communicator.h"
#include "parallel/meeting.h"

static void release(void *owner, void *memory)
{
    struct communicator *team = owner;
    team->unshare(team, memory);
}

/* What the reader has freed goes back to the system, from where glibc would keep it. */
static void give_back(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* From the memory of this machine, on all ranks the same way, the one that has read it included. */
static enum lr_status map(lr_context *ctx, void *memory, lr_model **model)
{
    const enum lr_status status = model_blocks_read(ctx, memory, model);
    if (status != LR_OK) {
        ctx->team->unshare(ctx->team, memory);
        return status;
    }
    (*model)->shared.release = release;
    (*model)->shared.owner = ctx->team;
    return LR_OK;
}

enum lr_status lr_team_create_model(lr_context *ctx, const lr_document *document, const char *line, lr_model **model)
{
    struct communicator *team = ctx->team;
    bool equal = false;
    *model = NULL;
    if (!team_is_large(ctx))
        return lr_model_create(ctx, document, line, model);
    const uint64_t print = lr_document_print(document, line);
    LR_TRY(team_compare(ctx, PLACE_DOCUMENT, print, &equal));
    if (!equal || print == 0)
        return lr_model_create(ctx, document, line, model);
    const bool reads = team->node_rank == 0;
    const enum lr_status status = reads ? lr_model_create(ctx, document, line, model) : LR_OK;
    LR_TRY(team_meet(ctx, PLACE_DOCUMENT, status)); /* the others sleep until then */
    void *memory = team->share(team, reads ? model_blocks_size(*model) : 0);
    if (memory && reads) {
        model_blocks_write(*model, memory);
        lr_model_free(*model);
        *model = NULL;
        give_back();
    }
    if (memory) {
        team->publish(team, memory);
        return map(ctx, memory, model);
    }
    return reads ? LR_OK : lr_model_create(ctx, document, line, model);
}
