#include "solve/common/progress.h"

#include <stdio.h>

#include "base/context.h"

/* How long a stop may take: packets of moderate depth finish in this time, those in deep gas are left. */
static const double STOP_SECONDS = 1;

struct progress progress_start(lr_context *ctx, const char *what, int64_t total)
{
    return (struct progress){ctx, what, total, lr_seconds(), 0};
}

void progress_report(const struct progress *progress, int64_t done)
{
    lr_context *ctx = progress->ctx;
    if (ctx->progress)
        ctx->progress(ctx->progress_user, progress->what, progress->before + done, progress->total,
                      lr_seconds() - progress->start);
}

/* Where packets need long, the number of them tells little. */
static void forward(void *user, int64_t done, double scatterings)
{
    struct progress progress = *(struct progress *)user;
    char what[96];
    if (done == 0 && scatterings > 0) {
        snprintf(what, sizeof what, "%s, %.2g scatterings so far", progress.what, scatterings);
        progress.what = what;
    }
    progress_report(&progress, done);
}

struct transport_monitor progress_monitor(struct progress *progress)
{
    return (struct transport_monitor){
        .stop = &progress->ctx->stop, .patience = STOP_SECONDS, .progress = forward, .user = progress};
}
