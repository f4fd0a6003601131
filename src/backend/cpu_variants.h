/* The compiled variants of cpu_transport.c and cpu_trace.c: mesh x precision x instruction set; and of cpu_levels.c,
 * which knows both meshes: precision x instruction set. */
#ifndef LR_BACKEND_CPU_VARIANTS_H
#define LR_BACKEND_CPU_VARIANTS_H

#include "backend/backend.h"

typedef enum lr_status cpu_transport_fn(lr_context *ctx, int threads, const struct transport_job *job,
                                        const struct transport_monitor *monitor, struct transport_tally *tally);

typedef enum lr_status cpu_trace_fn(lr_context *ctx, int threads, const struct trace_job *job,
                                    const struct transport_monitor *monitor, struct trace_image *image);

cpu_transport_fn cpu_transport_mixed_baseline, cpu_transport_double_baseline;
cpu_trace_fn cpu_trace_mixed_baseline, cpu_trace_double_baseline;
extern const struct level_backend cpu_levels_mixed_baseline, cpu_levels_double_baseline;
cpu_transport_fn cpu_transport_shells_mixed_baseline, cpu_transport_shells_double_baseline;
cpu_trace_fn cpu_trace_shells_mixed_baseline, cpu_trace_shells_double_baseline;
#ifdef LR_CPU_HAS_ISA_VARIANTS
cpu_transport_fn cpu_transport_mixed_v3, cpu_transport_double_v3;
cpu_transport_fn cpu_transport_mixed_v4, cpu_transport_double_v4;
cpu_trace_fn cpu_trace_mixed_v3, cpu_trace_double_v3;
cpu_trace_fn cpu_trace_mixed_v4, cpu_trace_double_v4;
extern const struct level_backend cpu_levels_mixed_v3, cpu_levels_double_v3;
extern const struct level_backend cpu_levels_mixed_v4, cpu_levels_double_v4;
cpu_transport_fn cpu_transport_shells_mixed_v3, cpu_transport_shells_double_v3;
cpu_transport_fn cpu_transport_shells_mixed_v4, cpu_transport_shells_double_v4;
cpu_trace_fn cpu_trace_shells_mixed_v3, cpu_trace_shells_double_v3;
cpu_trace_fn cpu_trace_shells_mixed_v4, cpu_trace_shells_double_v4;
#endif

#endif
