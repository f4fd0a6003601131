/* Finds backends at run time. */
#ifndef LR_BACKEND_SELECT_H
#define LR_BACKEND_SELECT_H

#include "backend/backend.h"
#include "base/device_list.h"

/* NULL if there is no usable GPU backend; `why` then gives the reason in one line. */
const struct lr_backend *backend_gpu(char *why, int why_size);

/* `wanted` is a name as in base/device_list.h; the list has one device or more, and of "cuda:all" all that there are.
 * "auto" falls back to the CPU without an error. */
enum lr_status backend_select(lr_context *ctx, const char *wanted, const struct lr_backend **backend,
                              struct device_list *devices);

#endif
