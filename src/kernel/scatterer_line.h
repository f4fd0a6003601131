/* The line as a scatterer (scatterer.h). */
#ifndef LR_KERNEL_SCATTERER_LINE_H
#define LR_KERNEL_SCATTERER_LINE_H

#include "kernel/core_skipping.h"
#include "kernel/deposit.h"
#include "kernel/phase.h"
#include "kernel/redistribution.h"
#include "kernel/scatterer.h"
#include "kernel/tables.h"

LR_FN real line_profile(const struct table_view *table, real a, real x, const int mode, const int narrow)
{
    if (mode == REDISTRIBUTION_TABLE_GLOBAL || mode == REDISTRIBUTION_TABLE_CONSTANT)
        return voigt_table(table, a, x);
    if (mode == REDISTRIBUTION_APPROXIMATE_VOIGT)
        return voigt_tanh_blend(a, x, (real)voigt_crossing((double)a));
    return narrow ? voigt_narrow(a, x) : voigt(a, x);
}

/* The profile along a step. */
LR_FN struct profiles line_profiles(const struct table_view *table, real a, struct leg leg, const int mode,
                                    const int narrow)
{
    struct profiles seen;
    seen.start = seen.middle = seen.end = seen.mean = line_profile(table, a, leg.start, mode, narrow);
    if (WALK_IS_RADIAL && leg.end != leg.start) {
        seen.middle = line_profile(table, a, leg.middle, mode, narrow);
        seen.end = line_profile(table, a, leg.end, mode, narrow);
        seen.mean = leg_mean(seen.start, seen.middle, seen.end, R(1));
    }
    return seen;
}

/* Complete redistribution needs no atom: the proposal is the outgoing frequency itself, always accepted. */
LR_FN struct velocity_proposal line_propose(const struct table_view *table, real a, real x, struct random4 random,
                                            const int mode, const int narrow)
{
    if (mode == REDISTRIBUTION_COMPLETE) {
        struct velocity_proposal proposal;
        proposal.u = sample_voigt_profile(a, random);
        proposal.uniform = rng_uniform(random.r3);
        proposal.chance = R(1);
        return proposal;
    }
    if (mode == REDISTRIBUTION_TABLE_GLOBAL || mode == REDISTRIBUTION_TABLE_CONSTANT)
        return propose_velocity_table(table, a, x, random);
    return propose_velocity(a, x, random, narrow);
}

/* Velocity of that atom perpendicular to the photon, in the plane of both directions. By symmetry the same value serves
 * the packet and all cameras. */
LR_FN real line_side_velocity(real x, real core, struct random4 random)
{
    return side_velocity(x, core, random.r2, random.r3);
}

/* Frequency after scattering by an angle with cosine g. */
LR_FN real line_frequency(const struct transport_view *view, real b, real x, real u, real u_side, real g,
                          const int mode)
{
    real recoil = R(0);
    if (mode == REDISTRIBUTION_COMPLETE)
        return u;
    if (mode != REDISTRIBUTION_GROUP && LR_BRANCH(view->recoil > R(0))) /* an atom of a group has it in u */
        recoil = r_div(view->recoil, b);
    return redistributed_frequency(x, u, u_side, g, recoil);
}

LR_FN real line_dipole_part(const struct transport_view *view, real a, real x)
{
    return phase_in_core(a, x) ? view->dipole_core : view->dipole_wing;
}

LR_FN struct absorber line_absorber(const struct transport_view *view, real a, real x, struct velocity_proposal atom,
                                    real u_side, const int dipole)
{
    struct absorber absorber;
    absorber.x = x;
    absorber.u = atom.u;
    absorber.u_side = u_side;
    absorber.e1 = dipole ? line_dipole_part(view, a, x) : R(0);
    return absorber;
}

LR_FN struct scattered_photon line_scatter(const struct transport_view *view, real b, struct vec3 n,
                                           struct absorber atom, struct random4 random, const int mode,
                                           const int dipole)
{
    struct scattered_photon out;
    out.n = dipole ? direction_dipole(n, atom.e1, random.r0, random.r1) : direction_isotropic(random.r0, random.r1);
    out.x = line_frequency(view, b, atom.x, atom.u, atom.u_side, vec3_dot(n, out.n), mode);
    return out;
}

LR_FN struct toward line_toward(const struct transport_view *view, real b, real g, struct absorber atom, real share,
                                const int mode)
{
    struct toward light;
    light.x = line_frequency(view, b, atom.x, atom.u, atom.u_side, g, mode);
    light.amount = share * phase_toward(atom.e1, g);
    return light;
}

/* Frequency of that light without recoil; for several cameras, a frequency at least as far from line centre. In terms
 * of the atom's velocity in the plane of both directions, x' = x - u + (u cos + u_side sin) of the angle, so
 *
 *     |x'| <= |x - u| + sqrt(u^2 + u_side^2). */
LR_FN real line_farthest(const struct transport_view *view, struct vec3 n, real x, real u, real u_side, const int mode,
                         const int lone)
{
    if (mode == REDISTRIBUTION_COMPLETE)
        return u;
    if (lone)
        return redistributed_frequency(x, u, u_side, vec3_dot(n, view->toward), R(0));
    return r_abs(x - u) + r_sqrt(u * u + u_side * u_side);
}

#endif
