/* The devices of one process work at the same time, each driven by a thread of its own. */
#ifndef LR_SOLVE_TEAM_CREW_H
#define LR_SOLVE_TEAM_CREW_H

#include "backend/backend.h"
#include "base/device_list.h"

/* What a device has done, as its backend counts it. */
struct crew_count {
    int64_t before, done; /* by earlier calls of the backend; and by this one */
    double scatterings;
};

struct crew {
    int n;
    const struct transport_monitor *whole; /* of the caller, and called by its thread alone */
    volatile sig_atomic_t stop, pause;     /* for the devices */
    struct crew_count count[MOST_DEVICES];
};

/* Runs task(user, ctx, place) for each place below crew->n, all at once, with contexts of their own, which hold the
 * text of an error and nothing else. Meanwhile passes requests of the caller's monitor on to the devices, and counts to
 * it; its `seconds` count if packets are put back. If one fails, so do all, with its error. */
enum lr_status crew_work(lr_context *ctx, struct crew *crew,
                         enum lr_status (*task)(void *user, lr_context *ctx, int place), void *user);

/* Progress of a device: `user` is its count. */
void crew_count(void *user, int64_t done, double scatterings);

#endif
