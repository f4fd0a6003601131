/* What the terms of the sums of a run are rounded to, so that the sums do not depend on the order of additions
 * (kernel/exact_sum.h). A quantum is 2^-52 of a bound of its sums, found before the run from the number of packets and
 * the depth of the gas; a sum that grows to twice the bound is no longer exact. */
#ifndef LR_SOLVE_TRANSPORT_QUANTA_H
#define LR_SOLVE_TRANSPORT_QUANTA_H

#include "solve/transport/job.h"

/* Once groups and cameras of the job are known. */
void quanta_choose(const lr_model *model, struct transport_job *job);

/* What has grown too large to be exact, in words; or NULL. */
const char *quanta_exceeded(const struct transport_job *job, const struct transport_tally *tally);

#endif
