/* The shape of an escaped line, from its spectrum in independent batches of packets: mean frequency, red and blue
 * light, and peaks, with errors. Frequencies x are in Doppler units, positive = blue. */
#ifndef LR_SOLVE_COMMON_LINE_SHAPE_H
#define LR_SOLVE_COMMON_LINE_SHAPE_H

#include <stdbool.h>

#include "linerad.h"

/* What is not measurable is NaN. */
struct line_shape {
    struct lr_estimate mean;      /* x, of the light inside the bins */
    struct lr_estimate red_blue;  /* light at x < 0 over that at x > 0 */
    struct lr_estimate red_peak;  /* |x| of the peak on the red side, */
    struct lr_estimate blue_peak; /* on the blue side, */
    struct lr_estimate peak;      /* and of the spectrum folded at x = 0 */
    bool asymmetric;              /* the mean is not 0, or red and blue are not equal, by more than 4 standard errors */
};

/* Counts in n_bin equal bins from `first`, of n_batch (at most TRANSPORT_MAX_BATCH) spectra: slots[b][n_bin + 2], whose
 * first and last entries count what is outside; slots[n_batch] is their sum. */
struct line_shape line_shape_measure(int n_batch, int n_bin, double first, double step, const double *slots);

#endif
