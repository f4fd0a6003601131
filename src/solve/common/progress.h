/* The progress of a task on a device, passed on to whoever listens to the context. */
#ifndef LR_SOLVE_COMMON_PROGRESS_H
#define LR_SOLVE_COMMON_PROGRESS_H

#include <stdint.h>

#include "backend/backend.h"

struct progress {
    lr_context *ctx;
    const char *what; /* is counted */
    int64_t total;
    double start;   /* seconds, as lr_seconds() */
    int64_t before; /* done before the device began */
};

struct progress progress_start(lr_context *ctx, const char *what, int64_t total);
void progress_report(const struct progress *progress, int64_t done);

/* What a backend reports to while it works. It refers to `progress`. */
struct transport_monitor progress_monitor(struct progress *progress);

#endif
