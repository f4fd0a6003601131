#include "solve/stage/mergeable.h"

#include <stdio.h>

#include "solve/stage/statepoint.h"

enum lr_status mergeable_keep(lr_context *ctx, const struct stage *stage, uint64_t print,
                              const struct transport_tally *tally, struct lr_result *result)
{
    const struct prepared *prepared = &stage->prepared;
    const struct transport_job *job = &prepared->job;
    const int64_t shape[N_SHAPE] = {[SHAPE_VERSION] = MERGEABLE_VERSION,
                                    [SHAPE_PRINT] = (int64_t)print,
                                    [SHAPE_PLANNED] = job->n_packet,
                                    [SHAPE_BATCH] = job->tally.n_batch,
                                    [SHAPE_GROUP] = job->tally.n_group,
                                    [SHAPE_BIN] = job->tally.n_bin,
                                    [SHAPE_MU] = job->tally.n_mu,
                                    [SHAPE_PHI] = job->tally.n_phi,
                                    [SHAPE_AXIS] = job->tally.direction_axis,
                                    [SHAPE_CAVITY] = prepared->cavity,
                                    [SHAPE_CELL] = job->n_cell};
    const double frame[N_FRAME] = {[FRAME_FIRST] = job->tally.x_first,
                                   [FRAME_STEP] = job->tally.x_step,
                                   [FRAME_LENGTH] = prepared->unit.length,
                                   [FRAME_VELOCITY] = prepared->unit.velocity,
                                   [FRAME_LUMINOSITY] = prepared->luminosity};
    const int64_t part[] = {(int64_t)job->seed, job->packets.first, job->packets.end};
    struct stored *sums = &result->sums;
    LR_TRY(statepoint_add_sums(ctx, job, tally, sums));
    LR_TRY(stored_own(ctx, sums));
    LR_TRY(stored_add_copy(ctx, sums, "shape", STORED_INT64, N_SHAPE, shape));
    LR_TRY(stored_add_copy(ctx, sums, "frame", STORED_DOUBLE, N_FRAME, frame));
    return stored_add_copy(ctx, sums, "parts", STORED_INT64, 3, part);
}

enum lr_status mergeable_keep_images(lr_context *ctx, struct lr_result *result)
{
    for (int c = 0; c < result->n_cube; c++) {
        struct cube *cube = &result->cube[c];
        char name[32];
        if (!cube->group_image)
            continue;
        snprintf(name, sizeof name, "group_image_%d", c);
        LR_TRY(stored_add_copy(ctx, &result->sums, name, STORED_FLOAT, (int64_t)(IMAGE_GROUPS * cube_voxel_count(cube)),
                               cube->group_image));
        snprintf(name, sizeof name, "group_scale_%d", c);
        LR_TRY(stored_add_copy(ctx, &result->sums, name, STORED_DOUBLE, 1, &cube->scale));
    }
    return LR_OK;
}
