/* Files that are either complete or absent: written to PATH.part-PID, flushed to disk, then renamed to PATH. */
#ifndef LR_IO_FILES_PART_FILE_H
#define LR_IO_FILES_PART_FILE_H

#include "base/context.h"

/* The name of the temporary file, freed with free(); NULL if out of memory. */
char *part_file_name(const char *path);

/* A new empty file of that name, open for reading and writing; -1 with errno if there can be none. */
int part_file_create(const char *part);

/* Flushes and closes `fd`, whatever happens, and gives the file its name. `what` describes it in errors. */
enum lr_status part_file_publish(lr_context *ctx, int fd, const char *part, const char *path, const char *what);

#endif
