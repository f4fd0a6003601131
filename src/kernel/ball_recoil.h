/* Recoil of jumps. The records of ball.h are made without it: both sides of the line are alike in them. With recoil,
 * each scattering takes r (1 - g) from the frequency, r = h nu0 / (m c b), and light that scatters often in the core
 * comes into equilibrium with the atoms:
 *
 *     J(x) ~ exp(-2 r x),
 *
 * since scattering obeys detailed balance with the Wien spectrum of the Doppler temperature m b^2 / 2. One scattering
 * is enough for that: it leaves the light of a flat J at exp(-(x + r)^2), which is exp(-x^2 - 2 r x). To first order in
 * r, recoil changes three things, all of them odd in x; lengths and numbers of scatterings remain.
 *
 * - An atom of velocity U that sees the photon at y meets light of the core from all directions, INT J(x) dx over
 *   y - U < x < y + U and |x| < x_wing. This is exp(-2 r z), with the middle z of the interval. Atoms of +y and -y are
 *   alike in the records: those of y > 0 therefore change sides now and then.
 * - It sends the photon off at y + n . U - r, with a mean of 0 for the angle g to where the photon came from.
 *   Directions that lead into the wing therefore are those of an atom with y - r. If there are W(y) of them, atoms that
 *   end a jump count in proportion to W(y - r) / W(y).
 * - Light that leaves through the surface has exp(-2 r x).
 *
 * So the chance to change sides is that of two atoms with W(y - r) exp(-2 r z) and W(y + r) exp(2 r z). After a single
 * scattering there has been no J to come into equilibrium, and the exponentials are left out.
 *
 * What is left is of second order, and of first order in r for the few photons that leave after two or three
 * scatterings far from line centre. Dipole scattering, for which there are no atoms, uses exp(-2 r x) for all exits:
 * this leaves out the second point, and is wrong by about r. */
#ifndef LR_KERNEL_BALL_RECOIL_H
#define LR_KERNEL_BALL_RECOIL_H

#include "kernel/ball.h"

/* W: length of the interval of frequencies in the wing. */
LR_FN real ball_ways_of(real speed, real detuning, real x_wing)
{
    const struct ball_ways ways = ball_ways_to_wing(speed, detuning, x_wing);
    return ways.above + ways.below;
}

/* Gives an exit its recoil; `after` as in ball_leave(). */
LR_FN void ball_recoil(const struct ball_family *family, real recoil, struct random4 after, struct ball_exit *out)
{
    const int has_atom = out->inside && family->isotropic;
    const int once = out->scatterings < R(1.5);
    const real x_wing = (real)family->x_wing;
    const real y = has_atom ? out->atom.detuning : out->x;
    const real speed = out->atom.speed;
    const real met = R(0.5) * (r_min(r_abs(y) + speed, x_wing) + r_max(r_abs(y) - speed, -x_wing));
    const real tilt = once ? R(1) : r_exp(R(-4) * recoil * (has_atom ? met : r_abs(y)));
    const real blue = has_atom ? tilt * ball_ways_of(speed, r_abs(y) - recoil, x_wing) : tilt;
    const real red = has_atom ? ball_ways_of(speed, r_abs(y) + recoil, x_wing) : R(1);
    const int changes = y > R(0) && rng_uniform(after.r3) * (red + blue) <= red - blue;
    if (!has_atom) {
        out->x = changes ? -out->x : once ? out->x - recoil : out->x;
        return;
    }
    out->atom.detuning = (changes ? -y : y) - recoil;
    if (changes)
        out->atom.along = vec3_make(-out->atom.along.x, -out->atom.along.y, -out->atom.along.z);
    ball_scatter_into_wing(out, x_wing, after);
}

#endif
