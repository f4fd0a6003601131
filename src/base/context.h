/* Context: carries the log, progress, stop flag and the text of the last error through every call.
 * Errors travel as `enum lr_status`; lr_fail() records the text once, where the cause is known. */
#ifndef LR_BASE_CONTEXT_H
#define LR_BASE_CONTEXT_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "linerad.h"

enum { CONTEXT_SOUND_FILES = 16 };

struct lr_context {
    lr_log_fn *log;
    void *log_user;
    lr_progress_fn *progress;
    void *progress_user;
    volatile sig_atomic_t stop;
    volatile sig_atomic_t save; /* a statepoint is wanted */
    char error[1024];
    struct communicator *team; /* the processes of this job (parallel/communicator.h); NULL: this is the only one */
    bool guard;                /* a child process looks through HDF5 files first (io/hdf5/hdf5_guard.h) */
    char sound[CONTEXT_SOUND_FILES][128]; /* files that it has found sound, the latest ones */
    unsigned n_sound;
    struct units *units; /* made when first needed (units_of), since UDUNITS does not free all its memory */
};

/* Record a one-line message and return `status`. */
enum lr_status lr_fail(lr_context *ctx, enum lr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same, with the value visible to compilers and analysers. */
#define lr_fail(ctx, status, ...) (lr_fail((ctx), (status), __VA_ARGS__), (status))
void lr_log(lr_context *ctx, enum lr_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Zeroed memory, or NULL with the error recorded; a zero count gives a valid pointer. */
void *lr_new(lr_context *ctx, size_t count, size_t size);

/* *pointer = zeroed memory for `count` objects of `size` bytes; a status for LR_TRY. */
#define lr_allocate(ctx, count, size, pointer) ((*(pointer) = lr_new((ctx), (count), (size))) ? LR_OK : LR_ERROR_MEMORY)

/* A copy of a text, freed with free(). */
enum lr_status lr_copy_text(lr_context *ctx, const char *text, char **copy);

/* Seconds of a monotonic clock. */
double lr_seconds(void);
/* Bytes of memory still available. */
double lr_free_memory(void);

/* Return from the function when a step fails; functions with something to release use LR_TRY_OR. */
#define LR_TRY(step)                                                                                                   \
    do {                                                                                                               \
        enum lr_status lr_try_status_ = (step);                                                                        \
        if (lr_try_status_ != LR_OK)                                                                                   \
            return lr_try_status_;                                                                                     \
    } while (0)

/* status = step; on failure jump to the cleanup label. */
#define LR_TRY_OR(label, status, step)                                                                                 \
    do {                                                                                                               \
        (status) = (step);                                                                                             \
        if ((status) != LR_OK)                                                                                         \
            goto label;                                                                                                \
    } while (0)

#endif
