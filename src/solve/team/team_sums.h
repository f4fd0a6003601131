/* The sums of all ranks, added up on rank 0. Terms are multiples of quanta (kernel/exact_sum.h), so that this gives the
 * same bits as one rank does, with any number of them. */
#ifndef LR_SOLVE_TEAM_TEAM_SUMS_H
#define LR_SOLVE_TEAM_TEAM_SUMS_H

#include "backend/backend.h"

/* Sums and recorded packets go to rank 0; those of other ranks are then zero. Collective. */
void team_add_sums(lr_context *ctx, const struct transport_job *job, struct transport_tally *tally);

/* What images are made of, from rank 0 to all. Collective. */
void team_spread_light(lr_context *ctx, const struct transport_job *job, struct transport_tally *tally);

#endif
