/* Of many weighted records few of equal weight are kept. Samples are ordered so that neighbours are alike, halved in
 * turn by frequency and by path; one is then drawn from each of n_kept equal stretches of the cumulated weight. Each
 * has a chance in proportion to its weight, so nothing is biased, and those kept represent all much better than
 * independent draws would. */
#include "solve/balls/ball_thin.h"

#include <math.h>

enum { N_AXIS = 3 };
static double key_of(const struct ball_sample *sample, int axis)
{
    return axis == 0   ? fabs((double)sample->x)
           : axis == 1 ? (double)sample->record.mu_place
                       : (double)sample->record.path;
}

/* Reorders samples so that none before `at` has a larger key than any after it (Hoare's selection). */
static void part_at(struct ball_sample *sample, int64_t n, int64_t at, int axis)
{
    int64_t low = 0;
    int64_t high = n - 1;
    while (low < high) {
        const double pivot = key_of(&sample[low + (high - low) / 2], axis);
        int64_t i = low;
        int64_t j = high;
        while (i <= j) {
            while (key_of(&sample[i], axis) < pivot)
                i++;
            while (key_of(&sample[j], axis) > pivot)
                j--;
            if (i <= j) {
                const struct ball_sample other = sample[i];
                sample[i++] = sample[j];
                sample[j--] = other;
            }
        }
        if (at <= j)
            high = j;
        else if (at >= i)
            low = i;
        else
            return;
    }
}

static void order(struct ball_sample *sample, int64_t n, int axis)
{
    enum { FEW = 4 };
    if (n <= FEW)
        return;
    const int64_t half = n / 2;
    part_at(sample, n, half, axis);
    order(sample, half, (axis + 1) % N_AXIS);
    order(sample + half, n - half, (axis + 1) % N_AXIS);
}

uint32_t ball_thin(struct ball_sample *sample, int64_t n, uint32_t n_kept, struct rng_key key, uint32_t id,
                   struct ball_record *kept)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)sample[i].weight;
    if (!(sum > 0))
        return 0;
    const uint32_t m = n < (int64_t)n_kept ? (uint32_t)n : n_kept;
    order(sample, n, 0);
    int64_t at = 0;
    double reached = (double)sample[0].weight;
    for (uint32_t i = 0; i < m; i++) {
        const double goal = (i + (double)rng_uniform(rng_draw(key, i, id, UINT32_MAX).r0)) * sum / m;
        while (reached < goal && at < n - 1)
            reached += (double)sample[++at].weight;
        kept[i] = sample[at].record;
    }
    return m;
}

/* mu + 1.5 d (1 - mu^2) stays within -1 .. 1 for |d| < 1/3, and its mean is larger by d times about 1. Repeated, since
 * the distribution is not quite even. */
void ball_place_shift(struct ball_record *record, uint32_t n, double mean)
{
    for (int step = 0; step < 2; step++) {
        double now = 0;
        double gain = 0;
        for (uint32_t i = 0; i < n; i++) {
            const double mu = (record[i].mu_place + 0.5) / 32768 - 1;
            now += mu / n;
            gain += 1.5 * (1 - mu * mu) / n;
        }
        const double shift = gain > 0 ? fmin(fmax((mean - now) / gain, -0.3), 0.3) : 0;
        for (uint32_t i = 0; i < n; i++) {
            const double mu = (record[i].mu_place + 0.5) / 32768 - 1;
            record[i].mu_place = ball_code_part(0.5 * (mu + 1.5 * shift * (1 - mu * mu) + 1));
        }
    }
}

struct ball_record_means ball_record_means(const struct ball_record *record, uint32_t n)
{
    struct ball_record_means mean = {0, 0};
    for (uint32_t i = 0; i < n; i++) {
        mean.path += (double)ball_decode_length(record[i].path) / n;
        mean.scatterings += (double)ball_decode(record[i].scatterings, R(1)) / n;
    }
    return mean;
}
