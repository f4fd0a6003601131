/* A module in the place of liblinerad_cuda.so, for tests of runs on several devices without a GPU: its devices are the
 * CPU, opened several times. PRETENDED_GPUS is their number (2). Like a GPU, a device finishes the packets that it was
 * given before it takes others. PRETENDED_FAILURE=N,S lets device N fail S seconds after its first packet. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/backend.h"
#include "base/context.h"

static enum lr_status (*fail_fn)(lr_context *, enum lr_status, const char *, ...);

static int device_count(void)
{
    const char *number = getenv("PRETENDED_GPUS");
    return number ? (int)strtol(number, NULL, 10) : 2;
}

static enum lr_status device_describe(lr_context *ctx, int device, struct transport_device *description)
{
    const enum lr_status status = backend_cpu()->device_describe(ctx, 0, description);
    snprintf(description->name, sizeof description->name, "pretended GPU %d", device);
    return status;
}

static enum lr_status transport(lr_context *ctx, int device, int threads, bool double_precision,
                                const struct transport_job *job, const struct transport_monitor *monitor,
                                struct transport_tally *tally)
{
    const char *failure = getenv("PRETENDED_FAILURE");
    struct transport_monitor own = *monitor;
    char *comma = NULL;
    const bool fails = failure && strtol(failure, &comma, 10) == device && *comma == ',';
    own.more = NULL;
    own.n_more = 0;
    if (fails)
        own.seconds = strtod(comma + 1, NULL);
    const enum lr_status status = backend_cpu()->transport(ctx, 0, threads, double_precision, job, &own, tally);
    return fails && status == LR_OK ? fail_fn(ctx, LR_ERROR_DEVICE, "cuda:%d failed: it only pretends", device)
                                    : status;
}

static enum lr_status trace(lr_context *ctx, int device, int threads, bool double_precision,
                            const struct trace_job *job, const struct transport_monitor *monitor,
                            struct trace_image *image)
{
    (void)device;
    return backend_cpu()->trace(ctx, 0, threads, double_precision, job, monitor, image);
}

static enum lr_status balls(lr_context *ctx, int device, int threads, const struct ball_work *work)
{
    (void)device;
    return backend_cpu()->balls(ctx, 0, threads, work);
}

static const struct level_backend *levels(enum mesh_kind mesh, bool double_precision)
{
    return backend_cpu()->levels(mesh, double_precision);
}

LR_API const struct lr_backend *lr_backend_cuda(enum lr_status (*fail)(lr_context *, enum lr_status, const char *, ...))
{
    static const struct lr_backend backend = {.name = "cuda",
                                              .device_count = device_count,
                                              .device_describe = device_describe,
                                              .transport = transport,
                                              .trace = trace,
                                              .levels = levels,
                                              .balls = balls};
    fail_fn = fail;
    return &backend;
}
