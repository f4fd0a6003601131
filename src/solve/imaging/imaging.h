/* From the light that transport recorded to the cubes of a run. */
#ifndef LR_SOLVE_IMAGING_IMAGING_H
#define LR_SOLVE_IMAGING_IMAGING_H

#include "model/result.h"
#include "solve/common/worker.h"
#include "solve/imaging/recording.h"

/* A pass of transport and the window it recorded. Without packets there is no tally. */
struct imaging_pass {
    const struct window *window;
    const struct transport_job *job;
    const struct transport_tally *tally;
};

/* Makes the cubes of a window, in the cubes of the result. Without packets they show unscattered light. */
enum lr_status imaging_finish(lr_context *ctx, const struct worker *worker, const lr_model *model,
                              const struct imaging_pass *pass, struct lr_result *result);

#endif
