/* Light on its way to a camera, as far as packets take it.
 *
 * A scattering would send its photon to the camera at the frequency x'. What is left of it after a way of depth
 *
 *     tau = INT [alpha0 H(a, x') + kappa] ds        is        exp(-tau).
 *
 * Light that leaves a thick cell comes from its outermost free path, and knows more of the cell than one emissivity can
 * tell. So a photon is followed from the very place at the very frequency, as far as that matters, and then left with
 * the ray tracer:
 *
 *     boxes    where some cell is thick, to the end of the mesh: what is left with the cell of the scattering has
 *              `escaped`, nothing dims it any more. Where all cells are thin, to the end of its cell: the ray tracer
 * lets later cells absorb. Only the place inside the cell is lost. shells   while the next shell is thick to its
 * channel. It is left with the sphere where it leaves a shell, by its angle to the radius there. Angle and sphere give
 * the impact parameter: not even the place is lost. Thin is below thin_below on the way through the shell, at the
 * frequency of the channel nearest to the line: a channel is thin or thick as a whole, so that the light in it has no
 * gaps.
 *
 * Faint light is worth no walk. With a uniform number r, a photon goes on while tau < ln 10 - ln r, and counts
 * exp(-tau) but 1/10 at least: the mean is exp(-tau) at any depth. */
#ifndef LR_KERNEL_SIGHT_H
#define LR_KERNEL_SIGHT_H

#include "kernel/aspect.h"
#include "kernel/deposit.h"
#include "kernel/shade.h"

#define SIGHT_LEAST R(0.25)
#define SIGHT_SURE R(1.38629436111989061883) /* -ln SIGHT_LEAST */

enum { SIGHT_GOES_ON, SIGHT_IS_LOST, SIGHT_IS_LEFT };

struct sight {
    struct place at;
    struct vec3 n;
    int cell;
    real x;     /* in the gas of the cell */
    real depth; /* so far */
    real left;  /* way to a near observer */
    int state;
    int row; /* where it is left */
};

/* The depth at which a photon is given up. */
LR_FN real sight_limit(struct random4 random)
{
    /* the lowest bytes of numbers whose high bits were used already are as good as new */
    const uint32_t bits = (random.r0 & 0xff) | (random.r1 & 0xff) << 8 | (random.r2 & 0xff) << 16;
    return SIGHT_SURE - r_log(((real)bits + R(0.5)) * R(5.9604644775390625e-8));
}

LR_FN real sight_transmission(real depth)
{
    return r_max(r_exp(-r_min(depth, R(80))), SIGHT_LEAST);
}

/* A depth that a way of this length has at least: H(a, x) > exp(-x^2) H(a, 0) and H(a, 0) > 1 - 2 a / sqrt(pi). */
LR_FN real sight_least_depth(real alpha0, real a, real kappa, real x, real length)
{
    const real peak = r_max(R(1) - R(2) * R_INV_SQRT_PI * a, R(0));
    return length * (alpha0 * peak * r_exp(-r_min(x * x, LR_VOIGT_T_MAX)) + kappa);
}

#ifdef LR_WALK_SHELLS

/* Whether light of a channel, in gas that moves toward the camera with `low` to `high`, finds a way of this length
 * thin. The profile is a rough one from above. */
LR_FN int sight_is_thin(const struct channel_view *channels, int channel, const struct cell_view *cell, real low,
                        real high, real length, real thin_below)
{
    const real edge = -(channels->first + (real)channel * channels->step);
    const real inv_b = r_div(R(1), cell->b);
    const real x_high = (edge - low) * inv_b;
    const real x_low = (edge - channels->step - high) * inv_b;
    const real nearest = x_low < R(0) && x_high > R(0) ? R(0) : r_min(r_abs(x_low), r_abs(x_high));
    const real square = nearest * nearest;
    const real profile = r_exp(-r_min(square, LR_VOIGT_T_MAX)) + r_div(cell->a, square + R(1));
    return length * (cell->alpha0 * profile + cell->kappa) < thin_below;
}

