/* Steps of photons that tests of balls follow scattering by scattering, in ways that records do not know. */
#ifndef BALL_FLIGHT_H
#define BALL_FLIGHT_H

#include "kernel/ball_trial.h"

/* The velocity of the atom that scatters a photon at x, along its flight. Draws belong to the event, so that photons
 * with and without an effect keep in step. */
static double draw_atom(const struct ball_gas *gas, real x, struct rng_key key, uint32_t number, uint32_t event)
{
    struct velocity_proposal atom;
    uint32_t draw = 0;
    do
        atom = propose_velocity(gas->a, x, rng_draw(key, draw++, number, event), (double)gas->a <= LR_NARROW_DAMPING);
    while (atom.uniform > atom.chance);
    return (double)atom.u;
}

/* Along the flight of a photon, to the surface of a ball around the origin. */
static double to_surface(const struct ball_photon *photon, double radius)
{
    const double along = (double)vec3_dot(photon->at, photon->n);
    return -along + sqrt(fmax(along * along + radius * radius - (double)vec3_dot(photon->at, photon->at), 0));
}

#endif
