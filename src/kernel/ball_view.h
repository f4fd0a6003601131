/* Tables of records of photons that leave the core of the line or a ball (ball.h), the same in every precision. */
#ifndef LR_KERNEL_BALL_VIEW_H
#define LR_KERNEL_BALL_VIEW_H

#include <stdint.h>

#include "kernel/portable.h"

/* How one photon left. `photon` is its frequency, as the bits of a float; the lowest bit is set if it was scattered
 * into the wing of the line, somewhere inside the ball, and clear if it left through the surface. Photons that were
 * scattered isotropically into the wing have instead the atom that did it: speed (15 bits) and detuning (16 bits).
 *
 * Cosine of the angle between the place and the initial direction; angle of the final direction, or of the atom's
 * velocity, to the radius, and its azimuth from the plane of both; path in radii, scatterings; and, also in radii, the
 * last flight, or inside the ball the distance from the centre. */
struct LR_ALIGNED(16) ball_record {
    uint32_t photon;
    uint16_t mu_place, mu_out, azimuth, path, scatterings, reach;
};

/* Parts of the records of a row, by how photons left (ball_part): those that matter most for what follows are few, and
 * a part of their own gives them their accurate share and enough records. */
enum { BALL_SURFACE_PARTS = 3, BALL_FAST_PART = 6, BALL_FAR_PART = 7, BALL_PARTS = 8 };
enum { BALL_RARE = 2 }; /* the last parts, exits that are rare (ball_trial.h) */

struct ball_row {
    float at;                /* coordinate of the frequency (ball_coordinate) */
    float up_to[BALL_PARTS]; /* chance of a part and all before it; 1 from the last that has records */
    float path[BALL_PARTS], scattered[BALL_PARTS]; /* factors that give the kept records the mean of all made */
    uint32_t first[BALL_PARTS], n[BALL_PARTS];     /* kept records */
};

enum { BALL_ROWS = 16 }; /* of each level, evenly spaced in frequency */

/* Balls of one damping with radii least 2^k, k < n_level, in free paths at line centre, for photons below x_start:
 * BALL_ROWS rows for each, from line centre to there. */
struct ball_family {
    float a, x_start, x_wing, least;
    float margin; /* of the same gas that a ball needs around it, in free paths at line centre (packet_jump.h) */
    float x_seen; /* frequency beyond which cameras see into it */
    int n_level, first_row;
    int isotropic; /* records of photons that reach the wing have their last atom */
};

/* How far the same gas extends beyond a cell, in code units: on all sides; SHELLS: inward and outward. */
struct ball_reach {
    float below, above;
};

/* In gas whose velocity changes from place to place: by how many Doppler widths over the radius of a ball at most, and
 * over the margin around it. */
#define BALL_STEADY 1e-3
#define BALL_STEADY_MARGIN 0.05

/* The largest recoil h nu0 / (m c b) for which jumps are accurate (ball_recoil.h). */
#define BALL_MOST_RECOIL 3e-3

struct ball_view {
    int n_grade, n_family; /* grades; dampings a_first ratio^j */
    float a_first, log_ratio;
    float x_most, room_least;         /* of any family: photons beyond this frequency, or with less room, cannot jump */
    const struct ball_family *family; /* [n_grade][n_family] */
    const struct ball_row *row;
    const struct ball_record *record;
    int endless[3];                  /* axes along which nothing changes or ends */
    const struct ball_reach *beyond; /* [cells]; or NULL: jumps stay in their cell */
};

#endif
