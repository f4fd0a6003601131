/* What happens to a packet at the end of a segment, and at the end of its life. Most of this is rare compared with
 * scattering, so drivers handle one packet at a time. */
#ifndef LR_KERNEL_PACKET_EVENTS_H
#define LR_KERNEL_PACKET_EVENTS_H

#include "kernel/packet_fly.h"
#include "kernel/packet_scatter.h"

/* For the rounding of what the packet adds to the sums now (exact_sum.h). Multiples of such odd numbers, modulo 2^32,
 * are spread evenly over the packets, and over the events in the life of each. */
LR_FN double packet_offset(const struct packet *p)
{
    return quantum_offset(p->id_low * 0x9e3779b1u + p->draw * 0x85ebca77u + p->crossings * 0xc2b2ae3du);
}

/* Adds what the packet has accumulated in its cell to the tallies. Until then small sums are kept apart from large
 * ones, so that single precision does not lose short steps. */
LR_FN void packet_flush(const struct transport_view *view, const struct tally_view *tally, struct packet *p,
                        const int absorbing)
{
    if (tally->fields) {
        double *field = tally->fields + 2 * (p->group * tally->n_cell + p->cell);
        const double offset = packet_offset(p);
        exact_add(field, (double)(absorbing ? p->length : p->path_part), tally->quanta.length, offset);
        exact_add(field + 1, (double)p->scatter, quantum_of_depth(&tally->quanta, (double)p->alpha0), offset);
    }
    p->path += p->path_part;
    if (absorbing && !view->analog) {
        const double after = p->settled * r_exp_minus_wide((double)p->depth);
        p->absorbed += p->settled - after;
        p->scattered_sum += (double)p->scattered;
        packet_set_weight(p, after);
    }
    p->path_part = p->length = p->scatter = p->depth = p->scattered = R(0);
}

/* Russian roulette after a flush; returns whether the packet survives. */
LR_FN int packet_roulette(const struct transport_view *view, const struct tally_view *tally, struct packet *p,
                          const int absorbing)
{
    if (!absorbing || p->settled >= ROULETTE_BELOW)
        return 1;
    const struct random4 random = packet_draw(view, p, 1);
    const int survives = (double)rng_uniform(random.r0) <= ROULETTE_SURVIVAL && p->settled > 0;
    const double weight = survives ? p->settled / ROULETTE_SURVIVAL : 0;
    exact_add(&tally->batch[p->batch].roulette, p->settled - weight, tally->quanta.weight, packet_offset(p));
    packet_set_weight(p, weight);
    return survives;
}

/* Counts an escaped packet for the cameras that look along its direction. Direct light of a pointed source is left out:
 * images contain it exactly, or not at all. */
LR_FN void packet_count_in_cones(const struct transport_view *view, const struct tally_view *tally,
                                 const struct packet *p, real shift, double weight, const struct last_place *last)
{
    const struct cone_set *set = &tally->cones;
    if (!cone_has_shift(set, shift) || (p->events == 0 && packet_is_pointed(view, p->id_low, p->id_high)))
        return;
    struct vec3 place = vec3_make(R(0), R(0), R(0));
    if (set->places) {
        const struct vec3 corner = walk_corner(&view->mesh, last->cell[0], last->cell[1], last->cell[2]);
        place = vec3_make(corner.x + last->local[0], corner.y + last->local[1], corner.z + last->local[2]);
    }
    for (int c = 0; c < set->n; c++) {
        const struct cone_share share = cone_share_of(&set->cone[c], p->n);
        if (!share.inside || (set->places && !cone_shows(&set->cone[c], place)))
            continue;
        double *sums = &tally->cone[2 * ((int64_t)p->batch * set->n + c)];
        exact_add(&sums[0], weight * (double)share.weight, tally->quanta.cone, packet_offset(p));
        shared_add(&sums[1], 1.0);
    }
}

