/* Light on its way to a camera, as far as packets follow it.
 *
 * A scattering sends its photon toward the camera at the frequency x'. After a path of depth
 *
 *     tau = INT [alpha0 H(a, x') + kappa] ds,       exp(-tau)       of it is left.
 *
 * Light that leaves a thick cell comes from its outermost free path and depends on more than one emissivity can
 * describe. A photon is therefore followed from its exact place and frequency as far as that matters, then handed to
 * the ray tracer:
 *
 *     if any cell is thick, where it leaves the mesh. Such light has `escaped`, and nothing attenuates it any more;
 *     if all cells are thin, where it leaves its cell. The ray tracer applies the absorption of later cells.
 *
 * In boxes it is stored with the cell of the scattering: only the place inside the cell is lost. In shells it is stored
 * with the sphere through which it leaves the shell of the scattering, by its angle to the radius there: angle and
 * sphere give the impact parameter, so not even the place is lost.
 *
 * Faint light is not worth a long walk. With an exponential deviate t, a photon is followed while tau < ln 4 + t and
 * counts as exp(-tau), but at least 1/4: its expectation is exp(-tau) at any depth. */
#ifndef LR_KERNEL_SIGHT_H
#define LR_KERNEL_SIGHT_H

#include "kernel/aspect.h"
#include "kernel/deposit.h"
#include "kernel/exact_sum.h"
#include "kernel/shade.h"

#define SIGHT_LEAST R(0.25)
#define SIGHT_SURE R(1.38629436111989061883) /* -ln SIGHT_LEAST */

enum { SIGHT_GOES_ON, SIGHT_IS_LOST, SIGHT_IS_LEFT };

struct sight {
    struct place at;
    struct vec3 n;
    int cell;
    real x;     /* in the frame of the gas */
    real depth; /* so far */
    real left;  /* distance to a near observer */
    int state;
    int row; /* where it is stored; SHELLS: -1 until it leaves the first shell */
};

/* Depth at which a photon is abandoned, from an exponential deviate. For a counted scattering this is also the packet's
 * next free path: what the packet does later does not change the expectation for this photon. */
LR_FN real sight_limit(real free_path)
{
    return SIGHT_SURE + free_path;
}

LR_FN real sight_transmission(real depth)
{
    return r_max(r_exp(-r_min(depth, R(80))), SIGHT_LEAST);
}

/* For the rounding of the light (exact_sum.h): from bits of its frequency and depth, which no two photons share. */
LR_FN double sight_offset(const struct sight *sight)
{
    const float real_bits[2] = {(float)sight->x, (float)sight->depth};
    uint32_t bits[2];
    memcpy(bits, real_bits, sizeof bits);
    return quantum_offset(scrambled(bits[0] * 0x9e3779b1u + bits[1] * 0x85ebca77u));
}

/* The voxel where light is stored; a slot is one camera and group of batches. */
LR_FN int64_t sight_voxel(const struct transport_view *view, const struct sight *sight, int slot, int channel)
{
    return ((int64_t)slot * view->n_row + sight->row) * view->channels.n + channel;
}

/* The next step, and the frequencies along it in the frame of the gas. */
LR_FN struct leg sight_aim(const struct transport_view *view, struct sight *sight)
{
    return walk_aim(&sight->at, sight->n, sight->x, walk_outflow(&view->cell[sight->cell]));
}

#ifdef LR_WALK_SHELLS

/* The row where light scattered in a cell is stored, if it is known from the start. */
LR_FN int sight_first_row(int cell)
{
    (void)cell;
    return -1;
}

/* Advances by one step; `profile` is the mean over it. */
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

/* Advances by one cell; the row remains that of the first. */
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
