/* What the threads of a transport run share. Included by cpu_transport.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_PASS_H
#define LR_BACKEND_CPU_CPU_PASS_H

#include "backend/build_views.h"
#include "backend/cpu/cpu_lanes.h"

struct pass {
    const struct transport_job *job;
    const struct transport_monitor *monitor;
    struct transport_tally *tally;
    struct transport_view view;
    struct tally_view sums;
    struct cell_view *cell;
    int flows;           /* SHELLS: some gas moves */
    int alone;           /* one thread: no atomic additions to voxels */
    int64_t next, end;   /* those of the packets to do that no thread has taken, by their order */
    int64_t next_flight; /* first of the packets in flight that no lane has taken up */
    int64_t done;
    int64_t left;                         /* unfinished */
    struct transport_todo back;           /* put back */
    unsigned long long n_overdue;         /* tally_view.n_overdue */
    uint32_t told_events, told_crossings; /* of a packet whose history is told (cpu_history.h) */
    double start;                         /* of transport, as lr_seconds() */
};

#endif
