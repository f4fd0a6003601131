/* Level populations in statistical equilibrium with the radiation of the gas itself, of dust and of the background:
 * accelerated lambda iteration with rays (kernel/level_transfer.h), until the estimated error is small enough. With a
 * keeper (or NULL), statepoints are saved on the way. */
#ifndef LR_SOLVE_LEVELS_EQUILIBRIUM_H
#define LR_SOLVE_LEVELS_EQUILIBRIUM_H

#include "model/keeper.h"
#include "model/species.h"
#include "solve/common/worker.h"

enum lr_status equilibrium_solve(lr_context *ctx, const struct worker *worker, const lr_model *model, bool shared,
                                 struct lr_keeper *keeper, struct populations *out);

/* Whether the ranks of a job can divide the work on this model: rays by direction, rate equations by cells. */
bool equilibrium_is_shared(const lr_context *ctx, const struct worker *worker, const lr_model *model);

#endif
