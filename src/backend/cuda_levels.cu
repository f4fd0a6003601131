/* Level populations on a GPU, for Cartesian meshes: memory, launches and the few numbers that come back; the kernels
 * are in cuda_levels_kernel.cuh. Populations, radiation and collision rates stay on the device between calls. Compiled
 * once per precision; LR_CUDA_VARIANT names the entry. */
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "backend/cuda_levels_kernel.cuh"
#include "backend/cuda_memory.h"
#include "backend/cuda_variants.h"

namespace
{

cuda_fail_fn *fail;

enum { N_PAST = 3, N_LANE = 2 }; /* iterates kept for Ng; directions under way at once */
enum { LIGHT_ROOM = 1536 };      /* numbers of shared memory for the lines of a warp, so that many warps fit */
enum { BLOCK = 256 };

/* A direction under way: while the last rays of one still run, those of the next begin. */
struct lane {
    cudaStream_t stream;
    cudaEvent_t done;
    struct light *light; /* [n_cell][n_line] */
    real *length;        /* [n_cell] */
};

struct levels {
    struct level_job job; /* as given; what it points to stays with the caller */
    int number;           /* of the device */
    int threads;
    struct device device; /* owns what follows */
    struct light_pass pass;
    bool dusty;
    int light_warps;    /* of a block */
    size_t light_bytes; /* shared memory of a block */
    int rate_warps;
    unsigned rate_blocks;
    size_t rate_bytes;
    struct rate_line *line;
    struct gas_cell *gas;
    double *strength, *most_gain; /* [n_cell] density / b; inversion limit / width */
    real *dust;                   /* [n_cell][n_line], or NULL */
    real *rates;                  /* [n_cell][n_level][n_level] */
    struct line_glow *glow;
    struct light_sum *light; /* [n_cell][n_line] of the finished directions */
    double *seen;            /* [n_cell] weights of the directions that met the cell */
    double *x, *past[N_PAST];
    float *residual;
    double *sums; /* what comes back: [5] */
    double *scratch;
    int n_past;
    struct lane lane[N_LANE];
    struct level_ray *ray; /* all rays, on the device */
    std::vector<struct point3> *direction;
    std::vector<double> *weight;
    std::vector<int64_t> *first;
};

size_t voxels(const struct levels *levels)
{
    return (size_t)levels->job.n_cell * (size_t)levels->job.n_line;
}

size_t populations(const struct levels *levels)
{
    return (size_t)levels->job.n_cell * (size_t)levels->job.n_level;
}

unsigned blocks_for(size_t count)
{
    return (unsigned)((count + BLOCK - 1) / BLOCK);
}

/* Every entry begins and ends with these: an earlier error is not this call's. */
bool begin(struct levels *levels)
{
    levels->device.error = cudaSuccess;
    return okay(&levels->device, cudaSetDevice(levels->number));
}

enum lr_status finish(lr_context *ctx, const struct levels *levels, const char *what)
{
    const cudaError_t error = levels->device.error;
    if (error == cudaSuccess)
        return LR_OK;
    return fail(ctx, error == cudaErrorMemoryAllocation ? LR_ERROR_MEMORY : LR_ERROR_DEVICE, "cuda:%d: %s: %s",
                levels->number, what, cudaGetErrorString(error));
}

/* ---- radiation --------------------------------------------------------------------------------------------------- */

void make_glow(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    glow_kernel<<<blocks_for(voxels(levels)), BLOCK>>>(job->n_cell, job->n_level, job->n_line, levels->line, levels->x,
                                                       levels->strength, levels->most_gain, levels->glow);
    okay(&levels->device, cudaGetLastError());
}

/* All rays of direction d, then its mean; means are added in the order of directions. */
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
                    (unsigned)((job->n_line + levels->pass.lines_per_warp - 1) / levels->pass.lines_per_warp));
    const unsigned block = (unsigned)(levels->light_warps * WARP);
    const size_t bytes = levels->light_bytes;
    if (levels->dusty)
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
            if (d >= N_LANE) /* not too far ahead, so that a stop is soon seen */
                okay(device, cudaEventSynchronize(levels->lane[d % N_LANE].done));
            launch_direction(levels, d);
        }
        okay(device, cudaDeviceSynchronize());
    }
    return finish(ctx, levels, "radiation of level populations");
}

