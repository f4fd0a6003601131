/* An image traced by all devices of one process, each some rows of pixels. */
#ifndef LR_SOLVE_TEAM_CREW_TRACE_H
#define LR_SOLVE_TEAM_CREW_TRACE_H

#include "solve/common/worker.h"

/* What lr_backend.trace() does, with the same bits. */
enum lr_status crew_trace(lr_context *ctx, const struct worker *worker, const struct trace_job *job,
                          const struct transport_monitor *monitor, struct trace_image *image);

#endif
