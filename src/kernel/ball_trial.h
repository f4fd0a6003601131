/* Trials that make the records of ball.h. A photon starts at the centre of a ball, about to scatter, and is followed
 * out of it: whenever it is about to scatter it jumps through the largest smaller ball that fits between it and the
 * surface, or, where none does, scatters off an atom. Between these reactions it flies exactly.
 *
 * To leave a small ball in the wing of the line is rare, and everything above inherits the error of that chance. It is
 * therefore summed, not counted. The chance p of each reaction to lead to the wing is known; where it is small, the
 * trial is split: the photon, of weight W, goes on as in the common case with W (1 - p), and what has been split off is
 * represented by one of these reactions, drawn with chances in proportion to W p. At the end this one is given its rare
 * outcome and followed as well, with the sum S of all W p as its weight. Every trial has thus two exits, W + S = 1.
 *
 * A scattering leads to the wing in two ways: off an atom that sees the photon in the wing of its own line,
 *
 *     chance of |x - u| > D:   (a / (pi H(a,x))) INT_{|y| > D} exp(-(x-y)^2) / (y^2 + a^2) dy,
 *
 * and off any other atom if it is fast enough in the direction that the photon takes. With the atom's velocity u along
 * the photon and the angle given, x' = x + u (g - 1) + s v, s = sin(gamma), where v has the density exp(-v^2)/sqrt(pi):
 *
 *     chance of |x'| > X:   (erfc((X - m) / s) + erfc((X + m) / s)) / 2,   m = x + u (g - 1). */
#ifndef LR_KERNEL_BALL_TRIAL_H
#define LR_KERNEL_BALL_TRIAL_H

#include "kernel/ball.h"
#include "kernel/redistribution.h"
#include "kernel/voigt.h"

#define BALL_RARE R(0.1) /* smaller chances are split off */

/* D, and the table of the integral over |y| > D. */
#define BALL_FAR R(1.25)
#define BALL_FAR_STEP R(0.015625)
enum { BALL_N_FAR = 385 }; /* up to |x| = 6 */

LR_FN double ball_wing_from(double a)
{
    const double below = voigt_crossing(a) - 0.5;
    return below > 1.5 ? below : 1.5;
}

/* The first jumps of all trials of a row pick their records evenly: number j of trial i takes the fraction of
 * shift_j + i alpha_j. Later ones pick at random. The last is for the jump that was split off. */
enum { BALL_N_EVEN = 8 };
struct ball_lattice {
    uint32_t shift[BALL_N_EVEN], alpha[BALL_N_EVEN];
};

struct ball_gas {
    real a, x_wing;
    real x_memory; /* photons that start below it forget their frequency */
    int dipole;    /* or isotropic */
    real dipole_core, dipole_wing;
    real far[BALL_N_FAR]; /* the integral times a / pi */
};

/* Isotropic gas. Exits beyond x_wing are those of the wing: it begins a little below the frequency where the wing of
 * the profile takes over. The integral by the midpoint rule, in double. */
LR_FN void ball_gas_make(double a, struct ball_gas *gas)
{
    const double step = 0.01;
    gas->a = (real)a;
    gas->x_wing = (real)ball_wing_from(a);
    gas->x_memory = (real)voigt_crossing(a);
    gas->dipole = 0;
    gas->dipole_core = gas->dipole_wing = R(0);
    for (int i = 0; i < BALL_N_FAR; i++) {
        const double x = (double)BALL_FAR_STEP * i;
        double sum = 0;
        for (double y = (double)BALL_FAR + 0.5 * step; y < 14; y += step)
            sum += (exp(-(x - y) * (x - y)) + exp(-(x + y) * (x + y))) / (y * y + a * a);
        gas->far[i] = (real)(a * 0.31830988618379067154 * step * sum);
    }
}

/* Means of a row over what leaves in the core [0] and in the wing [1]: path in radii, scatterings. */
struct ball_mean {
    real path[2], scatterings[2];
};

