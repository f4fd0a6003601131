/* LAMDA files: the pair of levels at the start of a row, and what real files do with it. */
#include <limits.h>
#include <string.h>

#include "lines/lamda_parts.h"

static size_t bytes(int n_level)
{
    return (size_t)n_level * (size_t)(n_level - 1) / 2 / 8 + 1;
}

enum lr_status lamda_pairs_create(lr_context *ctx, int n_level, const double *rounding, struct lamda_pairs *pairs)
{
    *pairs = (struct lamda_pairs){.n_level = n_level, .rounding = rounding};
    return lr_allocate(ctx, bytes(n_level), 1, &pairs->seen);
}

void lamda_pairs_clear(struct lamda_pairs *pairs)
{
    memset(pairs->seen, 0, bytes(pairs->n_level));
    pairs->exchanged = pairs->repeated = (struct oddity){0};
}

/* False if the pair was there before. */
static bool add(struct lamda_pairs *pairs, int one, int other)
{
    size_t high = (size_t)(one > other ? one : other), low = (size_t)(one > other ? other : one);
    size_t bit = high * (high - 1) / 2 + low;
    unsigned char mask = (unsigned char)(1u << (bit % 8));
    bool fresh = !(pairs->seen[bit / 8] & mask);
    pairs->seen[bit / 8] |= mask;
    return fresh;
}

void oddity_count(struct oddity *oddity, int line)
{
    if (oddity->n++ == 0)
        oddity->line = line;
}

enum lr_status lamda_pair(struct text_table *table, const struct molecule *molecule, struct lamda_pairs *pairs,
                          int *upper, int *lower, bool *repeated)
{
    int number = 0, one = 0, other = 0;
    LR_TRY(text_table_integer(table, "the number of this row", 0, INT_MAX, &number));
    LR_TRY(text_table_integer(table, "the number of the upper level", 1, molecule->n_level, &one));
    LR_TRY(text_table_integer(table, "the number of the lower level", 1, molecule->n_level, &other));
    if (one == other)
        return TEXT_FAIL(table, "upper and lower level are both %d; expected two levels", one);
    *upper = one - 1;
    *lower = other - 1;
    const double rise = molecule->level[*upper].energy - molecule->level[*lower].energy;
    if (rise < -(pairs->rounding[*upper] + pairs->rounding[*lower])) {
        oddity_count(&pairs->exchanged, table->line);
        *upper = other - 1;
        *lower = one - 1;
    }
    *repeated = !add(pairs, *upper, *lower);
    if (*repeated)
        oddity_count(&pairs->repeated, table->line);
    return LR_OK;
}

void lamda_pairs_warn(const struct text_table *table, const struct lamda_pairs *pairs)
{
    if (pairs->exchanged.n)
        lr_log(table->ctx, LR_LOG_WARNING,
               "%s:%d: the upper level lies below the lower one (%d such rows, this is the first); the two are "
               "exchanged, since the format lists downward rates",
               table->name, pairs->exchanged.line, pairs->exchanged.n);
    if (pairs->repeated.n)
        lr_log(table->ctx, LR_LOG_WARNING,
               "%s:%d: these two levels appear again in the same table (%d such rows, this is the first); the earlier "
               "row is used",
               table->name, pairs->repeated.line, pairs->repeated.n);
}
