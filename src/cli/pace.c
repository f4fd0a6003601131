#include "pace.h"

#include <math.h>

static const double at_once = 0.01; /* s: what is done by then was done before */

/* The rate of the last seconds, or of the last tenth of a long run. */
static void update_rate(struct pace *pace, int64_t more, double step)
{
    const double memory = fmax(2, 0.1 * pace->seconds);
    if (!(step > 0))
        return;
    pace->rate += ((double)more / step - pace->rate) * -expm1(-step / memory);
    pace->best = fmax(pace->best, pace->rate);
}

void pace_update(struct pace *pace, int64_t done, int64_t total, double seconds)
{
    const bool begins = seconds < pace->seconds || done < pace->done || total != pace->done + pace->left;
    if (begins) /* another stage */
        *pace = (struct pace){.earlier = seconds < at_once ? done : 0, .done = seconds < at_once ? done : 0};
    const double step = seconds - pace->seconds;
    const int64_t more = done - pace->done;
    pace->seconds = seconds;
    pace->done = done;
    pace->left = total - done;
    update_rate(pace, more, step);
    const bool nearly = (double)(done - pace->earlier) >= 0.9 * (double)(total - pace->earlier);
    if (!pace->tail && nearly && pace->rate < 0.5 * pace->best && pace->left > 0) {
        pace->tail = true;
        pace->tail_seconds = seconds;
        pace->tail_left = pace->left;
    }
}

double pace_mean(const struct pace *pace)
{
    return pace->seconds > 0 ? (double)(pace->done - pace->earlier) / pace->seconds : 0;
}

double pace_remaining(const struct pace *pace)
{
    const double euler = 0.5772156649; /* the last of n decays after (ln n + this) lifetimes */
    if (pace->left <= 0)
        return 0;
    if (!pace->tail)
        return pace_mean(pace) > 0 ? (double)pace->left / pace_mean(pace) : (double)NAN;
    if (pace->left == pace->tail_left)
        return NAN;
    const double lifetime = (pace->seconds - pace->tail_seconds) / log((double)pace->tail_left / (double)pace->left);
    return lifetime * (log((double)pace->left) + euler);
}
