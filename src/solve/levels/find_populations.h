/* Level populations of a run: found by the method of the model, applied to it, and kept in the result. */
#ifndef LR_SOLVE_LEVELS_FIND_POPULATIONS_H
#define LR_SOLVE_LEVELS_FIND_POPULATIONS_H

#include "model/result.h"
#include "solve/common/worker.h"
#include "solve/levels/derive.h"

/* Find the populations (out->x stays NULL for LTE and given ones, which the model has) and derive the model that
 * follows from them; *derived stays empty for LTE, which is in the model already. Release with derive_free() and
 * populations_free(). */
enum lr_status populations_apply(lr_context *ctx, const struct worker *worker, const lr_model *model, lr_model *derived,
                                 struct populations *out, struct inversion *inversion);

/* The same, with all that is worth keeping in the result. Nothing happens to a model without a molecule. */
enum lr_status populations_run(lr_context *ctx, const struct worker *worker, const lr_model *model, lr_model *derived,
                               struct lr_result *result);

#endif
