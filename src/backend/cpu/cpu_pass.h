/* What the threads of a transport run share, and the place of a lane. Included by cpu_transport.c, once per precision
 * and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_PASS_H
#define LR_BACKEND_CPU_CPU_PASS_H

#include "backend/build_views.h"
#include "backend/cpu/cpu_lanes.h"

struct pass {
    const struct transport_job *job;
    const struct transport_monitor *monitor;
    struct transport_tally *tally;
    struct transport_view view;
    struct tally_axes axes;
    struct cone_set cones;
    struct tally_deal deal;
    struct cell_view *cell;
    double *length, *scatter; /* [n_group][n_cell] */
    double *emissivity_wide;  /* the emissivity where there are few voxels; or NULL */
    int flows;                /* SHELLS: some gas moves */
    int alone;                /* one thread: no atomic additions to voxels */
    int64_t next;             /* first packet not yet taken */
    int64_t done;
};

static void add(double *to, double value)
{
#pragma omp atomic
    *to += value;
}

static void set_place(struct lanes *lane, int l, struct place at)
{
    lane->i[l] = at.i;
    lane->j[l] = at.j;
    lane->k[l] = at.k;
    lane->local_x[l] = at.local.x;
    lane->local_y[l] = at.local.y;
    lane->local_z[l] = at.local.z;
    lane->width_x[l] = at.width.x;
    lane->width_y[l] = at.width.y;
    lane->width_z[l] = at.width.z;
}

/* Of a lane, or of a note. */
#define PLACE_OF(from, l)                                                                                              \
    ((struct place){(from)->i[l], (from)->j[l], (from)->k[l],                                                          \
                    vec3_make((from)->local_x[l], (from)->local_y[l], (from)->local_z[l]),                             \
                    vec3_make((from)->width_x[l], (from)->width_y[l], (from)->width_z[l])})

#endif
