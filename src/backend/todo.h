/* Packets that are still to be followed (struct transport_todo): the k-th number of them, and what is left when some
 * have been taken. Packets are numbered once for a run, in whatever order, shares or sessions they are followed. */
#ifndef LR_BACKEND_TODO_H
#define LR_BACKEND_TODO_H

#include <stdlib.h>

#include "backend/backend.h"

static inline int64_t todo_numbers(const struct transport_todo *todo)
{
    int64_t n = 0;
    for (int r = 0; r < todo->n_range; r++)
        n += todo->range[r].end - todo->range[r].first;
    return n;
}

/* Number of the k-th packet; k is below todo_numbers(). */
static inline int64_t todo_number(const struct transport_todo *todo, int64_t k)
{
    const struct packet_range *range = todo->range;
    for (; k >= range->end - range->first; range++)
        k -= range->end - range->first;
    return range->first + k;
}

/* Adds the packets from the k-th to the one before the `end`-th of `from` to the list `to`, which has room for as many
 * ranges more as `from` has. */
static inline void todo_add_part(const struct transport_todo *from, int64_t k, int64_t end, struct transport_todo *to)
{
    int64_t before = 0;
    for (int r = 0; r < from->n_range; r++) {
        const struct packet_range range = from->range[r];
        const int64_t n = range.end - range.first;
        const int64_t low = k > before ? k - before : 0, high = end - before < n ? end - before : n;
        if (low < high) {
            to->range[to->n_range].first = range.first + low;
            to->range[to->n_range].end = range.first + high;
            to->n_range++;
        }
        before += n;
    }
}

static inline int todo_compare(const void *a, const void *b)
{
    const int64_t one = ((const struct packet_range *)a)->first, other = ((const struct packet_range *)b)->first;
    return (one > other) - (one < other);
}

/* Puts ranges in order, and joins neighbours. */
static inline void todo_tidy(struct transport_todo *todo)
{
    int n = 0;
    if (todo->n_range > 1)
        qsort(todo->range, (size_t)todo->n_range, sizeof *todo->range, todo_compare);
    for (int r = 0; r < todo->n_range; r++) {
        if (n > 0 && todo->range[n - 1].end == todo->range[r].first)
            todo->range[n - 1].end = todo->range[r].end;
        else
            todo->range[n++] = todo->range[r];
    }
    todo->n_range = n;
}

static inline void todo_free(struct transport_todo *todo)
{
    free(todo->range);
    free(todo->flight);
    todo->range = NULL;
    todo->flight = NULL;
    todo->n_range = 0;
    todo->n_flight = 0;
}

#endif