LR_FN void packet_record(const struct tally_view *tally, const struct packet *p, real shift, double weight, int face,
                         const struct last_place *last)
{
    struct transport_record *record = &tally->record[shared_count(tally->n_record)];
    record->id = (int64_t)(((uint64_t)p->id_high << 32) | p->id_low);
    record->scatterings = (int64_t)(p->events + p->skipped);
    record->weight = weight;
    record->shift = (double)shift;
    record->path = (double)p->path;
    record->face = face;
    record->cell[0] = p->at.i;
    record->cell[1] = p->at.j;
    record->cell[2] = p->at.k;
    record->local[0] = (double)p->at.local.x;
    record->local[1] = (double)p->at.local.y;
    record->local[2] = (double)p->at.local.z;
    record->direction[0] = (double)p->n.x;
    record->direction[1] = (double)p->n.y;
    record->direction[2] = (double)p->n.z;
    for (int axis = 0; axis < 3; axis++) {
        record->last_cell[axis] = last->cell[axis];
        record->last_local[axis] = (double)last->local[axis];
    }
}

/* The length of a history: its random draws, of which every scattering and every rejected atom needs one or two, and
 * its crossings of faces, which need none. */
LR_FN double packet_steps(const struct packet *p)
{
    return (double)p->draw + (double)p->crossings;
}

/* Whether a packet has made so many steps that it is given up. This is asked after every FLUSH_EVENTS scatterings in a
 * cell and every LOOK_CROSSINGS crossings of faces, and a history can become longer by that: in a warp, some packet
 * crosses a face at nearly every turn, so that each instruction spent there counts. */
enum { LOOK_CROSSINGS = 256 };
LR_FN int packet_is_stuck(const struct transport_view *view, const struct packet *p)
{
    const uint32_t most = view->most_steps;
    return p->crossings >= most || p->draw >= most - p->crossings;
}

/* Counts what a packet has done so far: at its end, or when it is left unfinished. */
LR_FN void packet_count_life(const struct transport_view *view, const struct tally_view *tally, const struct packet *p,
                             int ended, const int absorbing)
{
    struct transport_batch *batch = &tally->batch[p->batch];
    if (tally->lives) {
        struct transport_lives *lives = &tally->lives[ended ? 0 : 1];
        const double steps = packet_steps(p);
        const int bin = life_bin(steps);
        shared_add(&lives->number[bin], 1.0);
        shared_add(&lives->steps[bin], steps);
    }
    const double offset = packet_offset(p);
    const double scatterings = tally->quanta.scatterings;
    shared_add(&batch->events, (double)p->events);
    exact_add(&batch->skipped, p->skipped, scatterings, offset);
    exact_add(&batch->scattered, absorbing && !view->analog ? p->scattered_sum : p->events + p->skipped, scatterings,
              offset);
}

/* Leaves a packet in the middle of its life for good. What it did so far stays in the sums, and what roulette gave it
 * or took, so that the packets that have ended balance: 1 = settled + absorbed + that. */
LR_FN void packet_leave(const struct transport_view *view, const struct tally_view *tally, const struct packet *p,
                        const int absorbing)
{
    packet_count_life(view, tally, p, 0, absorbing);
    if (absorbing)
        exact_add(&tally->batch[p->batch].roulette, p->settled + p->absorbed - 1.0, tally->quanta.weight,
                  packet_offset(p));
}

/* Counts a packet that ends: escaped through `face`, or lost (face < 0). */
LR_FN void packet_end(const struct transport_view *view, const struct tally_view *tally, struct packet *p, int face,
                      const struct last_place *last, const int absorbing)
{
    struct transport_batch *batch = &tally->batch[p->batch];
    const double weight = absorbing ? p->settled : 1.0;
    const double offset = packet_offset(p);
    p->state = PACKET_GONE;
    shared_add(&batch->packets, 1.0);
    packet_count_life(view, tally, p, 1, absorbing);
    if (absorbing)
        exact_add(&batch->absorbed, p->absorbed, tally->quanta.weight, offset);
    if (face < 0)
        return;
    const struct cell_view gas = view->cell[p->cell];
    const real shift =
        shift_of_logarithmic(frequency_in_mesh_frame(p->x, gas.b, cell_velocity_along(&gas, p->n)), view->group.beta);
    const int bin = spectrum_bin(&tally->axes, shift);
    const int n_slot = tally->axes.n_bin + 2;
    const int64_t at_face = (int64_t)p->batch * N_FACE + face;
    const int64_t direction =
        (int64_t)p->batch * tally->axes.n_mu * tally->axes.n_phi + direction_bin(&tally->axes, p->n);
    const double counted = round_to_quantum(weight, tally->quanta.weight, offset);
    shared_add(&batch->escaped, counted);
    exact_add(&batch->path, weight * (double)p->path, tally->quanta.path, offset);
    shared_add(&tally->face_spectrum[at_face * n_slot + bin], counted);
    shared_add(&tally->direction_spectrum[direction * n_slot + bin], counted);
    if (tally->cones.n > 0)
        packet_count_in_cones(view, tally, p, shift, weight, last);
    if (tally->record)
        packet_record(tally, p, shift, weight, face, last);
}

