#define _XOPEN_SOURCE 700
#include "io/files/output_path.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/file_set.h"

/* An empty file, as made by mktemp, has nothing to lose. */
static enum lr_status check_existing(lr_context *ctx, const char *path, const struct output_kind *kind,
                                     const struct stat *info)
{
    if (S_ISDIR(info->st_mode))
        return lr_fail(ctx, LR_ERROR_IO, "%s: the output is a directory; give the name of a file", path);
    if (!S_ISREG(info->st_mode))
        return lr_fail(ctx, LR_ERROR_IO, "%s: the output is not a regular file", path);
    if (access(path, W_OK) != 0)
        return lr_fail(ctx, LR_ERROR_IO, "%s: the output exists and is write-protected", path);
    if (info->st_size > 0 && !kind->recognise(path))
        return lr_fail(ctx, LR_ERROR_IO,
                       "%s: the output exists and is not a %s, so it is not replaced; choose another name", path,
                       kind->name);
    return LR_OK;
}

static enum lr_status check_directory(lr_context *ctx, const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        return lr_fail(ctx, LR_ERROR_MEMORY, "%s: out of memory", path);
    const char *directory = dirname(copy);
    struct stat info;
    enum lr_status status = LR_OK;
    if (stat(directory, &info) != 0)
        status = lr_fail(ctx, LR_ERROR_IO, "%s: the output directory '%s' cannot be used: %s", path, directory,
                         strerror(errno));
    else if (!S_ISDIR(info.st_mode))
        status = lr_fail(ctx, LR_ERROR_IO, "%s: '%s' is not a directory", path, directory);
    free(copy);
    return status;
}

/* Permissions, quotas, read-only and full disks: only a test write is conclusive. */
enum lr_status output_path_try(lr_context *ctx, const char *path)
{
    static const char block[4096];
    struct file_set set = {.ctx = ctx};
    const char *part = NULL;
    file_set_clear(path);
    enum lr_status status = file_set_add(&set, path, &part);
    if (status == LR_OK) {
        int fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        errno = fd < 0 ? errno : ENOSPC; /* a short write sets no errno */
        if (fd < 0 || write(fd, block, sizeof block) != (ssize_t)sizeof block || fsync(fd) != 0)
            status = lr_fail(ctx, LR_ERROR_IO, "%s: the output cannot be written: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
    }
    (void)file_set_end(&set, LR_ERROR_IO); /* nothing is to remain */
    return status;
}

static enum lr_status check(lr_context *ctx, const char *path, const struct output_kind *kind)
{
    struct stat info;
    size_t length = strlen(path);
    if (length == 0)
        return lr_fail(ctx, LR_ERROR_IO, "the output has no name");
    if (path[length - 1] == '/')
        return lr_fail(ctx, LR_ERROR_IO, "%s: the output is a directory; give the name of a file", path);
    if (stat(path, &info) == 0)
        LR_TRY(check_existing(ctx, path, kind, &info));
    return check_directory(ctx, path);
}

/* The missing file that a symbolic link names, perhaps through others; a path that is none stays as it is. */
static enum lr_status follow_links(lr_context *ctx, const char *path, char **resolved)
{
    enum { MOST_LINKS = 40 };
    char target[PATH_MAX];
    char *found = strdup(path);
    for (int i = 0; found; i++) {
        const ssize_t length = readlink(found, target, sizeof target - 1);
        if (length < 0)
            break;
        if (i == MOST_LINKS) {
            free(found);
            return lr_fail(ctx, LR_ERROR_IO, "%s: the output is a symbolic link that leads nowhere", path);
        }
        target[length] = '\0';
        const char *slash = target[0] == '/' ? NULL : strrchr(found, '/');
        const size_t folder = slash ? (size_t)(slash + 1 - found) : 0;
        char *next = malloc(folder + (size_t)length + 1);
        if (next) {
            memcpy(next, found, folder);
            memcpy(next + folder, target, (size_t)length + 1);
        }
        free(found);
        found = next;
    }
    *resolved = found;
    return found ? LR_OK : lr_fail(ctx, LR_ERROR_MEMORY, "%s: out of memory", path);
}

enum lr_status output_path_resolve(lr_context *ctx, const char *path, const struct output_kind *kind, char **resolved)
{
    LR_TRY(check(ctx, path, kind));
    *resolved = realpath(path, NULL); /* fails for a new file */
    if (*resolved)
        return LR_OK;
    LR_TRY(follow_links(ctx, path, resolved));
    const enum lr_status status = check(ctx, *resolved, kind);
    if (status != LR_OK)
        free(*resolved);
    return status;
}

bool output_path_taken(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > 0;
}