/* ---- rate equations ---------------------------------------------------------------------------------------------- */

/* The oldest populations are forgotten; the newest become past ones. */
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
    change->rms = sums[2] > 0 ? std::sqrt(sums[1] / sums[2]) : 0;
    return finish(ctx, levels, "rate equations");
}

enum lr_status accelerate(lr_context *ctx, void *state, bool *done)
{
    struct levels *levels = (struct levels *)state;
    struct device *device = &levels->device;
    const struct iterates it = {levels->x, levels->past[0], levels->past[1], levels->past[2]};
    double sums[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    *done = false;
    if (levels->n_past < N_PAST)
        return LR_OK;
    levels->n_past = 0;
    if (begin(levels)) {
        const unsigned blocks = std::min(blocks_for(populations(levels)), 2048u);
        okay(device, cudaMemset(levels->sums, 0, sizeof sums));
        ng_sum_kernel<<<blocks, BLOCK>>>((int64_t)populations(levels), it, levels->sums);
        okay(device, cudaGetLastError());
        okay(device, cudaMemcpy(sums, levels->sums, sizeof sums, cudaMemcpyDeviceToHost));
    }
    const double determinant = sums[0] * sums[2] - sums[1] * sums[1];
    if (device->error == cudaSuccess && determinant > 1e-12 * sums[0] * sums[2]) {
        const double a = (sums[3] * sums[2] - sums[4] * sums[1]) / determinant;
        const double b = (sums[4] * sums[0] - sums[3] * sums[1]) / determinant;
        ng_kernel<<<blocks_for((size_t)levels->job.n_cell), BLOCK>>>(levels->job.n_cell, levels->job.n_level,
                                                                     levels->job.n_line, levels->line, it, a, b);
        okay(device, cudaGetLastError());
        *done = device->error == cudaSuccess;
    }
    return finish(ctx, levels, "extrapolation of level populations");
}

/* ---- in and out -------------------------------------------------------------------------------------------------- */

enum lr_status write_populations(lr_context *ctx, void *state, const double *x)
{
    struct levels *levels = (struct levels *)state;
    if (begin(levels))
        okay(&levels->device, cudaMemcpy(levels->x, x, populations(levels) * sizeof *x, cudaMemcpyHostToDevice));
    levels->n_past = 0;
    return finish(ctx, levels, "level populations");
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
    return finish(ctx, levels, "level populations");
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
        return fail(ctx, LR_ERROR_MEMORY, "cuda:%d: no room for the rays of %d directions (%.2f GB)", levels->number,
                    rays->n_direction, 1e-9 * (double)bytes);
    return finish(ctx, levels, "rays");
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
    delete levels->direction;
    delete levels->weight;
    delete levels->first;
    free(levels);
}

/* work(thread, first, end) on threads of the host; on this one what could not get another. */
template <typename Work>
void share_out(int threads, int64_t first, int64_t end, const Work &work)
{
    std::vector<std::thread> pool;
    const int64_t part = std::max<int64_t>((end - first + threads - 1) / threads, 1);
    try {
        pool.reserve((size_t)threads);
        for (; first + part < end; first += part)
            pool.emplace_back(work, pool.size() + 1, first, first + part);
    } catch (const std::exception &) {
        /* no more threads: the rest is done below */
    }
    work(0, first, end);
    for (std::thread &thread : pool)
        thread.join();
}

double widest(const struct level_job *job, int64_t cell)
{
    const int64_t at[3] = {cell / job->n[2] / job->n[1], cell / job->n[2] % job->n[1], cell % job->n[2]};
    double width = 0;
    for (int axis = 0; axis < 3; axis++)
        if (job->n[axis] > 1 || job->face[2 * axis] != TRANSPORT_PERIODIC)
            width = std::max(width, job->width[axis][at[axis]]);
    return width;
}

/* Cells in pieces, so that the copies on the host stay small. */
enum { PIECE = 1 << 16 };

/* Does any dust shine, or absorb? */
void look_for_dust(const struct level_job *job, bool *dusty, bool *shines)
{
    std::vector<struct level_gas> gas(PIECE);
    *dusty = *shines = false;
    for (int64_t first = 0; first < job->n_cell; first += PIECE) {
        const int64_t n = std::min<int64_t>(job->n_cell - first, PIECE);
        job->read_gas(job->medium, first, n, gas.data());
        for (int64_t i = 0; i < n; i++) {
            *dusty = *dusty || gas[(size_t)i].kappa > 0;
            *shines = *shines || (gas[(size_t)i].kappa > 0 && gas[(size_t)i].dust_temperature > 0);
        }
    }
}

/* A piece of the medium on the host. */
struct piece_of_medium {
    std::vector<struct level_gas> raw;
    std::vector<struct gas_cell> gas;
    std::vector<double> strength, most_gain;
    std::vector<real> dust;
};

void fill_piece(const struct levels *levels, int64_t first, int64_t n, struct piece_of_medium *piece)
{
    const struct level_job *job = &levels->job;
    job->read_gas(job->medium, first, n, piece->raw.data());
    share_out(levels->threads, 0, n, [=](size_t, int64_t from, int64_t end) {
        for (size_t i = (size_t)from; i < (size_t)end; i++) {
            const struct level_gas *raw = &piece->raw[i];
            struct gas_cell *gas = &piece->gas[i];
            gas->inv_b = (real)(1 / raw->b);
            for (int axis = 0; axis < 3; axis++)
                gas->v[axis] = (real)raw->velocity[axis];
            gas->kappa = (real)raw->kappa;
            gas->has_gas = raw->density > 0 ? R(1) : R(0);
            gas->unused[0] = gas->unused[1] = R(0);
            piece->strength[i] = raw->density / raw->b;
            piece->most_gain[i] = job->inversion_limit / widest(job, first + (int64_t)i);
            for (size_t l = 0; levels->dust && l < (size_t)job->n_line; l++)
                piece->dust[i * (size_t)job->n_line + l] =
                    raw->dust_temperature > 0 ? (real)(1 / std::expm1(job->line[l].energy / raw->dust_temperature))
                                              : R(0);
        }
    });
}

template <typename Number>
void send(struct device *device, Number *to, int64_t first, int64_t n, const std::vector<Number> &from)
{
    okay(device, cudaMemcpy(to + first, from.data(), (size_t)n * sizeof(Number), cudaMemcpyHostToDevice));
}

void send_medium(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    const size_t lines = levels->dust ? (size_t)job->n_line : 0;
    struct device *device = &levels->device;
    struct piece_of_medium piece;
    piece.raw.resize(PIECE);
    piece.gas.resize(PIECE);
    piece.strength.resize(PIECE);
    piece.most_gain.resize(PIECE);
    piece.dust.resize(PIECE * lines);
    for (int64_t first = 0; first < job->n_cell && device->error == cudaSuccess; first += PIECE) {
        const int64_t n = std::min<int64_t>(job->n_cell - first, PIECE);
        fill_piece(levels, first, n, &piece);
        send(device, levels->gas, first, n, piece.gas);
        send(device, levels->strength, first, n, piece.strength);
        send(device, levels->most_gain, first, n, piece.most_gain);
        if (levels->dust)
            send(device, levels->dust, first * (int64_t)lines, n * (int64_t)lines, piece.dust);
    }
}

void send_rates(struct levels *levels)
{
    const struct level_job *job = &levels->job;
    const int64_t size = (int64_t)job->n_level * job->n_level;
    const int64_t step = std::max<int64_t>(std::min<int64_t>(job->n_cell, (8 << 20) / size), 1);
    std::vector<real> host((size_t)(step * size));
    std::vector<double> rooms((size_t)(levels->threads * size));
    for (int64_t first = 0; first < job->n_cell && levels->device.error == cudaSuccess; first += step) {
        const int64_t n = std::min(job->n_cell - first, step);
        real *to = host.data();
        double *room = rooms.data();
        share_out(levels->threads, first, first + n, [=](size_t thread, int64_t from, int64_t end) {
            double *rates = room + (int64_t)thread * size;
            for (int64_t cell = from; cell < end; cell++) {
                job->read_rates(job->medium, cell, rates);
                for (int64_t i = 0; i < size; i++)
                    to[(cell - first) * size + i] = (real)rates[i];
            }
        });
        send(&levels->device, levels->rates, first * size, n * size, host);
    }
}

/* How the lines of a ray share warps, and how many warps a block has: what fits into shared memory. */
bool plan_light(struct levels *levels, int most_bytes)
{
    struct light_pass *pass = &levels->pass;
    pass->stride = (levels->job.n_frequency + 3) / 4 * 4;
    pass->stride += pass->stride % 8 == 0 ? 4 : 0;
    const int fitting = std::max(LIGHT_ROOM / pass->stride / 4 * 4, 4);
    pass->lines_per_warp = std::min(fitting, levels->job.n_line);
    const size_t per_warp = (size_t)pass->lines_per_warp * (size_t)pass->stride * sizeof(real);
    levels->light_warps = (int)std::min<size_t>(LEVEL_WARPS, (size_t)most_bytes / per_warp);
    levels->light_bytes = (size_t)levels->light_warps * per_warp;
    const void *kernel = levels->dusty ? (const void *)light_kernel<true> : (const void *)light_kernel<false>;
    return levels->light_warps > 0 &&
           okay(&levels->device,
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)levels->light_bytes));
}

