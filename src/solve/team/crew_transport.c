#include "solve/team/crew_transport.h"

#include <stdlib.h>
#include <string.h>

#include "backend/todo.h"
#include "base/context.h"
#include "solve/team/crew.h"
#include "solve/team/tally_arrays.h"

enum lr_status todo_make_room(lr_context *ctx, int64_t more, struct transport_todo *todo)
{
    struct packet_range *range = realloc(todo->range, (size_t)(todo->n_range + more) * sizeof *range);
    if (!range)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the list of packets");
    todo->range = range;
    return LR_OK;
}

static int64_t left_to_do(const struct transport_tally *tally)
{
    return todo_numbers(&tally->todo) + tally->todo.n_flight;
}

/* ---- one device ---- */

struct bench {
    const struct worker *worker;
    int device, threads;
    const struct transport_job *job;
    struct deal *deal;
    struct crew_count *count;
    struct transport_tally *tally;
};

static int64_t take_more(void *user, struct transport_todo *todo)
{
    return deal_take(user, todo);
}

static enum lr_status follow_chunks(lr_context *ctx, const struct bench *bench, const struct transport_monitor *given)
{
    struct transport_tally *tally = bench->tally;
    struct transport_monitor monitor = *given;
    monitor.more = take_more;
    monitor.more_user = bench->deal;
    monitor.n_more = deal_most_ranges(bench->deal);
    for (;;) {
        LR_TRY(todo_make_room(ctx, monitor.n_more, &tally->todo));
        if (left_to_do(tally) == 0 &&
            (*monitor.stop || (monitor.pause && *monitor.pause) || deal_take(bench->deal, &tally->todo) == 0))
            return LR_OK;
        const int64_t n = left_to_do(tally);
        LR_TRY(bench->worker->backend->transport(ctx, bench->device, bench->threads, bench->worker->double_precision,
                                                 bench->job, &monitor, tally));
        if (left_to_do(tally) > 0)
            return LR_OK; /* it was stopped */
        bench->count->before += n;
    }
}

static void count_alone(void *user, int64_t done, double scatterings)
{
    struct crew *crew = user;
    crew_count(&crew->count[0], done, scatterings);
    crew->whole->progress(crew->whole->user, crew->count[0].done, scatterings);
}

/* By the calling thread, which has made threads for it before. */
static enum lr_status work_alone(lr_context *ctx, const struct worker *worker, const struct transport_job *job,
                                 const struct transport_monitor *whole, struct deal *deal,
                                 struct transport_tally *tally)
{
    struct crew crew = {.n = 1, .whole = whole};
    const struct bench bench = {.worker = worker,
                                .device = worker_device(worker),
                                .threads = worker->threads,
                                .job = job,
                                .deal = deal,
                                .count = &crew.count[0],
                                .tally = tally};
    struct transport_monitor monitor = *whole;
    monitor.progress = whole->progress ? count_alone : NULL;
    monitor.user = &crew;
    return follow_chunks(ctx, &bench, &monitor);
}

/* ---- several ---- */

struct shop {
    struct crew crew;
    const struct worker *worker;
    const struct transport_job *job;
    struct deal *deal;
    const struct transport_monitor *whole;
    struct transport_tally tally[MOST_DEVICES];
};

static enum lr_status follow_on(void *user, lr_context *ctx, int place)
{
    struct shop *shop = user;
    const struct worker *worker = shop->worker;
    const int threads = worker->threads / worker->devices.n;
    const struct bench bench = {.worker = worker,
                                .device = worker->devices.number[place],
                                .threads = threads > 0 ? threads : 1,
                                .job = shop->job,
                                .deal = shop->deal,
                                .count = &shop->crew.count[place],
                                .tally = &shop->tally[place]};
    const struct transport_monitor monitor = {.stop = &shop->crew.stop,
                                              .patience = shop->whole->patience,
                                              .progress = crew_count,
                                              .user = bench.count,
                                              .put_back = shop->whole->put_back,
                                              .pause = shop->whole->put_back ? &shop->crew.pause : NULL};
    return follow_chunks(ctx, &bench, &monitor);
}

/* The first device adds to the sums that there are, the others to sums of their own; each takes an equal part of the
 * packets in flight. */
