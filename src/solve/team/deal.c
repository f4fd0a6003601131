#include "solve/team/deal.h"

#include "backend/todo.h"
#include "base/context.h"
#include "parallel/meeting.h"

static int64_t chunk_size(int64_t left, int64_t parts, int64_t least)
{
    const int64_t size = left / parts > least ? left / parts : least;
    return size < left ? size : left;
}

enum lr_status deal_make(lr_context *ctx, struct transport_todo *all, int parts, int64_t devices, int64_t least,
                         int64_t base, struct deal *deal)
{
    const int64_t n = todo_numbers(all), divisor = parts * devices, equal = (n + devices - 1) / devices;
    least = least < equal ? least : equal;
    *deal = (struct deal){.team = team_is_large(ctx) ? ctx->team : NULL, .base = base, .all = *all};
    *all = (struct transport_todo){0};
    for (int64_t left = n; left > 0; left -= chunk_size(left, divisor, least))
        deal->n_chunk++;
    LR_TRY(lr_allocate(ctx, (size_t)deal->n_chunk + 1, sizeof *deal->begin, &deal->begin));
    for (int64_t k = 0; k < deal->n_chunk; k++)
        deal->begin[k + 1] = deal->begin[k] + chunk_size(n - deal->begin[k], divisor, least);
    return LR_OK;
}

void deal_free(struct deal *deal)
{
    todo_free(&deal->all);
    free(deal->begin);
    deal->begin = NULL;
}

int deal_most_ranges(const struct deal *deal)
{
    return (int)deal->n_chunk + deal->all.n_range + 1;
}

/* Chunks taken so far; `more` are taken now. */
static int64_t count_taken(struct deal *deal, int64_t more)
{
    int64_t before;
    if (deal->team)
        return deal->team->board_add(deal->team, BOARD_CHUNK, more) - deal->base;
#pragma omp atomic capture
    {
        before = deal->taken;
        deal->taken += more;
    }
    return before;
}

int64_t deal_take(struct deal *deal, struct transport_todo *to)
{
    const int64_t k = count_taken(deal, 1);
    if (k >= deal->n_chunk)
        return 0;
    todo_add_part(&deal->all, deal->begin[k], deal->begin[k + 1], to);
    return deal->begin[k + 1] - deal->begin[k];
}

void deal_return(struct deal *deal, struct transport_todo *to)
{
    const int64_t taken = count_taken(deal, 0);
    if (taken < deal->n_chunk)
        todo_add_part(&deal->all, deal->begin[taken], deal->begin[deal->n_chunk], to);
}
