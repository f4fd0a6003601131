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
 *     where some cell is thick, out of the mesh. Light that is left has `escaped`, nothing dims it any more;
 *     where all cells are thin, out of its cell. The ray tracer lets later cells absorb.
 *
 * Boxes keep it with the cell of the scattering: only the place inside the cell is lost. Shells keep it with the sphere
 * where it leaves the shell of the scattering, by its angle to the radius there: angle and sphere give the impact
 * parameter, not even the place is lost.
 *
 * Faint light is not worth a long walk. With an exponential deviate t, a photon goes on while tau < ln 4 + t, and
 * counts exp(-tau) but 1/4 at least: the mean is exp(-tau) at any depth. */
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
    int row; /* where it is left; SHELLS: -1 until it leaves the first one */
};

/* The depth at which a photon is given up, from an exponential deviate. That of a counted scattering is also the next
 * free path of the packet: what the packet does later does not change the mean of this photon. */
LR_FN real sight_limit(real free_path)
{
    return SIGHT_SURE + free_path;
}

LR_FN real sight_transmission(real depth)
{
    return r_max(r_exp(-r_min(depth, R(80))), SIGHT_LEAST);
}

/* The voxel where light is left; a slot is one group of batches and camera. */
LR_FN int64_t sight_voxel(const struct transport_view *view, const struct sight *sight, int slot, int channel)
{
    return ((int64_t)slot * view->n_row + sight->row) * view->channels.n + channel;
}

#ifdef LR_WALK_SHELLS

/* Where light of a scattering in a cell is kept, as far as that is known from the start. */
LR_FN int sight_first_row(int cell)
{
    (void)cell;
    return -1;
}

/* The frequencies at which the next step meets the gas. */
LR_FN struct leg sight_aim(const struct transport_view *view, struct sight *sight)
{
    const struct cell_view *cell = &view->cell[sight->cell];
    const struct leg leg = leg_ahead(sight->at.local, sight->at.width, sight->n, sight->x, r_div(cell->vx, cell->b));
    sight->at.width.z = leg.reach;
    return leg;
}

/* `profile` is the mean over the step. */
LR_FN void sight_advance(const struct transport_view *view, struct sight *sight, real limit, real profile)
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
    if (sight->row < 0)
        sight->row = sight->cell * view->n_aspect + aspect_of(view->n_aspect, crossing.n.z);
    sight->state = SIGHT_IS_LEFT;
    if (crossing.escaped || !view->escaped)
        return;
    const int next = walk_cell_index(&view->mesh, crossing.at);
    const struct cell_view *to = &view->cell[next];
    sight->x = frequency_across(sight->x, cell->b, cell_velocity_along(cell, sight->n), to->b,
                                cell_velocity_along(to, crossing.n));
    sight->at = crossing.at;
    sight->n = crossing.n;
    sight->cell = next;
    sight->state = SIGHT_GOES_ON;
}

#else

LR_FN int sight_first_row(int cell)
{
    return cell;
}

LR_FN struct leg sight_aim(const struct transport_view *view, struct sight *sight)
{
    struct leg leg;
    (void)view;
    leg.reach = R_HUGE;
    leg.start = leg.middle = leg.end = sight->x;
    return leg;
}

/* One cell; the row is that of the first. */
LR_FN void sight_advance(const struct transport_view *view, struct sight *sight, real limit, real profile)
{
    const struct cell_view *cell = &view->cell[sight->cell];
    const struct cell_exit exit = walk_exit(sight->at.local, sight->at.width, sight->n);
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

LR_FN struct sight sight_begin(const struct transport_view *view, struct place at, struct camera_way way, real x)
{
    struct sight sight;
    sight.at = at;
    sight.n = way.n;
    sight.cell = walk_cell_index(&view->mesh, at);
    sight.x = x;
    sight.depth = R(0);
    sight.left = way.distance;
    sight.state = SIGHT_GOES_ON;
    sight.row = sight_first_row(sight.cell);
    return sight;
}

#endif
