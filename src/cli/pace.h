/* The pace of a run, and how long it will still take. Packets start one after the other and end at a steady rate; when
 * the last one has started, those with long histories remain, and their number falls exponentially. */
#ifndef LINERAD_CLI_PACE_H
#define LINERAD_CLI_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
    int64_t earlier;    /* done when the run began, by an earlier session */
    int64_t done, left; /* at the last call, */
    double seconds;     /* and when that was */
    double rate, best;  /* recent number per second, and the highest there was */
    bool tail;          /* only long histories remain, since */
    double tail_seconds;
    int64_t tail_left; /* when so many did */
};

/* What has been done of a total after so many seconds. */
void pace_update(struct pace *pace, int64_t done, int64_t total, double seconds);
/* Expected seconds until all is done; NAN if that cannot be told. */
double pace_remaining(const struct pace *pace);
/* Per second, since the beginning. */
double pace_mean(const struct pace *pace);

#endif
