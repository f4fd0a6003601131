/* Where a calculation runs. */
#ifndef LR_SOLVE_COMMON_WORKER_H
#define LR_SOLVE_COMMON_WORKER_H

#include "backend/backend.h"

struct worker {
    const struct lr_backend *backend;
    int device, threads;
    bool double_precision;
};

#endif