/* What the trials of one row share. */
struct ball_trials {
    struct ball_gas gas;
    struct ball_view smaller; /* balls, and the means of their rows */
    const struct ball_mean *mean;
    struct ball_lattice lattice;
    struct rng_key key;
    uint32_t row; /* of the whole table: random numbers follow from it and the number of the trial */
    real radius, x;
};

struct ball_photon {
    struct vec3 at, n;
    real x, opacity;
    real path, last, scatterings;
};

/* A reaction whose rare outcome has been split off. */
enum ball_reaction { BALL_JUMP, BALL_FAR_ATOM, BALL_FAST_ATOM };
struct ball_candidate {
    struct ball_photon photon; /* before the reaction */
    int reaction;
    int level, row; /* of the jump */
    real u;         /* of the atom, and */
    struct vec3 n;  /* the direction the photon takes, if it is the fast atom that is rare */
};

/* Sums over the jumps of a trial, with weights, of what was drawn less its mean: left in the wing, path (in radii of
 * the ball), scatterings. Their mean over trials is zero, which helps to find that of other things. */
enum { BALL_N_SURPLUS = 3 };

struct ball_trial {
    uint32_t number, draw, jumps;
    real weight, split; /* W, S */
    real surplus[BALL_N_SURPLUS];
    struct ball_candidate candidate;
};

/* erfc(z)/2 to 1.2e-7 of itself (Press et al. 1992, Numerical Recipes 6.2). */
LR_FN real ball_gauss_tail(real z)
{
    const real size = r_abs(z);
    const real t = r_div(R(1), R(1) + R(0.5) * size);
    const real series =
        R(-1.26551223) +
        t * (R(1.00002368) +
             t * (R(0.37409196) +
                  t * (R(0.09678418) +
                       t * (R(-0.18628806) +
                            t * (R(0.27886807) +
                                 t * (R(-1.13520398) +
                                      t * (R(1.48851587) + t * (R(-0.82215223) + t * R(0.17087277)))))))));
    const real tail = R(0.5) * t * r_exp(series - size * size);
    return z < R(0) ? R(1) - tail : tail;
}

LR_FN struct random4 ball_draw(const struct ball_trials *set, struct ball_trial *trial)
{
    return rng_draw(set->key, trial->draw++, trial->number, set->row);
}

/* Splits off the rare outcome, of chance p; returns whether it replaces the candidate. */
LR_FN int ball_split(struct ball_trial *trial, real p, real uniform)
{
    const real part = trial->weight * p;
    trial->split += part;
    trial->weight -= part;
    return uniform * trial->split <= part;
}

/* ---- jumps ------------------------------------------------------------------------------------------------------- */

LR_FN void ball_jump(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon, int level,
                     int row, int wing, real pick, struct random4 random, real weight)
{
    const struct ball_row *from = &set->smaller.row[row];
    const struct ball_exit out =
        ball_read(ball_pick(&set->smaller, from, wing, pick), from, wing, photon->n, photon->x, random);
    const real radius = ball_radius(level);
    photon->at = vec3_make(photon->at.x + radius * out.place.x, photon->at.y + radius * out.place.y,
                           photon->at.z + radius * out.place.z);
    photon->n = out.n;
    photon->x = out.x;
    photon->path += radius * out.path;
    photon->last = radius * out.last;
    photon->scatterings += out.scatterings;
    trial->surplus[1] += weight * r_div(radius, set->radius) * (out.path - set->mean[row].path[wing]);
    trial->surplus[2] += weight * (out.scatterings - set->mean[row].scatterings[wing]);
}