static enum lr_status open_shop(lr_context *ctx, struct shop *shop, struct transport_tally *tally)
{
    const int n = shop->crew.n, n_value = tally->todo.n_value;
    const struct transport_todo all = tally->todo;
    for (int i = 1; i < n; i++)
        LR_TRY(tally_like(ctx, shop->job, tally, &shop->tally[i]));
    shop->tally[0] = *tally;
    shop->tally[0].todo = (struct transport_todo){0};
    for (int i = 0; i < n; i++) {
        struct transport_todo *todo = &shop->tally[i].todo;
        const int64_t first = all.n_flight * i / n, end = all.n_flight * (i + 1) / n;
        LR_TRY(lr_allocate(ctx, (size_t)((end - first) * n_value), sizeof *todo->flight, &todo->flight));
        if (end > first)
            memcpy(todo->flight, all.flight + first * n_value, (size_t)((end - first) * n_value) * sizeof *all.flight);
        todo->n_flight = end - first;
        todo->n_value = n_value;
    }
    return LR_OK;
}

/* What all of them have left, in one list. */
static enum lr_status gather_todo(lr_context *ctx, const struct shop *shop, struct transport_todo *all)
{
    int64_t n_range = 0, n_flight = 0, n_value = 0;
    for (int i = 0; i < shop->crew.n; i++) {
        const struct transport_todo *todo = &shop->tally[i].todo;
        n_range += todo->n_range;
        n_flight += todo->n_flight;
        n_value = todo->n_flight > 0 ? todo->n_value : n_value;
    }
    todo_free(all);
    LR_TRY(lr_allocate(ctx, (size_t)n_range, sizeof *all->range, &all->range));
    LR_TRY(lr_allocate(ctx, (size_t)(n_flight * n_value), sizeof *all->flight, &all->flight));
    all->n_value = (int)n_value;
    for (int i = 0; i < shop->crew.n; i++) {
        const struct transport_todo *todo = &shop->tally[i].todo;
        if (todo->n_range > 0)
            memcpy(all->range + all->n_range, todo->range, (size_t)todo->n_range * sizeof *all->range);
        if (todo->n_flight > 0)
            memcpy(all->flight + all->n_flight * n_value, todo->flight,
                   (size_t)(todo->n_flight * n_value) * sizeof *all->flight);
        all->n_range += todo->n_range;
        all->n_flight += todo->n_flight;
    }
    return LR_OK;
}

static enum lr_status work_in_shop(lr_context *ctx, struct shop *shop, struct transport_tally *tally)
{
    struct transport_todo left = tally->todo;
    enum lr_status status = crew_work(ctx, &shop->crew, follow_on, shop);
    if (status == LR_OK)
        status = gather_todo(ctx, shop, &left);
    todo_free(&shop->tally[0].todo);
    *tally = shop->tally[0];
    tally->todo = left;
    for (int i = 1; status == LR_OK && i < shop->crew.n; i++)
        tally_add(shop->job, &shop->tally[i], tally);
    return status;
}

static enum lr_status work_together(lr_context *ctx, const struct worker *worker, const struct transport_job *job,
                                    const struct transport_monitor *whole, struct deal *deal,
                                    struct transport_tally *tally)
{
    struct shop *shop = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *shop, &shop));
    shop->crew = (struct crew){.n = worker->devices.n, .whole = whole};
    shop->worker = worker;
    shop->job = job;
    shop->deal = deal;
    shop->whole = whole;
    enum lr_status status = open_shop(ctx, shop, tally);
    if (status == LR_OK)
        status = work_in_shop(ctx, shop, tally);
    todo_free(&shop->tally[0].todo); /* its sums are the caller's */
    for (int i = 1; i < worker->devices.n; i++)
        tally_free(job, &shop->tally[i]);
    free(shop);
    return status;
}

enum lr_status crew_transport(lr_context *ctx, const struct worker *worker, const struct transport_job *job,
                              const struct transport_monitor *monitor, struct deal *deal, struct transport_tally *tally)
{
    const double start = lr_seconds(), before = tally->seconds;
    const enum lr_status status = worker->devices.n > 1 ? work_together(ctx, worker, job, monitor, deal, tally)
                                                        : work_alone(ctx, worker, job, monitor, deal, tally);
    tally->seconds = before + lr_seconds() - start;
    return status;
}
