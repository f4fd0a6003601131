/* Populations by escape probability, each cell on its own (lines/escape.h): light leaves it along the velocity gradient
 * (lvg), or out of a sphere of a given diameter (escape-probability). */
#ifndef LR_SOLVE_LEVELS_ESCAPE_CELLS_H
#define LR_SOLVE_LEVELS_ESCAPE_CELLS_H

#include "model/species.h"
#include "solve/common/worker.h"

enum lr_status escape_cells_solve(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                  struct populations *out);

#endif
