/* The CUDA backend: devices, and the one exported entry of liblinerad_cuda.so. */
#include <cuda_runtime.h>

#include <cstdio>

#include "backend/cuda/cuda_fault.h"

static cuda_fail_fn *fail_fn;

static enum lr_status report(lr_context *ctx, int device, cudaError_t error)
{
    if (error == cudaSuccess)
        return LR_OK;
    return fail_fn(ctx, LR_ERROR_DEVICE, "cuda:%d cannot be used, with '%s'%s", device, cudaGetErrorString(error),
                   cuda_advice(error));
}

static int device_count(void)
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

static enum lr_status device_describe(lr_context *ctx, int device, struct transport_device *description)
{
    cudaDeviceProp properties;
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess)
        error = cudaSetDevice(device);
    if (error == cudaSuccess)
        error = cudaMemGetInfo(&free_bytes, &total_bytes);
    if (error != cudaSuccess)
        return report(ctx, device, error);
    std::snprintf(description->name, sizeof description->name, "%.100s", properties.name);
    description->memory_bytes = (double)free_bytes;
    return LR_OK;
}

static enum lr_status transport(lr_context *ctx, int device, int threads, bool double_precision,
                                const struct transport_job *job, const struct transport_monitor *monitor,
                                struct transport_tally *tally)
{
    (void)threads;
    const enum lr_status status = report(ctx, device, cudaSetDevice(device));
    if (status != LR_OK)
        return status;
    static cuda_transport_fn *const variant[3][2] = {{cuda_transport_mixed, cuda_transport_double},
                                                     {cuda_transport_shells_mixed, cuda_transport_shells_double},
                                                     {cuda_transport_amr_mixed, cuda_transport_amr_double}};
    return variant[job->mesh.kind][double_precision](fail_fn, ctx, job, monitor, tally);
}

static enum lr_status trace(lr_context *ctx, int device, int threads, bool double_precision,
                            const struct trace_job *job, const struct transport_monitor *monitor,
                            struct trace_image *image)
{
    (void)threads;
    const enum lr_status status = report(ctx, device, cudaSetDevice(device));
    if (status != LR_OK)
        return status;
    static cuda_trace_fn *const variant[3][2] = {{cuda_trace_mixed, cuda_trace_double},
                                                 {cuda_trace_shells_mixed, cuda_trace_shells_double},
                                                 {cuda_trace_amr_mixed, cuda_trace_amr_double}};
    return variant[job->mesh.kind][double_precision](fail_fn, ctx, job, monitor, image);
}

static const struct level_backend *levels(enum mesh_kind mesh, bool double_precision)
{
    if (mesh == MESH_AMR)
        return double_precision ? cuda_levels_amr_double(fail_fn) : cuda_levels_amr_mixed(fail_fn);
    return double_precision ? cuda_levels_double(fail_fn) : cuda_levels_mixed(fail_fn);
}

static enum lr_status balls(lr_context *ctx, int device, int threads, const struct ball_work *work)
{
    (void)threads;
    const enum lr_status status = report(ctx, device, cudaSetDevice(device));
    return status == LR_OK ? cuda_balls(fail_fn, ctx, work) : status;
}

static void drop(void *kept)
{
    cudaFree(kept);
}

extern "C" LR_API const struct lr_backend *lr_backend_cuda(cuda_fail_fn *fail)
{
    static const struct lr_backend backend = {"cuda", device_count, device_describe, transport,
                                              trace,  levels,       balls,           drop};
    fail_fn = fail;
    return &backend;
}
