#define _DEFAULT_SOURCE
#define _XOPEN_SOURCE 700
#include "io/files/file_set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".part-"
#define RANDOM "XXXXXX" /* replaced by mkdtemp() */

struct set_folder {
    struct set_folder *next;
    char *home; /* directory that it is in */
    char *path;
    int fd;
};

struct set_file {
    struct set_file *next;
    char *part, *path;
};

static enum lr_status out_of_memory(const struct file_set *set, const char *path)
{
    return lr_fail(set->ctx, LR_ERROR_MEMORY, "%s: out of memory", path);
}

/* "A", "B" and "C" as one allocated text. */
static char *join(const char *first, const char *second, const char *third)
{
    const size_t size = strlen(first) + strlen(second) + strlen(third) + 1;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%s%s%s", first, second, third);
    return text;
}

static char *directory_of(const char *path)
{
    char *copy = strdup(path);
    char *directory = copy ? strdup(dirname(copy)) : NULL;
    free(copy);
    return directory;
}

static const char *name_in(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- folders ---- */

static void folder_free(struct set_folder *folder)
{
    if (folder->fd >= 0)
        close(folder->fd);
    free(folder->home);
    free(folder->path);
    free(folder);
}

/* mkdtemp() makes a new folder that only this user can enter: nobody can put a link in the way of a file in it. */
static enum lr_status folder_make(struct file_set *set, const char *path, char *home)
{
    struct set_folder *folder = malloc(sizeof *folder);
    if (!folder) {
        free(home);
        return out_of_memory(set, path);
    }
    *folder = (struct set_folder){.home = home, .path = join(path, MARK, RANDOM), .fd = -1};
    const char *made = folder->path ? mkdtemp(folder->path) : NULL;
    if (!made) {
        const enum lr_status status =
            folder->path ? lr_fail(set->ctx, LR_ERROR_IO, "%s: the output cannot be written: %s", path, strerror(errno))
                         : out_of_memory(set, path);
        folder_free(folder);
        return status;
    }
    folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd >= 0)
        (void)flock(folder->fd, LOCK_EX | LOCK_NB); /* some file systems have no locks; then nothing is ever cleared */
    folder->next = set->folder;
    set->folder = folder;
    return LR_OK;
}

static enum lr_status folder_for(struct file_set *set, const char *path, const struct set_folder **found)
{
    char *home = directory_of(path);
    if (!home)
        return out_of_memory(set, path);
    const struct set_folder *folder = set->folder;
    while (folder && strcmp(folder->home, home) != 0)
        folder = folder->next;
    if (folder)
        free(home);
    else
        LR_TRY(folder_make(set, path, home));
    *found = folder ? folder : set->folder;
    return LR_OK;
}

/* Without this a rename may reach the disk and be lost in a crash. Some file systems cannot do this, which does not
 * mean that the file is lost. */
static void flush_directory(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
}

/* ---- files ---- */

enum lr_status file_set_add(struct file_set *set, const char *path, const char **part)
{
    const struct set_folder *folder = NULL;
    LR_TRY(folder_for(set, path, &folder));
    struct set_file *file = calloc(1, sizeof *file);
    if (!file)
        return out_of_memory(set, path);
    file->next = set->file;
    set->file = file;
    file->path = strdup(path);
    file->part = join(folder->path, "/", name_in(path));
    *part = file->part;
    return file->path && file->part ? LR_OK : out_of_memory(set, path);
}

enum lr_status file_set_flush(const struct file_set *set, int fd, const char *path, const char *what)
{
    int error = fsync(fd) == 0 ? 0 : errno;
    if (close(fd) != 0 && !error)
        error = errno;
    if (error)
        return lr_fail(set->ctx, LR_ERROR_IO, "%s: cannot write %s: %s", path, what, strerror(error));
    return LR_OK;
}

static enum lr_status publish(const struct file_set *set)
{
    for (const struct set_file *file = set->file; file; file = file->next)
        if (rename(file->part, file->path) != 0)
            return lr_fail(set->ctx, LR_ERROR_IO, "%s: the output cannot be written: %s", file->path, strerror(errno));
    for (const struct set_folder *folder = set->folder; folder; folder = folder->next)
        flush_directory(folder->home);
    return LR_OK;
}

enum lr_status file_set_end(struct file_set *set, enum lr_status status)
{
    if (status == LR_OK)
        status = publish(set);
    while (set->file) {
        struct set_file *file = set->file;
        set->file = file->next;
        if (file->part)
            unlink(file->part);
        free(file->part);
        free(file->path);
        free(file);
    }
    while (set->folder) {
        struct set_folder *folder = set->folder;
        set->folder = folder->next;
        rmdir(folder->path);
        folder_free(folder);
    }
    return status;
}

/* ---- of dead processes ---- */

static void remove_folder(int home, const char *name)
{
    const int fd = openat(home, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    DIR *list = flock(fd, LOCK_EX | LOCK_NB) == 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry = NULL;
    while (list && (entry = readdir(list)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(fd, entry->d_name, 0);
    if (list)
        unlinkat(home, name, AT_REMOVEDIR);
    if (list)
        closedir(list);
    else
        close(fd);
}

void file_set_clear(const char *path)
{
    char *home = directory_of(path), *start = join(name_in(path), MARK, "");
    DIR *list = home && start ? opendir(home) : NULL;
    const struct dirent *entry = NULL;
    while (list && (entry = readdir(list)))
        if (strncmp(entry->d_name, start, strlen(start)) == 0 &&
            strlen(entry->d_name) == strlen(start) + sizeof RANDOM - 1)
            remove_folder(dirfd(list), entry->d_name);
    if (list)
        closedir(list);
    free(home);
    free(start);
}
