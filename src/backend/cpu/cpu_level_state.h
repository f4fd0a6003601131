/* What the CPU holds of level populations between calls: gas, populations, radiation, rays. Included by the parts of
 * cpu_levels.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_STATE_H
#define LR_BACKEND_CPU_CPU_LEVEL_STATE_H

#include "backend/backend.h"
#include "backend/block_chain.h"
#include "backend/cpu/cpu_level_track.h"
#include "kernel/level_rates.h"

/* What the rays of one direction left with the cells, of one thread. */
struct sums {
    struct line_light *light; /* [n_cell][n_line] */
    real *length;             /* [n_cell] weights */
};

struct levels {
    struct level_job job; /* as given; what it points to stays with the caller */
    int threads;
    struct block *chain; /* owns what follows */
    struct mesh_view mesh;
    struct shell_view shells;
    struct gas_view *gas;
    double *strength; /* [n_cell] density / b */
    double *width;    /* [n_cell] the longest of the cell */
    double *most_gain;
    real reach;              /* |x| */
    real least_depth;        /* of half a cell, in inversions */
    real *dust;              /* [n_cell][n_line] its source function, where any shines; or NULL */
    struct line_glow *glow;  /* [n_cell][n_line] */
    struct light_sum *light; /* [n_cell][n_line] of the finished directions */
    double *seen;            /* [n_cell] weights of the directions that met the cell */
    double *star;            /* [n_cell][n_line] direct light of stars; or NULL */
    struct sums *sums;       /* [threads] */
    double *x, *past[LEVEL_MOST_PAST];
    int n_past;           /* of them that count */
    const double *before; /* the extrapolation, among them */
    float *residual;
    struct level_rays rays;
};

static size_t voxels(const struct levels *levels)
{
    return (size_t)levels->job.n_cell * (size_t)levels->job.n_line;
}

static size_t populations(const struct levels *levels)
{
    return (size_t)levels->job.n_cell * (size_t)levels->job.n_level;
}

#endif
