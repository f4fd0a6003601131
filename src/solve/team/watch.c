#define _POSIX_C_SOURCE 200809L
#include "solve/team/watch.h"

#include <stdbool.h>
#include <time.h>

#include "base/context.h"

/* Rank 0 looks more often: some kinds of networks need it, so that others can reach the board. */
static const long NAP = 20000000, NAP_OF_FIRST = 5000000; /* ns */
static const double REPORT = 0.1;                         /* s */

static int64_t on_board(struct watch *watch, enum board_slot slot, int64_t add)
{
    return watch->ctx->team->board_add(watch->ctx->team, slot, add) - watch->base[slot];
}

/* The end of a segment, as rank 0 is told from outside. */
static bool is_over(const struct watch *watch)
{
    const struct transport_monitor *whole = watch->whole;
    return whole &&
           ((whole->seconds > 0 && lr_seconds() - watch->start > whole->seconds) || (whole->pause && *whole->pause));
}

static void report(struct watch *watch)
{
    int64_t done;
    double scatterings;
    __atomic_load(&watch->done, &done, __ATOMIC_RELAXED);
    __atomic_load(&watch->scatterings, &scatterings, __ATOMIC_RELAXED);
    if (done > watch->posted)
        on_board(watch, BOARD_DONE, done - watch->posted);
    watch->posted = done;
    if (watch->whole && watch->whole->progress)
        watch->whole->progress(watch->whole->user, on_board(watch, BOARD_DONE, 0), scatterings);
}

static void look(struct watch *watch)
{
    lr_context *ctx = watch->ctx;
    if (ctx->stop && !watch->told_stop) {
        watch->told_stop = 1;
        on_board(watch, BOARD_STOP, 1);
    }
    if (is_over(watch) && !watch->told_pause) {
        watch->told_pause = 1;
        on_board(watch, BOARD_PAUSE, 1);
    }
    if (on_board(watch, BOARD_STOP, 0) > 0)
        ctx->stop = 1;
    if (on_board(watch, BOARD_PAUSE, 0) > 0)
        watch->pause = 1;
    if (lr_seconds() - watch->last_report > REPORT) {
        report(watch);
        watch->last_report = lr_seconds();
    }
}

static void *run(void *user)
{
    struct watch *watch = user;
    const struct timespec nap = {.tv_nsec = watch->ctx->team->rank == 0 ? NAP_OF_FIRST : NAP};
    for (int over = 0; !over;) {
        look(watch);
        nanosleep(&nap, NULL);
#pragma omp atomic read
        over = watch->over;
    }
    return NULL;
}

enum lr_status watch_begin(struct watch *watch)
{
    watch->start = watch->last_report = lr_seconds();
    if (pthread_create(&watch->thread, NULL, run, watch) != 0)
        return lr_fail(watch->ctx, LR_ERROR_MEMORY, "cannot start the thread that watches the other processes");
    return LR_OK;
}

void watch_end(struct watch *watch)
{
#pragma omp atomic write
    watch->over = 1;
    pthread_join(watch->thread, NULL);
}
