/* Images traced by all ranks of a job, each some rows of pixels. */
#ifndef LR_SOLVE_TEAM_TEAM_TRACE_H
#define LR_SOLVE_TEAM_TEAM_TRACE_H

#include "solve/common/worker.h"

/* What lr_backend.trace() does; all ranks get the whole image, with the same bits as one rank would.
 * Collective. */
enum lr_status team_trace(lr_context *ctx, const struct worker *worker, const struct trace_job *job,
                          const struct transport_monitor *monitor, struct trace_image *image);

#endif
