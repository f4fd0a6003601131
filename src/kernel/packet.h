/* A packet of photons. Its life is a sequence of events, each written once for all devices:
 *
 *     begin      birth in a cell                                          packet.h
 *     propose    an atom, drawn for a packet that waits to scatter        packet_scatter.h
 *     jump       out of a ball of deep gas, instead of scattering         packet_jump.h
 *     show       what the scattering, or a thin segment, owes cameras     packet_show.h
 *     scatter    a new direction and frequency                            packet_scatter.h
 *     fly        one segment, to the next scattering or face              packet_fly.h
 *     flush, roulette, absorb, cross, end                                 packet_events.h
 *
 * A GPU thread holds one packet and calls them in turn. A CPU thread keeps many packets as arrays and calls the
 * frequent ones (propose, show, scatter, fly) in SIMD loops; these therefore have no branches other than LR_BRANCH. */
#ifndef LR_KERNEL_PACKET_H
#define LR_KERNEL_PACKET_H

#include "kernel/core_skipping.h"
#include "kernel/deposit.h"
#include "kernel/emission.h"
#include "kernel/shade.h"
#include "kernel/tally.h"

/* OWING: about to fly a thin segment; first waits for an atom to scatter its share to the cameras. GONE: has ended. */
enum packet_state { PACKET_GONE, PACKET_FLYING, PACKET_WAITING, PACKET_OWING };

/* Value of `owed` when the share of the segment has been deposited or is not due. */
#define PAID R(-1)

struct packet {
    struct place at;
    int cell;
    struct vec3 n;
    real x;   /* frequency in the frame of the gas */
    real tau; /* depth to the next scattering */
    int state;
    uint32_t draw, events;                             /* random blocks and scatterings so far */
    uint32_t crossings;                                /* of faces between cells, so far */
    real alpha0, a, kappa, eps;                        /* of the cell */
    real b;                                            /* of the cell (LR_KEPT) */
    real core;                                         /* of the cell (core_skipping.h, LR_KEPT) */
    real outflow;                                      /* SHELLS: radial velocity of the gas, in units of b */
    struct hidden_view hidden;                         /* of the cell; used with cameras */
    real path_part, length, scatter, depth, scattered; /* since the last flush */
    real path;                                         /* up to the last flush */
    real weight;                                       /* `settled` in working precision */
    double settled;                                    /* weight at the last flush */
    double absorbed, scattered_sum;                    /* up to the last flush */
    double skipped;                                    /* scatterings inside balls (packet_jump.h) */
    uint32_t id_low, id_high;
    uint16_t batch, group; /* group: of batches, for the fields */
    real owed;             /* to the cameras for this segment; 0: not known yet; PAID: nothing more */
    real owed_depth;       /* depth of the way to the face ahead, along which the share is deposited */
    uint32_t debt;         /* sum of small shares */
    real kept_x;           /* SHELLS: x and n of the packet while it is at the place of its share */
    struct vec3 kept_n;
    real aside; /* SHELLS: height of that place */
};

/* Loads the gas of a new cell. */
LR_FN void packet_enter(const struct transport_view *view, struct packet *p)
{
    const struct cell_view cell = view->cell[p->cell];
    if (WALK_KNOWS_SHADE)
        p->hidden = view->hidden[(int64_t)p->cell * view->hidden_step];
    p->alpha0 = cell.alpha0;
    p->a = cell.a;
    p->b = cell.b;
    p->kappa = cell.kappa;
    p->eps = cell.eps;
    p->outflow = walk_outflow(&cell);
    p->core = core_of_cell(&view->skip, p->alpha0, p->a, p->at.width);
}

LR_FN void packet_set_weight(struct packet *p, double weight)
{
    p->settled = weight;
    p->weight = (real)weight;
}

/* Current weight: the settled one less what has been absorbed since. */
LR_FN real packet_weight(const struct packet *p, const int absorbing)
{
    return absorbing ? p->weight * r_exp(-p->depth) : R(1);
}

/* The opacity of the gas around the packet where the line profile has this value. */
LR_FN struct opacity packet_opacity(const struct packet *p, real profile, const int absorbing)
{
    return opacity_at(p->alpha0, absorbing ? p->eps : R(0), absorbing ? p->kappa : R(0), profile);
}

LR_FN void packet_keep_place(const struct packet *p, struct last_place *last)
{
    last->cell[0] = p->at.i;
    last->cell[1] = p->at.j;
    last->cell[2] = p->at.k;
    last->local[0] = p->at.local.x;
    last->local[1] = p->at.local.y;
    last->local[2] = p->at.local.z;
}

/* `last` may be NULL. */
LR_FN void packet_begin(const struct transport_view *view, const struct tally_view *tally, int64_t id, struct packet *p,
                        struct last_place *last)
{
    p->id_low = (uint32_t)id;
    p->id_high = (uint32_t)((uint64_t)id >> 32);
    p->draw = EMISSION_BLOCKS;
    p->batch = (uint16_t)tally_batch(tally->deal, id);
    p->group = (uint16_t)(p->batch % tally->n_group);
    const struct emitted born = emit_packet(view, p->id_low, p->id_high);
    p->at = born.at;
    p->n = born.n;
    p->x = born.x;
    p->tau = born.tau;
    p->cell = walk_cell_index(&view->mesh, born.at);
    packet_enter(view, p);
    packet_set_weight(p, 1);
    p->path_part = p->length = p->scatter = p->depth = p->scattered = R(0);
    p->path = R(0);
    p->absorbed = p->scattered_sum = p->skipped = 0;
    p->events = p->crossings = 0;
    p->state = PACKET_FLYING;
    p->owed = R(0);
    p->debt = share_start(view, p->id_low, p->id_high);
    if (last)
        packet_keep_place(p, last);
}

#endif
