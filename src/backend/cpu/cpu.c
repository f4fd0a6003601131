/* The CPU backend: selects the variants for this processor. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/cpu/cpu_variants.h"
#include "base/context.h"
#include "base/threads.h"

/* Indexed by enum mesh_kind and by whether the precision is double. */
struct variant {
    const char *simd;
    cpu_transport_fn *transport[3][2];
    cpu_trace_fn *trace[3][2];
    const struct level_backend *levels[2][2];
};

#define VARIANT(simd, isa)                                                                                             \
    {                                                                                                                  \
        simd,                                                                                                          \
            {{cpu_transport_mixed_##isa, cpu_transport_double_##isa},                                                  \
             {cpu_transport_shells_mixed_##isa, cpu_transport_shells_double_##isa},                                    \
             {cpu_transport_amr_mixed_##isa, cpu_transport_amr_double_##isa}},                                         \
            {{cpu_trace_mixed_##isa, cpu_trace_double_##isa},                                                          \
             {cpu_trace_shells_mixed_##isa, cpu_trace_shells_double_##isa},                                            \
             {cpu_trace_amr_mixed_##isa, cpu_trace_amr_double_##isa}},                                                 \
            {{&cpu_levels_mixed_##isa, &cpu_levels_double_##isa},                                                      \
             {&cpu_levels_amr_mixed_##isa, &cpu_levels_amr_double_##isa}},                                             \
    }

static struct variant best_variant(void)
{
#ifdef LR_CPU_HAS_ISA_VARIANTS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
        return (struct variant)VARIANT("AVX-512", v4);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
        return (struct variant)VARIANT("AVX2", v3);
#endif
#ifdef LR_CPU_NATIVE
    return (struct variant)VARIANT("native SIMD", baseline);
#else
    return (struct variant)VARIANT("baseline SIMD", baseline);
#endif
}

static int device_count(void)
{
    return 1;
}

static enum lr_status device_describe(lr_context *ctx, int device, struct transport_device *description)
{
    (void)ctx;
    (void)device;
    snprintf(description->name, sizeof description->name, "%s", best_variant().simd);
    description->memory_bytes = lr_free_memory();
    return LR_OK;
}

static enum lr_status transport(lr_context *ctx, int device, int threads, bool double_precision,
                                const struct transport_job *job, const struct transport_monitor *monitor,
                                struct transport_tally *tally)
{
    (void)device;
    const struct variant variant = best_variant();
    return variant.transport[job->mesh.kind][double_precision](ctx, thread_count(threads), job, monitor, tally);
}

static enum lr_status trace(lr_context *ctx, int device, int threads, bool double_precision,
                            const struct trace_job *job, const struct transport_monitor *monitor,
                            struct trace_image *image)
{
    (void)device;
    const struct variant variant = best_variant();
    return variant.trace[job->mesh.kind][double_precision](ctx, thread_count(threads), job, monitor, image);
}

static const struct level_backend *levels(enum mesh_kind mesh, bool double_precision)
{
    const struct variant variant = best_variant();
    return variant.levels[mesh == MESH_AMR][double_precision];
}

const struct lr_backend *backend_cpu(void)
{
    static const struct lr_backend backend = {.name = "cpu",
                                              .device_count = device_count,
                                              .device_describe = device_describe,
                                              .transport = transport,
                                              .trace = trace,
                                              .levels = levels,
                                              .balls = cpu_balls};
    return &backend;
}
