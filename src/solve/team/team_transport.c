#define _POSIX_C_SOURCE 200809L
#include "solve/team/team_transport.h"

#include <string.h>
#include <time.h>

#include "backend/todo.h"
#include "base/context.h"
#include "parallel/meeting.h"
#include "solve/team/crew_transport.h"
#include "solve/team/team_sums.h"
#include "solve/team/watch.h"

/* Chunks: a CPU asks for the next one while packets of the last are in flight. A GPU finishes one before it begins
 * another, so that they are fewer there, and no smaller than what it follows at a time. */
enum { PARTS_CPU = 4, LEAST_CPU = 8, PARTS_GPU = 2, LEAST_GPU = 1 << 18 };

/* What rank 0 tells the others before each segment. */
struct order {
    int64_t work; /* 0: there is no more */
    int64_t n_range, n_flight, n_value;
    int64_t put_back, on_gpu, devices; /* of all ranks, if they have as many as rank 0 */
    int64_t base[N_BOARD_SLOT];
    double patience;
};

/* ---- what there is to do ---- */

static enum lr_status spread_todo(lr_context *ctx, const struct order *order, struct transport_todo *todo)
{
    struct communicator *team = ctx->team;
    enum lr_status status = LR_OK;
    if (team->rank > 0) {
        todo_free(todo);
        todo->n_range = (int)order->n_range;
        todo->n_flight = order->n_flight;
        todo->n_value = (int)order->n_value;
        status = lr_allocate(ctx, (size_t)todo->n_range, sizeof *todo->range, &todo->range);
        if (status == LR_OK)
            status = lr_allocate(ctx, (size_t)(todo->n_flight * todo->n_value), sizeof *todo->flight, &todo->flight);
    }
    LR_TRY(team_meet(ctx, PLACE_WORK, status));
    team->broadcast(team, 0, todo->range, order->n_range * (int64_t)sizeof *todo->range);
    team->broadcast(team, 0, todo->flight, order->n_flight * order->n_value * (int64_t)sizeof *todo->flight);
    return LR_OK;
}

/* An equal part of the packets in flight for each rank. */
static void share_flight(const struct communicator *team, struct transport_todo *todo)
{
    const int64_t first = todo->n_flight * team->rank / team->size,
                  end = todo->n_flight * (team->rank + 1) / team->size;
    if (first > 0)
        memmove(todo->flight, todo->flight + first * todo->n_value,
                (size_t)((end - first) * todo->n_value) * sizeof *todo->flight);
    todo->n_flight = end - first;
}

/* What all ranks have left goes to rank 0. */
static enum lr_status gather_todo(lr_context *ctx, struct deal *deal, struct transport_todo *todo)
{
    struct communicator *team = ctx->team;
    const bool first = team->rank == 0;
    double counts[] = {first ? 0 : todo->n_range, first ? 0 : (double)todo->n_flight};
    double n_value = -todo->n_value; /* 0 on a rank that had nothing to do */
    enum lr_status status = LR_OK;
    team->sum_doubles(team, counts, 2);
    LR_TRY(team_least(ctx, PLACE_SUMS, &n_value));
    todo->n_value = (int)-n_value;
    if (first) {
        status = todo_make_room(ctx, (int64_t)counts[0] + deal_most_ranges(deal), todo);
        const size_t flights = (size_t)todo->n_flight + (size_t)counts[1];
        double *flight = realloc(todo->flight, (flights * (size_t)todo->n_value + 1) * sizeof *flight);
        if (flight)
            todo->flight = flight;
        else if (status == LR_OK)
            status = lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for packets in flight");
    }
    LR_TRY(team_meet(ctx, PLACE_SUMS, status));
    team->collect(team, todo->range, todo->n_range * (int64_t)sizeof *todo->range, todo->range + todo->n_range);
    team->collect(team, todo->flight, todo->n_flight * todo->n_value * (int64_t)sizeof *todo->flight,
                  first ? todo->flight + todo->n_flight * todo->n_value : NULL);
    if (!first) {
        todo_free(todo);
        return LR_OK;
    }
    todo->n_range += (int)counts[0];
    todo->n_flight += (int64_t)counts[1];
    deal_return(deal, todo);
    todo_tidy(todo);
    return LR_OK;
}

/* ---- a segment ---- */

struct part {
    const struct worker *worker;
    const struct transport_job *job;
    struct transport_tally *tally;
    struct deal deal;
    struct watch watch;
};

static void count(void *user, int64_t done, double scatterings)
{
    struct part *part = user;
    __atomic_store(&part->watch.done, &done, __ATOMIC_RELAXED);
    __atomic_store(&part->watch.scatterings, &scatterings, __ATOMIC_RELAXED);
}

/* Takes the ranges of a list and makes chunks of them. */
static enum lr_status make_chunks(lr_context *ctx, const struct order *order, struct transport_todo *todo,
                                  struct deal *deal)
{
    struct transport_todo all = {.range = todo->range, .n_range = todo->n_range};
    todo->range = NULL;
    todo->n_range = 0;
    return deal_make(ctx, &all, order->on_gpu ? PARTS_GPU : PARTS_CPU, order->devices,
                     order->on_gpu ? LEAST_GPU : LEAST_CPU, order->base[BOARD_CHUNK], deal);
}

