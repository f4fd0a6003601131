/* What packets record, and where an escaped packet is counted. */
#ifndef LR_KERNEL_TALLY_H
#define LR_KERNEL_TALLY_H

#include "kernel/cone.h"
#include "kernel/exact_sum.h"
#include "kernel/sums.h"
#include "kernel/vec3.h"

/* How packets are dealt to batches: in turn, in chunks that double from FIRST_CHUNK up to FIRST_CHUNK 2^doublings. A
 * run that is stopped early has reached all batches, while later most packets in flight at one time share a batch. */
struct tally_deal {
    int n_batch, doublings;
};

enum { FIRST_CHUNK = 16, LEAST_DEALS = 8 };

LR_FN struct tally_deal tally_deal_for(int64_t n_packet, int n_batch)
{
    struct tally_deal deal;
    deal.n_batch = n_batch;
    deal.doublings = 0;
    while (((int64_t)FIRST_CHUNK << (deal.doublings + 1)) * LEAST_DEALS * n_batch <= n_packet)
        deal.doublings++;
    return deal;
}

LR_FN int tally_batch(struct tally_deal deal, int64_t packet)
{
    const int64_t first_round = (int64_t)FIRST_CHUNK * deal.n_batch;
    const int64_t turn = packet / first_round + 1; /* round k of doubled chunks starts at turn 2^k */
    int level = 0;
    while (level < deal.doublings && turn >= ((int64_t)2 << level))
        level++;
    const int64_t start = first_round * (((int64_t)1 << level) - 1);
    return (int)((packet - start) / ((int64_t)FIRST_CHUNK << level) % deal.n_batch);
}

struct tally_axes {
    int n_bin; /* bins 1..n_bin; 0 and n_bin + 1 hold what lies outside the range */
    real x_first, inv_x_step;
    int n_mu, n_phi, axis;
};

LR_FN int spectrum_bin(const struct tally_axes *axes, real x)
{
    const real position = (x - axes->x_first) * axes->inv_x_step;
    if (!(position >= R(0)))
        return 0;
    return position < (real)axes->n_bin ? (int)position + 1 : axes->n_bin + 1;
}

/* Bins of equal solid angle: mu = n.axis in n_mu steps from -1, azimuth in n_phi steps from the next axis (y for x, z
 * for y, x for z). */
LR_FN int direction_bin(const struct tally_axes *axes, struct vec3 n)
{
    const real mu = axes->axis == 0 ? n.x : axes->axis == 1 ? n.y : n.z;
    const real p = axes->axis == 0 ? n.y : axes->axis == 1 ? n.z : n.x;
    const real q = axes->axis == 0 ? n.z : axes->axis == 1 ? n.x : n.y;
    int i = (int)((mu + R(1)) * R(0.5) * (real)axes->n_mu);
    i = i < 0 ? 0 : i < axes->n_mu ? i : axes->n_mu - 1;
    if (axes->n_phi == 1)
        return i;
    const double turn = atan2((double)q, (double)p) * 0.15915494309189535;
    int j = (int)((turn < 0 ? turn + 1 : turn) * axes->n_phi);
    j = j < 0 ? 0 : j < axes->n_phi ? j : axes->n_phi - 1;
    return i * axes->n_phi + j;
}

/* Where a packet was last emitted or scattered. */
struct last_place {
    int cell[3];
    real local[3];
};

/* All sums of a run, shared by its threads. */
struct tally_view {
    struct tally_axes axes;
    struct tally_deal deal;
    struct cone_set cones;
    struct sum_quanta quanta;
    int n_group; /* of batches, for the fields */
    int64_t n_cell;
    double *fields;                  /* [n_group][n_cell][2]: weighted length and scattering depth; or NULL */
    struct transport_batch *batch;   /* [n_batch] */
    double *face_spectrum;           /* [n_batch][6][n_bin + 2] */
    double *direction_spectrum;      /* [n_batch][n_mu n_phi][n_bin + 2] */
    double *cone;                    /* [n_batch][cones.n][2]: weight and number of packets */
    struct transport_record *record; /* or NULL */
    unsigned long long *n_record;
    unsigned long long *n_overdue; /* times that a packet has scattered FLUSH_EVENTS times: for reports of progress */
    struct transport_lives *lives; /* of packets that ended [0], and of those left unfinished [1]; or NULL */
};

/* The scattering depth of a way is at most alpha0 times its length. A quantum in proportion to alpha0, to a power of
 * two, serves thick and thin cells of one mesh. */
LR_FN double quantum_of_depth(const struct sum_quanta *quanta, double alpha0)
{
    return quanta->depth * power_of_two_in(alpha0);
}

LR_FN int life_bin(double steps)
{
    const double halves = 2.0 / 0.69314718055994531; /* of octaves */
    const int bin = steps < 1 ? 0 : (int)(halves * log(steps));
    return bin < LIFE_BINS ? bin : LIFE_BINS - 1;
}

#endif