/* Systems of rate equations in shared memory, or in the memory of the device where they are too large. */
bool plan_rates(struct levels *levels, int most_bytes)
{
    struct device *device = &levels->device;
    const size_t per_warp = (size_t)system_size(levels->job.n_level) * sizeof(double);
    const int fitting = (int)std::min<size_t>(LEVEL_WARPS, (size_t)most_bytes / per_warp);
    int processors = 1;
    int per_processor = 0;
    levels->rate_warps = fitting > 0 ? fitting : (int)LEVEL_WARPS;
    levels->rate_bytes = (size_t)fitting * per_warp;
    okay(device,
         cudaFuncSetAttribute(rate_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)levels->rate_bytes));
    okay(device, cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, levels->number));
    okay(device, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, rate_kernel, levels->rate_warps * WARP,
                                                               levels->rate_bytes));
    const int64_t needed = (levels->job.n_cell + levels->rate_warps - 1) / levels->rate_warps;
    per_processor = fitting > 0 ? std::max(per_processor, 1) : 2;
    levels->rate_blocks = (unsigned)std::min<int64_t>(needed, (int64_t)per_processor * processors);
    return device->error == cudaSuccess;
}

size_t scratch_bytes(const struct levels *levels)
{
    return levels->rate_bytes > 0 ? 0
                                  : (size_t)levels->rate_blocks * (size_t)levels->rate_warps *
                                        (size_t)system_size(levels->job.n_level) * sizeof(double);
}

