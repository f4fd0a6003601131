#include "solve/stage/segments.h"

#include <math.h>
#include <stdlib.h>

#include "backend/todo.h"
#include "base/context.h"
#include "parallel/meeting.h"
#include "solve/common/progress.h"
#include "solve/stage/aim.h"
#include "solve/stage/statepoint.h"
#include "solve/team/team_transport.h"

/* Seconds between statepoints, unless the model says: at least, and as a multiple of what one takes, so that they take
 * less than 2 % of the time. */
static const double OFTEN = 600, RARELY = 50;

bool segments_possible(const struct transport_job *job)
{
    return !job->cameras.keep && !job->one_thread_per_packet;
}

static enum lr_status add_all(lr_context *ctx, const struct stage *stage, const struct stored *populations,
                              const struct transport_tally *tally, struct stored *state)
{
    const struct transport_job *job = &stage->prepared.job;
    LR_TRY(statepoint_add_sums(ctx, job, tally, state));
    LR_TRY(statepoint_add_pass(ctx, job, tally, state));
    for (int i = 0; populations && i < populations->n; i++) {
        const struct stored_array *a = &populations->array[i];
        LR_TRY(stored_add(ctx, state, a->name, a->kind, a->size[0], a->size[1], a->size[2], a->data));
    }
    return LR_OK;
}

void segments_save(lr_context *ctx, struct lr_keeper *keeper, const struct stage *stage,
                   const struct stored *populations, const struct transport_tally *tally)
{
    struct stored state = {0};
    const double start = lr_seconds();
    enum lr_status status = add_all(ctx, stage, populations, tally, &state);
    if (status == LR_OK)
        status = keeper->save(ctx, keeper, &state);
    if (status != LR_OK)
        lr_log(ctx, LR_LOG_WARNING, "no statepoint was written: %s", lr_last_error(ctx));
    stored_free(&state);
    keeper->saved = lr_seconds();
    keeper->cost = keeper->saved - start;
}

/* Seconds until the next statepoint. */
static double until_save(const lr_model *model, const struct lr_keeper *keeper)
{
    const double interval = model->run.checkpoint > 0 ? 60 * model->run.checkpoint : fmax(OFTEN, RARELY * keeper->cost);
    return keeper->saved + interval - lr_seconds();
}

static int64_t left_to_do(const struct transport_tally *tally)
{
    return todo_numbers(&tally->todo) + tally->todo.n_flight;
}

/* Follows what there is to do for some time; with `put_back`, packets in flight then stay to be done. */
static enum lr_status follow(lr_context *ctx, const struct stage *stage, struct progress *progress, bool put_back,
                             double seconds, struct transport_tally *tally)
{
    const struct worker *worker = &stage->worker;
    struct transport_monitor monitor = progress_monitor(progress);
    progress->before = progress->total - left_to_do(tally);
    monitor.put_back = put_back;
    monitor.pause = put_back ? &ctx->save : NULL;
    monitor.seconds = put_back && isfinite(seconds) ? fmax(seconds, 0.01) : 0;
    return team_transport(ctx, worker, &stage->prepared.job, &monitor, tally);
}

/* Finishes the packets in flight, and begins no more. All that have begun count, however long they take: only then are
 * those that count a fair sample. */
static enum lr_status finish_flight(lr_context *ctx, const struct stage *stage, struct progress *progress,
                                    struct transport_tally *tally)
{
    struct packet_range *range = tally->todo.range;
    const int n_range = tally->todo.n_range;
    tally->todo.range = NULL;
    tally->todo.n_range = 0;
    const enum lr_status status = follow(ctx, stage, progress, false, 0, tally);
    free(tally->todo.range);
    tally->todo.range = range;
    tally->todo.n_range = n_range;
    return status;
}

/* When the error is looked at again: the first time after a second, later when a tenth more time has passed. */
static const double FIRST_LOOK = 1, NEXT_LOOK = 1.1;

/* All of it at once. */
static enum lr_status follow_all(lr_context *ctx, const struct stage *stage, struct transport_tally *tally)
{
    struct progress progress = progress_start(ctx, "packets", todo_numbers(&tally->todo));
    const struct transport_monitor monitor = progress_monitor(&progress);
    LR_TRY(team_transport(ctx, &stage->worker, &stage->prepared.job, &monitor, tally));
    if (!ctx->stop)
        progress_report(&progress, progress.total);
    return LR_OK;
}

static enum lr_status follow_segments(lr_context *ctx, const lr_model *model, const struct stage *stage,
                                      struct lr_keeper *keeper, const struct stored *populations,
                                      struct transport_tally *tally, struct lr_summary *summary)
{
    const struct transport_job *job = &stage->prepared.job;
    const bool aims = summary && model->run.until_error > 0;
    if ((!keeper && !aims) || !segments_possible(job))
        return follow_all(ctx, stage, tally);
    struct progress progress = progress_start(ctx, "packets", job->packets.end - job->packets.first);
    progress_report(&progress, progress.total - left_to_do(tally));                       /* done by earlier sessions */
    double look = aims ? fmax(FIRST_LOOK, NEXT_LOOK * tally->seconds) : (double)INFINITY; /* in seconds of transport */
    while (left_to_do(tally) > 0) {
        const double start = lr_seconds(), before = tally->seconds;
        const double pause = fmin(keeper ? until_save(model, keeper) : (double)INFINITY, look - tally->seconds);
        LR_TRY(follow(ctx, stage, &progress, true, pause, tally));
        const double overhead = lr_seconds() - start - (tally->seconds - before);
        if (left_to_do(tally) == 0)
            break;
        const bool due = ctx->stop || ctx->save || (keeper && until_save(model, keeper) <= 0);
        if (due)
            ctx->save = 0; /* also if there is nobody to keep it, or the next pause would be over at once */
        if (due && keeper) {
            segments_save(ctx, keeper, stage, populations, tally);
            keeper->cost += overhead;
        }
        if (ctx->stop)
            return finish_flight(ctx, stage, &progress, tally);
        if (tally->seconds < look)
            continue;
        bool reached = false;
        LR_TRY(aim_look(ctx, stage, &model->run, tally, &reached, summary->until, sizeof summary->until));
        look = NEXT_LOOK * tally->seconds;
        summary->until_reached = reached;
        if (reached)
            return finish_flight(ctx, stage, &progress, tally);
    }
    if (aims) {
        bool reached = false;
        LR_TRY(aim_look(ctx, stage, &model->run, tally, &reached, summary->until, sizeof summary->until));
        summary->until_reached = reached;
    }
    progress.before = 0;
    progress_report(&progress, progress.total);
    return LR_OK;
}

enum lr_status segments_follow(lr_context *ctx, const lr_model *model, const struct stage *stage,
                               struct lr_keeper *keeper, const struct stored *populations,
                               struct transport_tally *tally, struct lr_summary *summary)
{
    if (team_is_helper(ctx))
        return team_serve(ctx, &stage->worker, &stage->prepared.job, tally);
    return team_dismiss(ctx, follow_segments(ctx, model, stage, keeper, populations, tally, summary));
}
