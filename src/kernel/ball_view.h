/* Tables of records of photons that leave a ball (ball.h), the same in every precision. */
#ifndef LR_KERNEL_BALL_VIEW_H
#define LR_KERNEL_BALL_VIEW_H

#include <stdint.h>

#include "kernel/portable.h"

/* How one photon left: frequency, or its change (lowest bit set); cosine of the angle between the place and the initial
 * direction; angle of the final direction to the radius, and its azimuth from the plane of both; path and last flight
 * in radii, scatterings. */
struct LR_ALIGNED(16) ball_record {
    float x;
    uint16_t mu_place, mu_out, azimuth, path, scatterings, last;
};

/* What leaves in the core [0] and in the wing [1]. */
struct ball_row {
    float at;                    /* coordinate of the frequency (ball_coordinate) */
    float wing;                  /* chance of the wing */
    float path[2], scattered[2]; /* factors that give the kept records the mean of all that were made */
    uint32_t first[2], n[2];     /* kept records */
};

struct ball_level {
    int first_row, n_row; /* the last is at x_max */
    float x_max;
};

/* How far the same gas extends beyond a cell, in code units: on all sides; SHELLS: inward and outward. */
struct ball_reach {
    float below, above;
};

struct ball_view {
    int n_table, n_level; /* dampings a_first ratio^j; levels of each */
    float a_first, log_ratio;
    const struct ball_level *level; /* [n_table][n_level] */
    const struct ball_row *row;
    const struct ball_record *record;
    int endless[3];                  /* axes along which nothing changes or ends */
    const struct ball_reach *beyond; /* [cells]; or NULL: jumps stay in their cell */
};

#endif