/* Gives up a packet that is stuck, and counts its weight. */
LR_FN void packet_give_up(const struct transport_view *view, const struct tally_view *tally, struct packet *p,
                          const struct last_place *last, const int absorbing)
{
    struct transport_batch *batch = &tally->batch[p->batch];
    shared_add(&batch->stuck, 1.0);
    exact_add(&batch->stuck_weight, absorbing ? p->settled : 1.0, tally->quanta.weight, packet_offset(p));
    packet_end(view, tally, p, -1, last, absorbing);
}

/* Analog absorption: a collision is an absorption with a probability equal to its share of the opacity. Returns whether
 * it was one. */
LR_FN int packet_is_absorbed(const struct transport_view *view, struct packet *p, real profile)
{
    const struct opacity opacity = packet_opacity(p, profile, 1);
    const struct random4 random = packet_draw(view, p, 1);
    return rng_uniform(random.r0) * (opacity.scatter + opacity.absorb) <= opacity.absorb;
}

/* Crosses the face of a cell, into the next one or out of the mesh. */
LR_FN void packet_cross(const struct transport_view *view, const struct tally_view *tally, struct packet *p, int axis,
                        const struct last_place *last, const int absorbing)
{
    const struct crossing crossing = walk_cross(&view->mesh, p->at, p->n, axis);
    if (crossing.escaped) {
        p->at = crossing.at;
        packet_end(view, tally, p, crossing.face, last, absorbing);
        return;
    }
    if (!packet_roulette(view, tally, p, absorbing)) {
        packet_end(view, tally, p, -1, last, absorbing);
        return;
    }
    p->crossings++;
    const int next = walk_cell_index(&view->mesh, crossing.at);
    const struct cell_view from = view->cell[p->cell];
    const struct cell_view to = view->cell[next];
    p->x = frequency_across(p->x, from.b, cell_velocity_along(&from, p->n), to.b, cell_velocity_along(&to, crossing.n));
    p->n = crossing.n;
    p->at = crossing.at;
    p->cell = next;
    p->owed = R(0);
    packet_enter(view, p);
}

/* Handles the end of a flight. A packet that stays in one cell for long flushes its sums there and, if its weight has
 * become small, plays roulette. Afterwards the packet continues or is PACKET_GONE. `last` may be NULL if neither
 * records nor cones need it. Returns now and then, in a history that goes on, that it is time to look whether the run
 * should. */
LR_FN int packet_after_flight(const struct transport_view *view, const struct tally_view *tally, struct packet *p,
                              struct flight flight, const struct last_place *last, const int absorbing)
{
    if (absorbing && flight.absorbed) {
        packet_flush(view, tally, p, absorbing);
        p->absorbed = p->settled;
        packet_end(view, tally, p, -1, last, absorbing);
        return 0;
    }
    int look = flight.overdue;
    if (flight.crosses) {
        packet_flush(view, tally, p, absorbing);
        packet_cross(view, tally, p, flight.axis, last, absorbing);
        look = p->crossings % LOOK_CROSSINGS == 0;
    } else if (flight.overdue) {
        (void)shared_count(tally->n_overdue);
        packet_flush(view, tally, p, absorbing);
        if (!packet_roulette(view, tally, p, absorbing))
            packet_end(view, tally, p, -1, last, absorbing);
    }
    if (look && p->state != PACKET_GONE && packet_is_stuck(view, p))
        packet_give_up(view, tally, p, last, absorbing);
    return look && p->state != PACKET_GONE;
}

#endif
