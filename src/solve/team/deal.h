/* Packets are dealt to ranks in chunks, in the order of a list that all ranks have. A number on the board counts those
 * that have been taken, so that a slow rank takes fewer and holds up nobody. */
#ifndef LR_SOLVE_TEAM_DEAL_H
#define LR_SOLVE_TEAM_DEAL_H

#include "backend/backend.h"
#include "parallel/communicator.h"

struct deal {
    struct communicator *team;
    int64_t base; /* chunks on the board before the first of these */
    struct transport_todo all;
    int64_t n_chunk;
    int64_t *begin; /* [n_chunk + 1] where chunks begin in the list */
};

/* A chunk is a part 1 / (parts x ranks) of what is left, and `least` packets at least: they become smaller toward the
 * end. Takes over the ranges of `all`. */
enum lr_status deal_make(lr_context *ctx, struct transport_todo *all, int parts, int64_t least, int64_t base,
                         struct deal *deal);
void deal_free(struct deal *deal);

/* The most ranges that one rank can be given. */
int deal_most_ranges(const struct deal *deal);
/* Takes the next chunk, and adds it to a list with room for it. Returns the number of packets; 0: there is none. */
int64_t deal_take(struct deal *deal, struct transport_todo *to);
/* Adds the chunks that nobody has taken, once all ranks have ended. */
void deal_return(struct deal *deal, struct transport_todo *to);

#endif
