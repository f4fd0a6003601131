/* One pass of packets: its memory, its tallies, and the call of the backend. */
#ifndef LR_SOLVE_TRANSPORT_PASS_H
#define LR_SOLVE_TRANSPORT_PASS_H

#include "backend/backend.h"
#include "model/model.h"
#include "solve/common/worker.h"

/* Bytes that a run may plan with on a device. */
double pass_memory_limit(const lr_model *model, const struct transport_device *device);
/* Settle the groups of batches with cell tallies of their own; *left is what remains. */
enum lr_status pass_plan_memory(lr_context *ctx, const lr_model *model, const struct transport_device *device,
                                struct transport_job *job, double *left);
enum lr_status pass_allocate(lr_context *ctx, const struct transport_job *job, const struct run *run,
                             struct transport_tally *tally);
void pass_free(struct transport_tally *tally);
/* Follow all packets of the job, with progress under the name `what`. */
enum lr_status pass_transport(lr_context *ctx, const struct worker *worker, const char *what,
                              const struct transport_job *job, struct transport_tally *tally);

#endif