LR_FN void ball_jump_due(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon, int level,
                         const int splits)
{
    struct random4 random = ball_draw(set, trial);
    const struct ball_choice choice =
        ball_choose(&set->smaller, &set->smaller.level[level], set->gas.a, r_abs(photon->x), rng_uniform(random.r1));
    const real chance = choice.wing;
    if (splits && trial->jumps < BALL_N_EVEN - 1)
        random.r0 = set->lattice.shift[trial->jumps] + trial->number * set->lattice.alpha[trial->jumps];
    trial->jumps++;
    const real uniform = rng_uniform(random.r0);
    if (splits && chance < BALL_RARE) {
        if (chance > R(0) && ball_split(trial, chance, rng_uniform(random.r3))) {
            trial->candidate.photon = *photon;
            trial->candidate.reaction = BALL_JUMP;
            trial->candidate.level = level;
            trial->candidate.row = ball_row_with(&set->smaller, choice, 1);
        }
        const int row = ball_row_with(&set->smaller, choice, 0);
        ball_jump(set, trial, photon, level, row, 0, uniform, random, trial->weight);
        return;
    }
    const real weight = splits ? trial->weight : trial->split;
    const int wing = uniform <= chance;
    const real rest = wing ? r_div(uniform, chance) : r_div(uniform - chance, R(1) - chance);
    trial->surplus[0] += weight * ((real)wing - chance);
    ball_jump(set, trial, photon, level, ball_row_with(&set->smaller, choice, wing), wing, rest, random, weight);
}

/* ---- scatterings ------------------------------------------------------------------------------------------------- */

LR_FN struct vec3 ball_direction(const struct ball_gas *gas, const struct ball_photon *photon, struct random4 random)
{
    if (!gas->dipole)
        return direction_isotropic(random.r0, random.r1);
    const real part = phase_in_core(gas->a, photon->x) ? gas->dipole_core : gas->dipole_wing;
    return direction_dipole(photon->n, part, random.r0, random.r1);
}

/* Off an atom of velocity u along the photon and v perpendicular to it, in the plane of both directions. */
LR_FN void ball_scatter(struct ball_photon *photon, real u, real v, struct vec3 n)
{
    photon->x = redistributed_frequency(photon->x, u, v, vec3_dot(photon->n, n), R(0));
    photon->n = n;
    photon->last = R(0);
    photon->scatterings += R(1);
}

LR_FN real ball_atom(const struct ball_trials *set, struct ball_trial *trial, real x)
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

LR_FN real ball_far_chance(const struct ball_gas *gas, real x, real opacity)
{
    const real position = r_abs(x) * (R(1) / BALL_FAR_STEP);
    if (position >= (real)(BALL_N_FAR - 1))
        return R(1);
    const int i = (int)position;
    return r_div(r_between(gas->far[i], gas->far[i + 1], position - (real)i), opacity);
}

/* Without v: where the frequency would be, and the sine that multiplies v. */
struct ball_fast {
    real middle, sine, up, down; /* chances to leave the core on either side */
};
LR_FN struct ball_fast ball_fast_chance(const struct ball_gas *gas, const struct ball_photon *photon, real u,
                                        struct vec3 n)
{
    struct ball_fast fast;
    const real g = vec3_dot(photon->n, n);
    fast.sine = r_sqrt(r_max(R(1) - g * g, R(1e-12)));
    fast.middle = photon->x + u * (g - R(1));
    fast.up = ball_gauss_tail(r_div(gas->x_wing - fast.middle, fast.sine));
    fast.down = ball_gauss_tail(r_div(gas->x_wing + fast.middle, fast.sine));
    return fast;
}

/* v that brings the photon into the wing: v > t has the density exp(-v^2), drawn from v exp(-v^2). */
LR_FN real ball_fast_atom(const struct ball_trials *set, struct ball_trial *trial, struct ball_fast fast)
{
    const int up = rng_uniform(ball_draw(set, trial).r0) * (fast.up + fast.down) <= fast.up;
    const real least = r_div(set->gas.x_wing + (up ? -fast.middle : fast.middle), fast.sine);
    for (;;) {
        const struct random4 random = ball_draw(set, trial);
        const real v = r_sqrt(least * least - r_log(rng_uniform(random.r0)));
        if (rng_uniform(random.r1) * v <= least)
            return up ? v : -v;
    }
}

