#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include "io/files/output_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/files/file_set.h"

/* Whoever held the lock may have removed the file between open() and flock(). */
static bool is_still_there(int fd, const char *path)
{
    struct stat ours, there;
    return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
           ours.st_dev == there.st_dev;
}

/* The process that holds the lock, as it has signed; 0 if unknown. */
static long owner_of(int fd)
{
    char text[32] = "";
    const ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return strtol(text, NULL, 10);
}

static enum lr_status refuse(lr_context *ctx, const char *path, int fd)
{
    const long process = owner_of(fd);
    char owner[32] = "";
    if (process > 0)
        snprintf(owner, sizeof owner, " (process %ld)", process);
    return lr_fail(ctx, LR_ERROR_IO, "%s: another run%s is writing to this name; give this one another with -o", path,
                   owner);
}

/* A run that was killed may leave a child that has not yet closed the file (hdf5_guard.c). */
static bool wait_for_orphan(int fd, int *patience)
{
    const struct timespec moment = {.tv_nsec = 10000000};
    const long process = owner_of(fd);
    if (process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH || (*patience)-- <= 0)
        return false;
    nanosleep(&moment, NULL);
    return true;
}

/* Says who it is, for refuse(). */
static void sign(int fd)
{
    char text[32];
    const int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)length, 0) < 0)
        errno = 0; /* then without a name */
}

enum lr_status output_lock_take(lr_context *ctx, const char *path, struct output_lock *lock)
{
    const size_t size = strlen(path) + sizeof ".lock";
    int patience = 200; /* moments */
    *lock = (struct output_lock){.fd = -1};
    LR_TRY(lr_allocate(ctx, size, 1, &lock->path));
    snprintf(lock->path, size, "%s.lock", path);
    for (;;) {
        lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (lock->fd < 0)
            return lr_fail(ctx, LR_ERROR_IO, "%s: the output cannot be locked: %s", path, strerror(errno));
        int error = 0;
        do
            error = flock(lock->fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        while (error == EWOULDBLOCK && wait_for_orphan(lock->fd, &patience));
        if (error == EWOULDBLOCK) {
            const enum lr_status status = refuse(ctx, path, lock->fd);
            close(lock->fd);
            lock->fd = -1;
            return status;
        }
        if (error || is_still_there(lock->fd, lock->path)) /* an error: this file system has no locks */
            break;
        close(lock->fd);
    }
    sign(lock->fd);
    file_set_clear(path);
    return LR_OK;
}

void output_lock_release(struct output_lock *lock)
{
    if (lock->fd >= 0) {
        unlink(lock->path);
        close(lock->fd);
    }
    free(lock->path);
    *lock = (struct output_lock){.fd = -1};
}
