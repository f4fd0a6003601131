/* Trials that make the records of ball.h. A photon starts at the centre of a ball, about to scatter in the core of the
 * line, and is followed until it leaves either. Between scatterings it flies exactly. In large balls of the first grade
 * and in those of the second it jumps through smaller ones, where one fits between the photon and the surface.
 *
 * What decides how often photons scatter is how rare some exits into the wing are: those by atoms that see the photon
 * far from resonance, and those by fast atoms that take it well beyond x_wing. Their chances are therefore summed, not
 * counted. An atom of velocity u along the photon sees it at y = x - u, with the probability density
 * (a / (pi H(a,x))) exp(-u^2) / (y^2 + a^2). It scatters it to x' = y + u mu + s (1 - mu^2)^(1/2), with a normal
 * deviate s of variance 1/2; into the wing with the chance
 *
 *     Q = INT P(mu)/2 dmu 1/2 { erfc[(x_wing - y - u mu) / (1 - mu^2)^(1/2)] + erfc[(x_wing + y + u mu) / ...] }.
 *
 * The chance of an exit by a far atom is the integral of that over |y| > D. The speed U > |u| of an atom has the
 * density 2 U exp(u^2 - U^2). Near atoms, |y| < D, are fast if |y| + U > F. If scattering is isotropic, they send
 * photons into the wing with the chance [(U + y - x_wing) + (U - y - x_wing)] / 2U, where the brackets are positive, so
 * that of an exit by a fast atom is
 *
 *     (a / (pi H)) INT_{|y| < D} dy / (y^2 + a^2)  INT_{U > |u|, F - |y|} [...] exp(-U^2) dU.
 *
 * (If scattering is not isotropic, exits by fast atoms are counted like any other.)
 *
 * At each scattering, or jump, the trial is split: the photon, of weight W, goes on with W (1 - p), and what has been
 * split off is represented, for each of the two kinds, by one of these scatterings, drawn with chances in proportion to
 * W p. At the end it is carried out, with the sum S of all W p of its kind as its weight. Every trial has thus three
 * exits, W + S + S' = 1.
 *
 * The mean path and number of scatterings until such an exit need no draw: they are the sums of W p times those until
 * then, over S. In large balls, which nearly all photons leave that way, little noise is left in the means of a row;
 * the numbers that the draw gives are distributed exponentially. */
#ifndef LR_KERNEL_BALL_TRIAL_H
#define LR_KERNEL_BALL_TRIAL_H

#include "kernel/ball.h"
#include "kernel/redistribution.h"
#include "kernel/voigt.h"

/* Chances below BALL_SPLIT are split off, as long as the weight exceeds BALL_LIGHT. */
#define BALL_SPLIT R(0.9)
#define BALL_LIGHT R(0.2)

/* The tables of the chances of rare exits. */
#define BALL_FAR_STEP R(0.015625)
enum { BALL_N_FAR = 385 }; /* up to |x| = 6 */

/* The first jumps of all trials of a row pick their records evenly: number j of trial i takes the fraction of
 * shift_j + i alpha_j. Later ones pick at random. */
enum { BALL_N_EVEN = 8 };
struct ball_lattice {
    uint32_t shift[BALL_N_EVEN], alpha[BALL_N_EVEN];
};

struct ball_gas {
    real a, x_wing;
    int dipole; /* or isotropic */
    real dipole_core, dipole_wing;
    real rare[BALL_RARE][BALL_N_FAR]; /* p H(a, x): by fast atoms, by far atoms */
};

/* Q, by the midpoint rule over the angle. */
LR_FN double ball_wing_chance(double y, double u, double x_wing, double dipole)
{
    enum { N_ANGLE = 64 };
    const double step = 3.14159265358979323846 / N_ANGLE;
    double sum = 0;
    for (int i = 0; i < N_ANGLE; i++) {
        const double mu = cos((i + 0.5) * step), sine = sin((i + 0.5) * step);
        const double phase = 1 - dipole + 0.75 * dipole * (1 + mu * mu);
        const double x = y + u * mu;
        sum += 0.25 * step * sine * phase * (erfc((x_wing - x) / sine) + erfc((x_wing + x) / sine));
    }
    return sum;
}

