#include "solve/stage/aim.h"

#include <math.h>
#include <stdio.h>

#include "solve/transport/assemble.h"

/* Errors come from the scatter of batches, which is itself uncertain by 1 / sqrt(2 n) of n batches: with fewer, or with
 * hardly any packets in them, a small error could be an accident. */
static const double FEWEST_PACKETS = 30; /* of a batch, on average */

/* In the order of enum until_quantity. */
static const char *const names[] = {"f_esc",    "scatterings_per_packet", "mean_path",           "median_abs_x",
                                    "absorbed", "lower_quartile_abs_x",   "upper_quartile_abs_x"};

static struct lr_estimate quantity_of(const struct lr_summary *summary, enum until_quantity quantity)
{
    switch (quantity) {
    case UNTIL_F_ESC:
        return summary->f_esc;
    case UNTIL_SCATTERINGS:
        return summary->scatterings_per_packet;
    case UNTIL_PATH:
        return summary->mean_path;
    case UNTIL_ABSORBED:
        return summary->absorbed;
    case UNTIL_LOWER_QUARTILE:
        return summary->lower_quartile_abs_x;
    case UNTIL_UPPER_QUARTILE:
        return summary->upper_quartile_abs_x;
    case UNTIL_MEDIAN:
        break;
    }
    return summary->median_abs_x;
}

enum lr_status aim_look(lr_context *ctx, const struct stage *stage, const struct run *run,
                        const struct transport_tally *tally, bool *reached, char *says, size_t size)
{
    struct prepared prepared = stage->prepared;
    struct lr_result *now = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *now, &now));
    prepared.job.tally.fields = prepared.job.tally.record = false; /* only numbers are looked at */
    const enum lr_status status = assemble_result(ctx, &prepared, tally, now);
    const struct lr_estimate found = quantity_of(&now->summary, run->until);
    const double error = found.error / fabs(found.value);
    *reached = status == LR_OK && now->summary.packets >= FEWEST_PACKETS * run->batches && error <= run->until_error;
    if (isfinite(error))
        snprintf(says, size, "%s to %.3g %%", names[run->until], 100 * error);
    else
        snprintf(says, size, "%s is 0 or not known", names[run->until]);
    lr_result_free(now);
    return status;
}
