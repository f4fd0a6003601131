/* Scattering of a packet: atoms are proposed until one absorbs the photon, which then leaves in a new direction, at the
 * frequency that this direction has in the gas. */
#ifndef LR_KERNEL_PACKET_SCATTER_H
#define LR_KERNEL_PACKET_SCATTER_H

#include "kernel/packet_walk.h"
#include "kernel/phase.h"
#include "kernel/scatterers.h"

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

/* Random numbers for the choice among the lines of a group. They stay the same until the packet scatters or crosses a
 * face, so that atoms are proposed for the same line until one is accepted. */
LR_FN struct random4 packet_draw_aside(const struct transport_view *view, const struct packet *p)
{
    return rng_draw_aside(view->key, 1u + p->crossings, p->events, p->id_low, p->id_high);
}

/* The line of a group that is to absorb the packet. */
LR_FN struct group_choice packet_choose(const struct transport_view *view, const struct packet *p, const int mode)
{
    if (mode != REDISTRIBUTION_GROUP)
        return group_choice_begin(0);
    return group_choose(&view->group, p->a, LR_KEPT(p->b, view->cell[p->cell].b), p->x, packet_draw_aside(view, p).r0);
}

/* Proposes an atom for a packet that waits for one. */
LR_FN struct velocity_proposal packet_propose(const struct transport_view *view, const struct table_view *table,
                                              struct packet *p, const struct group_choice *choice, const int mode,
                                              const int narrow)
{
    const struct random4 random = packet_draw(view, p, packet_waits(p));
    if (mode == REDISTRIBUTION_GROUP)
        return propose_velocity(choice->a, r_div(p->x - choice->centre, choice->width), random, narrow);
    return line_propose(table, p->a, p->x, random, mode, narrow);
}

/* Whether the packet accepts the atom. */
LR_FN int packet_accepts(const struct packet *p, struct velocity_proposal atom)
{
    return packet_waits(p) & (atom.uniform <= atom.chance);
}

/* The atom, with its other velocity. */
LR_FN struct absorber packet_absorber(const struct transport_view *view, const struct packet *p,
                                      const struct group_choice *choice, struct velocity_proposal atom,
                                      struct random4 random, const int mode, const int dipole)
{
    if (mode == REDISTRIBUTION_GROUP)
        return group_absorber(choice, p->x, atom.u, line_side_velocity(p->x, R(0), random), dipole && view->dipole);
    const real core = LR_KEPT(p->core, core_of_cell(&view->skip, p->alpha0, p->a, p->at.width));
    return line_absorber(view, p->a, p->x, atom, line_side_velocity(p->x, core, random), dipole);
}

/* The photon that it sends on. */
LR_FN struct scattered_photon packet_sends(const struct transport_view *view, const struct packet *p,
                                           struct absorber atom, struct random4 random, const int mode,
                                           const int dipole)
{
    if (mode != REDISTRIBUTION_GROUP || !dipole)
        return line_scatter(view, LR_KEPT(p->b, view->cell[p->cell].b), p->n, atom, random, mode, dipole);
    struct scattered_photon out;
    out.n = direction_of_law(p->n, atom.e1, random.r0, random.r1, packet_draw_aside(view, p));
    out.x = redistributed_frequency(atom.x, atom.u, atom.u_side, vec3_dot(p->n, out.n), R(0));
    return out;
}

/* If an atom was `found`, a waiting packet scatters; one that owes a share has deposited it and flies on unchanged. */
LR_FN void packet_scatter(const struct transport_view *view, struct packet *p, struct velocity_proposal atom,
                          struct absorber absorber, struct random4 random, int found, const int mode, const int dipole,
                          const int imaging)
{
    const int owing = imaging && p->state == PACKET_OWING;
    const int scatters = found & !owing;
    if (LR_BRANCH(scatters)) {
        const struct scattered_photon out = packet_sends(view, p, absorber, random, mode, dipole);
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