/* By far atoms: midpoint rule over y, as far as exp(-u^2) matters. */
LR_FN double ball_far_integral(const struct ball_gas *gas, double x)
{
    const double step = 0.01, reach = 5, a = (double)gas->a;
    const double dipole =
        gas->dipole ? (double)(phase_in_core(gas->a, (real)x) ? gas->dipole_core : gas->dipole_wing) : 0;
    double sum = 0;
    for (int side = -1; side <= 1; side += 2)
        for (double size = (double)BALL_FAR + 0.5 * step; size < x + reach; size += step) {
            const double y = side * size, u = x - y;
            if (fabs(u) < reach)
                sum += exp(-u * u) / (y * y + a * a) * ball_wing_chance(y, u, (double)gas->x_wing, dipole);
        }
    return a * 0.31830988618379067154 * step * sum;
}

/* INT (U - from) exp(-U^2) dU over U > from, least */
LR_FN double ball_speed_integral(double from, double least)
{
    const double low = from > least ? from : least;
    return 0.5 * exp(-low * low) - from * 0.88622692545275801365 * erfc(low);
}

/* F, and the least speed of a fast atom that sees the photon at y and moves with u along it. */
LR_FN double ball_fast_limit(const struct ball_gas *gas)
{
    return sqrt((double)(gas->x_wing * gas->x_wing + BALL_FAST_EXCESS));
}

LR_FN double ball_least_speed(const struct ball_gas *gas, double y, double u)
{
    const double fast = ball_fast_limit(gas) - fabs(y);
    return fabs(u) > fast ? fabs(u) : fast;
}

/* The integral over U. */
LR_FN double ball_fast_chance(const struct ball_gas *gas, double y, double least)
{
    const double x_wing = (double)gas->x_wing;
    return ball_speed_integral(x_wing - y, least) + ball_speed_integral(x_wing + y, least);
}

/* By fast atoms: midpoint rule over s, y = a sinh(s), which resolves the resonance. */
LR_FN double ball_fast_integral(const struct ball_gas *gas, double x)
{
    const double a = (double)gas->a, end = asinh((double)BALL_FAR / a);
    const int n = 2 * (int)(20 * end) + 2;
    const double step = 2 * end / n;
    double sum = 0;
    for (int i = 0; i < n; i++) {
        const double s = (i + 0.5) * step - end, y = a * sinh(s);
        sum += step * ball_fast_chance(gas, y, ball_least_speed(gas, y, x - y)) / cosh(s);
    }
    return 0.31830988618379067154 * sum;
}

/* dipole_core and dipole_wing: parts of dipole scattering; or isotropic. */
LR_FN void ball_gas_make(double a, double x_wing, int dipole, double dipole_core, double dipole_wing,
                         struct ball_gas *gas)
{
    gas->a = (real)a;
    gas->x_wing = (real)x_wing;
    gas->dipole = dipole;
    gas->dipole_core = (real)dipole_core;
    gas->dipole_wing = (real)dipole_wing;
    for (int i = 0; i < BALL_N_FAR; i++) {
        gas->rare[0][i] = dipole ? R(0) : (real)ball_fast_integral(gas, (double)BALL_FAR_STEP * i);
        gas->rare[1][i] = (real)ball_far_integral(gas, (double)BALL_FAR_STEP * i);
    }
}

/* What the trials of one row share. */
struct ball_trials {
    struct ball_gas gas;
    struct ball_family family; /* balls to jump through */
    struct ball_view balls;
    struct ball_lattice lattice;
    struct rng_key key;
    uint32_t row; /* of the whole table: random numbers follow from it and the number of the trial */
    real radius, x;
};

struct ball_photon {
    struct vec3 at, n;
    real x, opacity;
    real path, last, scatterings;
    struct ball_atom atom; /* that scattered it last */
    int far;               /* which saw it far from resonance */
};

/* A scattering or jump from which a rare exit has been split off. */
struct ball_candidate {
    struct ball_photon photon; /* before it */
    int level, row;            /* of the jump; level -1: a scattering */
    double pick;               /* of the record of the jump */
};

