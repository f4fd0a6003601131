/* One pass of packets: its memory, its tallies, and the call to the backend. */
#ifndef LR_SOLVE_TRANSPORT_PASS_H
#define LR_SOLVE_TRANSPORT_PASS_H

#include "backend/backend.h"
#include "model/model.h"
#include "solve/common/worker.h"

/* Memory that a run may use on a device, in bytes. */
double pass_memory_limit(const lr_model *model, const struct transport_device *device);
/* Into how many groups with separate tallies of cells the batches go, if that memory is free. */
int pass_field_groups(const lr_model *model, double cells, double free_bytes);
/* Choose these groups, or fewer if they do not fit; *left is the memory that remains. */
enum lr_status pass_plan_memory(lr_context *ctx, const lr_model *model, const struct transport_device *device,
                                struct transport_job *job, double *left);
enum lr_status pass_allocate(lr_context *ctx, const struct transport_job *job, const struct run *run,
                             struct transport_tally *tally);
void pass_free(struct transport_tally *tally);
/* Follow all packets of the job, reporting progress as `what`. */
enum lr_status pass_transport(lr_context *ctx, const struct worker *worker, const char *what,
                              const struct transport_job *job, struct transport_tally *tally);

#endif