/* Waits until all ranks have ended, while others can still be asked to pause. */
static void wait_for_others(struct communicator *team, struct watch *watch)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    team->board_add(team, BOARD_FINISHED, 1);
    while (team->board_add(team, BOARD_FINISHED, 0) - watch->base[BOARD_FINISHED] < team->size)
        nanosleep(&nap, NULL);
}

static enum lr_status take_part(lr_context *ctx, const struct order *order, const struct transport_monitor *whole,
                                struct part *part)
{
    struct communicator *team = ctx->team;
    struct transport_tally *tally = part->tally;
    enum lr_status status = LR_OK;
    part->watch = (struct watch){.ctx = ctx, .whole = whole};
    memcpy(part->watch.base, order->base, sizeof order->base);
    LR_TRY(spread_todo(ctx, order, &tally->todo));
    share_flight(team, &tally->todo);
    status = make_chunks(ctx, order, &tally->todo, &part->deal);
    LR_TRY(team_meet(ctx, PLACE_WORK, status));
    const struct transport_monitor monitor = {.stop = &ctx->stop,
                                              .patience = order->patience,
                                              .progress = count,
                                              .user = part,
                                              .put_back = order->put_back != 0,
                                              .pause = order->put_back ? &part->watch.pause : NULL};
    const double start = lr_seconds(), before = tally->seconds;
    status = watch_begin(&part->watch);
    const bool watches = status == LR_OK;
    if (watches)
        status = crew_transport(ctx, part->worker, part->job, &monitor, &part->deal, tally);
    if (status != LR_OK)
        team->board_add(team, BOARD_STOP, 1); /* the others need not go on */
    wait_for_others(team, &part->watch);
    if (watches)
        watch_end(&part->watch);
    tally->seconds = before + lr_seconds() - start;
    LR_TRY(team_meet(ctx, PLACE_SUMS, status));
    team_add_sums(ctx, part->job, tally);
    return gather_todo(ctx, &part->deal, &tally->todo);
}

/* ---- rank 0 ---- */

static struct order order_of(const lr_context *ctx, const struct worker *worker,
                             const struct transport_monitor *monitor, const struct transport_todo *todo)
{
    return (struct order){.work = 1,
                          .n_range = todo->n_range,
                          .n_flight = todo->n_flight,
                          .n_value = todo->n_value,
                          .put_back = monitor->put_back,
                          .on_gpu = worker->backend != backend_cpu(),
                          .devices = (int64_t)worker->devices.n * (ctx->team ? ctx->team->size : 1),
                          .patience = monitor->patience};
}

/* All devices of the only process. */
static enum lr_status work_here(lr_context *ctx, const struct worker *worker, const struct transport_job *job,
                                const struct transport_monitor *monitor, struct transport_tally *tally)
{
    const struct order order = order_of(ctx, worker, monitor, &tally->todo);
    struct deal deal = {0};
    enum lr_status status = make_chunks(ctx, &order, &tally->todo, &deal);
    if (status == LR_OK)
        status = crew_transport(ctx, worker, job, monitor, &deal, tally);
    if (status == LR_OK)
        status = todo_make_room(ctx, deal_most_ranges(&deal), &tally->todo);
    if (status == LR_OK) {
        deal_return(&deal, &tally->todo);
        todo_tidy(&tally->todo);
    }
    deal_free(&deal);
    return status;
}

enum lr_status team_transport(lr_context *ctx, const struct worker *worker, const struct transport_job *job,
                              const struct transport_monitor *monitor, struct transport_tally *tally)
{
    struct communicator *team = ctx->team;
    struct part part = {.worker = worker, .job = job, .tally = tally};
    if (!team_is_large(ctx) && worker->devices.n > 1)
        return work_here(ctx, worker, job, monitor, tally);
    if (!team_is_large(ctx))
        return worker->backend->transport(ctx, worker_device(worker), worker->threads, worker->double_precision, job,
                                          monitor, tally);
    struct order order = order_of(ctx, worker, monitor, &tally->todo);
    LR_TRY(team_meet(ctx, PLACE_WORK, LR_OK));
    for (int slot = 0; slot < N_BOARD_SLOT; slot++)
        order.base[slot] = team->board_add(team, (enum board_slot)slot, 0);
    LR_TRY(team_share(ctx, PLACE_WORK, &order, sizeof order));
    const enum lr_status status = take_part(ctx, &order, monitor, &part);
    deal_free(&part.deal);
    return status;
}

enum lr_status team_dismiss(lr_context *ctx, enum lr_status status)
{
    struct order order = {.work = 0};
    LR_TRY(team_meet(ctx, PLACE_WORK, status));
    return team_share(ctx, PLACE_WORK, &order, sizeof order);
}

/* ---- the others ---- */

enum lr_status team_serve(lr_context *ctx, const struct worker *worker, const struct transport_job *job,
                          struct transport_tally *tally)
{
    for (;;) {
        struct order order = {0};
        struct part part = {.worker = worker, .job = job, .tally = tally};
        LR_TRY(team_meet(ctx, PLACE_WORK, LR_OK));
        LR_TRY(team_share(ctx, PLACE_WORK, &order, sizeof order));
        if (!order.work)
            return LR_OK;
        const enum lr_status status = take_part(ctx, &order, NULL, &part);
        deal_free(&part.deal);
        LR_TRY(status);
    }
}
