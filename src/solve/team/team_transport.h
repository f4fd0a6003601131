/* Packets followed by all ranks of a job. Rank 0 decides what is done, for how long, and what becomes of it, just as if
 * it were alone; the others serve. */
#ifndef LR_SOLVE_TEAM_TEAM_TRANSPORT_H
#define LR_SOLVE_TEAM_TEAM_TRANSPORT_H

#include "solve/common/worker.h"

/* Rank 0, and a process that is alone: what lr_backend.transport() does. Afterwards the tally holds the sums of all
 * ranks and what all of them have left to do. */
enum lr_status team_transport(lr_context *ctx, const struct worker *worker, const struct transport_job *job,
                              const struct transport_monitor *monitor, struct transport_tally *tally);
/* Rank 0 then releases the others. Returns its status, or that of a rank that has failed. */
enum lr_status team_dismiss(lr_context *ctx, enum lr_status status);

/* The others: take part in every team_transport() of rank 0 until they are dismissed. Sums stay zero. */
enum lr_status team_serve(lr_context *ctx, const struct worker *worker, const struct transport_job *job,
                          struct transport_tally *tally);

#endif