/* One kind of rare exit: sums of W p, and of W p times path and scatterings until then, and the exit that stands for
 * all of them. */
struct ball_split {
    real weight, path, scatterings;
    struct ball_candidate candidate;
};

struct ball_trial {
    uint32_t number, draw, jumps;
    real weight; /* W */
    struct ball_split split[BALL_RARE];
};

/* S */
LR_FN real ball_split_weight(const struct ball_trial *trial)
{
    return trial->split[0].weight + trial->split[1].weight;
}

LR_FN struct random4 ball_draw(const struct ball_trials *set, struct ball_trial *trial)
{
    return rng_draw(set->key, trial->draw++, trial->number, set->row);
}

/* Splits off an exit of weight W p of what the photon is about to do; returns whether it replaces the candidate. */
LR_FN int ball_split_off(struct ball_trial *trial, int part, const struct ball_photon *photon, real weight,
                         real uniform)
{
    struct ball_split *split = &trial->split[part - BALL_FAST_PART];
    split->weight += weight;
    split->path += weight * photon->path;
    split->scatterings += weight * photon->scatterings;
    trial->weight -= weight;
    return uniform * split->weight <= weight;
}

LR_FN void ball_choose_candidate(struct ball_trial *trial, int part, const struct ball_photon *photon, int level,
                                 int row, double pick)
{
    struct ball_candidate *candidate = &trial->split[part - BALL_FAST_PART].candidate;
    candidate->photon = *photon;
    candidate->level = level;
    candidate->row = row;
    candidate->pick = pick;
}

/* ---- jumps ------------------------------------------------------------------------------------------------------- */

LR_FN int ball_in_wing(const struct ball_trials *set, real x)
{
    return r_abs(x) > set->gas.x_wing;
}

LR_FN struct ball_photon ball_jump(const struct ball_trials *set, const struct ball_photon *from, int level, int row,
                                   double pick, struct random4 random, struct random4 after)
{
    struct ball_photon photon = *from;
    const struct ball_row *records = &set->balls.row[row];
    const struct ball_picked picked = ball_pick(&set->balls, records, pick);
    const struct ball_exit out =
        ball_read(&set->family, picked.record, records, picked.part, from->n, from->x, random, after);
    const real radius = ball_radius(&set->family, level);
    const real reach = radius * out.reach;
    photon.at =
        vec3_make(from->at.x + reach * out.place.x, from->at.y + reach * out.place.y, from->at.z + reach * out.place.z);
    photon.n = out.n;
    photon.x = out.x;
    photon.path += radius * out.path;
    photon.last = radius * out.last;
    photon.scatterings += out.scatterings;
    photon.atom = out.atom;
    photon.far = out.far;
    return photon;
}

/* Whether a rare exit from a smaller ball, whose wing may begin before that of this trial, can be one of this. */
LR_FN int ball_stays_rare(const struct ball_trials *set, struct ball_picked pick)
{
    const uint32_t photon = pick.record->photon;
    if (pick.part == BALL_FAR_PART || !set->family.isotropic)
        return pick.part == BALL_FAR_PART;
    const real farthest = r_abs(ball_decode_detuning(photon)) + ball_decode_speed(photon);
    return ball_part(1, farthest, set->gas.x_wing) == BALL_FAST_PART;
}

/* The chance that it is beyond both wings; isotropic scattering leaves the frequency open. */
LR_FN real ball_beyond_both(const struct ball_trials *set, const struct ball_record *record)
{
    if (!set->family.isotropic)
        return ball_in_wing(set, ball_decode_frequency(record->photon)) ? R(1) : R(0);
    const real speed = ball_decode_speed(record->photon);
    const real detuning = ball_decode_detuning(record->photon);
    const struct ball_ways all = ball_ways_to_wing(speed, detuning, (real)set->family.x_wing);
    const struct ball_ways beyond = ball_ways_to_wing(speed, detuning, set->gas.x_wing);
    return r_div(beyond.above + beyond.below, all.above + all.below);
}

