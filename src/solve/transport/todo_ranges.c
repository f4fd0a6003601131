#include "solve/transport/todo_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"

enum lr_status todo_copy_ranges(lr_context *ctx, const struct transport_todo *from, struct transport_todo *to)
{
    struct packet_range *copy = NULL;
    LR_TRY(lr_allocate(ctx, (size_t)from->n_range, sizeof *copy, &copy));
    memcpy(copy, from->range, (size_t)from->n_range * sizeof *copy);
    free(to->range);
    to->range = copy;
    to->n_range = from->n_range;
    return LR_OK;
}

enum lr_status todo_begun(lr_context *ctx, struct packet_range all, const struct transport_todo *todo,
                          struct transport_todo *begun)
{
    struct packet_range *range = NULL;
    int n = 0;
    LR_TRY(lr_allocate(ctx, (size_t)todo->n_range + 1, sizeof *range, &range));
    int64_t from = all.first;
    for (int r = 0; r <= todo->n_range; r++) {
        const int64_t end = r < todo->n_range ? todo->range[r].first : all.end;
        if (from < end)
            range[n++] = (struct packet_range){from, end};
        from = r < todo->n_range ? todo->range[r].end : end;
    }
    free(begun->range);
    begun->range = range;
    begun->n_range = n;
    return LR_OK;
}
