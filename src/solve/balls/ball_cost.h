/* What jumps cost and save, in seconds of one CPU core: for `auto` and for `linerad check`. Measured on one core of a
 * recent server in November 2026, and good to a factor of about 1.5. Histories depend on what `auto` decides: the
 * numbers are therefore constants, not measured anew on each machine. A GPU is faster in everything alike. */
#ifndef LR_SOLVE_BALLS_BALL_COST_H
#define LR_SOLVE_BALLS_BALL_COST_H

#include "solve/balls/ball_make.h"

/* Cores that a large GPU is worth when it makes records. */
#define BALL_GPU_CORES 100.0

/* To make the records of a wish, and their memory. `second`: of the second grade. */
double ball_cost_make(const struct ball_wish *wish, bool second);
double ball_cost_bytes(const struct ball_wish *wish);

/* For `scatterings` in gas of damping a: all followed; or with jumps through balls of radius up to `first` in the first
 * grade and `second` in the second (0: none). */
double ball_cost_followed(double scatterings);
double ball_cost_jumps(double scatterings, double a, double first, double second);

#endif