/* The jump with a given record, so that it ends beyond the wing of the trial or does not. */
LR_FN struct ball_photon ball_jump_given(const struct ball_trials *set, struct ball_trial *trial,
                                         const struct ball_photon *from, int level, int row, double pick, int beyond)
{
    struct ball_photon photon;
    do {
        const struct random4 random = ball_draw(set, trial);
        photon = ball_jump(set, from, level, row, pick, random, ball_draw(set, trial));
    } while (ball_in_wing(set, photon.x) != beyond);
    return photon;
}

/* Of each kind of rare exit of the smaller ball one record is drawn. With the chance that this is an exit of the trial
 * too, it is split off; the photon goes on with a common record, or with one of these without being such an exit. */
LR_FN void ball_jump_split(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon,
                           int level, int row, double pick, struct random4 random)
{
    const struct ball_row *records = &set->balls.row[row];
    const real weight = trial->weight;
    const struct ball_photon from = *photon;
    double before = ball_common(records);
    double reached = before;      /* sum of the chances to go on */
    double go_on = before * pick; /* the record to go on with */
    int excluded = 0;             /* it must not lead to an exit */
    for (int part = BALL_FAST_PART; part < BALL_PARTS; part++) {
        const double share = (double)records->up_to[part] - before;
        const struct random4 choice = ball_draw(set, trial);
        const double rare_pick = before + share * (double)rng_uniform(choice.r0);
        before += share;
        if (!(share > 0))
            continue;
        const struct ball_picked picked = ball_pick(&set->balls, records, rare_pick);
        const int stays = ball_stays_rare(set, picked);
        const double beyond = stays ? (double)ball_beyond_both(set, picked.record) : 0;
        if (beyond > 0 && ball_split_off(trial, part, &from, weight * (real)(share * beyond), rng_uniform(choice.r1)))
            ball_choose_candidate(trial, part, &from, level, row, rare_pick);
        if (beyond < 1) { /* of the ways to go on so far, this one is taken with its share */
            const double more = share * (1 - beyond);
            reached += more;
            if ((double)rng_uniform(choice.r2) * reached <= more) {
                go_on = rare_pick;
                excluded = stays;
            }
        }
    }
    if (excluded)
        *photon = ball_jump_given(set, trial, &from, level, row, go_on, 0);
    else
        *photon = ball_jump(set, &from, level, row, go_on, random, ball_draw(set, trial));
}

LR_FN void ball_jump_due(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon, int level,
                         int splits)
{
    struct random4 random = ball_draw(set, trial);
    const int row = ball_choose(&set->balls, &set->family, level, r_abs(photon->x), rng_uniform(random.r1));
    const double common = ball_common(&set->balls.row[row]);
    if (splits && trial->jumps < BALL_N_EVEN)
        random.r0 = set->lattice.shift[trial->jumps] + trial->number * set->lattice.alpha[trial->jumps];
    trial->jumps++;
    const double pick = (double)rng_uniform(random.r0);
    if (splits && common < 1 && common > 1 - (double)BALL_SPLIT)
        ball_jump_split(set, trial, photon, level, row, pick, random);
    else
        *photon = ball_jump(set, photon, level, row, pick, random, ball_draw(set, trial));
}

/* ---- scatterings ------------------------------------------------------------------------------------------------- */

LR_FN struct vec3 ball_direction(const struct ball_gas *gas, const struct ball_photon *photon, struct random4 random)
{
    if (!gas->dipole)
        return direction_isotropic(random.r0, random.r1);
    const real part = phase_in_core(gas->a, photon->x) ? gas->dipole_core : gas->dipole_wing;
    return direction_dipole(photon->n, part, random.r0, random.r1);
}

/* Off an atom of velocity u along the photon and `across` perpendicular to it: in the plane of both directions, and
 * perpendicular to that. */
