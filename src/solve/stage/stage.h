/* Everything that is ready before the first packet of a run starts: device, job, jumps, memory and cameras. For the run
 * itself, and for the pilot that measures how long one takes (pilot.h). */
#ifndef LR_SOLVE_STAGE_STAGE_H
#define LR_SOLVE_STAGE_STAGE_H

#include "model/result.h"
#include "model/stored.h"
#include "solve/balls/ball_set.h"
#include "solve/common/worker.h"
#include "solve/imaging/camera_job.h"
#include "solve/imaging/image_check.h"
#include "solve/imaging/imaging_plan.h"
#include "solve/transport/job.h"

struct stage {
    struct worker worker;
    struct worker tracer; /* of rays */
    struct transport_device device;
    struct prepared prepared;
    struct imaging_plan plan;
    struct image_check check;
    struct ball_set balls;
    struct camera_list cameras;
    int part, parts;             /* only this part of the packets (model/share.h); 0: all of them */
    bool keep_state;             /* a statepoint follows the last packet */
    struct transport_todo again; /* numbers that the first pass began, for the later ones */
};

/* Chooses the device, and describes it in the result. */
enum lr_status stage_open(lr_context *ctx, const lr_model *model, struct stage *stage, struct lr_result *result);

/* Whether that is a GPU: what would be chosen, and what was. */
bool stage_uses_gpu(lr_context *ctx, const lr_model *model);
bool stage_is_on_gpu(const struct stage *stage);

/* Into how many groups with separate tallies of cells a run on the CPU would put its batches; 0 without tallies. */
int stage_field_groups(lr_context *ctx, const lr_model *model);

/* The job of a model whose levels are known, and the passes it takes. `state`: what an earlier session left; or NULL.
 */
enum lr_status stage_prepare(lr_context *ctx, const lr_model *model, const struct stored *state, struct stage *stage);

/* Prepares the job for a pass, with the cameras and channels of a window if it is not NULL, and allocates its tallies.
 * The first pass gives all results but images; later ones serve only their cameras. stage_end_pass() releases the
 * tallies, also after a failure. */
enum lr_status stage_begin_pass(lr_context *ctx, const lr_model *model, struct stage *stage,
                                const struct window *window, bool first, struct transport_tally *tally);
/* After the first pass: later ones follow the packets that it began. */
enum lr_status stage_follow_again(lr_context *ctx, struct stage *stage, const struct transport_tally *first);
void stage_end_pass(const struct stage *stage, struct transport_tally *tally);

void stage_close(struct stage *stage);

#endif
