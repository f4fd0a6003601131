/* The sums of a pass and the packets still to be followed, as a list of named arrays and back.
 *
 * The history of a packet depends on nothing but the seed and its number. So the sums of a run are those of any
 * division of its packets into sessions, provided that each packet contributes exactly once. A session ends with
 * packets in flight, and part of what they did is already in the sums (fields, light toward cameras, roulette). They
 * can neither be dropped, which would lose preferably the long histories, nor be followed again from their beginning,
 * which would count that part twice. So they are stored as they are, with every member exact, and go on later: the sums
 * after them differ from those of a run without interruption only in the order of additions. */
#ifndef LR_SOLVE_STAGE_STATEPOINT_H
#define LR_SOLVE_STAGE_STATEPOINT_H

#include "model/stored.h"
#include "solve/transport/job.h"

/* The sums of finished packets alone: those that can be added to the sums of other packets. */
enum lr_status statepoint_add_sums(lr_context *ctx, const struct transport_job *job,
                                   const struct transport_tally *tally, struct stored *state);
/* Everything else that the pass needs to go on. */
enum lr_status statepoint_add_pass(lr_context *ctx, const struct transport_job *job,
                                   const struct transport_tally *tally, struct stored *state);

/* What a stored pass was planned for, before its tallies are allocated: batches are dealt as they were, and there are
 * as many groups. Packets that are added come after those that were planned. */
enum lr_status statepoint_adopt_plan(lr_context *ctx, const struct stored *state, struct transport_job *job);
enum lr_status statepoint_restore(lr_context *ctx, const struct stored *state, const struct transport_job *job,
                                  struct transport_tally *tally);

#endif
