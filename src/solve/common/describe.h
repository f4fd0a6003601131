/* Provenance of a result: which program, machine, device and model it came from. */
#ifndef LR_SOLVE_COMMON_DESCRIBE_H
#define LR_SOLVE_COMMON_DESCRIBE_H

#include "model/result.h"
#include "solve/common/worker.h"

/* Also fills in the threads and the precision of the worker. */
enum lr_status describe_run(lr_context *ctx, const struct run *run, struct worker *worker,
                            const struct transport_device *description, const char *text, const char *resolved,
                            struct lr_result *result);

#endif
