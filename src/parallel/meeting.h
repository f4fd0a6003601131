/* Ranks of a job stay together: before they exchange anything, they find out that all are there and well. */
#ifndef LR_PARALLEL_MEETING_H
#define LR_PARALLEL_MEETING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"

/* There are several, and this is not the first of them, which alone writes and decides. */
bool team_is_large(const lr_context *ctx);
bool team_is_helper(const lr_context *ctx);

/* All ranks meet, each with how it fares. If one has failed, wherever it was on its way, so have all, with its error;
 * from then on each is alone. Fails, too, if they come from different `places`. Alone: returns `status`. */
enum team_place {
    PLACE_AGREE,
    PLACE_DOCUMENT,
    PLACE_MODEL,
    PLACE_MEMORY,
    PLACE_PLAN,
    PLACE_RECORDS,
    PLACE_WORK,
    PLACE_SUMS,
    PLACE_LIGHT,
    PLACE_ROWS,
    PLACE_LEVELS,
    PLACE_END
};
enum lr_status team_meet(lr_context *ctx, enum team_place place, enum lr_status status);

/* The same, and then: rank 0's values everywhere; the smallest one everywhere; fails unless all are equal. */
enum lr_status team_share(lr_context *ctx, enum team_place place, void *data, int64_t bytes);
enum lr_status team_least(lr_context *ctx, enum team_place place, double *value);
enum lr_status team_compare(lr_context *ctx, enum team_place place, uint64_t value, bool *equal);

#endif
