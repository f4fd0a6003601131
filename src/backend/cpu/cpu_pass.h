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
    double *emissivity_wide; /* the emissivity if there are few voxels; or NULL */
    int flows;               /* SHELLS: some gas moves */
    int alone;               /* one thread: no atomic additions to voxels */
    int64_t next;            /* first packet not yet taken */
    int64_t done;
    int64_t left; /* unfinished */
    double start; /* of transport, as lr_seconds() */
};

#endif
