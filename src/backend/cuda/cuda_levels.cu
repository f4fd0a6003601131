/* Level populations on a GPU, for Cartesian meshes: the functions of the backend; state, launches and kernels are in
 * cuda_level_*. Populations, radiation and collision rates stay on the device between calls. Compiled once per
 * precision; LR_CUDA_VARIANT names the entry. */
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "backend/cuda/cuda_level_launch.h"
#include "backend/cuda/cuda_level_medium.h"
#include "backend/cuda/cuda_level_room.h"
#include "backend/cuda/cuda_level_state.h"
#include "backend/variant_name.h"

namespace
{

enum lr_status write_populations(lr_context *ctx, void *state, const double *x)
{
    struct levels *levels = (struct levels *)state;
    if (begin(levels))
        okay(&levels->device, cudaMemcpy(levels->x, x, populations(levels) * sizeof *x, cudaMemcpyHostToDevice));
    levels->n_past = 0;
    return finish(ctx, levels, "the exchange of level populations");
}

enum lr_status read_populations(lr_context *ctx, void *state, double *x, float *residual)
{
    struct levels *levels = (struct levels *)state;
    if (begin(levels)) {
        okay(&levels->device, cudaMemcpy(x, levels->x, populations(levels) * sizeof *x, cudaMemcpyDeviceToHost));
        if (residual)
            okay(&levels->device, cudaMemcpy(residual, levels->residual, (size_t)levels->job.n_cell * sizeof *residual,
                                             cudaMemcpyDeviceToHost));
    }
    return finish(ctx, levels, "the exchange of level populations");
}

enum lr_status set_rays(lr_context *ctx, void *state, const struct level_rays *rays)
{
    struct levels *levels = (struct levels *)state;
    const size_t bytes = (size_t)rays->first[rays->n_direction] * sizeof *rays->ray;
    levels->n_past = 0;
    try {
        levels->direction->clear();
        for (int d = 0; d < rays->n_direction; d++)
            levels->direction->push_back(make_point(rays->direction[d]));
        levels->weight->assign(rays->weight, rays->weight + rays->n_direction);
        levels->first->assign(rays->first, rays->first + rays->n_direction + 1);
    } catch (const std::bad_alloc &) {
        return fail(ctx, LR_ERROR_MEMORY, "out of memory for %d directions", rays->n_direction);
    }
    if (begin(levels)) {
        cudaFree(levels->ray);
        levels->ray = NULL;
        if (okay(&levels->device, cudaMalloc((void **)&levels->ray, bytes > 0 ? bytes : 1)))
            okay(&levels->device, cudaMemcpy(levels->ray, rays->ray, bytes, cudaMemcpyHostToDevice));
    }
    if (levels->device.error == cudaErrorMemoryAllocation)
        return fail(ctx, LR_ERROR_MEMORY, "cuda:%d: not enough memory for the rays of %d directions (%.2f GB)",
                    levels->number, rays->n_direction, 1e-9 * (double)bytes);
    return finish(ctx, levels, "the rays for level populations");
}

/* ---- open and close ---------------------------------------------------------------------------------------------- */

void close_levels(void *state)
{
    struct levels *levels = (struct levels *)state;
    if (!levels)
        return;
    cudaSetDevice(levels->number);
    for (int i = 0; i < N_LANE; i++) {
        if (levels->lane[i].stream)
            cudaStreamDestroy(levels->lane[i].stream);
        if (levels->lane[i].done)
            cudaEventDestroy(levels->lane[i].done);
    }
    cudaFree(levels->ray);
    device_release(&levels->device);
    delete levels->stars;
    delete levels->blends;
    delete levels->direction;
    delete levels->weight;
    delete levels->first;
    free(levels);
}

/* Sends everything in the job except cells. */
bool send_lines(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    const struct view_store store = {&levels->device, device_copy};
    std::vector<struct rate_line> lines((size_t)job->n_line);
    std::vector<double> background((size_t)job->n_line);
    int failed = 0;
    for (size_t l = 0; l < lines.size(); l++) {
        const struct level_line *from = &job->line[l];
        lines[l] = {from->upper, from->lower, from->a_ul, from->weight_ratio, from->opacity, from->background};
        background[l] = from->background;
    }
    levels->line =
        (struct rate_line *)device_copy(&levels->device, lines.size() * sizeof(struct rate_line), lines.data());
    struct light_pass *pass = &levels->pass;
    pass->mesh = make_mesh_view(&store, &job->mesh, &failed);
    pass->background = store_reals(&store, job->n_line, background.data(), &failed);
    pass->n_line = job->n_line;
    pass->n_alone = level_alone_count(job);
    pass->band = band_make(job->n_frequency, job->frequency_first, job->frequency_step);
    pass->least_depth = piece_least_depth(job->inversion_limit);
    pass->gas = levels->gas;
    pass->glow = levels->glow;
    pass->dust = levels->dust;
    for (int i = 0; i < job->n_blend; i++) {
        struct blend_launch *blend = &(*levels->blends)[(size_t)i];
        blend->pass.light = *pass;
        blend->pass.blend = level_blend_view(&store, job, i, &failed);
        blend->pass.counts = i == 0 && pass->n_alone == 0;
    }
    return !failed && levels->device.error == cudaSuccess;
}

enum lr_status fill_levels(lr_context *ctx, struct levels *levels)
{
    const struct level_job *job = &levels->job;
    struct device *device = &levels->device;
    bool shines = false;
    int most_bytes = 0;
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    levels->stars = new std::vector<struct star_pass>;
    levels->blends = new std::vector<struct blend_launch>((size_t)job->n_blend);
    levels->direction = new std::vector<struct point3>;
    levels->weight = new std::vector<double>;
    levels->first = new std::vector<int64_t>(1, 0);
    look_for_dust(job, &levels->dusty, &shines);
    okay(device, cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, levels->number));
    if (device->error == cudaSuccess && !plan_light(levels, most_bytes) && device->error == cudaSuccess)
        return fail(ctx, LR_ERROR_DEVICE,
                    "cuda:%d: %d frequencies per line are too many for its shared memory of %d kB; use the CPU, or "
                    "raise the smallest Doppler parameter",
                    levels->number, job->n_frequency, most_bytes / 1024);
    for (int i = 0; i < job->n_blend && device->error == cudaSuccess; i++)
        if (!plan_blend(levels, i, most_bytes) && device->error == cudaSuccess)
            return fail(ctx, LR_ERROR_DEVICE,
                        "cuda:%d: %d lines that overlap, with %d frequencies, are too many for its shared memory of %d "
                        "kB; use the CPU, or 'overlap: false'",
                        levels->number, job->blend[i].n, job->blend[i].n_frequency, most_bytes / 1024);
    if (device->error == cudaSuccess)
        plan_rates(levels, most_bytes);
    okay(device, cudaMemGetInfo(&free_bytes, &total_bytes));
    const double needed = memory_needed(levels, shines);
    if (device->error == cudaSuccess && needed > 0.98 * (double)free_bytes)
        return fail(
            ctx, LR_ERROR_MEMORY,
            "cuda:%d: populations of %d levels in %lld cells need %.2f GB of GPU memory, but only %.2f GB are free",
            levels->number, job->n_level, (long long)job->n_cell, 1e-9 * needed, 1e-9 * (double)free_bytes);
    if (device->error == cudaSuccess && reserve(levels, shines) && send_lines(levels)) {
        send_medium(levels);
        send_rates(levels);
        for (int s = 0; s < job->n_star; s++)
            levels->stars->push_back(send_star(levels, &job->star[s]));
    }
    return finish(ctx, levels, "the preparation of level populations");
}

