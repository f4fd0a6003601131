/* Where a rank works, and how much memory it may use there. */
#ifndef LR_SOLVE_TEAM_TEAM_PLACE_H
#define LR_SOLVE_TEAM_TEAM_PLACE_H

#include "solve/common/worker.h"

/* GPUs of a machine go round among its ranks, unless the model names one. */
void team_choose_device(const lr_context *ctx, const char *wanted, struct worker *worker);
/* Memory of a machine is divided among its ranks; all ranks plan with what the one with the least has. Collective. */
enum lr_status team_share_memory(lr_context *ctx, const struct worker *worker, double *bytes);

#endif
