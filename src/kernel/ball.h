/* Jumps through deep gas, by walks on spheres. Nearly all scatterings in deep gas happen in the core of the line, where
 * photons hardly move. Inside homogeneous gas a photon does not know where the walls are: one that is about to scatter
 * in the core, at the centre of a ball, scatters until it either leaves the ball or is scattered into the wing of the
 * line, |x| > x_wing, somewhere in the ball: at some place, in some direction, at some frequency, after some path and
 * number of scatterings. These are drawn from records of the exact process, relative to the direction and frequency of
 * the photon. Whatever happened in the core is thereby skipped, and nothing is assumed about it. In the wing, where
 * scatterings are few and carry photons far, all are followed; so are those between x_start < x_wing and the wing,
 * where what happens next depends strongly on the frequency.
 *
 * Lengths are free paths at line centre (opacity H(a, x)). Rows of records start at the frequencies of a grid; a photon
 * between two of them takes either row at random. The records of a row are in several parts. Most photons only meet
 * atoms that see them near resonance. An atom that sees the photon far from it, |x - u| > BALL_FAR, is rare, but takes
 * the photon into the wing proper and thereby decides how it escapes from deep gas. What left by another atom, or
 * through the surface, is parted by frequency: those farthest from line centre are few and travel farthest.
 *
 * There are up to two grades of families. In the first, the wing begins where one scattering of the core in 500 leads,
 * and balls are small. The second serves very deep gas: its wing begins where the wing of the
 * profile does, and its balls are made with those of the first.
 *
 * Gas of any damping uses the families of the two nearest dampings (packet_jump.h). */
#ifndef LR_KERNEL_BALL_H
#define LR_KERNEL_BALL_H

#include "kernel/ball_view.h"
#include "kernel/phase.h"
#include "kernel/voigt.h"

#define BALL_LEAST R(8)
#define BALL_FAR R(1.5)

LR_FN real ball_radius(const struct ball_family *family, int level)
{
    return (real)family->least * (real)(1 << level);
}

/* Frequency of a row, and the row of a frequency with its fraction. */
LR_FN real ball_row_x(const struct ball_family *family, int row)
{
    return (real)family->x_start * ((real)row * (R(1) / (real)(BALL_ROWS - 1)));
}

LR_FN real ball_row_position(const struct ball_family *family, real x)
{
    return r_div(x * (real)(BALL_ROWS - 1), (real)family->x_start);
}

/* The largest level with a radius of at most `room`; -1 if there is none. */
LR_FN int ball_level_within(const struct ball_family *family, real room)
{
    int level = -1;
    real radius = (real)family->least;
    while (level + 1 < family->n_level && radius <= room) {
        level++;
        radius *= R(2);
    }
    return level;
}

/* Lengths and numbers are kept as logarithms in 16 bits, in steps of BALL_CODE_STEP; 0 is none. */
#define BALL_CODE_STEP R(5e-4)
#define BALL_LEAST_LENGTH R(1e-7)

LR_FN real ball_decode(uint16_t code, real least)
{
    return least * r_exp(BALL_CODE_STEP * (real)code);
}

LR_FN real ball_decode_length(uint16_t code)
{
    return code ? ball_decode(code, BALL_LEAST_LENGTH) : R(0);
}

/* The atom that scattered a photon last: velocity, and frequency of the photon as the atom saw it. */
struct ball_atom {
    struct vec3 along; /* unit vector */
    real speed, detuning;
};

