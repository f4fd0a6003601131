/* Tables of ball records (kernel/ball.h) on disk. They depend only on the damping and the phase function, take a while
 * to make, and serve all models: they are kept in $LINERAD_CACHE, $XDG_CACHE_HOME/linerad or ~/.cache/linerad. A file
 * appears whole or not at all, and one that is damaged or of another version counts as absent, so several runs may
 * share the folder. */
#ifndef LR_SOLVE_BALLS_BALL_CACHE_H
#define LR_SOLVE_BALLS_BALL_CACHE_H

#include <stdbool.h>

#include "solve/balls/ball_make.h"

/* Whether a table that serves the wish was found. */
bool ball_cache_read(const struct ball_wish *wish, struct ball_table *table);

/* Whether it would be found. */
bool ball_cache_holds(const struct ball_wish *wish);

/* Whether the table could be kept. */
bool ball_cache_write(const struct ball_wish *wish, const struct ball_table *table);

#endif