/* Bytes of device memory, without the rays. */
double memory_needed(const struct levels *levels, bool shines)
{
    const double cells = (double)levels->job.n_cell;
    const double levels_number = levels->job.n_level;
    const double per_line = sizeof(struct line_glow) + N_LANE * sizeof(struct light) + sizeof(struct light_sum) +
                            (shines ? sizeof(real) : 0);
    const double per_cell = sizeof(struct gas_cell) + 3 * sizeof(double) + N_LANE * sizeof(real) + sizeof(float) +
                            per_line * levels->job.n_line + (N_PAST + 1) * levels_number * sizeof(double) +
                            levels_number * levels_number * sizeof(real);
    return cells * per_cell + (double)scratch_bytes(levels);
}

bool reserve(struct levels *levels, bool shines)
{
    struct device *device = &levels->device;
    const size_t cells = (size_t)levels->job.n_cell;
    const size_t level_number = (size_t)levels->job.n_level;
    levels->gas = (struct gas_cell *)device_reserve(device, cells * sizeof *levels->gas);
    levels->strength = (double *)device_reserve(device, cells * sizeof *levels->strength);
    levels->most_gain = (double *)device_reserve(device, cells * sizeof *levels->most_gain);
    levels->dust = shines ? (real *)device_reserve(device, voxels(levels) * sizeof *levels->dust) : NULL;
    levels->rates = (real *)device_reserve(device, cells * level_number * level_number * sizeof *levels->rates);
    levels->glow = (struct line_glow *)device_copy(device, voxels(levels) * sizeof *levels->glow, NULL);
    levels->light = (struct light_sum *)device_copy(device, voxels(levels) * sizeof *levels->light, NULL);
    levels->seen = (double *)device_copy(device, cells * sizeof *levels->seen, NULL);
    levels->residual = (float *)device_copy(device, cells * sizeof *levels->residual, NULL);
    levels->sums = (double *)device_copy(device, 5 * sizeof *levels->sums, NULL);
    levels->x = (double *)device_copy(device, populations(levels) * sizeof *levels->x, NULL);
    for (int i = 0; i < N_PAST; i++)
        levels->past[i] = (double *)device_copy(device, populations(levels) * sizeof *levels->x, NULL);
    levels->scratch = scratch_bytes(levels) > 0 ? (double *)device_reserve(device, scratch_bytes(levels)) : NULL;
    for (struct lane &lane : levels->lane) {
        lane.light = (struct light *)device_copy(device, voxels(levels) * sizeof *lane.light, NULL);
        lane.length = (real *)device_copy(device, cells * sizeof *lane.length, NULL);
        okay(device, cudaStreamCreate(&lane.stream));
        okay(device, cudaEventCreateWithFlags(&lane.done, cudaEventDisableTiming));
    }
    return device->error == cudaSuccess;
}