LR_FN void ball_scatter(struct ball_photon *photon, real u, struct normal_pair across, struct vec3 n)
{
    const real g = vec3_dot(photon->n, n);
    const real sine = r_sqrt(r_max(R(1) - g * g, R(0)));
    const struct vec3 in = photon->n;
    struct vec3 side = direction_turned_to(in, vec3_make(R(1), R(0), R(0)));
    if (sine > R(1e-5))
        side = vec3_make(r_div(n.x - g * in.x, sine), r_div(n.y - g * in.y, sine), r_div(n.z - g * in.z, sine));
    const struct vec3 other =
        vec3_make(in.y * side.z - in.z * side.y, in.z * side.x - in.x * side.z, in.x * side.y - in.y * side.x);
    const struct vec3 velocity = vec3_make(u * in.x + across.first * side.x + across.second * other.x,
                                           u * in.y + across.first * side.y + across.second * other.y,
                                           u * in.z + across.first * side.z + across.second * other.z);
    photon->atom.speed = r_sqrt(vec3_dot(velocity, velocity));
    photon->atom.along = photon->atom.speed > R(0) ? direction_normalised(velocity) : in;
    photon->atom.detuning = photon->x - u;
    photon->far = r_abs(photon->x - u) > BALL_FAR;
    photon->x = redistributed_frequency(photon->x, u, across.first, g, R(0));
    photon->n = n;
    photon->last = R(0);
    photon->scatterings += R(1);
}

LR_FN real ball_any_atom(const struct ball_trials *set, struct ball_trial *trial, real x)
{
    struct velocity_proposal atom;
    do
        atom = propose_velocity(set->gas.a, x, ball_draw(set, trial), set->gas.a <= R(LR_NARROW_DAMPING));
    while (atom.uniform > atom.chance);
    return atom.u;
}

/* An atom with |x - u| > D, from exp(-u^2). */
LR_FN real ball_far_atom(const struct ball_trials *set, struct ball_trial *trial, real x)
{
    const real aa = set->gas.a * set->gas.a;
    for (;;) {
        const struct random4 random = ball_draw(set, trial);
        const real u = thermal_pair(random.r0, random.r1).first;
        const real square = (x - u) * (x - u);
        if (square > BALL_FAR * BALL_FAR && rng_uniform(random.r2) * (square + aa) <= BALL_FAR * BALL_FAR + aa)
            return u;
    }
}

/* The chance p of a rare exit; the far wing has no others. */
LR_FN real ball_rare_chance(const struct ball_gas *gas, int part, real x, real opacity)
{
    const real *table = gas->rare[part - BALL_FAST_PART];
    const real position = r_abs(x) * (R(1) / BALL_FAR_STEP);
    if (position >= (real)(BALL_N_FAR - 1))
        return R(1);
    const int i = (int)position;
    return r_div(r_between(table[i], table[i + 1], position - (real)i), opacity);
}

LR_FN struct ball_photon ball_scatter_off(const struct ball_trials *set, struct ball_trial *trial,
                                          const struct ball_photon *from, real u)
{
    struct ball_photon photon = *from;
    const struct random4 random = ball_draw(set, trial);
    ball_scatter(&photon, u, thermal_pair(random.r2, random.r3), ball_direction(&set->gas, &photon, random));
    return photon;
}

/* The part of an exit, inside the ball or not, of a photon with this frequency and last atom. */
LR_FN int ball_part_of(const struct ball_gas *gas, int inside, int far, real x, const struct ball_atom *atom)
{
    if (inside && far)
        return BALL_FAR_PART;
    return ball_part(inside, inside && !gas->dipole ? r_abs(atom->detuning) + atom->speed : r_abs(x), gas->x_wing);
}

LR_FN int ball_leaves_rarely(const struct ball_trials *set, const struct ball_photon *photon)
{
    const int part = ball_part_of(&set->gas, 1, photon->far, photon->x, &photon->atom);
    return ball_in_wing(set, photon->x) && (part == BALL_FAR_PART || (part == BALL_FAST_PART && !set->gas.dipole));
}