LR_FN void ball_scatter_due(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon,
                            const int splits)
{
    const struct ball_gas *gas = &set->gas;
    struct random4 choice = {0, 0, 0, 0};
    real u;
    int near_atom = 0;
    if (splits) {
        choice = ball_draw(set, trial);
        const real far = ball_far_chance(gas, photon->x, photon->opacity);
        near_atom = far < BALL_RARE;
        if (near_atom && ball_split(trial, far, rng_uniform(choice.r0))) {
            trial->candidate.photon = *photon;
            trial->candidate.reaction = BALL_FAR_ATOM;
        }
    }
    do
        u = ball_atom(set, trial, photon->x);
    while (near_atom && r_abs(photon->x - u) > BALL_FAR);

    struct random4 random = ball_draw(set, trial);
    const struct vec3 n = ball_direction(gas, photon, random);
    real v = thermal_pair(random.r2, random.r3).first;
    if (splits) {
        const struct ball_fast fast = ball_fast_chance(gas, photon, u, n);
        const real chance = fast.up + fast.down;
        if (chance < BALL_RARE) {
            if (ball_split(trial, chance, rng_uniform(choice.r1))) {
                trial->candidate.photon = *photon;
                trial->candidate.reaction = BALL_FAST_ATOM;
                trial->candidate.u = u;
                trial->candidate.n = n;
            }
            while (r_abs(fast.middle + fast.sine * v) > gas->x_wing) {
                random = ball_draw(set, trial);
                v = thermal_pair(random.r2, random.r3).first;
            }
        }
    }
    ball_scatter(photon, u, v, n);
}

/* ---- the trial --------------------------------------------------------------------------------------------------- */

LR_FN void ball_react(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon,
                      const int splits)
{
    const real room = set->radius - r_sqrt(vec3_dot(photon->at, photon->at));
    const int level = ball_level_within(&set->smaller, room);
    if (level >= 0 && r_abs(photon->x) < (real)set->smaller.level[level].x_max)
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

LR_FN struct ball_exit ball_exit_of(const struct ball_photon *photon, real radius)
{
    struct ball_exit out;
    out.place = direction_normalised(photon->at);
    out.n = photon->n;
    out.x = photon->x;
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
    trial->number = number;
    trial->draw = trial->jumps = 0;
    trial->weight = R(1);
    trial->split = R(0);
    trial->candidate.photon = photon;
    trial->candidate.reaction = BALL_JUMP;
    trial->candidate.level = trial->candidate.row = 0;
    trial->candidate.u = R(0);
    trial->candidate.n = photon.n;
    for (int i = 0; i < BALL_N_SURPLUS; i++)
        trial->surplus[i] = R(0);
    do
        ball_react(set, trial, &photon, 1);
    while (!ball_fly(set, trial, &photon));
    return ball_exit_of(&photon, set->radius);
}

/* The exit of weight S, if S > 0. */
LR_FN struct ball_exit ball_trial_rare(const struct ball_trials *set, struct ball_trial *trial)
{
    const struct ball_candidate *from = &trial->candidate;
    struct ball_photon photon = from->photon;
    if (from->reaction == BALL_JUMP) {
        const int last = BALL_N_EVEN - 1;
        const uint32_t even = set->lattice.shift[last] + trial->number * set->lattice.alpha[last];
        ball_jump(set, trial, &photon, from->level, from->row, 1, rng_uniform(even), ball_draw(set, trial),
                  trial->split);
    } else if (from->reaction == BALL_FAR_ATOM) {
        const real u = ball_far_atom(set, trial, photon.x);
        const struct random4 random = ball_draw(set, trial);
        ball_scatter(&photon, u, thermal_pair(random.r2, random.r3).first, ball_direction(&set->gas, &photon, random));
    } else {
        const struct ball_fast fast = ball_fast_chance(&set->gas, &photon, from->u, from->n);
        ball_scatter(&photon, from->u, ball_fast_atom(set, trial, fast), from->n);
    }
    while (!ball_fly(set, trial, &photon))
        ball_react(set, trial, &photon, 0);
    return ball_exit_of(&photon, set->radius);
}

#endif
