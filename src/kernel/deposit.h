/* Light scattered toward a camera: how much, in which direction and in which channel. What happens to it on the way is
 * in sight.h.
 *
 * A flight segment inside one cell, along n at frequency x, with depth t to the face ahead, sends on average
 *
 *     w (1 - exp(-t)) P(g) / (4 pi)       photons per steradian toward a camera at n_cam, g = n . n_cam,
 *
 * at the frequency x' = x + u (g - 1) + u_side sin(gamma) given by the redistribution function: u is the velocity of an
 * atom that can absorb the photon, drawn as for a scattering; u_side is its component perpendicular to the photon in
 * the plane of n and n_cam, a normal deviate of variance 1/2. All quantities are those of the segment, before the
 * scattering that ends it.
 *
 * There are two unbiased estimators; which one a segment uses depends only on its start. If the depth is below
 * force_below, the segment deposits its expected share, with an atom drawn for this purpose at a random place of
 * scattering along the way, since scatterings in thin gas are too rare to be counted. Otherwise each scattering is
 * counted, with its own atom and place.
 *
 * Shares below share_least are not worth following to a camera. A packet adds them up, from a random start, and
 * deposits share_least on a segment each time the sum has grown by that much: each share is deposited with probability
 * share / share_least, so the expectation is unchanged.
 *
 * On shells there is one observer, in a direction drawn for each share (aspect.h). The packet waits for the atom at the
 * place of its share, in the local frame there. */
#ifndef LR_KERNEL_DEPOSIT_H
#define LR_KERNEL_DEPOSIT_H

#include "kernel/flight.h"
#include "kernel/phase.h"
#include "kernel/redistribution.h"

/* Direction and distance from a place to the camera. */
struct camera_way {
    struct vec3 n;
    real distance; /* R_HUGE: the camera is far away */
};

LR_FN struct camera_way way_to_camera(const struct camera_view *camera, const struct mesh_view *mesh, struct place at)
{
    struct camera_way way;
    way.n = camera->toward;
    way.distance = R_HUGE;
    if (!camera->perspective)
        return way;
    const struct vec3 corner = walk_corner(mesh, at.i, at.j, at.k);
    const struct vec3 offset =
        vec3_make(camera->position.x - corner.x - at.local.x, camera->position.y - corner.y - at.local.y,
                  camera->position.z - corner.z - at.local.z);
    way.distance = r_sqrt(vec3_dot(offset, offset));
    if (way.distance > R(0))
        way.n = direction_normalised(offset);
    return way;
}

/* Channel of a shift in the mesh frame, or -1 if outside. Channels count radio velocity, minus the shift. */
LR_FN int channel_of_shift(const struct channel_view *channels, real shift)
{
    const real position = (-shift - channels->first) * channels->inv_step;
    const int inside = (position >= (real)channels->begin) & (position < (real)(channels->begin + channels->n));
    return inside ? (int)position - channels->begin : -1;
}

/* P(g) of phase.h. */
LR_FN real phase_toward(real e1, real g)
{
    return R(1) + e1 * (R(0.75) * g * g - R(0.25));
}

/* Expected number of scatterings on the way to the face, per weight at its start: with scattering opacity s, absorption
 * k and length l, s (1 - exp(-(s + k) l)) / (s + k). */
LR_FN real expected_scattering(struct opacity opacity, real length)
{
    return opacity.scatter * length * mean_transmission((opacity.scatter + opacity.absorb) * length);
}

/* A packet's sum of small shares, in units of share_least / 2^31. An integer, so no share is too small to add. */
LR_FN uint32_t share_step(real share, real least)
{
    return (uint32_t)(int32_t)(r_min(r_div(share, least), R(0.9999999)) * R(2147483648.0));
}

LR_FN int share_is_due(uint32_t sum)
{
    return (int32_t)sum < 0;
}

LR_FN uint32_t share_rest(uint32_t sum)
{
    return sum & 0x7fffffffu;
}

/* Random start of the sum. This draw is used for nothing else. */
LR_FN uint32_t share_start(const struct transport_view *view, uint32_t id_low, uint32_t id_high)
{
    return view->share_least > R(0) ? rng_draw(view->key, UINT32_MAX, id_low, id_high).r0 >> 1 : 0u;
}

/* Where on a way of depth t a scattering occurs, as a fraction y of its length, given that one occurs:
 *
 *     (1 - exp(-t y)) / (1 - exp(-t)) = uniform. */
LR_FN real scattering_part(real uniform, real t)
{
    const real bounded = r_max(r_min(t, R(80)), R(0.02));
    const real direct = r_div(-r_log(R(1) - uniform * (R(1) - r_exp(-bounded))), bounded);
    const real series = uniform - R(0.5) * t * uniform * (R(1) - uniform);
    return r_min(t < R(0.02) ? series : direct, R(1));
}

#endif
