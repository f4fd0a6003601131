/* Scattering of a packet: atoms are proposed until one absorbs the photon, which then leaves in a new direction, at the
 * frequency that this direction has in the gas. */
#ifndef LR_KERNEL_PACKET_SCATTER_H
#define LR_KERNEL_PACKET_SCATTER_H

#include "kernel/packet_walk.h"
#include "kernel/phase.h"
#include "kernel/scatterer_line.h"

LR_FN int packet_waits(const struct packet *p)
{
    return p->state >= PACKET_WAITING;
}

/* The packet's next random block; it advances to the following one only if it `takes` this one. */
LR_FN struct random4 packet_draw(const struct transport_view *view, struct packet *p, int takes)
{
    const struct random4 random = rng_draw(view->key, p->draw, p->id_low, p->id_high);
    p->draw += takes ? 1u : 0u;
    return random;
}

/* Proposes an atom for a packet that waits for one. */
LR_FN struct velocity_proposal packet_propose(const struct transport_view *view, const struct table_view *table,
                                              struct packet *p, const int mode, const int narrow)
{
    return line_propose(table, p->a, p->x, packet_draw(view, p, packet_waits(p)), mode, narrow);
}

/* Whether the packet accepts the atom. */
LR_FN int packet_accepts(const struct packet *p, struct velocity_proposal atom)
{
    return packet_waits(p) & (atom.uniform <= atom.chance);
}

/* The other velocity of the atom. */
LR_FN real packet_side_velocity(const struct transport_view *view, const struct packet *p, struct random4 random)
{
    const real core = LR_KEPT(p->core, core_of_cell(&view->skip, p->alpha0, p->a, p->at.width));
    return line_side_velocity(p->x, core, random);
}

/* If an atom was `found`, a waiting packet scatters; one that owes a share has deposited it and flies on unchanged. */
LR_FN void packet_scatter(const struct transport_view *view, struct packet *p, struct velocity_proposal atom,
                          struct random4 random, int found, const int mode, const int dipole, const int imaging)
{
    const int owing = imaging && p->state == PACKET_OWING;
    const int scatters = found & !owing;
    if (LR_BRANCH(scatters)) {
        const real u_side = packet_side_velocity(view, p, random);
        const struct scattered_photon out = line_scatter(view, p->a, LR_KEPT(p->b, view->cell[p->cell].b), p->n, p->x,
                                                         atom, u_side, random, mode, dipole);
        p->n = vec3_select(scatters, out.n, p->n);
        p->x = scatters ? out.x : p->x;
        p->tau = scatters ? free_path_after(atom.uniform, atom.chance) : p->tau;
        p->events += scatters ? 1u : 0u;
    }
    if (imaging) {
        packet_come_back(p, found & owing);
        p->owed = found ? (owing ? PAID : R(0)) : p->owed;
    }
    p->state = found ? (int)PACKET_FLYING : p->state;
}

#endif