/* The frequency at which the next step meets the gas; a step is as short as those of packets (STEP_TURN). */
LR_FN real sight_aim(const struct transport_view *view, struct sight *sight)
{
    const struct cell_view *cell = &view->cell[sight->cell];
    sight->at.width.z = R_HUGE;
    if (cell->vx == R(0))
        return sight->x;
    const real outflow = r_div(cell->vx, cell->b);
    const real reach = walk_reach(sight->at.local, sight->at.width, sight->n, r_div(STEP_TURN, r_abs(outflow)));
    const real step = r_min(walk_exit(sight->at.local, sight->at.width, sight->n).distance, reach);
    sight->at.width.z = reach;
    return sight->x - outflow * (walk_move(sight->at.local, sight->at.width, sight->n, R(0.5) * step).n.z - sight->n.z);
}

LR_FN void sight_advance(const struct transport_view *view, struct sight *sight, int channel, real limit, real profile)
{
    const struct cell_view *cell = &view->cell[sight->cell];
    const struct cell_exit exit = walk_exit(sight->at.local, sight->at.width, sight->n);
    const struct flown flown = walk_move(sight->at.local, sight->at.width, sight->n, exit.distance);
    sight->depth += exit.distance * (cell->alpha0 * profile + cell->kappa);
    sight->x -= r_div(cell->vx, cell->b) * (flown.n.z - sight->n.z);
    sight->at.local = flown.local;
    sight->n = flown.n;
    sight->state = sight->depth < limit ? SIGHT_GOES_ON : SIGHT_IS_LOST;
    if (sight->state == SIGHT_IS_LOST || exit.axis == EXIT_STEP)
        return;
    const struct crossing crossing = walk_cross(&view->mesh, sight->at, sight->n, exit.axis);
    sight->row = sight->cell * view->n_aspect + aspect_of(view->n_aspect, crossing.n.z);
    sight->state = SIGHT_IS_LEFT;
    if (crossing.escaped)
        return;
    const int next = walk_cell_index(&view->mesh, crossing.at);
    const struct cell_view *to = &view->cell[next];
    const real way = walk_exit(crossing.at.local, crossing.at.width, crossing.n).distance;
    const real begin = to->vx * crossing.n.z;
    const real end = to->vx * walk_move(crossing.at.local, crossing.at.width, crossing.n, way).n.z;
    if (sight_is_thin(&view->channels, channel, to, r_min(begin, end), r_max(begin, end), way, view->thin_below))
        return;
    sight->x = frequency_across(sight->x, cell->b, cell_velocity_along(cell, sight->n), to->b, begin);
    sight->at = crossing.at;
    sight->n = crossing.n;
    sight->cell = next;
    sight->state = SIGHT_GOES_ON;
}

#else

LR_FN real sight_aim(const struct transport_view *view, struct sight *sight)
{
    (void)view;
    return sight->x;
}

/* One cell; the row is that of the first. */
LR_FN void sight_advance(const struct transport_view *view, struct sight *sight, int channel, real limit, real profile)
{
    const struct cell_view *cell = &view->cell[sight->cell];
    const struct cell_exit exit = walk_exit(sight->at.local, sight->at.width, sight->n);
    (void)channel;
    const real way = r_min(exit.distance, sight->left);
    sight->depth += way * (cell->alpha0 * profile + cell->kappa);
    sight->state = sight->depth < limit ? SIGHT_IS_LEFT : SIGHT_IS_LOST;
    if (sight->state == SIGHT_IS_LOST || way < exit.distance || !view->escaped)
        return;
    sight->left -= way;
    sight->at.local = walk_move(sight->at.local, sight->at.width, sight->n, way).local;
    const struct crossing crossing = walk_cross(&view->mesh, sight->at, sight->n, exit.axis);
    if (crossing.escaped)
        return;
    const int next = walk_cell_index(&view->mesh, crossing.at);
    const struct cell_view *to = &view->cell[next];
    sight->x = frequency_across(sight->x, cell->b, cell_velocity_along(cell, sight->n), to->b,
                                cell_velocity_along(to, sight->n));
    sight->at = crossing.at;
    sight->cell = next;
    sight->state = SIGHT_GOES_ON;
}

#endif

#endif
