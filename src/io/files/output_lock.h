/* Two runs must not write to one name: each locks PATH.lock while it runs. The lock ends with its process, so that a
 * file left by one that was killed is no obstacle. */
#ifndef LR_IO_FILES_OUTPUT_LOCK_H
#define LR_IO_FILES_OUTPUT_LOCK_H

#include "base/context.h"

struct output_lock {
    char *path;
    int fd;
};

/* Fails if another process, or another lock of this one, holds it. Then removes what dead processes left. */
enum lr_status output_lock_take(lr_context *ctx, const char *path, struct output_lock *lock);
void output_lock_release(struct output_lock *lock);

#endif
