/* Files that belong together and are either all there or all absent: they are written to a private folder next to their
 * place, PATH.part-XXXXXX, flushed to disk, and moved to their names at the end, one right after the other. The folder
 * is locked while its process lives; file_set_clear() removes those of dead processes. */
#ifndef LR_IO_FILES_FILE_SET_H
#define LR_IO_FILES_FILE_SET_H

#include "base/context.h"

struct set_folder;
struct set_file;

struct file_set {
    lr_context *ctx;
    struct set_folder *folder; /* one for each directory that gets files */
    struct set_file *file;     /* the newest first */
};

/* Where to write what is to become `path`; *part belongs to the set. No file of that name exists. */
enum lr_status file_set_add(struct file_set *set, const char *path, const char **part);
/* Flushes and closes `fd`, whatever happens. `what` describes the file in errors. */
enum lr_status file_set_flush(const struct file_set *set, int fd, const char *path, const char *what);
/* Gives all files their names if `status` is LR_OK; otherwise, or if that fails, removes those that have none yet.
 * Releases the set and returns the overall status. */
enum lr_status file_set_end(struct file_set *set, enum lr_status status);

/* Removes what processes that have died left of writing `path`. */
void file_set_clear(const char *path);

#endif
