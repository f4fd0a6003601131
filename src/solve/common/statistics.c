#include "solve/common/statistics.h"

#include <math.h>

struct lr_estimate ratio_estimate(int n_batch, const double *y, const double *w)
{
    double sum_y = 0;
    double sum_w = 0;
    int used = 0;
    for (int b = 0; b < n_batch; b++) {
        sum_y += y[b];
        sum_w += w[b];
        used += w[b] > 0;
    }
    if (!(sum_w > 0))
        return (struct lr_estimate){0, 0};
    const double ratio = sum_y / sum_w;
    double scatter = 0;
    for (int b = 0; b < n_batch; b++)
        if (w[b] > 0)
            scatter += (y[b] - ratio * w[b]) * (y[b] - ratio * w[b]);
    const double error = used > 1 ? sqrt((double)used / (used - 1) * scatter) / sum_w : (double)NAN;
    return (struct lr_estimate){ratio, error};
}

/* Counts below x. */
static double cumulative(int n_bin, double first, double step, const double *slots, double x)
{
    const double position = (x - first) / step;
    if (position <= 0)
        return 0; /* the lower outside slot is never within (-q, q) */
    const int whole = position >= n_bin ? n_bin : (int)position;
    double sum = 0;
    for (int i = 0; i < whole; i++)
        sum += slots[i + 1];
    if (whole < n_bin)
        sum += (position - whole) * slots[whole + 1];
    return sum;
}

static double folded(int n_bin, double first, double step, const double *slots, double q)
{
    return cumulative(n_bin, first, step, slots, q) - cumulative(n_bin, first, step, slots, -q);
}

double folded_quantile(int n_bin, double first, double step, const double *slots, double fraction)
{
    double total = 0;
    for (int i = 0; i < n_bin + 2; i++)
        total += slots[i];
    const double target = fraction * total;
    double low = 0;
    double high = fmax(fabs(first), fabs(first + n_bin * step));
    if (!(total > 0))
        return NAN;
    if (folded(n_bin, first, step, slots, high) < target)
        return INFINITY;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (folded(n_bin, first, step, slots, middle) < target)
            low = middle;
        else
            high = middle;
    }
    return high;
}
