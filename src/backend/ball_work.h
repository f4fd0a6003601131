/* Trials of some rows of ball records (kernel/ball_chunk.h), for a backend to run. In double precision on every device:
 * whoever includes this is compiled so. */
#ifndef LR_BACKEND_BALL_WORK_H
#define LR_BACKEND_BALL_WORK_H

#include <signal.h>

#include "kernel/ball_chunk.h"

struct ball_work {
    int n_row;
    const struct ball_trials *set; /* [n_row]; all with the same smaller balls */
    int n_level;                   /* of them; and of their rows and records */
    int n_known;
    int64_t n_record;
    int64_t n_chunk;                /* of each row */
    int64_t most_chunks, n_sampled; /* of a row: room for sums; trials that leave samples, a multiple of BALL_CHUNK */
    struct ball_sums *sums;         /* [n_row][most_chunks] */
    const volatile sig_atomic_t *stop; /* other than 0: leave the rest */
    uint64_t *bin;                     /* [n_row][BALL_N_BIN] */
    struct ball_sample *sample;        /* [n_row][n_sampled][2] */
};

#endif