struct ball_exit {
    struct vec3 place, n; /* unit vectors from the centre, and along the photon */
    real x;
    struct ball_atom atom;  /* if it was scattered isotropically into the wing */
    int inside;             /* left the core, not the ball */
    int far;                /* by an atom that saw it far from resonance */
    real reach, path, last; /* in radii: distance from the centre, path, last flight */
    real scatterings;       /* including that at the centre */
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

/* One of the two rows around |x| < x_start, at random in proportion; an index of the table. */
LR_FN int ball_choose(const struct ball_view *view, const struct ball_family *family, int level, real x, real uniform)
{
    const int row = (int)ball_row_position(family, x);
    const int below = family->first_row + level * BALL_ROWS + (row < BALL_ROWS - 2 ? row : BALL_ROWS - 2);
    const real start = (real)view->row[below].at;
    const real part = r_div(ball_coordinate((real)family->a, x) - start, (real)view->row[below + 1].at - start);
    return below + (uniform <= r_max(r_min(part, R(1)), R(0)) ? 1 : 0);
}

/* The part of an exit that was not by a far atom, by its frequency: through the surface, or into the wing. There, for
 * isotropic scattering, it is the farthest frequency that the atom could have scattered the photon to; `fast` atoms are
 * those of the last part. */
#define BALL_FAST_EXCESS R(4)
LR_FN int ball_part(int inside, real farthest, real x_wing)
{
    const real size = r_div(farthest, x_wing);
    const real excess = farthest * farthest - x_wing * x_wing;
    if (!inside)
        return size < R(0.7) ? 0 : size < R(0.85) ? 1 : 2;
    return excess < R(1) ? 3 : excess < R(2.2) ? 4 : excess < BALL_FAST_EXCESS ? 5 : BALL_FAST_PART;
}

/* ---- the last scattering ----------------------------------------------------------------------------------------- */

/* An atom of velocity U that sees the photon at the frequency y sends it off at x = y + n . U. Isotropic directions n
 * make x uniform in y - U .. y + U. A photon that was scattered into the wing may therefore leave at any x there, with
 * the direction on a cone about U that belongs to it: each record stands for all of these. */
struct ball_ways {
    real above, below; /* lengths of that interval beyond x_wing and -x_wing */
};

LR_FN struct ball_ways ball_ways_to_wing(real speed, real detuning, real x_wing)
{
    struct ball_ways ways;
    ways.above = r_min(r_max(speed + detuning - x_wing, R(0)), R(2) * speed);
    ways.below = r_min(r_max(speed - detuning - x_wing, R(0)), R(2) * speed);
    return ways;
}

/* The fraction of all directions that lead to the wing. */
LR_FN real ball_chance_of_wing(const struct ball_atom *atom, real x_wing)
{
    const struct ball_ways ways = ball_ways_to_wing(atom->speed, atom->detuning, x_wing);
    return r_div(ways.above + ways.below, R(2) * atom->speed);
}

/* Speeds and detunings are kept in steps of this. */
#define BALL_SPEED_STEP R(0.00048828125)
enum { BALL_MOST_SPEED = 32767, BALL_NO_DETUNING = 32768, BALL_MOST_DETUNING = 65535 };

LR_FN real ball_decode_speed(uint32_t photon)
{
    return BALL_SPEED_STEP * (real)((photon >> 1) & (uint32_t)BALL_MOST_SPEED);
}

LR_FN real ball_decode_detuning(uint32_t photon)
{
    return BALL_SPEED_STEP * (real)((int)(photon >> 16) - BALL_NO_DETUNING);
}

LR_FN real ball_decode_frequency(uint32_t photon)
{
    union {
        uint32_t bits;
        float number;
    } code;
    code.bits = photon;
    return (real)code.number;
}

/* Draws the frequency and direction of a photon that the atom scatters into the wing. */
LR_FN void ball_scatter_into_wing(struct ball_exit *out, real x_wing, struct random4 random)
{
    const struct ball_atom *atom = &out->atom;
    const struct ball_ways ways = ball_ways_to_wing(atom->speed, atom->detuning, x_wing);
    const real way = rng_uniform(random.r1) * (ways.above + ways.below);
    const real along = way <= ways.above ? atom->speed - way : way - ways.above - atom->speed;
    const struct vec3 local = direction_about_z(r_div(along, atom->speed), rng_uniform(random.r2));
    out->x = atom->detuning + along;
    out->n = direction_normalised(direction_turned_to(atom->along, local));
}

/* A record drawn with a number in 0 .. 1, below ball_common() if the exit is not a rare one. */
struct ball_picked {
    int part;
    const struct ball_record *record;
};
LR_FN double ball_common(const struct ball_row *row)
{
    return (double)row->up_to[BALL_PARTS - BALL_RARE - 1];
}

LR_FN struct ball_picked ball_pick(const struct ball_view *view, const struct ball_row *row, double uniform)
{
    struct ball_picked pick;
    pick.part = 0;
    while (uniform >= (double)row->up_to[pick.part] && row->up_to[pick.part] < 1.0f)
        pick.part++;
    const double low = pick.part > 0 ? (double)row->up_to[pick.part - 1] : 0;
    const double rest = (uniform - low) / ((double)row->up_to[pick.part] - low);
    const uint32_t n = row->n[pick.part];
    const uint32_t i = (uint32_t)(rest * (double)n);
    pick.record = &view->record[row->first[pick.part] + (i < n ? i : n - 1u)];
    return pick;
}

/* The exit that a record of a part describes, for a photon of direction n and frequency x; `after` draws what the last
 * atom leaves open. */
LR_FN struct ball_exit ball_read(const struct ball_family *family, const struct ball_record *record,
                                 const struct ball_row *row, int part, struct vec3 n, real x, struct random4 random,
                                 struct random4 after)
{
    struct ball_exit out;
    const real mu = ((real)record->mu_place + R(0.5)) * R(1.0 / 32768) - R(1);
    const real mu_out = ((real)record->mu_out + R(0.5)) * R(1.0 / 32768) - R(1);
    const real turn = ((real)record->azimuth + R(0.5)) * R(1.0 / 131072);
    const real sine_out = r_sqrt(r_max(R(1) - mu_out * mu_out, R(0)));
    const real reach = ball_decode_length(record->reach);
    const real side =
        x < R(0) ? R(-1) : R(1); /* both sides of the line are alike, with atoms that move the other way */
    out.inside = (int)(record->photon & 1u);
    out.far = part == BALL_FAR_PART;
    out.reach = out.inside ? reach : R(1);
    out.last = out.inside ? R(0) : reach;
    out.path = ball_decode_length(record->path) * (real)row->path[part];
    out.scatterings = ball_decode(record->scatterings, R(1)) * (real)row->scattered[part];
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
    out.atom.along = vec3_make(side * out.n.x, side * out.n.y, side * out.n.z);
    out.atom.speed = ball_decode_speed(record->photon);
    out.atom.detuning = side * ball_decode_detuning(record->photon);
    if (out.inside && family->isotropic)
        ball_scatter_into_wing(&out, (real)family->x_wing, after);
    else
        out.x = side * ball_decode_frequency(record->photon);
    return out;
}

/* How a photon of frequency |x| < x_start and direction n leaves a ball, or the core in it. */
LR_FN struct ball_exit ball_leave(const struct ball_view *view, const struct ball_family *family, int level, real x,
                                  struct vec3 n, struct random4 random, struct random4 after)
{
    const struct ball_row *row = &view->row[ball_choose(view, family, level, r_abs(x), rng_uniform(random.r1))];
    const struct ball_picked pick = ball_pick(view, row, ((double)random.r0 + 0.5) * 2.3283064365386963e-10);
    return ball_read(family, pick.record, row, pick.part, n, x, random, after);
}

#endif
