/* Level populations in statistical equilibrium with the radiation of the gas itself, of dust and of the background:
 * accelerated lambda iteration with rays (kernel/level_transfer.h), until the estimated error is small enough. */
#ifndef LR_SOLVE_LEVELS_EQUILIBRIUM_H
#define LR_SOLVE_LEVELS_EQUILIBRIUM_H

#include "model/species.h"
#include "solve/common/worker.h"

enum lr_status equilibrium_solve(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                 struct populations *out);

#endif