LR_FN void ball_scatter_due(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon,
                            int splits)
{
    const struct ball_photon from = *photon;
    const real fast = ball_rare_chance(&set->gas, BALL_FAST_PART, from.x, from.opacity);
    const real far = ball_rare_chance(&set->gas, BALL_FAR_PART, from.x, from.opacity);
    const int split = splits && fast + far < BALL_SPLIT;
    if (split) {
        const struct random4 random = ball_draw(set, trial);
        const real weight = trial->weight;
        if (ball_split_off(trial, BALL_FAST_PART, &from, weight * fast, rng_uniform(random.r0)))
            ball_choose_candidate(trial, BALL_FAST_PART, &from, -1, 0, 0);
        if (ball_split_off(trial, BALL_FAR_PART, &from, weight * far, rng_uniform(random.r1)))
            ball_choose_candidate(trial, BALL_FAR_PART, &from, -1, 0, 0);
    }
    do
        *photon = ball_scatter_off(set, trial, &from, ball_any_atom(set, trial, from.x));
    while (split && ball_leaves_rarely(set, photon));
}

/* A speed above `least`, with the density of ball_fast_chance(). */
LR_FN double ball_fast_speed(const struct ball_trials *set, struct ball_trial *trial, double y, double least)
{
    const double x_wing = (double)set->gas.x_wing;
    const double above = ball_speed_integral(x_wing - y, least), below = ball_speed_integral(x_wing + y, least);
    const double choice = (double)rng_uniform(ball_draw(set, trial).r0);
    const double from = choice * (above + below) <= above ? x_wing - y : x_wing + y;
    const double low = from > least ? from : least;
    for (;;) { /* from U exp(-U^2) */
        const struct random4 random = ball_draw(set, trial);
        const double speed = sqrt(low * low - log((double)rng_uniform(random.r0)));
        if ((double)rng_uniform(random.r1) * speed <= speed - from)
            return speed;
    }
}

/* The detuning y that a fast atom sees the photon at. Without the condition U > |u| the integral over U would grow with
 * |y|: its values at the ends of |y| < Y and |y| < D limit it in both ranges. */
LR_FN double ball_fast_detuning(const struct ball_trials *set, struct ball_trial *trial, double x)
{
    const struct ball_gas *gas = &set->gas;
    const double y_core = 0.3, y_end = (double)BALL_FAR, a = (double)gas->a, angle = atan(y_core / a);
    const double most[2] = {ball_fast_chance(gas, y_core, ball_fast_limit(gas) - y_core),
                            ball_fast_chance(gas, y_end, ball_fast_limit(gas) - y_end)};
    const double share[2] = {most[0] * angle, most[1] * a * (1 / y_core - 1 / y_end)};
    for (;;) {
        const struct random4 random = ball_draw(set, trial);
        const double uniform = (double)rng_uniform(random.r1);
        const int outer = (double)rng_uniform(random.r0) * (share[0] + share[1]) > share[0];
        const double size = outer ? 1 / (1 / y_end + uniform * (1 / y_core - 1 / y_end)) : a * tan(uniform * angle);
        const double y = (random.r2 & 1u) ? size : -size;
        const double part = outer ? y * y / (y * y + a * a) : 1;
        const double chance = part * ball_fast_chance(gas, y, ball_least_speed(gas, y, x - y)) / most[outer];
        if ((double)rng_uniform(random.r3) <= chance)
            return y;
    }
}

/* The scattering of an isotropic fast atom into the wing. */
LR_FN struct ball_photon ball_fast_exit(const struct ball_trials *set, struct ball_trial *trial,
                                        const struct ball_photon *from)
{
    struct ball_photon photon = *from;
    struct ball_exit out;
    const double y = ball_fast_detuning(set, trial, (double)from->x), u = (double)from->x - y;
    const double speed = ball_fast_speed(set, trial, y, ball_least_speed(&set->gas, y, u));
    const struct vec3 local = direction_about_z((real)(u / speed), rng_uniform(ball_draw(set, trial).r0));
    photon.atom.speed = (real)speed;
    photon.atom.detuning = (real)y;
    photon.atom.along = direction_normalised(direction_turned_to(from->n, local));
    out.atom = photon.atom;
    ball_scatter_into_wing(&out, set->gas.x_wing, ball_draw(set, trial));
    photon.x = out.x;
    photon.n = out.n;
    photon.far = 0;
    photon.last = R(0);
    photon.scatterings += R(1);
    return photon;
}

/* ---- the trial --------------------------------------------------------------------------------------------------- */

