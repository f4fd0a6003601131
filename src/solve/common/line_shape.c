#include "solve/common/line_shape.h"

#include <math.h>

#include "backend/backend.h"
#include "solve/common/statistics.h"

static const struct lr_estimate UNKNOWN = {NAN, NAN};

/* The bins, and one spectrum in them. */
struct spectrum {
    int n_bin;
    double first, step;
    const double *slots;
};

static struct spectrum of_batch(struct spectrum all, int n_batch, int b)
{
    all.slots -= (ptrdiff_t)(n_batch - b) * (all.n_bin + 2);
    return all;
}

/* Counts between two frequencies, which are spread evenly inside a bin. */
static double counts(const struct spectrum *spectrum, double from, double to)
{
    const double low = fmax((from - spectrum->first) / spectrum->step, 0);
    const double high = fmin((to - spectrum->first) / spectrum->step, spectrum->n_bin);
    double sum = 0;
    for (int i = (int)low; i < high; i++)
        sum += spectrum->slots[i + 1] * (fmin(high, i + 1.0) - fmax(low, i));
    return sum;
}

/* ---- Mean, red and blue ---- */

struct sides {
    double red, blue; /* counts, with those outside */
    double inside;    /* counts in the bins */
    double moment;    /* their sum times x */
};

/* Light that was never scattered may be exactly at line centre. If that is the edge of two bins, the upper one holds
 * it; it belongs to neither side, and so these two share their light. */
static struct sides find_sides(const struct spectrum *s)
{
    const double centre = -s->first / s->step, edge = round(centre), last = s->first + s->n_bin * s->step;
    struct sides sides = {.red = s->slots[0] + counts(s, s->first, 0),
                          .blue = s->slots[s->n_bin + 1] + counts(s, 0, last),
                          .inside = counts(s, s->first, last)};
    for (int i = 0; i < s->n_bin; i++)
        sides.moment += s->slots[i + 1] * (s->first + (i + 0.5) * s->step);
    if (fabs(centre - edge) < 1e-6 && edge > 0 && edge < s->n_bin) {
        const double excess = 0.5 * (s->slots[(int)edge + 1] - s->slots[(int)edge]);
        sides.red += excess;
        sides.blue -= excess;
        sides.moment -= excess * s->step;
    }
    return sides;
}

static void measure_sides(struct spectrum all, int n_batch, struct line_shape *shape)
{
    double red[TRANSPORT_MAX_BATCH], blue[TRANSPORT_MAX_BATCH], both[TRANSPORT_MAX_BATCH];
    double inside[TRANSPORT_MAX_BATCH], moment[TRANSPORT_MAX_BATCH];
    for (int b = 0; b < n_batch; b++) {
        const struct spectrum one = of_batch(all, n_batch, b);
        const struct sides sides = find_sides(&one);
        red[b] = sides.red;
        blue[b] = sides.blue;
        both[b] = sides.red + sides.blue;
        inside[b] = sides.inside;
        moment[b] = sides.moment;
    }
    const struct sides sum = find_sides(&all);
    if (sum.inside > 0)
        shape->mean = ratio_estimate(n_batch, moment, inside);
    if (!(all.first < 0 && all.first + all.n_bin * all.step > 0) || !(sum.red + sum.blue > 0))
        return;
    if (sum.blue > 0)
        shape->red_blue = ratio_estimate(n_batch, red, blue);
    const struct lr_estimate fraction = ratio_estimate(n_batch, red, both);
    const bool shifted = n_batch > 1 && fabs(shape->mean.value) > fmax(4 * shape->mean.error, 0.5 * all.step);
    const bool uneven = n_batch > 1 && fabs(fraction.value - 0.5) > fmax(4 * fraction.error, 1e-9);
    shape->asymmetric = shifted || uneven;
}

/* ---- Peaks ---- */

enum side { RED = 1, BLUE = 2, FOLDED = RED | BLUE };
enum { N_WIDE = 120, PER_QUARTILE = 30 };

/* Counts in a wider bin of |x| on one side or both. */
static double wide_count(const struct spectrum *spectrum, enum side side, double width, int i)
{
    const double from = i * width, to = (i + 1) * width;
    return (side & BLUE ? counts(spectrum, from, to) : 0) + (side & RED ? counts(spectrum, -to, -from) : 0);
}

