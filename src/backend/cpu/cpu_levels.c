/* Level populations on the CPU: memory and the functions of the backend; the work is done in cpu_level_*.h. Compiled
 * once per precision and instruction set; LR_CPU_VARIANT names the entry. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend/block_chain.h"
#include "backend/build_views.h"
#include "backend/cpu/cpu_level_extrapolate.h"
#include "backend/cpu/cpu_level_medium.h"
#include "backend/cpu/cpu_level_rates.h"
#include "backend/cpu/cpu_level_state.h"
#include "backend/cpu/cpu_level_sweep.h"
#include "backend/cpu/cpu_variants.h"
#include "backend/variant_name.h"
#include "base/context.h"

static void close_levels(void *state)
{
    struct levels *levels = state;
    for (int i = 0; levels && levels->record && i < levels->n_record; i++) {
        free(levels->record[i].cell);
        free(levels->record[i].weight);
        free(levels->record[i].light);
    }
    if (levels)
        chain_free(levels->chain);
    free(levels);
}

/* Rays followed at a time: enough for many threads, but of the order of 64 MB of records. It must not depend on the
 * number of threads, or rounding would. */
static int count_records(const struct level_job *job)
{
    const int64_t most = 4096, least = 64;
    const int64_t pieces = (int64_t)job->mesh.n[0] + job->mesh.n[1] + job->mesh.n[2];
    const int64_t n = ((int64_t)1 << 23) / (pieces * job->n_line);
    return (int)(n < least ? least : n > most ? most : n);
}

static enum lr_status write_populations(lr_context *ctx, void *state, const double *x)
{
    (void)ctx;
    struct levels *levels = state;
    memcpy(levels->x, x, populations(levels) * sizeof *x);
    levels->n_past = 0;
    return LR_OK;
}

static enum lr_status read_populations(lr_context *ctx, void *state, double *x, float *residual)
{
    (void)ctx;
    const struct levels *levels = state;
    memcpy(x, levels->x, populations(levels) * sizeof *x);
    if (residual)
        memcpy(residual, levels->residual, (size_t)levels->job.n_cell * sizeof *residual);
    return LR_OK;
}

static enum lr_status set_rays(lr_context *ctx, void *state, const struct level_rays *rays)
{
    (void)ctx;
    struct levels *levels = state;
    levels->rays = *rays;
    levels->n_past = 0;
    return LR_OK;
}

static int make_block(struct levels *levels, struct direction_block *block)
{
    block->light = chain_copy(&levels->chain, block_bytes(levels), NULL);
    block->seen = block->light ? (double *)(block->light + voxels(levels)) : NULL;
    return block->light != NULL;
}

static int make_arrays(struct levels *levels)
{
    struct block **chain = &levels->chain;
    const size_t cells = (size_t)levels->job.n_cell;
    levels->glow = chain_copy(chain, voxels(levels) * sizeof *levels->glow, NULL);
    levels->light = chain_copy(chain, voxels(levels) * sizeof *levels->light, NULL);
    levels->seen = chain_copy(chain, cells * sizeof(double), NULL);
    int ok = make_block(levels, &levels->own) && (levels->job.share.ranks < 2 || make_block(levels, &levels->other));
    levels->star = levels->job.n_star > 0 ? chain_copy(chain, voxels(levels) * sizeof *levels->star, NULL) : NULL;
    levels->residual = chain_copy(chain, cells * sizeof *levels->residual, NULL);
    levels->x = chain_copy(chain, populations(levels) * sizeof(double), NULL);
    ok = ok && levels->glow && levels->light && levels->seen && levels->residual && levels->x;
    ok = ok && (levels->job.n_star == 0 || levels->star);
    levels->sums.light = chain_copy(chain, voxels(levels) * sizeof *levels->sums.light, NULL);
    levels->sums.length = chain_copy(chain, cells * sizeof *levels->sums.length, NULL);
    levels->n_record = count_records(&levels->job);
    levels->record = chain_copy(chain, (size_t)levels->n_record * sizeof *levels->record, NULL);
    ok = ok && levels->sums.light && levels->sums.length && levels->record;
    for (int i = 0; i < levels->job.n_past; i++) {
        levels->past[i] = chain_copy(chain, populations(levels) * sizeof(double), NULL);
        ok = ok && levels->past[i];
    }
    return ok;
}

static enum lr_status open_levels(lr_context *ctx, int device, int threads, const struct level_job *job, void **state)
{
    (void)device;
    struct levels *levels = calloc(1, sizeof *levels);
    int failed = !levels;
    if (levels) {
        levels->job = *job;
        levels->threads = threads > 0 ? threads : omp_get_max_threads();
        const struct view_store store = {&levels->chain, chain_copy};
        if (job->mesh.kind == MESH_SHELLS)
            failed = !make_shells(levels);
        else
            levels->mesh = make_mesh_view(&store, &job->mesh, &failed);
        failed = failed || !read_medium(levels) || !make_blends(levels) || !make_arrays(levels);
    }
    if (failed) {
        close_levels(levels);
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the level populations of %lld cells",
                       (long long)job->n_cell);
    }
    *state = levels;
    return LR_OK;
}

const struct level_backend VARIANT_NAME(cpu_levels_, LR_CPU_VARIANT) = {.open = open_levels,
                                                                        .close = close_levels,
                                                                        .write = write_populations,
                                                                        .read = read_populations,
                                                                        .set_rays = set_rays,
                                                                        .sweep = sweep,
                                                                        .step = step,
                                                                        .accelerate = accelerate,
                                                                        .retreat = retreat};
