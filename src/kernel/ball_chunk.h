/* What is kept of the trials of a row (ball_trial.h): sums that give the means, and samples that some records are
 * chosen from. Trials are run in chunks, whose sums are added in a fixed order. */
#ifndef LR_KERNEL_BALL_CHUNK_H
#define LR_KERNEL_BALL_CHUNK_H

#include "kernel/ball_trial.h"

enum { BALL_CHUNK = 1024 };

/* Sums for means with control variates (solve/balls/ball_sums.h). y: the chance of the wing; then path, scatterings and
 * place (its cosine to the initial direction) of what leaves in the core and in the wing; z: what is known to have the
 * mean zero. */
enum { BALL_N_WANTED = 7, BALL_N_CONTROL = BALL_N_SURPLUS };

struct ball_sums {
    double n;
    double y[BALL_N_WANTED], z[BALL_N_CONTROL];
    double zz[BALL_N_CONTROL][BALL_N_CONTROL], yz[BALL_N_WANTED][BALL_N_CONTROL];
};

/* Weights of all exits, by part, frequency and direction, in units of 2^-32: as whole numbers their sums do not depend
 * on the order. Samples are given the shares that bins have among all. */
enum { BALL_BIN_X = 160, BALL_BIN_MU = 4, BALL_N_BIN = 2 * BALL_BIN_X * BALL_BIN_MU };

LR_FN int ball_bin(real x, real mu_out, real x_wing)
{
    const real size = r_abs(x);
    const int step = (int)r_min(ball_row_position(size), (real)(BALL_BIN_X - 1));
    const int direction = (int)r_min(r_max(mu_out, R(0)) * (real)BALL_BIN_MU, (real)(BALL_BIN_MU - 1));
    return ((size > x_wing ? BALL_BIN_X : 0) + step) * BALL_BIN_MU + direction;
}

/* An exit, as its record, with the weight it has. */
struct ball_sample {
    struct ball_record record;
    float x, weight;
};

LR_FN void ball_sums_note(struct ball_sums *sums, const double *y, const real *z)
{
    sums->n += 1;
    for (int j = 0; j < BALL_N_CONTROL; j++) {
        sums->z[j] += (double)z[j];
        for (int k = 0; k < BALL_N_CONTROL; k++)
            sums->zz[j][k] += (double)(z[j] * z[k]);
    }
    for (int i = 0; i < BALL_N_WANTED; i++) {
        sums->y[i] += y[i];
        for (int j = 0; j < BALL_N_CONTROL; j++)
            sums->yz[i][j] += y[i] * (double)z[j];
    }
}

/* A length or number, rounded at random, so that means are kept. */
LR_FN uint16_t ball_code(double value, double least, double uniform)
{
    const double step = (double)BALL_CODE_STEP;
    if (value <= least)
        return 0;
    const double below = floor(log(value / least) / step);
    const double low = least * exp(below * step);
    const double high = low * exp(step);
    const double code = below + (uniform < (value - low) / (high - low) ? 1 : 0);
    return (uint16_t)(code < 65535 ? code : 65535);
}

LR_FN uint16_t ball_code_part(double part)
{
    const double code = part * 65536;
    return (uint16_t)(code > 0 ? (code < 65535 ? code : 65535) : 0);
}

/* The record of an exit of a photon that came along the z axis, in a row at x_row; up to x_memory nobody remembers it.
 */
LR_FN struct ball_record ball_record_make(const struct ball_exit *out, real x_row, real x_memory, struct random4 random)
{
    struct ball_record record;
    union {
        float number;
        uint32_t bits;
    } code;
    /* a photon at line centre may as well leave on the other side of it */
    const real x = x_row == R(0) && (random.r3 & 1u) ? -out->x : out->x;
    const int memory = x_row > x_memory && ball_keeps_memory(x_row, x);
    code.number = (float)(memory ? x - x_row : x);
    code.bits = (code.bits & ~1u) | (memory ? 1u : 0u);
    record.x = code.number;

    /* the azimuth of the direction about the place is 0 on the side of the z axis */
    const struct vec3 e = out->place;
    const struct vec3 n = out->n;
    const real mu_out = r_min(r_max(vec3_dot(e, n), R(0)), R(1));
    const double along = (double)(n.z - mu_out * e.z);
    const double across = (double)(n.y * e.x - n.x * e.y);
    const double half_turns = along == 0 && across == 0 ? 0 : fabs(atan2(across, along)) * 0.31830988618379067154;
    record.mu_place = ball_code_part(0.5 * ((double)e.z + 1));
    record.mu_out = ball_code_part((double)mu_out);
    record.azimuth = ball_code_part(half_turns);
    record.path = ball_code((double)out->path, (double)BALL_LEAST_PATH, (double)rng_uniform(random.r0));
    record.scatterings = ball_code((double)out->scatterings, 1, (double)rng_uniform(random.r1));
    record.last = ball_code((double)out->last, (double)BALL_LEAST_LAST, (double)rng_uniform(random.r2));
    return record;
}

LR_FN void ball_note_exit(const struct ball_trials *set, const struct ball_exit *out, real weight, double *y,
                          uint64_t *bins)
{
    shared_add_whole(&bins[ball_bin(out->x, vec3_dot(out->place, out->n), set->gas.x_wing)],
                     (uint64_t)((double)weight * 4294967296.0));
    const int wing = r_abs(out->x) > set->gas.x_wing;
    y[0] += wing ? (double)weight : 0;
    y[1 + wing] += (double)(weight * out->path);
    y[3 + wing] += (double)(weight * out->scatterings);
    y[5 + wing] += (double)(weight * out->place.z);
}

LR_FN struct ball_sample ball_sample_make(const struct ball_trials *set, struct ball_trial *trial,
                                          const struct ball_exit *out, real weight)
{
    struct ball_sample sample;
    sample.record = ball_record_make(out, set->x, set->gas.x_memory, ball_draw(set, trial));
    sample.x = (float)out->x;
    sample.weight = (float)weight;
    return sample;
}

/* Adds a trial to the sums; `sample` has room for its two exits, or is NULL. */
LR_FN void ball_trial_add(const struct ball_trials *set, uint32_t number, struct ball_sums *sums, uint64_t *bins,
                          struct ball_sample *sample)
{
    struct ball_trial trial;
    double y[BALL_N_WANTED];
    for (int i = 0; i < BALL_N_WANTED; i++)
        y[i] = 0;
    struct ball_exit out = ball_trial_common(set, number, &trial);
    ball_note_exit(set, &out, trial.weight, y, bins);
    if (sample)
        sample[0] = ball_sample_make(set, &trial, &out, trial.weight);
    if (trial.split > R(0)) {
        out = ball_trial_rare(set, &trial);
        ball_note_exit(set, &out, trial.split, y, bins);
    }
    if (sample)
        sample[1] = ball_sample_make(set, &trial, &out, trial.split);
    ball_sums_note(sums, y, trial.surplus);
}

#endif
