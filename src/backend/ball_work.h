/* Trials of some rows of ball records (kernel/ball_chunk.h), for a backend to run. In double precision on every device:
 * whoever includes this is compiled so. */
#ifndef LR_BACKEND_BALL_WORK_H
#define LR_BACKEND_BALL_WORK_H

#include <signal.h>

#include "kernel/ball_chunk.h"

struct ball_work {
    int n_row;
    const struct ball_trials *set; /* [n_row]; all with the same balls to jump through */
    int n_known;                   /* rows of them; and their records */
    int64_t n_record;
    int64_t n_chunk, n_sampled;        /* of each row; trials that leave samples, a multiple of BALL_CHUNK */
    struct ball_sums *sums;            /* [n_row][n_chunk] */
    const volatile sig_atomic_t *stop; /* other than 0: leave the rest */
    struct ball_sample *sample;        /* [n_row][BALL_EXITS][n_sampled] */
};

#endif
