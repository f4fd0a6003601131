/* Number of threads for a loop: as many as requested, or all of the processor's for 0. */
#ifndef LR_BASE_THREADS_H
#define LR_BASE_THREADS_H

#include <omp.h>

static inline int thread_count(int asked)
{
    return asked > 0 ? asked : omp_get_max_threads();
}

#endif
