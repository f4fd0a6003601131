#define _POSIX_C_SOURCE 200809L
#include "base/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"

lr_context *lr_context_create(void)
{
    return calloc(1, sizeof(lr_context));
}

void lr_context_free(lr_context *ctx)
{
    if (ctx)
        units_free(ctx->units);
    free(ctx);
}

void lr_context_on_log(lr_context *ctx, lr_log_fn *fn, void *user)
{
    ctx->log = fn;
    ctx->log_user = user;
}

void lr_context_on_progress(lr_context *ctx, lr_progress_fn *fn, void *user)
{
    ctx->progress = fn;
    ctx->progress_user = user;
}

void lr_context_stop(lr_context *ctx)
{
    ctx->stop = 1;
}

void lr_context_save(lr_context *ctx)
{
    ctx->save = 1;
}

void lr_context_guard(lr_context *ctx, int on)
{
    ctx->guard = on != 0;
}

const char *lr_last_error(const lr_context *ctx)
{
    return ctx->error;
}

/* A message is one line, whatever a file name or a library puts into it. */
static void keep_one_line(char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\r')
            *text = ' ';
}

enum lr_status(lr_fail)(lr_context *ctx, enum lr_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ctx->error, sizeof ctx->error, format, arguments);
    va_end(arguments);
    keep_one_line(ctx->error);
    return status;
}

void lr_log(lr_context *ctx, enum lr_log_level level, const char *format, ...)
{
    if (!ctx->log)
        return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    keep_one_line(message);
    ctx->log(ctx->log_user, level, message);
}

double lr_free_memory(void)
{
    double bytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    if (file) {
        char line[256];
        while (fgets(line, sizeof line, file))
            if (strncmp(line, "MemAvailable:", 13) == 0)
                bytes = 1024.0 * strtod(line + 13, NULL); /* kB */
        fclose(file);
    }
    return bytes > 0 ? bytes : (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* The system grants more memory than it has and kills programs that use it, so large arrays are rejected here. */
static enum lr_status check_large(lr_context *ctx, double bytes)
{
    const double gib = 1024.0 * 1024.0 * 1024.0;
    const double left = bytes > 0.25 * gib ? lr_free_memory() : bytes;
    if (bytes <= left)
        return LR_OK;
    return lr_fail(
        ctx, LR_ERROR_MEMORY,
        "not enough memory: an array needs %.3g GiB and only %.3g GiB are free; use a smaller mesh, or part of it",
        bytes / gib, left / gib);
}

void *lr_new(lr_context *ctx, size_t count, size_t size)
{
    if (check_large(ctx, (double)count * (double)size) != LR_OK)
        return NULL;
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        (void)lr_fail(ctx, LR_ERROR_MEMORY, "out of memory: %.3g GiB requested",
                      (double)count * (double)size / (1024.0 * 1024.0 * 1024.0));
    return memory;
}

enum lr_status lr_copy_text(lr_context *ctx, const char *text, char **copy)
{
    const size_t size = strlen(text) + 1;
    LR_TRY(lr_allocate(ctx, size, 1, copy));
    memcpy(*copy, text, size);
    return LR_OK;
}

double lr_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
