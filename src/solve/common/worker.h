/* Where a calculation runs. */
#ifndef LR_SOLVE_COMMON_WORKER_H
#define LR_SOLVE_COMMON_WORKER_H

#include "backend/backend.h"
#include "base/device_list.h"

struct worker {
    const struct lr_backend *backend;
    struct device_list devices;
    int threads; /* of all devices together */
    bool double_precision;
};

/* The device for what only one of them does. */
static inline int worker_device(const struct worker *worker)
{
    return worker->devices.number[0];
}

/* The CPU. */
static inline struct worker worker_on_cpu(int threads, bool double_precision)
{
    return (struct worker){backend_cpu(), {.n = 1}, threads, double_precision};
}

/* The same on the CPU, if the light of rays is to be added in a fixed order; other devices use any. */
static inline struct worker worker_in_order(const struct worker *worker, bool fixed)
{
    return fixed ? worker_on_cpu(worker->threads, worker->double_precision) : *worker;
}

#endif
