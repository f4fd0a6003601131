/* Gas, dust and shells in working precision. Included by cpu_levels.c. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_MEDIUM_H
#define LR_BACKEND_CPU_CPU_LEVEL_MEDIUM_H

#include <stdbool.h>
#include <stdlib.h>

#include "backend/cpu/cpu_level_state.h"
#include "backend/level_blends.h"
#include "backend/level_medium.h"

static int read_medium(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    const size_t cells = (size_t)job->n_cell;
    bool shines = false;
    levels->least_depth = piece_least_depth(job->inversion_limit);
    levels->gas = chain_copy(&levels->chain, cells * sizeof *levels->gas, NULL);
    levels->strength = chain_copy(&levels->chain, cells * sizeof *levels->strength, NULL);
    levels->most_gain = chain_copy(&levels->chain, cells * sizeof *levels->most_gain, NULL);
    levels->width = chain_copy(&levels->chain, cells * sizeof *levels->width, NULL);
    double *dust_temperature = malloc(cells * sizeof *dust_temperature);
    if (!levels->gas || !levels->strength || !levels->most_gain || !levels->width || !dust_temperature) {
        free(dust_temperature);
        return 0;
    }
    for (int64_t cell = 0; cell < job->n_cell; cell++) {
        struct level_gas gas;
        job->read_gas(job->medium, cell, 1, &gas);
        levels->gas[cell] = level_gas_view(&gas);
        levels->strength[cell] = level_strength(&gas);
        levels->width[cell] = level_widest(job, cell);
        levels->most_gain[cell] = level_most_gain(job, cell);
        dust_temperature[cell] = gas.dust_temperature;
        shines = shines || level_dust_shines(&gas);
    }
    int ok = 1;
    if (shines) {
        levels->dust = chain_copy(&levels->chain, voxels(levels) * sizeof *levels->dust, NULL);
        ok = levels->dust != NULL;
        for (int64_t cell = 0; ok && cell < job->n_cell; cell++)
            for (int l = 0; l < job->n_line; l++)
                levels->dust[cell * job->n_line + l] = level_dust_source(&job->line[l], dust_temperature[cell]);
    }
    free(dust_temperature);
    return ok;
}

static int make_blends(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    const struct view_store store = {&levels->chain, chain_copy};
    int failed = 0;
    if (job->n_blend == 0)
        return 1;
    levels->blend = chain_copy(&levels->chain, (size_t)job->n_blend * sizeof *levels->blend, NULL);
    for (int i = 0; levels->blend && i < job->n_blend; i++)
        levels->blend[i] = level_blend_view(&store, job, i, &failed);
    return levels->blend && !failed;
}

static int make_shells(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    const int n = job->mesh.n[0];
    double *edge = chain_copy(&levels->chain, ((size_t)n + 1) * sizeof *edge, NULL);
    double *middle = chain_copy(&levels->chain, (size_t)n * sizeof *middle, NULL);
    levels->shells = (struct shell_view){n, edge, middle};
    if (!edge || !middle)
        return 0;
    edge[0] = job->inner;
    for (int i = 0; i < n; i++) {
        edge[i + 1] = edge[i] + job->mesh.width[0][i];
        middle[i] = edge[i] + 0.5 * job->mesh.width[0][i];
    }
    return 1;
}

#endif
