/* What the CPU keeps for level populations between calls: gas, populations, radiation, rays. Included by the parts of
 * cpu_levels.c, once per precision and instruction set. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_STATE_H
#define LR_BACKEND_CPU_CPU_LEVEL_STATE_H

#include "backend/backend.h"
#include "backend/block_chain.h"
#include "backend/cpu/cpu_level_track.h"
#include "kernel/level_blend.h"
#include "kernel/level_rates.h"

/* What the rays of one direction recorded in the cells. */
struct sums {
    struct line_light *light; /* [n_cell][n_line] */
    real *length;             /* [n_cell] weights */
};

/* What one ray recorded, in its own order. Rays are followed in any order by any thread; their records are added in the
 * order of the rays, so that the sums do not depend on the threads. */
struct ray_record {
    int n, room;
    int *cell;                /* [n] */
    real *weight;             /* [n] */
    struct line_light *light; /* [n][n_line] times the weight */
};

/* Directions are added up in blocks, and these in their order, so that the sums do not depend on the ranks. `seen`
 * follows `light` in memory. */
struct direction_block {
    struct light_sum *light;
    double *seen;
};

struct levels {
    struct level_job job; /* as given; what it points to belongs to the caller */
    int threads;
    struct block *chain; /* owns what follows */
    struct mesh_view mesh;
    struct shell_view shells;
    struct gas_view *gas;
    double *strength; /* [n_cell] density / b */
    double *width;    /* [n_cell] largest width of the cell */
    double *most_gain;
    real reach;                        /* |x| */
    real least_depth;                  /* inversion limit of half a cell */
    real *dust;                        /* [n_cell][n_line] source function of dust; NULL if none emits */
    struct blend_view *blend;          /* [n_blend] lines that overlap */
    struct line_glow *glow;            /* [n_cell][n_line] */
    struct light_sum *light;           /* [n_cell][n_line] sum over directions */
    double *seen;                      /* [n_cell] summed weights of the directions that met the cell */
    struct direction_block own, other; /* the same over a block of directions: of this rank, and of another one */
    double *star;                      /* [n_cell][n_line] direct starlight; or NULL */
    struct sums sums;
    struct ray_record *record; /* [n_record] of the rays followed at a time */
    int n_record;
    double *x, *past[LEVEL_MOST_PAST];
    int n_past;           /* how many of them are valid */
    const double *before; /* populations before the extrapolation; one of `past` */
    float *residual;
    struct level_rays rays;
};

static size_t voxels(const struct levels *levels)
{
    return (size_t)levels->job.n_cell * (size_t)levels->job.n_line;
}

static size_t block_bytes(const struct levels *levels)
{
    return voxels(levels) * sizeof(struct light_sum) + (size_t)levels->job.n_cell * sizeof(double);
}

static size_t populations(const struct levels *levels)
{
    return (size_t)levels->job.n_cell * (size_t)levels->job.n_level;
}

#endif
