/* What is kept of the trials of a row (ball_trial.h): sums that give the means, and samples that some records are
 * chosen from. Trials are run in chunks, whose sums are added in a fixed order. */
#ifndef LR_KERNEL_BALL_CHUNK_H
#define LR_KERNEL_BALL_CHUNK_H

#include "kernel/ball_trial.h"

enum { BALL_CHUNK = 1024 };
enum { BALL_EXITS = 1 + BALL_RARE }; /* of a trial */

/* Of each part of the exits: weight, and weighted path and scatterings; and the weight of those exits that were carried
 * out, with their place (its cosine to the initial direction). */
struct ball_sums {
    double weight[BALL_PARTS], path[BALL_PARTS], scatterings[BALL_PARTS];
    double drawn[BALL_PARTS], place[BALL_PARTS];
};

/* An exit, as its record, with the weight it has. */
struct ball_sample {
    struct ball_record record;
    float farthest, weight; /* frequency as in ball_part */
    int part;
};

/* A length or number, rounded at random, so that means are kept; below `least` it is 0. */
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

/* The atom, rounded at random, but so that it can still scatter photons into the wing; in the bits of a record. */
LR_FN uint32_t ball_code_atom(const struct ball_atom *atom, real x_wing, struct random4 random)
{
    const double most_speed = BALL_MOST_SPEED;
    const double most_detuning = BALL_MOST_DETUNING;
    const double detuning =
        floor((double)(atom->detuning / BALL_SPEED_STEP) + (random.r3 >> 16) / 65536.0) + (double)BALL_NO_DETUNING;
    const double speed = floor((double)(atom->speed / BALL_SPEED_STEP) + ((random.r3 >> 1) & 32767u) / 32768.0);
    const uint32_t shift = (uint32_t)(detuning > 0 ? (detuning < most_detuning ? detuning : most_detuning) : 0);
    uint32_t code = (uint32_t)(speed < most_speed ? speed : most_speed);
    for (; code < (uint32_t)BALL_MOST_SPEED; code++) {
        const struct ball_ways ways =
            ball_ways_to_wing(BALL_SPEED_STEP * (real)code, ball_decode_detuning(shift << 16), x_wing);
        if (ways.above + ways.below > R(0))
            break;
    }
    return shift << 16 | code << 1 | 1u;
}

LR_FN uint32_t ball_code_frequency(real x, int inside)
{
    union {
        float number;
        uint32_t bits;
    } code;
    code.number = (float)x;
    return (code.bits & ~1u) | (inside ? 1u : 0u);
}

/* The record of an exit of a photon that came along the z axis, in a row at x_row. */
LR_FN struct ball_record ball_record_make(const struct ball_gas *gas, const struct ball_exit *exit, real x_row,
                                          struct random4 random)
{
    struct ball_record record;
    struct ball_exit out = *exit;
    const int has_atom = out.inside && !gas->dipole;
    if (x_row == R(0) && (random.r3 & 1u)) { /* it may as well leave on the other side of line centre */
        out.x = -out.x;
        out.atom.detuning = -out.atom.detuning;
        out.atom.along = vec3_make(-out.atom.along.x, -out.atom.along.y, -out.atom.along.z);
    }
    record.photon = has_atom ? ball_code_atom(&out.atom, gas->x_wing, random) : ball_code_frequency(out.x, out.inside);

    /* the azimuth of the direction about the place is 0 on the side of the z axis */
    const struct vec3 e = out.place;
    const struct vec3 n = has_atom ? out.atom.along : out.n;
    const real mu_out = r_min(r_max(vec3_dot(e, n), R(-1)), R(1));
    const double along = (double)(n.z - mu_out * e.z);
    const double across = (double)(n.y * e.x - n.x * e.y);
    const double half_turns = along == 0 && across == 0 ? 0 : fabs(atan2(across, along)) * 0.31830988618379067154;
    record.mu_place = ball_code_part(0.5 * ((double)e.z + 1));
    record.mu_out = ball_code_part(0.5 * ((double)mu_out + 1));
    record.azimuth = ball_code_part(half_turns);
    record.path = ball_code((double)out.path, (double)BALL_LEAST_LENGTH, (double)rng_uniform(random.r0));
    record.scatterings = ball_code((double)out.scatterings, 1, (double)rng_uniform(random.r1));
    record.reach = ball_code((double)(out.inside ? out.reach : out.last), (double)BALL_LEAST_LENGTH,
                             (double)rng_uniform(random.r2));
    return record;
}

LR_FN real ball_farthest(const struct ball_gas *gas, const struct ball_exit *out)
{
    return out->inside && !gas->dipole ? r_abs(out->atom.detuning) + out->atom.speed : r_abs(out->x);
}

LR_FN struct ball_sample ball_sample_make(const struct ball_trials *set, struct ball_trial *trial,
                                          const struct ball_exit *out, int part, real weight)
{
    struct ball_sample sample;
    sample.record = ball_record_make(&set->gas, out, set->x, ball_draw(set, trial));
    sample.farthest = (float)ball_farthest(&set->gas, out);
    sample.weight = (float)weight;
    sample.part = part;
    return sample;
}

/* The exit of weight W, in a part of its own or in a rare one. */
LR_FN void ball_note_common(const struct ball_exit *out, int part, double weight, struct ball_sums *sums)
{
    sums->weight[part] += weight;
    sums->path[part] += weight * (double)out->path;
    sums->scatterings[part] += weight * (double)out->scatterings;
    sums->drawn[part] += weight;
    sums->place[part] += weight * (double)out->place.z;
}

/* The exit of weight S stands for all of its kind: until it, path and scatterings are the means of all; what comes
 * after is that of the one which was drawn. */
LR_FN void ball_note_rare(const struct ball_trials *set, const struct ball_trial *trial, const struct ball_exit *out,
                          int part, struct ball_sums *sums)
{
    const struct ball_split *split = &trial->split[part - BALL_FAST_PART];
    const struct ball_photon *before = &split->candidate.photon;
    const double weight = (double)split->weight;
    sums->weight[part] += weight;
    sums->path[part] +=
        (double)r_div(split->path, set->radius) + weight * (double)(out->path - r_div(before->path, set->radius));
    sums->scatterings[part] += (double)split->scatterings + weight * (double)(out->scatterings - before->scatterings);
    sums->drawn[part] += weight;
    sums->place[part] += weight * (double)out->place.z;
}

/* Adds a trial to the sums; `sample` has room for its exits, each `apart` from the one before, or is NULL. */
LR_FN void ball_trial_add(const struct ball_trials *set, uint32_t number, struct ball_sums *sums,
                          struct ball_sample *sample, int64_t apart)
{
    struct ball_trial trial;
    struct ball_exit out = ball_trial_common(set, number, &trial);
    const int part = ball_part_of(&set->gas, out.inside, out.far, out.x, &out.atom);
    ball_note_common(&out, part, (double)trial.weight, sums);
    if (sample)
        sample[0] = ball_sample_make(set, &trial, &out, part, trial.weight);
    for (int rare = BALL_FAST_PART; rare < BALL_PARTS; rare++) {
        const real weight = trial.split[rare - BALL_FAST_PART].weight;
        if (weight > R(0)) {
            out = ball_trial_rare(set, &trial, rare);
            ball_note_rare(set, &trial, &out, rare, sums);
        }
        if (sample)
            sample[(rare - BALL_FAST_PART + 1) * apart] = ball_sample_make(set, &trial, &out, rare, weight);
    }
}

#endif
