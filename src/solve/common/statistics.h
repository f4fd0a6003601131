/* Estimates and their errors from independent batches of packets. */
#ifndef LR_SOLVE_COMMON_STATISTICS_H
#define LR_SOLVE_COMMON_STATISTICS_H

#include "linerad.h"

/* The ratio sum(y) / sum(w) over batches, with the standard error of a ratio estimator,
 *
 *     error^2 = B/(B-1) SUM (y_b - r w_b)^2 / (SUM w_b)^2.
 *
 * The error is NaN with fewer than two batches; both are zero if sum(w) is zero. */
struct lr_estimate ratio_estimate(int n_batch, const double *y, const double *w);

/* The position below which a given fraction of a folded histogram lies: F(q) = C(q) - C(-q), where C is the cumulative
 * sum of counts in n_bin equal bins from `first`, linear inside a bin. slots[0] and slots[n_bin + 1] hold the counts
 * outside; a quantile that falls there is infinite. */
double folded_quantile(int n_bin, double first, double step, const double *slots, double fraction);

#endif
