/* Lines that overlap as one scatterer (scatterer.h), with exact redistribution. Gas absorbs with the sum of their
 * profiles,
 *
 *     alpha(x) = SUM_l alpha_l H(a_l, (x - d_l) / w_l),     d_l = c ln(nu_l / nu_0) / b,     w_l = b_l / b,
 *
 * in which x and b are those of the first line and b_l^2 = (b^2 - b_turb^2) m_0 / m_l + b_turb^2. A photon is absorbed
 * by line l in proportion to its term. The atom then decays through line m of the same upper level with its branching
 * ratio, and the photon leaves as far from this line as it came to the other one in the frame of the atom (R_II about
 * each line):
 *
 *     x' - d_m = x - d_l + w_l [(u + recoil) (cos - 1) + u_side sin].
 *
 * A way is a pair (l, m); ways are chosen in proportion to alpha_l H_l times the branching ratio.
 *
 * Two lines from one level S_1/2 to levels P_1/2 (H) and P_3/2 (K) scatter together. At the distances q_K and q_H from
 * them, in the frame of the atom, the part
 *
 *     E1 = (2 q_K q_H + q_H^2) / (q_K^2 + 2 q_H^2)
 *
 * of the scatterings is dipole-like (Stenflo 1980, A&A 84, 68). It lies between -1/2 and 1: negative between the lines,
 * where less light is scattered along the way than across. */
#ifndef LR_KERNEL_SCATTERER_GROUP_H
#define LR_KERNEL_SCATTERER_GROUP_H

#include "kernel/doppler.h"
#include "kernel/leg.h"
#include "kernel/phase.h"
#include "kernel/redistribution.h"
#include "kernel/scatterer.h"
#include "kernel/views.h"
#include "kernel/voigt.h"
#include "kernel/walk.h"

/* A line in the gas of a cell, in its Doppler units. */
struct group_member {
    real centre, width, a;
    real strength; /* opacity at line centre, relative to that of the first line */
};

LR_FN struct group_member group_member_of(const struct group_way *way, real turbulence2, real a, real b)
{
    const real inv_b = r_div(R(1), b);
    struct group_member line;
    line.width = r_sqrt(way->lightness + (R(1) - way->lightness) * turbulence2 * inv_b * inv_b);
    const real inv_width = r_div(R(1), line.width);
    line.centre = way->centre * inv_b;
    line.a = a * way->damping * inv_width;
    line.strength = way->strength * inv_width;
    return line;
}

LR_FN real group_member_distance(struct group_member line, real x)
{
    return r_div(x - line.centre, line.width);
}

LR_FN real group_member_opacity(struct group_member line, real x)
{
    return line.strength * voigt(line.a, group_member_distance(line, x));
}

/* Opacity of all lines relative to that of the first one at its centre. */
LR_FN real group_profile(const struct ways_view *group, real a, real b, real x)
{
    real sum = R(0);
    for (int i = 0; i < group->n; i++)
        if (group->way[i].opens)
            sum += group_member_opacity(group_member_of(&group->way[i], group->turbulence2, a, b), x);
    return sum;
}

LR_FN struct profiles group_profiles(const struct ways_view *group, real a, real b, struct leg leg)
{
    struct profiles seen;
    seen.start = seen.middle = seen.end = seen.mean = group_profile(group, a, b, leg.start);
    if (WALK_IS_RADIAL && leg.end != leg.start) {
        seen.middle = group_profile(group, a, b, leg.middle);
        seen.end = group_profile(group, a, b, leg.end);
        seen.mean = leg_mean(seen.start, seen.middle, seen.end, R(1));
    }
    return seen;
}

/* A shift from the sum of the profiles. */
LR_FN real group_sample_shift(const struct ways_view *group, real a, real b, struct random4 random)
{
    real left = rng_uniform(random.r3);
    real sum = R(0);
    int i = 0;
    for (int k = 0; k < group->n; k++)
        sum += group->way[k].strength * group->way[k].share;
    left *= sum;
    for (; i < group->n - 1; i++) {
        left -= group->way[i].strength * group->way[i].share;
        if (left <= R(0))
            break;
    }
    const struct group_member line = group_member_of(&group->way[i], group->turbulence2, a, b);
    const real x = line.centre + line.width * sample_voigt_profile(line.a, random);
    return shift_of_logarithmic(b * x, group->beta);
}

