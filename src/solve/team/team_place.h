/* Where a rank works, and how much memory it may use there. */
#ifndef LR_SOLVE_TEAM_TEAM_PLACE_H
#define LR_SOLVE_TEAM_TEAM_PLACE_H

#include "solve/common/worker.h"

/* GPUs of a machine go round among its ranks, unless the model names them by their numbers. */
void team_choose_devices(const lr_context *ctx, struct worker *worker);
/* The first device of a worker, with the memory that each of them has for it. All ranks plan with what the one with the
 * least has. Collective. */
enum lr_status team_describe_device(lr_context *ctx, const struct worker *worker, struct transport_device *device);
/* The memory of the host for each device of a worker, the least of all ranks. Collective. */
enum lr_status team_host_memory(lr_context *ctx, const struct worker *worker, double *bytes);

#endif
