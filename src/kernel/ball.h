/* Jumps through deep gas, by walks on spheres. Inside homogeneous gas a photon does not know where the walls are: one
 * that is about to scatter at the centre of a ball leaves the ball at some place, in some direction, at some frequency,
 * after some path and number of scatterings. These are drawn from records of the exact process, relative to the
 * direction and frequency of the photon; whatever happens inside the ball is thereby skipped, and nothing is assumed.
 *
 * Lengths are free paths at line centre (opacity H(a, x)). The balls of level k have the radius BALL_LEAST 2^k. Rows of
 * records start at the frequencies of a grid; a photon between two of them takes either row at random.
 * Each row has two parts, for photons that leave in the core of the line and in its wing: the chance of the wing is
 * small, sets the pace of all that follows, and is known much more accurately than a count of kept records would say.
 *
 * Gas of any damping uses the tables of the two nearest dampings a_j, at random in proportion in ln(a), with balls of
 * equal a R: in the wing the process depends on a R only, and the number of scatterings grows as R. What this neglects
 * is of second order in the step of ln(a), and less than 0.1 % for steps of two and a < 1/64. */
#ifndef LR_KERNEL_BALL_H
#define LR_KERNEL_BALL_H

#include "kernel/ball_view.h"
#include "kernel/phase.h"
#include "kernel/voigt.h"

#define BALL_LEAST R(8)

/* The grid of frequencies: steps of BALL_STEP up to BALL_JOIN, then of BALL_LOG_STEP in ln(x). */
#define BALL_STEP R(0.25)
#define BALL_JOIN R(4)
#define BALL_LOG_STEP R(0.0625)
enum { BALL_JOIN_ROW = 16 }; /* BALL_JOIN / BALL_STEP */

LR_FN real ball_radius(int level)
{
    return BALL_LEAST * (real)(1 << level);
}

/* Frequency of a row, and the row of a frequency with its fraction. */
LR_FN real ball_row_x(int row)
{
    return row <= BALL_JOIN_ROW ? BALL_STEP * (real)row
                                : BALL_JOIN * r_exp(BALL_LOG_STEP * (real)(row - BALL_JOIN_ROW));
}

LR_FN real ball_row_position(real x)
{
    return x <= BALL_JOIN ? x * (R(1) / BALL_STEP)
                          : (real)BALL_JOIN_ROW + r_log(x * (R(1) / BALL_JOIN)) * (R(1) / BALL_LOG_STEP);
}

/* The largest level with a radius of at most `room`; -1 if there is none. */
LR_FN int ball_level_within(const struct ball_view *view, real room)
{
    int level = -1;
    real radius = BALL_LEAST;
    while (level + 1 < view->n_level && radius <= room) {
        level++;
        radius *= R(2);
    }
    return level;
}

/* Lengths and numbers are kept as logarithms in 16 bits, in steps of BALL_CODE_STEP. */
#define BALL_CODE_STEP R(5e-4)
#define BALL_LEAST_PATH R(0.5)
#define BALL_LEAST_LAST R(1e-7)

LR_FN real ball_decode(uint16_t code, real least)
{
    return least * r_exp(BALL_CODE_STEP * (real)code);
}

/* Whether a photon that started in the wing of the line, at x_row, keeps a memory of it, so that its change of
 * frequency is kept rather than its frequency. In the core, where atoms scatter in resonance, none does: to add changes
 * to other frequencies than x_row would widen the line that atoms emit, and a little more width is many more photons in
 * its tail. */
LR_FN int ball_keeps_memory(double x_row, double x_out)
{
    const double change = x_out < x_row ? x_row - x_out : x_out - x_row;
    return change < 0.5 * x_row;
}

struct ball_exit {
    struct vec3 place, n; /* unit vectors from the centre */
    real x;
    real path, last;  /* in radii */
    real scatterings; /* including that at the centre */
};

/* The coordinate in which rows are interpolated. A photon in the core is absorbed by atoms that see it at line centre,
 * one in the wing by any atom, and what then happens depends on which of the two it was more than on the frequency
 * itself. Between core and wing the part of the wing, a / (sqrt(pi) (1 + x^2) H), changes by large factors from row to
 * row; elsewhere it is constant, and the frequency decides. */
LR_FN real ball_coordinate(real a, real x)
{
    const real wing = r_div(R_INV_SQRT_PI * a, (R(1) + x * x) * voigt(a, x));
    return x + R(40) * wing;
}

/* One of the two rows around |x| < x_max, at random in proportion, and the chance of the wing between them. A row
 * without records of the part that is then drawn gives way to the other (ball_row_with). */
