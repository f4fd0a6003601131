/* Means of what leaves a ball, with control variates.
 *
 * Of y the mean is wanted, of z it is known to be zero. The mean of y - b z is then that of y for any b, and has the
 * smallest error if b is the regression of y on z. */
#ifndef LR_SOLVE_BALLS_BALL_SUMS_H
#define LR_SOLVE_BALLS_BALL_SUMS_H

#include "kernel/ball_chunk.h"

void ball_sums_add(struct ball_sums *sums, const struct ball_sums *more);
void ball_sums_means(const struct ball_sums *sums, double *mean);

#endif
