/* Lists of packet numbers (struct transport_todo, without packets in flight). Ranges are in order and do not touch. */
#ifndef LR_SOLVE_TRANSPORT_TODO_RANGES_H
#define LR_SOLVE_TRANSPORT_TODO_RANGES_H

#include "backend/backend.h"

/* Replaces the ranges of `to`. */
enum lr_status todo_copy_ranges(lr_context *ctx, const struct transport_todo *from, struct transport_todo *to);

/* The numbers of `all` that are not to be begun any more, in place of those in `begun`. */
enum lr_status todo_begun(lr_context *ctx, struct packet_range all, const struct transport_todo *todo,
                          struct transport_todo *begun);

#endif
