/* Level populations of a run: found with the method of the model, applied to it, and stored in the result. */
#ifndef LR_SOLVE_LEVELS_FIND_POPULATIONS_H
#define LR_SOLVE_LEVELS_FIND_POPULATIONS_H

#include "model/keeper.h"
#include "model/result.h"
#include "solve/common/worker.h"
#include "solve/levels/derive.h"

/* Find the populations (out->x stays NULL for LTE and given ones, which are in the model) and derive the model that
 * follows from them; *derived stays empty for LTE, which the model already has. Release with derive_free() and
 * populations_free(). With a keeper (or NULL), a search that takes long leaves statepoints, and goes on from those of
 * an earlier session. */
enum lr_status populations_apply(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                 struct lr_keeper *keeper, lr_model *derived, struct populations *out,
                                 struct inversion *inversion);

/* The same, and store what the result should keep, and in `state` what later sessions need. Does nothing for a model
 * without a molecule. */
enum lr_status populations_run(lr_context *ctx, const struct worker *worker, const lr_model *model,
                               struct lr_keeper *keeper, struct stored *state, lr_model *derived,
                               struct lr_result *result);

#endif
