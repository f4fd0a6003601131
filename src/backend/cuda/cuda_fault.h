/* What a run says when a GPU fails. */
#ifndef LR_BACKEND_CUDA_CUDA_FAULT_H
#define LR_BACKEND_CUDA_CUDA_FAULT_H

#include <cuda_runtime.h>

#include "backend/cuda/cuda_variants.h"

/* What the user can do about it. */
static inline const char *cuda_advice(cudaError_t error)
{
    switch (error) {
    case cudaErrorECCUncorrectable:
        return ": its memory is faulty; use another GPU, and have this one checked";
    case cudaErrorLaunchTimeout:
        return ": it also drives a display, which limits how long it may compute; use one without";
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
        return ": if this happens again, also on another GPU, it is a fault of linerad; please report it with the "
               "model";
    default:
        return "; 'nvidia-smi' tells whether it still answers";
    }
}

/* Reports an error of the device in use, which happened during `what`. */
static inline enum lr_status cuda_fault(cuda_fail_fn *fail, lr_context *ctx, const char *what, cudaError_t error)
{
    int number = 0;
    (void)cudaGetDevice(&number);
    if (error == cudaErrorMemoryAllocation)
        return fail(ctx, LR_ERROR_MEMORY, "cuda:%d has too little free memory for %s", number, what);
    return fail(ctx, LR_ERROR_DEVICE, "cuda:%d failed in %s, with '%s'%s", number, what, cudaGetErrorString(error),
                cuda_advice(error));
}

#endif
