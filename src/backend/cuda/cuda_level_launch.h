/* Launches the kernels for level populations: radiation, rate equations, extrapolation, and the few numbers that are
 * returned. Included by cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_LEVEL_LAUNCH_H
#define LR_BACKEND_CUDA_CUDA_LEVEL_LAUNCH_H

#include <algorithm>
#include <cmath>

#include "backend/cuda/cuda_level_state.h"

namespace
{

/* ---- radiation --------------------------------------------------------------------------------------------------- */

void make_glow(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    glow_kernel<<<blocks_for(voxels(levels)), BLOCK>>>(job->n_cell, job->n_level, job->n_line, levels->line, levels->x,
                                                       levels->strength, levels->most_gain, levels->glow);
    okay(&levels->device, cudaGetLastError());
}

/* All rays of direction d, then its mean; means are added in the order of the directions. */
void launch_direction(struct levels *levels, int d)
{
    struct device *device = &levels->device;
    const struct level_job *job = &levels->job;
    const struct lane *lane = &levels->lane[d % N_LANE];
    struct beam beam;
    beam.direction = (*levels->direction)[(size_t)d];
    beam.ray = levels->ray + (*levels->first)[(size_t)d];
    beam.n_ray = (*levels->first)[(size_t)d + 1] - (*levels->first)[(size_t)d];
    beam.light = lane->light;
    beam.length = lane->length;
    if (beam.n_ray <= 0)
        return;
    const dim3 grid((unsigned)((beam.n_ray + levels->light_warps - 1) / levels->light_warps),
                    (unsigned)((levels->pass.n_alone + levels->pass.lines_per_warp - 1) / levels->pass.lines_per_warp));
    const unsigned block = (unsigned)(levels->light_warps * WARP);
    const size_t bytes = levels->light_bytes;
    for (const struct blend_launch &blend : *levels->blends)
        blend_kernel<<<(unsigned)((beam.n_ray + blend.warps - 1) / blend.warps), (unsigned)(blend.warps * WARP),
                       blend.bytes, lane->stream>>>(blend.pass, beam);
    if (levels->pass.n_alone == 0)
        ; /* all lines overlap */
    else if (levels->dusty)
        light_kernel<true><<<grid, block, bytes, lane->stream>>>(levels->pass, beam);
    else
        light_kernel<false><<<grid, block, bytes, lane->stream>>>(levels->pass, beam);
    okay(device, cudaGetLastError());
    if (d > 0)
        okay(device, cudaStreamWaitEvent(lane->stream, levels->lane[(d - 1) % N_LANE].done, 0));
    finish_kernel<<<blocks_for(voxels(levels)), BLOCK, 0, lane->stream>>>(
        job->n_cell, job->n_line, (*levels->weight)[(size_t)d], lane->length, lane->light, levels->light, levels->seen);
    okay(device, cudaGetLastError());
    okay(device, cudaMemsetAsync(lane->length, 0, (size_t)job->n_cell * sizeof *lane->length, lane->stream));
    okay(device, cudaEventRecord(lane->done, lane->stream));
}

/* Direct starlight, one star after another. */
void launch_stars(struct levels *levels, volatile sig_atomic_t *stop)
{
    struct device *device = &levels->device;
    const struct level_job *job = &levels->job;
    const dim3 grid((unsigned)((job->n_cell + levels->light_warps - 1) / levels->light_warps),
                    (unsigned)((levels->pass.n_alone + levels->pass.lines_per_warp - 1) / levels->pass.lines_per_warp));
    if (!levels->star)
        return;
    okay(device, cudaMemset(levels->star, 0, voxels(levels) * sizeof *levels->star));
    for (const struct star_pass &star : *levels->stars) {
        if (device->error != cudaSuccess || *stop)
            return;
        if (levels->pass.n_alone > 0)
            star_kernel<<<grid, (unsigned)(levels->light_warps * WARP), levels->light_bytes>>>(levels->pass, star);
        for (const struct blend_launch &blend : *levels->blends)
            star_blend_kernel<<<(unsigned)((job->n_cell + blend.star_warps - 1) / blend.star_warps),
                                (unsigned)(blend.star_warps * WARP), blend.star_bytes>>>(blend.pass, star);
        okay(device, cudaGetLastError());
    }
}