struct ball_choice {
    int row, other; /* of the table */
    real wing;
};
LR_FN struct ball_choice ball_choose(const struct ball_view *view, const struct ball_level *level, real a, real x,
                                     real uniform)
{
    struct ball_choice choice;
    const int row = (int)ball_row_position(x);
    const int below = level->first_row + (row < level->n_row - 2 ? row : level->n_row - 2);
    const real start = (real)view->row[below].at;
    const real part = r_div(ball_coordinate(a, x) - start, (real)view->row[below + 1].at - start);
    const real bounded = r_max(r_min(part, R(1)), R(0));
    const int above = uniform <= bounded;
    choice.row = below + above;
    choice.other = below + 1 - above;
    choice.wing = r_between((real)view->row[below].wing, (real)view->row[below + 1].wing, bounded);
    return choice;
}

LR_FN int ball_row_with(const struct ball_view *view, struct ball_choice choice, int wing)
{
    return view->row[choice.row].n[wing] > 0 ? choice.row : choice.other;
}

/* The exit that a record describes, for a photon of direction n and frequency x which started in a row at x_row. */
LR_FN struct ball_exit ball_read(const struct ball_record *record, const struct ball_row *row, int wing, struct vec3 n,
                                 real x, struct random4 random)
{
    union {
        float number;
        uint32_t bits;
    } code;
    struct ball_exit out;
    const real mu = ((real)record->mu_place + R(0.5)) * R(1.0 / 32768) - R(1);
    const real mu_out = ((real)record->mu_out + R(0.5)) * R(1.0 / 65536);
    const real turn = ((real)record->azimuth + R(0.5)) * R(1.0 / 131072);
    const real sine_out = r_sqrt(r_max(R(1) - mu_out * mu_out, R(0)));
    code.number = record->x;
    const real x_out = (code.bits & 1u) ? r_abs(x) + (real)record->x : (real)record->x;
    out.x = x < R(0) ? -x_out : x_out;
    out.path = ball_decode(record->path, BALL_LEAST_PATH) * (real)row->path[wing];
    out.last = record->last ? ball_decode(record->last, BALL_LEAST_LAST) : R(0);
    out.scatterings = ball_decode(record->scatterings, R(1)) * (real)row->scattered[wing];
    /* In the frame of n, with the place in the plane of z and x: `side` points from the place to n. */
    const real sine = r_sqrt(r_max(R(1) - mu * mu, R(0)));
    const struct r_sincos azimuth = r_sincos_turn((random.r3 & 1u) ? turn : R(1) - turn); /* both sides are alike */
    const real along_side = sine_out * azimuth.cos;
    const real across = sine_out * azimuth.sin;
    const struct vec3 place = vec3_make(sine, R(0), mu);
    const struct vec3 leaves = vec3_make(mu_out * sine - along_side * mu, across, mu_out * mu + along_side * sine);
    const struct r_sincos about = r_sincos_turn(rng_uniform(random.r2));
    out.place = direction_normalised(direction_turned_to(
        n, vec3_make(place.x * about.cos - place.y * about.sin, place.x * about.sin + place.y * about.cos, place.z)));
    out.n =
        direction_normalised(direction_turned_to(n, vec3_make(leaves.x * about.cos - leaves.y * about.sin,
                                                              leaves.x * about.sin + leaves.y * about.cos, leaves.z)));
    return out;
}

/* A record of one part of a row; `uniform` is in [0, 1]. */
LR_FN const struct ball_record *ball_pick(const struct ball_view *view, const struct ball_row *row, int wing,
                                          real uniform)
{
    const uint32_t n = row->n[wing];
    const uint32_t pick = (uint32_t)(uniform * (real)n);
    return &view->record[row->first[wing] + (pick < n ? pick : n - 1u)];
}

/* How a photon of frequency x and direction n leaves the ball, |x| < x_max; a is the damping of the table. */
LR_FN struct ball_exit ball_leave(const struct ball_view *view, const struct ball_level *level, real a, real x,
                                  struct vec3 n, struct random4 random)
{
    const struct ball_choice choice = ball_choose(view, level, a, r_abs(x), rng_uniform(random.r1));
    /* 32 bits choose the part, and what is left of them the record */
    const double uniform = ((double)random.r0 + 0.5) * 2.3283064365386963e-10;
    const double chance = (double)choice.wing;
    const int wing = uniform < chance;
    const real rest = (real)(wing ? uniform / chance : (uniform - chance) / (1 - chance));
    const struct ball_row *row = &view->row[ball_row_with(view, choice, wing)];
    return ball_read(ball_pick(view, row, wing, rest), row, wing, n, x, random);
}

#endif
