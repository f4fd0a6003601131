/* The sums of a run that a result keeps, so that those of other packets can be added: all of them are additive, and
 * packets are dealt to batches and groups by their numbers, so that batches of two runs are parts of the same ones. */
#ifndef LR_SOLVE_STAGE_MERGEABLE_H
#define LR_SOLVE_STAGE_MERGEABLE_H

#include "solve/stage/stage.h"

enum { MERGEABLE_VERSION = 1 };

/* int64 array "shape" and double array "frame": what the sums are of. */
enum mergeable_shape {
    SHAPE_VERSION,
    SHAPE_PRINT, /* of the model */
    SHAPE_PLANNED,
    SHAPE_BATCH,
    SHAPE_GROUP,
    SHAPE_BIN,
    SHAPE_MU,
    SHAPE_PHI,
    SHAPE_AXIS,
    SHAPE_CAVITY,
    SHAPE_CELL,
    N_SHAPE
};
enum mergeable_frame { FRAME_FIRST, FRAME_STEP, FRAME_LENGTH, FRAME_VELOCITY, FRAME_LUMINOSITY, N_FRAME };

/* Fills result->sums after a pass that is complete. `print` is that of the model as read. */
enum lr_status mergeable_keep(lr_context *ctx, const struct stage *stage, uint64_t print,
                              const struct transport_tally *tally, struct lr_result *result);
/* Adds the images of groups of packets, which give the errors of images. */
enum lr_status mergeable_keep_images(lr_context *ctx, struct lr_result *result);

#endif