enum lr_status sweep(lr_context *ctx, void *state, volatile sig_atomic_t *stop)
{
    struct levels *levels = (struct levels *)state;
    struct device *device = &levels->device;
    const int n_direction = (int)levels->direction->size();
    if (begin(levels)) {
        make_glow(levels);
        okay(device, cudaMemset(levels->light, 0, voxels(levels) * sizeof *levels->light));
        okay(device, cudaMemset(levels->seen, 0, (size_t)levels->job.n_cell * sizeof *levels->seen));
        for (int d = 0; d < n_direction && device->error == cudaSuccess && !*stop; d++) {
            if (d >= N_LANE) /* not too far ahead, so that a stop takes effect soon */
                okay(device, cudaEventSynchronize(levels->lane[d % N_LANE].done));
            launch_direction(levels, d);
        }
        launch_stars(levels, stop);
        okay(device, cudaDeviceSynchronize());
    }
    return finish(ctx, levels, "the radiation of level populations");
}

/* ---- rate equations ---------------------------------------------------------------------------------------------- */

/* Discards the oldest populations and makes the newest past ones. */
double *shift_past(struct levels *levels)
{
    double *room = levels->past[N_PAST - 1];
    for (int i = N_PAST - 1; i > 0; i--)
        levels->past[i] = levels->past[i - 1];
    levels->past[0] = levels->x;
    levels->x = room;
    levels->n_past = levels->n_past < N_PAST ? levels->n_past + 1 : N_PAST;
    return room;
}

enum lr_status step(lr_context *ctx, void *state, struct level_change *change)
{
    struct levels *levels = (struct levels *)state;
    struct device *device = &levels->device;
    double sums[3] = {0.0, 0.0, 0.0};
    struct rate_pass pass;
    pass.n_cell = levels->job.n_cell;
    pass.n_level = levels->job.n_level;
    pass.n_line = levels->job.n_line;
    pass.line = levels->line;
    pass.gas = levels->gas;
    pass.rates = levels->rates;
    pass.light = levels->light;
    pass.seen = levels->seen;
    pass.star = levels->star;
    pass.old = levels->x;
    pass.x = shift_past(levels);
    pass.residual = levels->residual;
    pass.change = levels->sums;
    pass.scratch = levels->scratch;
    if (begin(levels)) {
        okay(device, cudaMemset(levels->sums, 0, sizeof sums));
        rate_kernel<<<levels->rate_blocks, (unsigned)(levels->rate_warps * WARP), levels->rate_bytes>>>(pass);
        okay(device, cudaGetLastError());
        okay(device, cudaMemcpy(sums, levels->sums, sizeof sums, cudaMemcpyDeviceToHost));
    }
    change->largest = sums[0];
    /* Not a number if any population is not; `largest` does not tell. The caller finds the cell. */
    change->rms = sums[2] > 0 ? std::sqrt(sums[1] / sums[2]) : 0;
    return finish(ctx, levels, "the rate equations");
}

/* The extrapolation replaces the oldest iterate, so that retreat() can still find the newest. */
enum lr_status accelerate(lr_context *ctx, void *state, bool *done)
{
    struct levels *levels = (struct levels *)state;
    struct device *device = &levels->device;
    struct iterates it = {{levels->x}};
    double sums[N_SUM] = {0.0};
    struct guess_weights weight;
    *done = false;
    if (levels->n_past < N_PAST)
        return LR_OK;
    std::copy(levels->past, levels->past + N_PAST, it.x + 1);
    levels->n_past = 0;
    if (begin(levels)) {
        const unsigned blocks = std::min(blocks_for(populations(levels)), 2048u);
        okay(device, cudaMemset(levels->sums, 0, sizeof sums));
        ng_sum_kernel<<<blocks, BLOCK>>>((int64_t)populations(levels), it, levels->sums);
        okay(device, cudaGetLastError());
        okay(device, cudaMemcpy(sums, levels->sums, sizeof sums, cudaMemcpyDeviceToHost));
    }
    if (device->error == cudaSuccess && extrapolation_weights(N_CHANGE, sums, weight.of)) {
        double *guess = shift_past(levels);
        levels->before = levels->past[0];
        levels->n_past = 0;
        ng_kernel<<<blocks_for((size_t)levels->job.n_cell), BLOCK>>>(
            levels->job.n_cell, levels->job.n_level, levels->job.n_line, levels->line, it, weight, guess);
        okay(device, cudaGetLastError());
        *done = device->error == cudaSuccess;
    }
    return finish(ctx, levels, "the extrapolation of level populations");
}

/* Goes only part of the way from the populations before accelerate() to those from which the last step started. */
enum lr_status retreat(lr_context *ctx, void *state, double part)
{
    struct levels *levels = (struct levels *)state;
    const size_t count = populations(levels);
    if (begin(levels)) {
        retreat_kernel<<<blocks_for(count), BLOCK>>>((int64_t)count, part, levels->before, levels->past[0], levels->x);
        okay(&levels->device, cudaGetLastError());
    }
    levels->n_past = 0;
    return finish(ctx, levels, "the extrapolation of level populations");
}

} // namespace

#endif