LR_FN void ball_react(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon)
{
    const real room = set->radius - r_sqrt(vec3_dot(photon->at, photon->at));
    const int in_core = r_abs(photon->x) < (real)set->family.x_start;
    const int level = in_core ? ball_level_within(&set->family, room) : -1;
    const int splits = trial->weight > BALL_LIGHT;
    if (level >= 0)
        ball_jump_due(set, trial, photon, level, splits);
    else
        ball_scatter_due(set, trial, photon, splits);
}

/* Flies to the next reaction, or to the surface of the ball: returns whether it was reached. */
LR_FN int ball_fly(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon)
{
    const real along = vec3_dot(photon->at, photon->n);
    const real inside = set->radius * set->radius - vec3_dot(photon->at, photon->at);
    const real surface = r_sqrt(r_max(along * along + inside, R(0))) - along;
    photon->opacity = voigt(set->gas.a, photon->x);
    const real free_path = r_div(-r_log(rng_uniform(ball_draw(set, trial).r0)), photon->opacity);
    const int leaves = free_path >= surface;
    const real length = leaves ? r_max(surface, R(0)) : free_path;
    photon->at = vec3_make(photon->at.x + length * photon->n.x, photon->at.y + length * photon->n.y,
                           photon->at.z + length * photon->n.z);
    photon->path += length;
    photon->last += length;
    return leaves;
}

LR_FN struct ball_exit ball_exit_of(const struct ball_photon *photon, real radius, int inside)
{
    struct ball_exit out;
    const real distance = r_sqrt(vec3_dot(photon->at, photon->at));
    out.place = distance > R(0) ? direction_normalised(photon->at) : vec3_make(R(0), R(0), R(1));
    out.n = photon->n;
    out.x = photon->x;
    out.atom = photon->atom;
    out.inside = inside;
    out.far = photon->far;
    out.reach = r_div(distance, radius);
    out.path = r_div(photon->path, radius);
    out.last = r_div(photon->last, radius);
    out.scatterings = photon->scatterings;
    return out;
}

/* The exit of weight W of trial `number`, which it begins. The photon comes along the z axis. */
LR_FN struct ball_exit ball_trial_common(const struct ball_trials *set, uint32_t number, struct ball_trial *trial)
{
    struct ball_photon photon;
    photon.at = vec3_make(R(0), R(0), R(0));
    photon.n = vec3_make(R(0), R(0), R(1));
    photon.x = set->x;
    photon.opacity = voigt(set->gas.a, set->x);
    photon.path = photon.last = photon.scatterings = R(0);
    photon.atom.along = photon.n;
    photon.atom.speed = photon.atom.detuning = R(0);
    photon.far = 0;
    trial->number = number;
    trial->draw = trial->jumps = 0;
    trial->weight = R(1);
    for (int part = BALL_FAST_PART; part < BALL_PARTS; part++) {
        struct ball_split *split = &trial->split[part - BALL_FAST_PART];
        split->weight = split->path = split->scatterings = R(0);
        ball_choose_candidate(trial, part, &photon, -1, 0, 0);
    }
    for (;;) {
        ball_react(set, trial, &photon);
        if (ball_in_wing(set, photon.x))
            return ball_exit_of(&photon, set->radius, 1);
        if (ball_fly(set, trial, &photon))
            return ball_exit_of(&photon, set->radius, 0);
    }
}

/* The exit of weight S of a rare part, if S > 0: into the wing. */
LR_FN struct ball_exit ball_trial_rare(const struct ball_trials *set, struct ball_trial *trial, int part)
{
    const struct ball_candidate *from = &trial->split[part - BALL_FAST_PART].candidate;
    struct ball_photon photon;
    if (from->level >= 0) {
        photon = ball_jump_given(set, trial, &from->photon, from->level, from->row, from->pick, 1);
    } else if (part == BALL_FAR_PART) {
        do
            photon = ball_scatter_off(set, trial, &from->photon, ball_far_atom(set, trial, from->photon.x));
        while (!ball_in_wing(set, photon.x));
    } else {
        photon = ball_fast_exit(set, trial, &from->photon);
    }
    return ball_exit_of(&photon, set->radius, 1);
}

#endif
