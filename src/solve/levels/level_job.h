/* From the molecule of a model (CGS) to a job for level populations (code units). */
#ifndef LR_SOLVE_LEVELS_LEVEL_JOB_H
#define LR_SOLVE_LEVELS_LEVEL_JOB_H

#include "backend/backend.h"
#include "model/species.h"
#include "solve/transport/job.h"

struct prepared_levels {
    struct level_job job;
    const lr_model *model;
    struct code_units unit;
    struct own_mesh mesh;
    struct level_line *line;
    struct level_blend *blend;
    struct level_star *star;
};

enum lr_status level_job_prepare(lr_context *ctx, const lr_model *model, struct prepared_levels *prepared);
void level_job_free(struct prepared_levels *prepared);

#endif
