/* While a rank follows packets, a thread of its own watches the board: it tells the others of a stop or a pause and
 * hears of theirs, and counts the packets of the whole job. */
#ifndef LR_SOLVE_TEAM_WATCH_H
#define LR_SOLVE_TEAM_WATCH_H

#include <pthread.h>

#include "backend/backend.h"
#include "parallel/communicator.h"

struct watch {
    lr_context *ctx;
    const struct transport_monitor *whole; /* rank 0: of the whole job; otherwise NULL */
    int64_t base[N_BOARD_SLOT];            /* what was on the board before */
    double start;
    volatile sig_atomic_t pause; /* asked for by any rank */
    int64_t done;                /* by this rank so far; set by another thread, as `scatterings` is */
    double scatterings;
    int64_t posted; /* of `done` */
    int told_stop, told_pause, over;
    double last_report;
    pthread_t thread;
};

enum lr_status watch_begin(struct watch *watch);
void watch_end(struct watch *watch);

#endif