/* Where a parabola is fitted: `n` wider bins from `first`, those near the top and at least three. */
struct window {
    int first, n;
};

/* The highest bin that is higher than the one below it, 0 if there is none: light at line centre is no peak of either
 * side. */
static int find_top(const double count[N_WIDE])
{
    int top = 0;
    for (int i = 1; i < N_WIDE - 1; i++)
        if (count[i] > count[i - 1] && (top == 0 || count[i] > count[top]))
            top = i;
    return top;
}

static struct window find_window(const double count[N_WIDE], int top, double least)
{
    int low = top - 1, high = top + 1;
    while (low > 1 && count[low] >= least && count[low - 1] >= least)
        low--;
    while (high < N_WIDE - 1 && count[high] >= least && count[high + 1] >= least)
        high++;
    return (struct window){low, high - low + 1};
}

/* Slope and curvature of the parabola that fits best, at the middle of the window; both are sums of counts with fixed
 * weights. */
static void fit_parabola(const struct spectrum *spectrum, enum side side, double width, struct window window,
                         double *slope, double *curvature)
{
    const double middle = 0.5 * (window.n - 1), mean = (window.n * window.n - 1.0) / 12; /* of s^2 */
    double linear = 0, linear_norm = 0, square = 0, square_norm = 0;
    for (int i = 0; i < window.n; i++) {
        const double s = i - middle, q = s * s - mean;
        const double count = wide_count(spectrum, side, width, window.first + i);
        linear += s * count;
        linear_norm += s * s;
        square += q * count;
        square_norm += q * q;
    }
    *slope = linear / linear_norm;
    *curvature = 2 * square / square_norm;
}

/* The top of a parabola is minus slope over curvature, a ratio of sums over batches. It counts as a peak if the
 * parabola is curved by more than four times the error of that. */
static struct lr_estimate measure_top(struct spectrum all, int n_batch, double width, enum side side,
                                      struct window window)
{
    double slope, curvature, spread = 0, scatter = 0;
    fit_parabola(&all, side, width, window, &slope, &curvature);
    const double top = -slope / curvature;
    if (!(curvature < 0) || !(fabs(top) <= 0.5 * window.n))
        return UNKNOWN;
    for (int b = 0; b < n_batch; b++) {
        const struct spectrum one = of_batch(all, n_batch, b);
        double one_slope, one_curvature;
        fit_parabola(&one, side, width, window, &one_slope, &one_curvature);
        spread += pow(one_slope + top * one_curvature, 2);
        scatter += pow(one_curvature - curvature / n_batch, 2);
    }
    const double factor = n_batch > 1 ? n_batch / (n_batch - 1.0) : (double)NAN;
    if (n_batch > 1 && !(-curvature > 4 * sqrt(factor * scatter)))
        return UNKNOWN;
    return (struct lr_estimate){(window.first + 0.5 * window.n + top) * width,
                                sqrt(factor * spread) / -curvature * width};
}

/* From the bins above 0.9 of the highest or, if these are too noisy, from more of the peak. */
static struct lr_estimate measure_peak(struct spectrum all, int n_batch, double width, enum side side)
{
    const double heights[] = {0.9, 0.75, 0.6, 0.45};
    struct lr_estimate peak = UNKNOWN;
    double count[N_WIDE];
    for (int i = 0; i < N_WIDE; i++)
        count[i] = wide_count(&all, side, width, i);
    const int top = find_top(count);
    for (size_t i = 0; top > 0 && isnan(peak.value) && i < sizeof heights / sizeof *heights; i++)
        peak = measure_top(all, n_batch, width, side, find_window(count, top, heights[i] * count[top]));
    return peak;
}

struct line_shape line_shape_measure(int n_batch, int n_bin, double first, double step, const double *slots)
{
    struct line_shape shape = {UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, false};
    const struct spectrum all = {n_bin, first, step, slots + (size_t)n_batch * (size_t)(n_bin + 2)};
    const double quartile = folded_quantile(n_bin, first, step, all.slots, 0.75);
    measure_sides(all, n_batch, &shape);
    if (!isfinite(quartile))
        return shape;
    const double width = fmax(quartile / PER_QUARTILE, step);
    shape.red_peak = measure_peak(all, n_batch, width, RED);
    shape.blue_peak = measure_peak(all, n_batch, width, BLUE);
    shape.peak = measure_peak(all, n_batch, width, FOLDED);
    return shape;
}
