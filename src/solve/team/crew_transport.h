/* Packets followed by all devices of one process. */
#ifndef LR_SOLVE_TEAM_CREW_TRANSPORT_H
#define LR_SOLVE_TEAM_CREW_TRANSPORT_H

#include "solve/common/worker.h"
#include "solve/team/deal.h"

/* Room for all ranges that a list may be given. */
enum lr_status todo_make_room(lr_context *ctx, int64_t more, struct transport_todo *todo);

/* Chunk after chunk of the deal, and the packets in flight of tally->todo, which has no others. What has begun and is
 * left then stands there; chunks that nobody took stay in the deal. Sums are those of one device, with the same bits
 * (kernel/exact_sum.h). Of the monitor, `seconds` count only if packets are put back. */
enum lr_status crew_transport(lr_context *ctx, const struct worker *worker, const struct transport_job *job,
                              const struct transport_monitor *monitor, struct deal *deal,
                              struct transport_tally *tally);

#endif
