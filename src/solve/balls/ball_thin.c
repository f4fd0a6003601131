/* Of many weighted records few of equal weight are kept. Samples are ordered so that neighbours are alike, halved in
 * turn by frequency, place and path; one is then drawn from each of n_kept equal stretches of the cumulated weight.
 * Each has a chance in proportion to its weight, so nothing is biased, and those kept represent all much better than
 * independent draws would.
 *
 * What remains of the error in the directions of photons is common to all packets that will ever use these records, and
 * adds up over many jumps. A few of the records are therefore exchanged for others of the same stretch, until the means
 * are close to those of all samples. It must be few: if every record were chosen for the mean, those far from it would
 * be missing, and scatterings come out 12 % too low. */
#include "solve/balls/ball_thin.h"

#include <math.h>

enum { N_AXIS = 3 };
static double key_of(const struct ball_sample *sample, int axis)
{
    return axis == 0   ? (double)sample->farthest
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

/* ---- the mean of all ----------------------------------------------------------------------------------------------
 */

/* What the records of a part should have the mean of all samples of: how photons drift and spread over a ball and over
 * the flight that follows. */
enum { N_TRAIT = 10 };
struct traits {
    double of[N_TRAIT];
};

static struct traits traits_of(const struct ball_record *record, const struct ball_family *family)
{
    const double mu_place = (record->mu_place + 0.5) / 32768 - 1;
    const double mu_out = (record->mu_out + 0.5) / 32768 - 1;
    const double sines = sqrt(fmax((1 - mu_place * mu_place) * (1 - mu_out * mu_out), 0));
    const double z = mu_out * mu_place + sines * cos(3.14159265358979323846 * (record->azimuth + 0.5) / 65536);
    const double reach = (double)ball_decode_length(record->reach);
    const int inside = (int)(record->photon & 1u);
    double x = (double)ball_decode_frequency(record->photon);
    double size = fabs(x), keeps = 1; /* mean cosine of the direction to that of the record */
    if (inside && family->isotropic) {
        const double speed = (double)ball_decode_speed(record->photon);
        const double y = (double)ball_decode_detuning(record->photon);
        const struct ball_ways ways = ball_ways_to_wing((real)speed, (real)y, (real)family->x_wing);
        const double above = (double)ways.above / (double)(ways.above + ways.below);
        const double upper = y + speed - 0.5 * (double)ways.above;
        const double lower = y - speed + 0.5 * (double)ways.below;
        x = above * upper + (1 - above) * lower;
        size = above * fabs(upper) + (1 - above) * fabs(lower);
        keeps = (x - y) / speed;
    }
    const double distance = inside ? reach : 1;
    const double flight = 1 / (double)voigt((real)family->a, (real)size);
    const struct traits traits = {{distance * mu_place, keeps * mu_out, keeps * z, reach, reach * reach, flight,
                                   flight * distance * keeps * mu_out, flight * keeps * z, x,
                                   (double)ball_decode_length(record->path)}};
    return traits;
}

static double size_of(const struct traits *traits)
{
    double sum = 0;
    for (int k = 0; k < N_TRAIT; k++)
        sum += traits->of[k] * traits->of[k];
    return sum;
}

/* Adds the difference of a record to the mean, in standard deviations. */
static void traits_add(struct traits *sum, const struct ball_record *record, const struct ball_family *family,
                       const struct traits *mean, const struct traits *scale, double sign)
{
    const struct traits traits = traits_of(record, family);
    for (int k = 0; k < N_TRAIT; k++)
        sum->of[k] += sign * (traits.of[k] - mean->of[k]) * scale->of[k];
}

/* Means, and the inverse of standard deviations. */
static void traits_measure(const struct ball_sample *sample, int64_t n, const struct ball_family *family, double weight,
                           struct traits *mean, struct traits *scale)
{
    *mean = *scale = (struct traits){{0}};
    for (int64_t i = 0; i < n; i++) {
        const struct traits traits = traits_of(&sample[i].record, family);
        for (int k = 0; k < N_TRAIT; k++) {
            mean->of[k] += (double)sample[i].weight / weight * traits.of[k];
            scale->of[k] += (double)sample[i].weight / weight * traits.of[k] * traits.of[k];
        }
    }
    for (int k = 0; k < N_TRAIT; k++) {
        const double variance = scale->of[k] - mean->of[k] * mean->of[k];
        scale->of[k] = variance > 1e-12 * scale->of[k] ? 1 / sqrt(variance) : 0;
    }
}

/* ---- the choice ---------------------------------------------------------------------------------------------------
 */

/* The sample at which the cumulated weight reaches `goal`, from one before it. */
static int64_t sample_at(const struct ball_sample *sample, int64_t n, struct ball_stretch from, double goal)
{
    int64_t at = from.first;
    double reached = from.before + (double)sample[at].weight;
    while (reached < goal && at < n - 1)
        reached += (double)sample[++at].weight;
    return at;
}

uint32_t ball_thin(const struct ball_family *family, struct ball_sample *sample, int64_t n, uint32_t n_kept,
                   struct rng_key key, uint32_t id, struct ball_stretch *stretch, struct ball_record *kept)
{
    enum { CLOSE = 4, TRIES = 4 };
    struct traits mean, scale;
    struct traits off = {{0}};
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)sample[i].weight;
    if (!(sum > 0))
        return 0;
    const uint32_t m = n < (int64_t)n_kept ? (uint32_t)n : n_kept;
    const double share = sum / m;
    order(sample, n, 0);
    traits_measure(sample, n, family, sum, &mean, &scale);
    struct ball_stretch at = {0, 0};
    for (uint32_t i = 0; i < m; i++) {
        for (; at.before + (double)sample[at.first].weight < i * share && at.first < n - 1; at.first++)
            at.before += (double)sample[at.first].weight;
        stretch[i] = at;
        const double goal = (i + (double)rng_uniform(rng_draw(key, i, id, UINT32_MAX).r0)) * share;
        kept[i] = sample[sample_at(sample, n, at, goal)].record;
        traits_add(&off, &kept[i], family, &mean, &scale, 1);
    }
    for (uint32_t i = 0; i < TRIES * m && size_of(&off) > CLOSE * N_TRAIT; i++) {
        const struct random4 random = rng_draw(key, m + i, id, UINT32_MAX);
        const uint32_t one = (uint32_t)((double)random.r0 * 2.3283064365386963e-10 * m);
        const double goal = (one + (double)rng_uniform(random.r1)) * share;
        const struct ball_record *other = &sample[sample_at(sample, n, stretch[one], goal)].record;
        struct traits then = off;
        traits_add(&then, &kept[one], family, &mean, &scale, -1);
        traits_add(&then, other, family, &mean, &scale, 1);
        if (size_of(&then) < size_of(&off)) {
            off = then;
            kept[one] = *other;
        }
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