enum lr_status open_levels(lr_context *ctx, int device, int threads, const struct level_job *job, void **state)
{
    if (job->mesh.kind == MESH_SHELLS || job->n_past != N_PAST)
        return fail(ctx, LR_ERROR_DEVICE, "populations on shells and layers are solved on the CPU, not on cuda:%d",
                    device);
    struct levels *levels = (struct levels *)calloc(1, sizeof *levels);
    if (!levels)
        return fail(ctx, LR_ERROR_MEMORY, "out of memory for level populations");
    levels->job = *job;
    levels->number = device;
    levels->threads = threads > 0 ? threads : std::max((int)std::thread::hardware_concurrency(), 1);
    enum lr_status status = LR_OK;
    if (begin(levels)) {
        try {
            status = fill_levels(ctx, levels);
        } catch (const std::bad_alloc &) {
            status = fail(ctx, LR_ERROR_MEMORY, "out of memory for the level populations of %lld cells",
                          (long long)job->n_cell);
        }
    } else {
        status = finish(ctx, levels, "the exchange of level populations");
    }
    if (status != LR_OK)
        close_levels(levels);
    else
        *state = levels;
    return status;
}

const struct level_backend backend = {open_levels, close_levels, write_populations, read_populations, set_rays,
                                      sweep,       step,         accelerate,        retreat};

} // namespace

const struct level_backend *VARIANT_NAME(cuda_levels_, LR_CUDA_VARIANT)(cuda_fail_fn *fail_here)
{
    fail = fail_here;
    return &backend;
}
