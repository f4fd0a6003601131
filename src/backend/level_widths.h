/* Widths of cells, from a job of level populations: how much gain an inverted cell may have depends on them. */
#ifndef LR_BACKEND_LEVEL_WIDTHS_H
#define LR_BACKEND_LEVEL_WIDTHS_H

#include "backend/backend.h"
#include "kernel/brick.h"

/* The largest width of a cell, but not along axes without an end, whose width means nothing. */
static inline double level_widest(const struct level_job *job, int64_t cell)
{
    if (job->mesh == TRANSPORT_SHELLS)
        return job->width[0][cell];
    const int64_t at[3] = {cell / job->n[2] / job->n[1], cell / job->n[2] % job->n[1], cell % job->n[2]};
    double width = 0;
    for (int axis = 0; axis < 3; axis++) {
        double along = 0;
        if (job->mesh == TRANSPORT_AMR)
            along = job->tree->cell[axis] /
                    (double)(1 << brick_from_key(job->tree->key[at[0] / job->tree->brick[0]]).level);
        else if (job->n[axis] > 1 || job->face[2 * axis] != TRANSPORT_PERIODIC)
            along = job->width[axis][at[axis]];
        width = along > width ? along : width;
    }
    return width;
}

#endif
