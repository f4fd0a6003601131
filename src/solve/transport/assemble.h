/* From raw tallies (code units) to a result (physical units, with errors). */
#ifndef LR_SOLVE_TRANSPORT_ASSEMBLE_H
#define LR_SOLVE_TRANSPORT_ASSEMBLE_H

#include "model/result.h"
#include "solve/transport/job.h"

enum lr_status assemble_result(lr_context *ctx, const struct prepared *prepared, const struct transport_tally *tally,
                               struct lr_result *result);

/* The part that does not depend on packets. */
void assemble_description(const struct prepared *prepared, struct lr_result *result);

#endif
