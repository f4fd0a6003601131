/* The packets of a pass, in segments with a statepoint after each. */
#ifndef LR_SOLVE_STAGE_SEGMENTS_H
#define LR_SOLVE_STAGE_SEGMENTS_H

#include "model/keeper.h"
#include "solve/stage/stage.h"

/* Follows what there is to do. With a keeper, a statepoint is saved from time to time, when asked for
 * (lr_context_save()), and at a stop: at once, with packets in flight. These then have a second to finish, for the
 * result of the stopped run; a later session goes on from the statepoint. With run.until, it ends when the error is
 * small enough, and `summary` (or NULL) says what was reached; packets that have begun are finished. */
enum lr_status segments_follow(lr_context *ctx, const lr_model *model, const struct stage *stage,
                               struct lr_keeper *keeper, const struct stored *populations,
                               struct transport_tally *tally, struct lr_summary *summary);

/* Saves all of it now. A failure is no reason to lose the run: it is only a warning. */
void segments_save(lr_context *ctx, struct lr_keeper *keeper, const struct stage *stage,
                   const struct stored *populations, const struct transport_tally *tally);

/* Whether statepoints can be made in the middle of this pass. */
bool segments_possible(const struct transport_job *job);

#endif
