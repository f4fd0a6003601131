/* Finds backends at run time. */
#ifndef LR_BACKEND_SELECT_H
#define LR_BACKEND_SELECT_H

#include "backend/backend.h"

/* NULL if there is no usable GPU backend; `why` then gives the reason in one line. */
const struct lr_backend *backend_gpu(char *why, int why_size);

/* `wanted` is "auto", "cpu", "cuda" or "cuda:N". "auto" falls back to the CPU without an error. */
enum lr_status backend_select(lr_context *ctx, const char *wanted, const struct lr_backend **backend, int *device);

#endif
