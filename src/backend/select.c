/* Selects a backend. The CUDA backend is a shared object next to the library with one exported entry, so that the same
 * binary runs on machines with and without a driver. */
#include "backend/select.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/library_folder.h"

static const char CUDA_MODULE[] = "liblinerad_cuda.so";

/* Looks next to this library and nowhere else: the loader's path may contain the current directory. The handle is kept
 * for the life of the process. */
static void *open_module(char *why, int why_size)
{
    char path[4096];
    if (!library_folder_find(CUDA_MODULE, path, sizeof path)) {
        snprintf(why, (size_t)why_size, "the GPU module %s is not installed", CUDA_MODULE);
        return NULL;
    }
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module)
        snprintf(why, (size_t)why_size, "the GPU module cannot be loaded (%s)", dlerror());
    return module;
}

const struct lr_backend *backend_gpu(char *why, int why_size)
{
    void *module = open_module(why, why_size);
    if (!module)
        return NULL;
    lr_backend_entry_fn *entry = NULL;
    void *symbol = dlsym(module, LR_BACKEND_CUDA_ENTRY);
    memcpy(&entry, &symbol, sizeof entry);
    if (!entry) {
        snprintf(why, (size_t)why_size, "%s does not export %s", CUDA_MODULE, LR_BACKEND_CUDA_ENTRY);
        return NULL;
    }
    const struct lr_backend *backend = entry(lr_fail);
    if (backend->device_count() < 1) {
        snprintf(why, (size_t)why_size, "no NVIDIA GPU, or no driver");
        return NULL;
    }
    return backend;
}

/* Puts numbers into a list that does not name them. */
static enum lr_status find_devices(lr_context *ctx, const char *wanted, int count, struct device_list *devices)
{
    if (!devices->named)
        devices->n = !devices->all ? 1 : count < MOST_DEVICES ? count : MOST_DEVICES;
    for (int i = 0; i < devices->n; i++) {
        if (!devices->named)
            devices->number[i] = i;
        if (devices->number[i] >= count)
            return lr_fail(ctx, LR_ERROR_DEVICE, "device '%s' does not exist: there are %d, numbered from 0", wanted,
                           count);
    }
    return LR_OK;
}

enum lr_status backend_select(lr_context *ctx, const char *wanted, const struct lr_backend **backend,
                              struct device_list *devices)
{
    const bool cuda = device_list_read(wanted, devices);
    if (strcmp(wanted, "cpu") == 0) {
        *backend = backend_cpu();
        return find_devices(ctx, wanted, 1, devices);
    }
    char why[512];
    *backend = backend_gpu(why, sizeof why);
    if (!*backend && !cuda) {
        lr_log(ctx, LR_LOG_INFO, "running on the CPU: %s", why);
        *backend = backend_cpu();
    }
    if (!*backend)
        return lr_fail(ctx, LR_ERROR_DEVICE, "device '%s' is not available: %s; use '--device cpu' or 'auto'", wanted,
                       why);
    return find_devices(ctx, wanted, (*backend)->device_count(), devices);
}
