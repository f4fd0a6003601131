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
    double stuck, stuck_weight;                  /* packets given up (packet_is_stuck), and what was left of them */
};

/* What terms of the sums are rounded to (kernel/exact_sum.h); powers of two, or 0: not rounded. */
struct sum_quanta {
    double weight;      /* of packets */
    double path;        /* of packets, with their weight */
    double scatterings; /* of packets, in all cells */
    double cone;        /* weights in cones */
    double length;      /* of the way of packets through a cell, with their weight */
    double depth;       /* of scattering along that way, where alpha0 is from 1 to 2 (quantum_of_depth) */
    double light;       /* toward cameras */
};

/* Most steps of a packet: its random numbers have a counter of 32 bits, and would begin to repeat soon after. */
#define TRANSPORT_MOST_STEPS 4000000000u

/* Lives of packets, counted by their length in steps (packet_steps), which is about proportional to the time they take:
 * bin k holds 2^(k/2) to 2^((k+1)/2) steps. */
enum { LIFE_BINS = 64 };
struct transport_lives {
    double number[LIFE_BINS], steps[LIFE_BINS];
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