/* The way chosen among those considered so far. Each in turn replaces those before it with its share of the sum; what
 * is left of the uniform number is uniform again. */
struct group_choice {
    real sum, uniform;
    real centre, width, a; /* of the line that absorbs */
    real turn, recoil;     /* in Doppler units of the gas */
    real dipole, partner;
    int dipole_kind;
};

LR_FN struct group_choice group_choice_begin(uint32_t random)
{
    struct group_choice choice;
    choice.sum = choice.centre = choice.turn = choice.recoil = choice.dipole = choice.partner = R(0);
    choice.width = choice.a = R(1);
    choice.dipole_kind = DIPOLE_OWN;
    choice.uniform = rng_uniform(random);
    return choice;
}

/* `opacity` is that of the line of the way. */
LR_FN struct group_choice group_consider(struct group_choice before, const struct group_way *way,
                                         struct group_member line, real opacity, real b)
{
    const real weight = opacity * way->share;
    const real sum = before.sum + weight;
    const real chance = weight > R(0) ? r_div(weight, sum) : R(0);
    const int takes = before.uniform <= chance;
    const real inv_b = r_div(R(1), b);
    struct group_choice choice;
    choice.sum = sum;
    choice.uniform =
        r_min(r_div(takes ? before.uniform : before.uniform - chance, takes ? chance : R(1) - chance), R(1));
    choice.centre = takes ? line.centre : before.centre;
    choice.width = takes ? line.width : before.width;
    choice.a = takes ? line.a : before.a;
    choice.turn = takes ? way->turn * inv_b : before.turn;
    choice.recoil = takes ? way->recoil * inv_b : before.recoil;
    choice.dipole = takes ? way->dipole : before.dipole;
    choice.partner = takes ? way->partner * inv_b : before.partner;
    choice.dipole_kind = takes ? way->dipole_kind : before.dipole_kind;
    return choice;
}

LR_FN struct group_choice group_choose(const struct ways_view *group, real a, real b, real x, uint32_t random)
{
    struct group_choice choice = group_choice_begin(random);
    real opacity = R(0);
    for (int i = 0; i < group->n; i++) {
        const struct group_member line = group_member_of(&group->way[i], group->turbulence2, a, b);
        if (group->way[i].opens)
            opacity = group_member_opacity(line, x);
        choice = group_consider(choice, &group->way[i], line, opacity, b);
    }
    return choice;
}

/* E1 at a distance from the line that absorbs, in the frame of the atom. */
LR_FN real group_dipole_part(const struct group_choice *choice, real distance)
{
    const real other = distance - choice->partner;
    const int upper = choice->dipole_kind == DIPOLE_UPPER_3_2;
    const real k = upper ? distance : other;
    const real h = upper ? other : distance;
    const real scale = r_max(r_max(r_abs(k), r_abs(h)), R(1e-30));
    const real q_k = r_div(k, scale);
    const real q_h = r_div(h, scale);
    const real pair = r_div(R(2) * q_k * q_h + q_h * q_h, r_max(q_k * q_k + R(2) * q_h * q_h, R(1e-30)));
    return choice->dipole_kind == DIPOLE_OWN ? choice->dipole : pair;
}

/* The atom that absorbs: `u` and `u_side` are its velocities in units of its own width. What is left of the uniform
 * number chooses one law of the phase function (phase.h), for the packet and for all cameras. */
LR_FN struct absorber group_absorber(const struct group_choice *choice, real x, real u, real u_side, const int dipole)
{
    const real along = u * choice->width;
    struct absorber atom;
    atom.x = x + choice->turn;
    atom.u = along + choice->recoil;
    atom.u_side = u_side * choice->width;
    atom.e1 = dipole ? phase_law(group_dipole_part(choice, x - choice->centre - along), choice->uniform) : R(0);
    return atom;
}

#endif
