/* The sums of a transport run, in plain doubles: the same for every precision and device. */
#ifndef LR_KERNEL_SUMS_H
#define LR_KERNEL_SUMS_H

#include <stdint.h>

/* Sums of one batch; `weight` is 1 per emitted packet. */
struct transport_batch {
    double packets, escaped, absorbed, roulette; /* roulette: weight removed minus weight added */
    double scattered;                            /* sum of the weight at each scattering */
    double path;                                 /* weight x path of escaped packets */
    double events, skipped;                      /* scatterings followed, and those inside balls; unweighted */
};

/* Lives of packets, counted by their length in random draws, which is about proportional to the time they take: bin k
 * holds 2^(k/2) to 2^((k+1)/2) draws. */
enum { LIFE_BINS = 64 };
struct transport_lives {
    double number[LIFE_BINS], draws[LIFE_BINS];
};

/* One escaped packet, recorded on request. */
struct transport_record {
    int64_t id, scatterings;
    double weight, shift, path;
    double direction[3];
    int32_t face, cell[3], last_cell[3];
    double local[3], last_local[3];
};

#endif
