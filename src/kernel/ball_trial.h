/* Trials that make the records of ball.h. A photon starts at the centre of a ball, about to scatter in the core of the
 * line, and is followed until it leaves either. Between scatterings it flies exactly. In large balls of the first grade
 * and in those of the second it jumps through smaller ones, where one fits between the photon and the surface.
 *
 * Atoms that see the photon far from resonance are rare, and what they do decides how photons escape. Their chance is
 * therefore summed, not counted:
 *
 *     chance of |x - u| > D:   p = (a / (pi H(a,x))) INT_{|y| > D} exp(-(x-y)^2) / (y^2 + a^2) dy.
 *
 * At each scattering, or jump, the trial is split: the photon, of weight W, goes on off a near atom with W (1 - p), and
 * what has been split off is represented by one of these scatterings, drawn with chances in proportion to W p. At the
 * end this one is given a far atom and followed as well, with the sum S of all W p as its weight. Every trial has thus
 * two exits, W + S = 1. */
#ifndef LR_KERNEL_BALL_TRIAL_H
#define LR_KERNEL_BALL_TRIAL_H

#include "kernel/ball.h"
#include "kernel/redistribution.h"
#include "kernel/voigt.h"

/* Chances below BALL_SPLIT are split off, as long as the weight exceeds BALL_LIGHT. */
#define BALL_SPLIT R(0.9)
#define BALL_LIGHT R(0.1)

/* The table of the integral over |y| > D. */
#define BALL_FAR_STEP R(0.015625)
enum { BALL_N_FAR = 385 }; /* up to |x| = 6 */

/* The first jumps of all trials of a row pick their records evenly: number j of trial i takes the fraction of
 * shift_j + i alpha_j. Later ones pick at random. The last is for the jump that was split off. */
enum { BALL_N_EVEN = 8 };
struct ball_lattice {
    uint32_t shift[BALL_N_EVEN], alpha[BALL_N_EVEN];
};

struct ball_gas {
    real a, x_wing;
    int dipole; /* or isotropic */
    real dipole_core, dipole_wing;
    real far[BALL_N_FAR]; /* the integral times a / pi */
};

/* Isotropic gas. The integral by the midpoint rule, in double. */
LR_FN void ball_gas_make(double a, double x_wing, struct ball_gas *gas)
{
    const double step = 0.01;
    gas->a = (real)a;
    gas->x_wing = (real)x_wing;
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
};

/* A scattering or jump whose far atom has been split off. */
struct ball_candidate {
    struct ball_photon photon; /* before it */
    int level, row;            /* of the jump; level -1: a scattering */
};

struct ball_trial {
    uint32_t number, draw, jumps;
    real weight, split; /* W, S */
    struct ball_candidate candidate;
};

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

LR_FN void ball_jump(const struct ball_trials *set, struct ball_photon *photon, int level, int row, double uniform,
                     struct random4 random, struct random4 after)
{
    const struct ball_row *from = &set->balls.row[row];
    const struct ball_picked pick = ball_pick(&set->balls, from, uniform);
    const struct ball_exit out =
        ball_read(&set->family, pick.record, from, pick.part, photon->n, photon->x, random, after);
    const real radius = ball_radius(&set->family, level);
    const real reach = radius * out.reach;
    photon->at = vec3_make(photon->at.x + reach * out.place.x, photon->at.y + reach * out.place.y,
                           photon->at.z + reach * out.place.z);
    photon->n = out.n;
    photon->x = out.x;
    photon->path += radius * out.path;
    photon->last = radius * out.last;
    photon->scatterings += out.scatterings;
    photon->atom = out.atom;
}

