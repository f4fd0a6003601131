/* The compiled variants of cpu_transport.c and cpu_trace.c: mesh x precision x instruction set; and of cpu_levels.c, in
 * which rectilinear meshes and shells share one. */
#ifndef LR_BACKEND_CPU_CPU_VARIANTS_H
#define LR_BACKEND_CPU_CPU_VARIANTS_H

#include "backend/backend.h"

typedef enum lr_status cpu_transport_fn(lr_context *ctx, int threads, const struct transport_job *job,
                                        const struct transport_monitor *monitor, struct transport_tally *tally);

typedef enum lr_status cpu_trace_fn(lr_context *ctx, int threads, const struct trace_job *job,
                                    const struct transport_monitor *monitor, struct trace_image *image);

#define DECLARE_DRIVERS(variant)                                                                                       \
    cpu_transport_fn cpu_transport_##variant;                                                                          \
    cpu_trace_fn cpu_trace_##variant;

#define DECLARE_VARIANTS(isa)                                                                                          \
    DECLARE_DRIVERS(mixed_##isa)                                                                                       \
    DECLARE_DRIVERS(double_##isa)                                                                                      \
    DECLARE_DRIVERS(shells_mixed_##isa)                                                                                \
    DECLARE_DRIVERS(shells_double_##isa)                                                                               \
    DECLARE_DRIVERS(amr_mixed_##isa)                                                                                   \
    DECLARE_DRIVERS(amr_double_##isa)                                                                                  \
    extern const struct level_backend cpu_levels_mixed_##isa, cpu_levels_double_##isa;                                 \
    extern const struct level_backend cpu_levels_amr_mixed_##isa, cpu_levels_amr_double_##isa;

/* In double precision, once. */
enum lr_status cpu_balls(lr_context *ctx, int device, int threads, const struct ball_work *work);

DECLARE_VARIANTS(baseline)
#ifdef LR_CPU_HAS_ISA_VARIANTS
DECLARE_VARIANTS(v3)
DECLARE_VARIANTS(v4)
#endif

#endif