/* Everything of the job but cells. */
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
    pass->mesh = make_mesh_view(&store, job->n, job->width, job->face, &failed);
    pass->background = store_reals(&store, job->n_line, background.data(), &failed);
    pass->n_line = job->n_line;
    pass->n_frequency = job->n_frequency;
    pass->first = (real)job->frequency_first;
    pass->step = (real)job->frequency_step;
    pass->inv_step = (real)(1 / job->frequency_step);
    pass->gas = levels->gas;
    pass->glow = levels->glow;
    pass->dust = levels->dust;
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
    levels->direction = new std::vector<struct point3>;
    levels->weight = new std::vector<double>;
    levels->first = new std::vector<int64_t>(1, 0);
    look_for_dust(job, &levels->dusty, &shines);
    okay(device, cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, levels->number));
    if (device->error == cudaSuccess && !plan_light(levels, most_bytes) && device->error == cudaSuccess)
        return fail(ctx, LR_ERROR_DEVICE,
                    "cuda:%d: %d frequencies per line are too many for its shared memory of %d kB; use the CPU, or a "
                    "larger Doppler parameter where it is smallest",
                    levels->number, job->n_frequency, most_bytes / 1024);
    if (device->error == cudaSuccess)
        plan_rates(levels, most_bytes);
    okay(device, cudaMemGetInfo(&free_bytes, &total_bytes));
    const double needed = memory_needed(levels, shines);
    if (device->error == cudaSuccess && needed > 0.98 * (double)free_bytes)
        return fail(ctx, LR_ERROR_MEMORY,
                    "cuda:%d: populations of %d levels in %lld cells need %.2f GB of GPU memory, and %.2f GB are free",
                    levels->number, job->n_level, (long long)job->n_cell, 1e-9 * needed, 1e-9 * (double)free_bytes);
    if (device->error == cudaSuccess && reserve(levels, shines) && send_lines(levels)) {
        send_medium(levels);
        send_rates(levels);
    }
    return finish(ctx, levels, "memory for level populations");
}

enum lr_status open_levels(lr_context *ctx, int device, int threads, const struct level_job *job, void **state)
{
    if (job->shells)
        return fail(ctx, LR_ERROR_DEVICE, "populations on shells are solved on the CPU, not on cuda:%d", device);
    if (job->n_star > 0)
        return fail(ctx, LR_ERROR_DEVICE, "populations around a star are solved on the CPU, not on cuda:%d", device);
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
        status = finish(ctx, levels, "level populations");
    }
    if (status != LR_OK)
        close_levels(levels);
    else
        *state = levels;
    return status;
}

const struct level_backend backend = {open_levels, close_levels, write_populations, read_populations, set_rays,
                                      sweep,       step,         accelerate};

} // namespace

#define NAME_JOIN(prefix, variant) prefix##variant
#define NAME_EXPAND(prefix, variant) NAME_JOIN(prefix, variant)

const struct level_backend *NAME_EXPAND(cuda_levels_, LR_CUDA_VARIANT)(cuda_fail_fn *fail_here)
{
    fail = fail_here;
    return &backend;
}