LR_FN void ball_jump_due(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon, int level,
                         int splits)
{
    struct random4 random = ball_draw(set, trial);
    const int row = ball_choose(&set->balls, &set->family, level, r_abs(photon->x), rng_uniform(random.r1));
    const double near = ball_near(&set->balls.row[row]);
    const real far = (real)(1 - near);
    const int split = splits && far < BALL_SPLIT;
    if (splits && trial->jumps < BALL_N_EVEN - 1)
        random.r0 = set->lattice.shift[trial->jumps] + trial->number * set->lattice.alpha[trial->jumps];
    trial->jumps++;
    if (split && far > R(0) && ball_split(trial, far, rng_uniform(random.r3))) {
        trial->candidate.photon = *photon;
        trial->candidate.level = level;
        trial->candidate.row = row;
    }
    ball_jump(set, photon, level, row, (double)rng_uniform(random.r0) * (split ? near : 1), random,
              ball_draw(set, trial));
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

LR_FN real ball_far_chance(const struct ball_gas *gas, real x, real opacity)
{
    const real position = r_abs(x) * (R(1) / BALL_FAR_STEP);
    if (position >= (real)(BALL_N_FAR - 1))
        return R(1);
    const int i = (int)position;
    return r_div(r_between(gas->far[i], gas->far[i + 1], position - (real)i), opacity);
}

LR_FN void ball_scatter_off(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon, real u)
{
    const struct random4 random = ball_draw(set, trial);
    ball_scatter(photon, u, thermal_pair(random.r2, random.r3), ball_direction(&set->gas, photon, random));
}

LR_FN void ball_scatter_due(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon,
                            int splits)
{
    real u;
    int near_atom = 0;
    if (splits) {
        const real far = ball_far_chance(&set->gas, photon->x, photon->opacity);
        near_atom = far < BALL_SPLIT;
        if (near_atom && ball_split(trial, far, rng_uniform(ball_draw(set, trial).r0))) {
            trial->candidate.photon = *photon;
            trial->candidate.level = -1;
        }
    }
    do
        u = ball_any_atom(set, trial, photon->x);
    while (near_atom && r_abs(photon->x - u) > BALL_FAR);
    ball_scatter_off(set, trial, photon, u);
}

/* ---- the trial --------------------------------------------------------------------------------------------------- */

LR_FN void ball_react(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon,
                      const int rare)
{
    const real room = set->radius - r_sqrt(vec3_dot(photon->at, photon->at));
    const int in_core = r_abs(photon->x) < (real)set->family.x_start;
    const int level = in_core ? ball_level_within(&set->family, room) : -1;
    const int splits = !rare && trial->weight > BALL_LIGHT;
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

LR_FN int ball_in_wing(const struct ball_trials *set, real x)
{
    return r_abs(x) > set->gas.x_wing;
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
    out.reach = r_div(distance, radius);
    out.path = r_div(photon->path, radius);
    out.last = r_div(photon->last, radius);
    out.scatterings = photon->scatterings;
    return out;
}

/* Follows a photon that is about to fly until it leaves. */
LR_FN struct ball_exit ball_follow(const struct ball_trials *set, struct ball_trial *trial, struct ball_photon *photon,
                                   const int rare)
{
    for (;;) {
        if (ball_in_wing(set, photon->x))
            return ball_exit_of(photon, set->radius, 1);
        if (ball_fly(set, trial, photon))
            return ball_exit_of(photon, set->radius, 0);
        ball_react(set, trial, photon, rare);
    }
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
    trial->number = number;
    trial->draw = trial->jumps = 0;
    trial->weight = R(1);
    trial->split = R(0);
    trial->candidate.photon = photon;
    trial->candidate.level = -1;
    trial->candidate.row = 0;
    ball_react(set, trial, &photon, 0);
    return ball_follow(set, trial, &photon, 0);
}

/* The exit of weight S, if S > 0. */
LR_FN struct ball_exit ball_trial_rare(const struct ball_trials *set, struct ball_trial *trial)
{
    const struct ball_candidate *from = &trial->candidate;
    struct ball_photon photon = from->photon;
    if (from->level >= 0) {
        const int last = BALL_N_EVEN - 1;
        const uint32_t even = set->lattice.shift[last] + trial->number * set->lattice.alpha[last];
        const double near = ball_near(&set->balls.row[from->row]);
        const struct random4 random = ball_draw(set, trial);
        ball_jump(set, &photon, from->level, from->row, near + (1 - near) * (double)rng_uniform(even), random,
                  ball_draw(set, trial));
    } else {
        ball_scatter_off(set, trial, &photon, ball_far_atom(set, trial, photon.x));
    }
    return ball_follow(set, trial, &photon, 1);
}

#endif
