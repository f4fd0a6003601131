/* The radiation field of the current populations: rays direction by direction, threads over rays, and direct starlight.
 * Included by cpu_levels.c. */
#ifndef LR_BACKEND_CPU_CPU_LEVEL_SWEEP_H
#define LR_BACKEND_CPU_CPU_LEVEL_SWEEP_H

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <string.h>

#include "backend/cpu/cpu_level_blend.h"
#include "backend/cpu/cpu_level_follow.h"
#include "backend/cpu/cpu_level_star.h"
#include "backend/cpu/cpu_level_state.h"
#include "backend/cpu/flush_denormals.h"
#include "base/context.h"

/* Opacities and source functions, and the |x| within which the line matters on the thickest path through a cell. */
static void make_glow(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    double thickest = 1;
#pragma omp parallel for schedule(static) num_threads(levels->threads) reduction(max : thickest)
    for (int64_t cell = 0; cell < job->n_cell; cell++)
        for (int l = 0; l < job->n_line; l++) {
            const struct level_line *line = &job->line[l];
            const double *x = levels->x + cell * job->n_level;
            const struct line_glow glow = line_glow_of(x[line->upper], x[line->lower], line->weight_ratio,
                                                       levels->strength[cell] * line->opacity, levels->most_gain[cell]);
            levels->glow[cell * job->n_line + l] = glow;
            thickest = fmax(thickest, fabs((double)glow.alpha) * levels->width[cell]);
        }
    levels->reach = profile_reach((real)thickest);
}

/* Adds what rays recorded, in their order; each thread does so for its own cells. */
static void add_records(struct levels *levels, int n_record)
{
    const size_t n_line = (size_t)levels->job.n_line;
    const int64_t n_cell = levels->job.n_cell;
    const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    const int64_t first = n_cell * thread / threads, end = n_cell * (thread + 1) / threads;
    for (int r = 0; r < n_record; r++) {
        const struct ray_record *record = &levels->record[r];
        for (int i = 0; i < record->n; i++) {
            const int cell = record->cell[i];
            if (cell < first || cell >= end)
                continue;
            struct line_light *to = levels->sums.light + (size_t)cell * n_line;
            const struct line_light *from = record->light + (size_t)i * n_line;
            for (size_t l = 0; l < n_line; l++) {
                to[l].entering += from[l].entering;
                to[l].lost += from[l].lost;
            }
            levels->sums.length[cell] += record->weight[i];
        }
    }
}

/* Adds the mean over one direction. */
static void finish_direction(struct levels *levels, double weight)
{
    const int n_line = levels->job.n_line;
#pragma omp for schedule(static)
    for (int64_t cell = 0; cell < levels->job.n_cell; cell++) {
        struct sums *sums = &levels->sums;
        const double length = (double)sums->length[cell];
        if (!(length > 0))
            continue;
        levels->own.seen[cell] += weight;
        for (int64_t at = cell * n_line; at < (cell + 1) * n_line; at++) {
            levels->own.light[at] = light_sum_add(levels->own.light[at], sums->light[at], weight, length);
            sums->light[at] = (struct line_light){R(0), R(0)};
        }
        sums->length[cell] = R(0);
    }
}

static void follow_ray(const struct levels *levels, int d, int64_t r, struct desk *desk, struct ray_record *record)
{
    const struct level_rays *rays = &levels->rays;
    if (levels->job.mesh.kind == MESH_SHELLS)
        track_shells(&levels->shells, levels->gas, rays->ray[r].point[0], rays->ring + r, &desk->track);
    else
        track_cartesian(&levels->mesh, levels->gas, rays->direction[d], &rays->ray[r], &desk->track);
    const int n_alone = level_alone_count(&levels->job);
    if (n_alone > 0)
        make_profiles(levels, desk);
    if (!desk->failed)
        record_begin(levels, desk, record);
    for (int l = 0; !desk->failed && l < n_alone; l++)
        follow_track(levels, desk, l);
    for (int i = 0; !desk->failed && i < levels->job.n_blend; i++)
        follow_blend(levels, &desk->track, i, &desk->blend, record);
}

/* Directions from `begin` to the one before `end`. */
static void sweep_thread(struct levels *levels, int begin, int end, volatile sig_atomic_t *stop, int *failed)
{
    const unsigned denormals = flush_denormals();
    const struct level_rays *rays = &levels->rays;
    struct desk desk;
    desk_make(levels, &desk);
    for (int d = begin; d < end; d++) {
        for (int64_t first = rays->first[d]; first < rays->first[d + 1]; first += levels->n_record) {
            const int64_t left = rays->first[d + 1] - first;
            const int n = left < levels->n_record ? (int)left : levels->n_record;
#pragma omp for schedule(dynamic, 4)
            for (int i = 0; i < n; i++) {
                levels->record[i].n = 0;
                if (!desk.failed && !desk.track.failed && !*stop)
                    follow_ray(levels, d, first + i, &desk, &levels->record[i]);
            }
            add_records(levels, n);
#pragma omp barrier
        }
        finish_direction(levels, rays->weight[d]);
    }
    if (desk.failed || desk.track.failed)
#pragma omp atomic write
        *failed = 1;
    desk_free(levels, &desk);
    restore_denormals(denormals);
}

