#include "solve/team/team_trace.h"

#include <string.h>

#include "base/context.h"
#include "parallel/communicator.h"
#include "parallel/meeting.h"
#include "solve/team/crew_trace.h"

struct counter {
    const struct transport_monitor *whole;
    int ranks;
};

/* All ranks have come about as far. */
static void count_all(void *user, int64_t done, double scatterings)
{
    const struct counter *counter = user;
    counter->whole->progress(counter->whole->user, done * counter->ranks, scatterings);
}

static enum lr_status trace_rows(lr_context *ctx, const struct worker *worker, const struct trace_job *whole,
                                 const struct transport_monitor *monitor, struct trace_image *image)
{
    struct trace_job job = *whole;
    job.row_first = ctx->team->rank;
    job.row_step = ctx->team->size;
    if (team_is_helper(ctx))
        job.n_probe = 0;
    return crew_trace(ctx, worker, &job, monitor, image);
}

struct array {
    void *data;
    size_t bytes;
};

enum { N_ARRAY = 3 };

static void find_arrays(const struct trace_job *job, const struct trace_image *image, struct array *arrays)
{
    const size_t pixels = (size_t)job->pixels[0] * (size_t)job->pixels[1] * (size_t)(job->n_channel / job->merge);
    const size_t probes = (size_t)job->n_probe * (size_t)job->n_channel * (size_t)job->n_probe_node;
    arrays[0] = (struct array){image->intensity, pixels * sizeof *image->intensity};
    arrays[1] = (struct array){image->optical_depth, image->optical_depth ? pixels * sizeof *image->optical_depth : 0};
    arrays[2] = (struct array){image->transmission, image->transmission ? probes * sizeof *image->transmission : 0};
}

enum lr_status team_trace(lr_context *ctx, const struct worker *worker, const struct trace_job *job,
                          const struct transport_monitor *monitor, struct trace_image *image)
{
    if (!team_is_large(ctx))
        return crew_trace(ctx, worker, job, monitor, image);
    const double start = lr_seconds(), before = image->seconds;
    struct counter counter = {monitor, ctx->team->size};
    struct transport_monitor own = *monitor;
    struct array arrays[N_ARRAY];
    own.user = &counter;
    own.progress = count_all;
    find_arrays(job, image, arrays);
    for (int i = 0; i < N_ARRAY; i++) /* rows of other ranks are to be zero */
        if (arrays[i].bytes > 0)
            memset(arrays[i].data, 0, arrays[i].bytes);
    const enum lr_status status = trace_rows(ctx, worker, job, &own, image);
    double goes_on = status == LR_ERROR_INTERRUPTED ? 0 : 1; /* a stop is no failure: packets are kept */
    LR_TRY(team_meet(ctx, PLACE_ROWS, goes_on > 0 ? status : LR_OK));
    LR_TRY(team_least(ctx, PLACE_ROWS, &goes_on));
    if (!(goes_on > 0))
        return lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped while tracing images; nothing was written");
    for (int i = 0; i < N_ARRAY; i++)
        if (arrays[i].bytes > 0)
            ctx->team->join(ctx->team, arrays[i].data, (int64_t)arrays[i].bytes);
    image->seconds = before + lr_seconds() - start;
    return LR_OK;
}
