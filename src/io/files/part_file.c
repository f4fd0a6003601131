#define _XOPEN_SOURCE 700
#include "io/files/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *part_file_name(const char *path)
{
    size_t size = strlen(path) + sizeof ".part-" + 3 * sizeof(long);
    char *part = malloc(size);
    if (part)
        snprintf(part, size, "%s.part-%ld", path, (long)getpid());
    return part;
}

int part_file_create(const char *part)
{
    unlink(part); /* left behind by a killed process that had the same number */
    return open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Without this a rename may reach the disk and be lost in a crash. Some file systems cannot do this, which does not
 * mean that the file is lost. */
static void flush_directory(const char *path)
{
    char *copy = strdup(path);
    int fd = copy ? open(dirname(copy), O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(copy);
}

enum lr_status part_file_publish(lr_context *ctx, int fd, const char *part, const char *path, const char *what)
{
    int error = fsync(fd) == 0 ? 0 : errno;
    if (close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(part, path) != 0)
        error = errno;
    if (error)
        return lr_fail(ctx, LR_ERROR_IO, "%s: cannot write %s: %s", path, what, strerror(error));
    flush_directory(path);
    return LR_OK;
}
