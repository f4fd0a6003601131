/* How long packets live, from a pilot in which some ended and others were left unfinished: the method of life tables
 * (Kaplan & Meier 1958, in bins), which is not biased by long lives being cut short. Beyond the last well-observed ages
 * all die at the same rate. Lives are in steps (kernel/packet_events.h). */
#ifndef LR_SOLVE_STAGE_LIFE_TABLE_H
#define LR_SOLVE_STAGE_LIFE_TABLE_H

#include <stdbool.h>

#include "kernel/sums.h"

struct life_table {
    double n_ended, n_left;
    double steps, steps_left; /* so far, of all packets and of those left */
    double mean;              /* length of a whole life */
    int n_bin;                /* then the rate of deaths is constant */
    double tail_rate;
    double age[LIFE_BINS + 1];    /* where bins begin; the tail begins at age[n_bin] */
    double alive[LIFE_BINS + 1];  /* fraction that reaches this age */
    double beyond[LIFE_BINS + 1]; /* integral of that from here on */
};

/* Returns whether enough packets have ended for that; otherwise only numbers and steps are known. */
bool life_table_make(const struct transport_lives *ended, const struct transport_lives *left, struct life_table *table);

/* When the last of n packets ends: n that begin together, or n found in the middle of their lives. The time is that of
 * a step while there are n of them. With fewer, steps take less, in proportion to their number, down to n_steady (n or
 * more: steps always take the same). */
double life_table_last_born(const struct life_table *table, double n, double n_steady);
double life_table_last_alive(const struct life_table *table, double n, double n_steady);

#endif
