/* Where a calculation runs. */
#ifndef LR_SOLVE_COMMON_WORKER_H
#define LR_SOLVE_COMMON_WORKER_H

#include "backend/backend.h"

struct worker {
    const struct lr_backend *backend;
    int device, threads;
    bool double_precision;
};

/* The same on the CPU, if the light of rays is to be added in a fixed order; other devices use any. */
static inline struct worker worker_in_order(const struct worker *worker, bool fixed)
{
    struct worker other = *worker;
    if (fixed) {
        other.backend = backend_cpu();
        other.device = 0;
    }
    return other;
}

#endif
