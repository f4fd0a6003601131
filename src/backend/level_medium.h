/* The medium of a level populations job as kernels read it: gas, opacity, dust. Compiled with the driver, in its
 * precision. */
#ifndef LR_BACKEND_LEVEL_MEDIUM_H
#define LR_BACKEND_LEVEL_MEDIUM_H

#include <math.h>

#include "backend/backend.h"
#include "kernel/brick.h"
#include "kernel/level_way.h"

/* The largest width of a cell, ignoring axes of infinite extent, whose width is meaningless. */
static inline double level_widest(const struct level_job *job, int64_t cell)
{
    if (job->mesh.kind == MESH_SHELLS)
        return job->mesh.width[0][cell];
    const int64_t at[3] = {cell / job->mesh.n[2] / job->mesh.n[1], cell / job->mesh.n[2] % job->mesh.n[1],
                           cell % job->mesh.n[2]};
    double width = 0;
    for (int axis = 0; axis < 3; axis++) {
        double along = 0;
        if (job->mesh.kind == MESH_AMR)
            along = job->mesh.tree->cell[axis] /
                    (double)(1 << brick_from_key(job->mesh.tree->key[at[0] / job->mesh.tree->brick[0]]).level);
        else if (job->mesh.n[axis] > 1 || job->mesh.face[2 * axis] != FACE_PERIODIC)
            along = job->mesh.width[axis][at[axis]];
        width = along > width ? along : width;
    }
    return width;
}

/* Limit of -alpha in an inverted cell: the depth across its width does not go below -inversion_limit. */
static inline double level_most_gain(const struct level_job *job, int64_t cell)
{
    return job->inversion_limit / level_widest(job, cell);
}

/* alpha per level_line.opacity and ((g_u / g_l) x_l - x_u). */
static inline double level_strength(const struct level_gas *gas)
{
    return gas->density / gas->b;
}

static inline struct gas_view level_gas_view(const struct level_gas *gas)
{
    struct gas_view view;
    view.inv_b = (real)(1 / gas->b);
    for (int axis = 0; axis < 3; axis++)
        view.v[axis] = (real)gas->velocity[axis];
    view.kappa = (real)gas->kappa;
    view.has_gas = gas->density > 0 ? R(1) : R(0);
    view.unused[0] = view.unused[1] = R(0);
    return view;
}

/* Whether the dust emits. */
static inline int level_dust_shines(const struct level_gas *gas)
{
    return gas->kappa > 0 && gas->dust_temperature > 0;
}

/* Its source function at a line, 1 / (exp(h nu / k T) - 1). */
static inline real level_dust_source(const struct level_line *line, double temperature)
{
    return temperature > 0 ? (real)(1 / expm1(line->energy / temperature)) : R(0);
}

#endif
