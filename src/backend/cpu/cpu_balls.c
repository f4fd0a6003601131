/* Trials of ball records on the CPU; compiled in double precision. */
#include <stdlib.h>
#include <string.h>

#include "backend/ball_work.h"
#include "backend/cpu/cpu_variants.h"

static void run_chunk(const struct ball_work *work, int row, int64_t chunk)
{
    struct ball_sums sums;
    const int64_t first = chunk * BALL_CHUNK;
    struct ball_sample *sample =
        first < work->n_sampled ? &work->sample[BALL_EXITS * row * work->n_sampled + first] : NULL;
    memset(&sums, 0, sizeof sums);
    for (int i = 0; i < BALL_CHUNK; i++)
        ball_trial_add(&work->set[row], (uint32_t)(first + i), &sums, sample ? &sample[i] : NULL, work->n_sampled);
    work->sums[row * work->n_chunk + chunk] = sums;
}

enum lr_status cpu_balls(lr_context *ctx, int device, int threads, const struct ball_work *work)
{
    (void)ctx;
    (void)device;
#pragma omp parallel for schedule(dynamic) collapse(2) num_threads(threads)
    for (int row = 0; row < work->n_row; row++)
        for (int64_t chunk = 0; chunk < work->n_chunk; chunk++)
            if (!*work->stop)
                run_chunk(work, row, chunk);
    return LR_OK;
}
