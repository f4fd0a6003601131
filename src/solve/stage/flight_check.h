/* Whether packets of a statepoint can be followed: drivers trust their cells and numbers, and files may be damaged. */
#ifndef LR_SOLVE_STAGE_FLIGHT_CHECK_H
#define LR_SOLVE_STAGE_FLIGHT_CHECK_H

#include "backend/backend.h"
#include "base/context.h"

/* What is to be done and what is recorded must be among `planned`, each packet once. */
enum lr_status flight_check(lr_context *ctx, const struct transport_job *job, const struct transport_tally *tally,
                            struct packet_range planned);

#endif
