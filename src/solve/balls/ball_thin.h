/* Which of many records of photons that left a ball are kept. */
#ifndef LR_SOLVE_BALLS_BALL_THIN_H
#define LR_SOLVE_BALLS_BALL_THIN_H

#include "kernel/ball_chunk.h"

/* A stretch of samples: the first, and the weight of all before it. */
struct ball_stretch {
    int64_t first;
    double before;
};

/* Keeps at most n_kept of n samples (in any order, and reordered here) with chances in proportion to their weights;
 * returns how many. Random numbers come from `key` and `id`; `stretch` has room for n_kept. */
uint32_t ball_thin(const struct ball_family *family, struct ball_sample *sample, int64_t n, uint32_t n_kept,
                   struct rng_key key, uint32_t id, struct ball_stretch *stretch, struct ball_record *kept);

/* Moves the places of records a little, so that their cosines to the initial direction have the given mean: how far a
 * photon keeps its direction over a ball decides how fast many balls are left. */
void ball_place_shift(struct ball_record *record, uint32_t n, double mean);

/* Mean path (in radii) and scatterings of n records, as they are read. */
struct ball_record_means {
    double path, scatterings;
};
struct ball_record_means ball_record_means(const struct ball_record *record, uint32_t n);

#endif
