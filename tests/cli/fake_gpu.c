/* In the place of liblinerad_cuda.so: a "GPU" that is the CPU, and fails as a GPU may. LINERAD_FAKE_FAULT says at which
 * call of transport, counted from 1. */
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"

typedef enum lr_status fail_fn(lr_context *ctx, enum lr_status status, const char *format, ...);

static fail_fn *fail;
static struct lr_backend backend;

static enum lr_status fault(lr_context *ctx)
{
    static long calls;
    const char *when = getenv("LINERAD_FAKE_FAULT");
    calls++;
    return when && calls == strtol(when, NULL, 10)
               ? fail(ctx, LR_ERROR_DEVICE, "cuda:0 failed in a test, with 'uncorrectable ECC error encountered'")
               : LR_OK;
}

static int device_count(void)
{
    return 1;
}

static enum lr_status device_describe(lr_context *ctx, int device, struct transport_device *description)
{
    (void)ctx, (void)device;
    strcpy(description->name, "fake");
    description->memory_bytes = 1e9;
    return LR_OK;
}

static enum lr_status transport(lr_context *ctx, int device, int threads, bool double_precision,
                                const struct transport_job *job, const struct transport_monitor *monitor,
                                struct transport_tally *tally)
{
    const enum lr_status status = fault(ctx);
    return status == LR_OK ? backend_cpu()->transport(ctx, device, threads, double_precision, job, monitor, tally)
                           : status;
}

__attribute__((visibility("default"))) const struct lr_backend *lr_backend_cuda(fail_fn *given)
{
    fail = given;
    backend = *backend_cpu();
    backend.name = "cuda";
    backend.device_count = device_count;
    backend.device_describe = device_describe;
    backend.transport = transport;
    return &backend;
}
