#include "solve/common/progress.h"

#include "base/context.h"

/* How long a stop may take: packets of moderate depth finish in this time, those in deep gas are left. */
static const double STOP_SECONDS = 1;

struct progress progress_start(lr_context *ctx, const char *what, int64_t total)
{
    return (struct progress){ctx, what, total, lr_seconds()};
}

void progress_report(const struct progress *progress, int64_t done)
{
    lr_context *ctx = progress->ctx;
    if (ctx->progress)
        ctx->progress(ctx->progress_user, progress->what, done, progress->total, lr_seconds() - progress->start);
}

static void forward(void *user, int64_t done)
{
    progress_report(user, done);
}

struct transport_monitor progress_monitor(struct progress *progress)
{
    return (struct transport_monitor){
        .stop = &progress->ctx->stop, .patience = STOP_SECONDS, .progress = forward, .user = progress};
}
