#include "solve/common/system.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/select.h"
#include "base/context.h"

const char *lr_version(void)
{
    return LR_VERSION;
}

void lr_text_free(char *text)
{
    free(text);
}

void system_cpu_name(char *name, size_t size)
{
    snprintf(name, size, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, size, "%s", colon + 2);
            break;
        }
    }
    fclose(file);
}

enum lr_status lr_system_report(lr_context *ctx, char **text)
{
    enum { SIZE = 4096 };
    char cpu[128];
    char why[512];
    struct transport_device device;
    LR_TRY(lr_allocate(ctx, SIZE, 1, text));
    system_cpu_name(cpu, sizeof cpu);
    backend_cpu()->device_describe(ctx, 0, &device);
    int at = snprintf(*text, SIZE, "linerad %s\n\ncpu     %s\n        %d threads, %s, %.1f GiB free\n", lr_version(),
                      cpu, omp_get_max_threads(), device.name, device.memory_bytes / (1024.0 * 1024 * 1024));
    const struct lr_backend *gpu = backend_gpu(why, sizeof why);
    if (!gpu) {
        snprintf(*text + at, (size_t)(SIZE - at), "gpu     none: %s\n", why);
        return LR_OK;
    }
    for (int i = 0; i < gpu->device_count() && at < SIZE - 256; i++) {
        if (gpu->device_describe(ctx, i, &device) == LR_OK)
            at += snprintf(*text + at, (size_t)(SIZE - at), "%s:%d  %s, %.1f GiB free\n", gpu->name, i, device.name,
                           device.memory_bytes / (1024.0 * 1024 * 1024));
    }
    return LR_OK;
}
