/* Packets are dealt to devices in chunks, in the order of a list that all of them have. A number counts those that have
 * been taken, so that a slow device takes fewer and holds up nobody: on the board of a job of several ranks, otherwise
 * in the deal itself. */
#ifndef LR_SOLVE_TEAM_DEAL_H
#define LR_SOLVE_TEAM_DEAL_H

#include "backend/backend.h"
#include "parallel/communicator.h"

struct deal {
    struct communicator *team; /* NULL: this process alone */
    int64_t base;              /* chunks on the board before the first of these */
    int64_t taken;             /* without a board */
    struct transport_todo all;
    int64_t n_chunk;
    int64_t *begin; /* [n_chunk + 1] where chunks begin in the list */
};

/* A chunk is a part 1 / (parts x devices) of what is left, so that they become smaller toward the end, and has at least
 * `least` packets unless there are too few for one on each device. Takes over the ranges of `all`. */
enum lr_status deal_make(lr_context *ctx, struct transport_todo *all, int parts, int64_t devices, int64_t least,
                         int64_t base, struct deal *deal);
void deal_free(struct deal *deal);

/* The most ranges that one device can be given. */
int deal_most_ranges(const struct deal *deal);
/* Takes the next chunk, and adds it to a list with room for it. Returns the number of packets; 0: there is none. Any
 * thread may call it. */
int64_t deal_take(struct deal *deal, struct transport_todo *to);
/* Adds the chunks that nobody has taken, once all devices have ended. */
void deal_return(struct deal *deal, struct transport_todo *to);

#endif
