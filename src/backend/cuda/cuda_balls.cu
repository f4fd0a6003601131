/* Trials of ball records on a GPU; compiled in double precision. One block runs one chunk of one row. */
#include <cuda_runtime.h>

#include "backend/ball_work.h"
#include "backend/cuda/cuda_fault.h"
#include "backend/cuda/cuda_memory.h"

namespace
{

enum { THREADS = 128, N_SUM = sizeof(struct ball_sums) / sizeof(double) };

struct launch {
    const struct ball_trials *set;
    int64_t n_chunk, n_sampled;
    struct ball_sums *sums;
    struct ball_sample *sample;
};

__global__ void __launch_bounds__(THREADS) ball_kernel(const struct launch work)
{
    __shared__ double part[THREADS];
    const int row = (int)blockIdx.y;
    const int64_t chunk = blockIdx.x;
    const int64_t first = chunk * BALL_CHUNK;
    struct ball_sums sums;
    double *number = (double *)&sums;
    for (int i = 0; i < N_SUM; i++)
        number[i] = 0;
    for (int i = (int)threadIdx.x; i < BALL_CHUNK; i += THREADS) {
        const int64_t trial = first + i;
        struct ball_sample *sample =
            trial < work.n_sampled ? &work.sample[BALL_EXITS * row * work.n_sampled + trial] : NULL;
        ball_trial_add(&work.set[row], (uint32_t)trial, &sums, sample, work.n_sampled);
    }
    double *to = (double *)&work.sums[row * work.n_chunk + chunk];
    for (int i = 0; i < N_SUM; i++) { /* in a fixed order */
        part[threadIdx.x] = number[i];
        for (int half = THREADS / 2; half > 0; half /= 2) {
            __syncthreads();
            if ((int)threadIdx.x < half)
                part[threadIdx.x] += part[threadIdx.x + half];
        }
        if (threadIdx.x == 0)
            to[i] = part[0];
        __syncthreads();
    }
}

/* The sets with the balls to jump through on the device. */
const struct ball_trials *upload_sets(struct device *device, const struct ball_work *work)
{
    const size_t bytes = (size_t)work->n_row * sizeof *work->set;
    struct ball_trials *set = (struct ball_trials *)malloc(bytes);
    if (!set) {
        okay(device, cudaErrorMemoryAllocation);
        return NULL;
    }
    struct ball_view balls = work->set[0].balls;
    balls.row = (const struct ball_row *)device_copy(device, (size_t)work->n_known * sizeof *balls.row, balls.row);
    balls.record =
        (const struct ball_record *)device_copy(device, (size_t)work->n_record * sizeof *balls.record, balls.record);
    for (int row = 0; row < work->n_row; row++) {
        set[row] = work->set[row];
        set[row].balls = balls;
    }
    const struct ball_trials *sent = (const struct ball_trials *)device_copy(device, bytes, set);
    free(set);
    return sent;
}

} // namespace

enum lr_status cuda_balls(cuda_fail_fn *fail, lr_context *ctx, const struct ball_work *work)
{
    struct device device = {NULL, 0, cudaSuccess};
    struct launch launch;
    const size_t sums = (size_t)(work->n_row * work->n_chunk) * sizeof *work->sums;
    const size_t samples = (size_t)(BALL_EXITS * work->n_row * work->n_sampled) * sizeof *work->sample;
    launch.set = upload_sets(&device, work);
    launch.n_chunk = work->n_chunk;
    launch.n_sampled = work->n_sampled;
    launch.sums = (struct ball_sums *)device_copy(&device, sums, NULL);
    launch.sample = (struct ball_sample *)device_copy(&device, samples, NULL);
    if (device.error == cudaSuccess) {
        ball_kernel<<<dim3((unsigned)work->n_chunk, (unsigned)work->n_row), THREADS>>>(launch);
        okay(&device, cudaGetLastError());
        okay(&device, cudaMemcpy(work->sums, launch.sums, sums, cudaMemcpyDeviceToHost));
        okay(&device, cudaMemcpy(work->sample, launch.sample, samples, cudaMemcpyDeviceToHost));
    }
    device_release(&device);
    if (device.error != cudaSuccess)
        return cuda_fault(fail, ctx, "the trials for records of deep gas", device.error);
    return LR_OK;
}
