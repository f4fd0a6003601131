#define _POSIX_C_SOURCE 200809L
#include "solve/common/describe.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/threads.h"
#include "solve/common/system.h"

/* 16 random bytes; the time and the process where the system has none. */
static void name_run(char *name, size_t size)
{
    unsigned char bytes[16] = {0};
    FILE *file = fopen("/dev/urandom", "rb");
    if (!file || fread(bytes, 1, sizeof bytes, file) != sizeof bytes) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        const long parts[2] = {now.tv_nsec ^ ((long)getpid() << 32), now.tv_sec};
        memcpy(bytes, parts, sizeof bytes < sizeof parts ? sizeof bytes : sizeof parts);
    }
    if (file)
        fclose(file);
    for (size_t i = 0; i < sizeof bytes && 2 * i + 2 < size; i++)
        snprintf(name + 2 * i, 3, "%02x", bytes[i]);
}

enum lr_status describe_run(lr_context *ctx, const struct run *run, struct worker *worker,
                            const struct transport_device *description, const char *text, const char *resolved,
                            struct lr_result *result)
{
    struct lr_summary *summary = &result->summary;
    result->threads = thread_count(run->threads);
    worker->threads = result->threads;
    worker->double_precision = run->precision == PRECISION_DOUBLE;
    const int ranks = lr_team_size(ctx);
    char devices[DEVICE_NAME_SIZE];
    device_list_write(&worker->devices, devices);
    if (ranks > 1 && strcmp(worker->backend->name, "cpu") == 0)
        snprintf(summary->device, sizeof summary->device, "cpu (%d ranks of %d thread%s, %.60s)", ranks,
                 result->threads, result->threads == 1 ? "" : "s", description->name);
    else if (ranks > 1)
        snprintf(summary->device, sizeof summary->device, "%d ranks, %s:%.30s %.60s", ranks, worker->backend->name,
                 devices, description->name);
    else if (strcmp(worker->backend->name, "cpu") == 0)
        snprintf(summary->device, sizeof summary->device, "cpu (%d thread%s, %.60s)", result->threads,
                 result->threads == 1 ? "" : "s", description->name);
    else
        snprintf(summary->device, sizeof summary->device, "%s:%.40s %.80s", worker->backend->name, devices,
                 description->name);
    snprintf(summary->precision, sizeof summary->precision, "%s",
             run->precision == PRECISION_DOUBLE ? "double" : "mixed");
    snprintf(result->version, sizeof result->version, "%s", lr_version());
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(result->date, sizeof result->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (gethostname(result->host, sizeof result->host - 1) != 0)
        snprintf(result->host, sizeof result->host, "unknown");
    name_run(result->run, sizeof result->run);
    system_cpu_name(result->cpu, sizeof result->cpu);
    LR_TRY(lr_copy_text(ctx, text ? text : "", &result->model_text));
    return lr_copy_text(ctx, resolved ? resolved : "", &result->model_resolved);
}