/* Direct starlight: one ray on shells, otherwise one to each cell. */
static void shine_thread(struct levels *levels, volatile sig_atomic_t *stop, int *failed)
{
    const unsigned denormals = flush_denormals();
    const struct level_job *job = &levels->job;
    const struct star_scene scene = {job, levels->blend, job->n_line, levels->reach, levels->gas, levels->glow};
    struct star_desk desk;
    star_desk_make(&scene, &desk);
    for (int s = 0; s < job->n_star; s++) {
        const struct level_star *star = &job->star[s];
        if (!desk.failed)
            star_desk_turn(&scene, star, &desk);
        if (job->mesh.kind == MESH_SHELLS) {
#pragma omp single
            if (!desk.failed)
                shine_on_shells(&scene, &levels->shells, star, &desk, levels->star);
            continue;
        }
#pragma omp for schedule(dynamic, 64)
        for (int64_t cell = 0; cell < job->n_cell; cell++)
            if (!desk.failed && !desk.track.failed && !*stop && levels->gas[cell].has_gas > R(0))
                shine_on_cell(&scene, &levels->mesh, star, cell, &desk, levels->star + cell * job->n_line);
    }
    if (desk.failed || desk.track.failed)
#pragma omp atomic write
        *failed = 1;
    star_desk_free(&scene, &desk);
    restore_denormals(denormals);
}

/* Blocks of equally many directions, so that ranks, one block each at a time, end together. */
enum { MOST_BLOCKS = 48 };

static int block_size(const struct levels *levels)
{
    return (levels->rays.n_direction + MOST_BLOCKS - 1) / MOST_BLOCKS;
}

static int count_blocks(const struct levels *levels)
{
    return (levels->rays.n_direction + block_size(levels) - 1) / block_size(levels);
}

static void sweep_block(struct levels *levels, int block, volatile sig_atomic_t *stop, int *failed)
{
    const int begin = block * block_size(levels), left = levels->rays.n_direction - begin;
    const int end = begin + (left < block_size(levels) ? left : block_size(levels));
    memset(levels->own.light, 0, block_bytes(levels));
#pragma omp parallel num_threads(levels->threads)
    sweep_thread(levels, begin, end, stop, failed);
}

static void add_block(struct levels *levels, const struct direction_block *block)
{
    const int n_line = levels->job.n_line;
#pragma omp parallel for schedule(static) num_threads(levels->threads)
    for (int64_t cell = 0; cell < levels->job.n_cell; cell++) {
        levels->seen[cell] += block->seen[cell];
        for (int64_t at = cell * n_line; at < (cell + 1) * n_line; at++) {
            levels->light[at].entering += block->light[at].entering;
            levels->light[at].lost += block->light[at].lost;
        }
    }
}

/* One block for each rank at a time; then all ranks get those of the others. */
static bool sweep_blocks(struct levels *levels, volatile sig_atomic_t *stop, int *failed)
{
    const struct level_share *share = &levels->job.share;
    const int ranks = share->ranks > 1 ? share->ranks : 1, n_block = count_blocks(levels);
    for (int first = 0; first < n_block; first += ranks) {
        if (first + share->rank < n_block)
            sweep_block(levels, first + share->rank, stop, failed);
        if (*failed)
            return true;
        for (int r = 0; r < ranks && first + r < n_block; r++) {
            struct direction_block *block = r == share->rank ? &levels->own : &levels->other;
            if (ranks > 1 && !share->spread(share->user, r, block->light, (int64_t)block_bytes(levels)))
                return false;
            add_block(levels, block);
        }
    }
    return true;
}

static enum lr_status sweep(lr_context *ctx, void *state, volatile sig_atomic_t *stop)
{
    struct levels *levels = state;
    int failed = 0;
    make_glow(levels);
    memset(levels->light, 0, voxels(levels) * sizeof *levels->light);
    memset(levels->seen, 0, (size_t)levels->job.n_cell * sizeof *levels->seen);
    if (!sweep_blocks(levels, stop, &failed))
        return LR_ERROR_INTERNAL; /* a rank has failed, and has said why */
    if (levels->star) {
        memset(levels->star, 0, voxels(levels) * sizeof *levels->star);
#pragma omp parallel num_threads(levels->threads)
        shine_thread(levels, stop, &failed);
    }
    return failed ? lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the rays of level populations") : LR_OK;
}

#endif
