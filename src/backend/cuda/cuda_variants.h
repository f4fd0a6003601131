/* The compiled variants of cuda_transport.cu, cuda_trace.cu and cuda_levels.cu. */
#ifndef LR_BACKEND_CUDA_CUDA_VARIANTS_H
#define LR_BACKEND_CUDA_CUDA_VARIANTS_H

#include "backend/backend.h"

typedef enum lr_status cuda_fail_fn(lr_context *ctx, enum lr_status status, const char *format, ...);

/* How the driver reports errors: the library's lr_fail, passed in when the module is opened. */
typedef enum lr_status cuda_transport_fn(cuda_fail_fn *fail, lr_context *ctx, const struct transport_job *job,
                                         const struct transport_monitor *monitor, struct transport_tally *tally);
typedef enum lr_status cuda_trace_fn(cuda_fail_fn *fail, lr_context *ctx, const struct trace_job *job,
                                     const struct transport_monitor *monitor, struct trace_image *image);

cuda_transport_fn cuda_transport_mixed, cuda_transport_double, cuda_transport_shells_mixed,
    cuda_transport_shells_double, cuda_transport_amr_mixed, cuda_transport_amr_double;
cuda_trace_fn cuda_trace_mixed, cuda_trace_double, cuda_trace_shells_mixed, cuda_trace_shells_double,
    cuda_trace_amr_mixed, cuda_trace_amr_double;

/* In double precision, once. */
enum lr_status cuda_balls(cuda_fail_fn *fail, lr_context *ctx, const struct ball_work *work);

/* Not for shells. */
const struct level_backend *cuda_levels_mixed(cuda_fail_fn *fail);
const struct level_backend *cuda_levels_double(cuda_fail_fn *fail);
const struct level_backend *cuda_levels_amr_mixed(cuda_fail_fn *fail);
const struct level_backend *cuda_levels_amr_double(cuda_fail_fn *fail);

#endif
