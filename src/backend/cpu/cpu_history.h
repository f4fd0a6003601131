/* Tells the history of the one packet that a job traces, from the lane that holds it: the packet goes through the same
 * SIMD loops as in a run, so that it does the same to the last bit. Included by cpu_transport.c. */
#ifndef LR_BACKEND_CPU_CPU_HISTORY_H
#define LR_BACKEND_CPU_CPU_HISTORY_H

#include "backend/cpu/cpu_pass.h"

static void tell_step(struct pass *pass, const struct packet *p, enum step_kind kind)
{
    const struct transport_trace *trace = pass->job->trace;
    const struct cell_view gas = pass->view.cell[p->cell];
    const struct transport_step step = {
        .kind = kind,
        .scatterings = p->events,
        .skipped = p->skipped,
        .crossings = p->crossings,
        .cell = {p->at.i, p->at.j, p->at.k},
        .local = {(double)p->at.local.x, (double)p->at.local.y, (double)p->at.local.z},
        .direction = {(double)p->n.x, (double)p->n.y, (double)p->n.z},
        .shift = (double)shift_of_logarithmic(frequency_in_mesh_frame(p->x, gas.b, cell_velocity_along(&gas, p->n)),
                                              pass->view.group.beta),
        .x = (double)p->x,
        .weight = p->state == PACKET_GONE ? p->settled : (double)packet_weight(p, pass->job->absorbing),
        .depth = (double)p->tau,
    };
    trace->step(trace->user, &step);
}

/* Tells what the traced packet, in lane 0 of the only thread, has done since the last call, if anything. `kind` is what
 * it is when the packet has scattered since then. */
static __attribute__((noinline)) void tell_history(struct pass *pass, const struct lanes *lane, enum step_kind kind)
{
    struct packet p;
    lane_get(lane, 0, &p);
    if (p.state == PACKET_GONE)
        kind = STEP_ENDED;
    else if (p.crossings != pass->told_crossings)
        kind = STEP_CROSSED;
    else if (p.events == pass->told_events && kind != STEP_BORN)
        return;
    pass->told_events = p.events;
    pass->told_crossings = p.crossings;
    tell_step(pass, &p, kind);
}

#endif
