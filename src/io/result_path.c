#define _XOPEN_SOURCE 700
#include "io/result_path.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/hdf5_write.h"

static bool has_result_format(hid_t file)
{
    char *format = NULL;
    hid_t id = H5Aexists(file, "format") > 0 ? H5Aopen(file, "format", H5P_DEFAULT) : -1;
    hid_t type = id >= 0 ? H5Aget_type(id) : -1;
    bool same = false;
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0 &&
        H5Aread(id, type, &format) >= 0 && format) {
        same = strcmp(format, RESULT_FORMAT) == 0;
        H5free_memory(format);
    }
    if (type >= 0)
        H5Tclose(type);
    if (id >= 0)
        H5Aclose(id);
    return same;
}

static bool is_result(const char *path)
{
    H5E_auto2_t report;
    void *report_data;
    H5Eget_auto2(H5E_DEFAULT, &report, &report_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool result = file >= 0 && has_result_format(file);
    if (file >= 0)
        H5Fclose(file);
    H5Eset_auto2(H5E_DEFAULT, report, report_data);
    return result;
}

/* An empty file, such as mktemp makes, holds nothing to lose. */
static enum lr_status check_existing(lr_context *ctx, const char *path, const struct stat *info)
{
    if (S_ISDIR(info->st_mode))
        return lr_fail(ctx, LR_ERROR_IO, "%s: the output is a directory; give the name of a file", path);
    if (!S_ISREG(info->st_mode))
        return lr_fail(ctx, LR_ERROR_IO, "%s: the output is not a regular file", path);
    if (access(path, W_OK) != 0)
        return lr_fail(ctx, LR_ERROR_IO, "%s: the output exists and is write-protected", path);
    if (info->st_size > 0 && !is_result(path))
        return lr_fail(ctx, LR_ERROR_IO,
                       "%s: the output exists and is not a linerad result, so it is not replaced; choose another name",
                       path);
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

/* Permissions, quotas, read-only and full disks: the sure way to know is to write a little where the result will be
 * put together. */
static enum lr_status try_writing(lr_context *ctx, const char *path)
{
    static const char block[4096];
    char *part = hdf5_write_part_name(path);
    if (!part)
        return lr_fail(ctx, LR_ERROR_MEMORY, "%s: out of memory", path);
    enum lr_status status = LR_OK;
    unlink(part); /* left behind by a killed process that had the same number */
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    errno = fd < 0 ? errno : ENOSPC; /* a short write sets no errno */
    if (fd < 0 || write(fd, block, sizeof block) != (ssize_t)sizeof block || fsync(fd) != 0)
        status = lr_fail(ctx, LR_ERROR_IO, "%s: the output cannot be written: %s", path, strerror(errno));
    if (fd >= 0) {
        close(fd);
        unlink(part);
    }
    free(part);
    return status;
}

static enum lr_status check(lr_context *ctx, const char *path)
{
    struct stat info;
    size_t length = strlen(path);
    if (length == 0)
        return lr_fail(ctx, LR_ERROR_IO, "the output has no name");
    if (path[length - 1] == '/')
        return lr_fail(ctx, LR_ERROR_IO, "%s: the output is a directory; give the name of a file", path);
    if (stat(path, &info) == 0)
        LR_TRY(check_existing(ctx, path, &info));
    return check_directory(ctx, path);
}

enum lr_status result_path_resolve(lr_context *ctx, const char *path, char **resolved)
{
    LR_TRY(check(ctx, path));
    *resolved = realpath(path, NULL); /* fails for a new file, which is its own place */
    if (!*resolved)
        *resolved = strdup(path);
    return *resolved ? LR_OK : lr_fail(ctx, LR_ERROR_MEMORY, "%s: out of memory", path);
}

enum lr_status lr_result_path_check(lr_context *ctx, const char *path)
{
    char *resolved = NULL;
    LR_TRY(result_path_resolve(ctx, path, &resolved));
    enum lr_status status = try_writing(ctx, resolved);
    free(resolved);
    return status;
}
