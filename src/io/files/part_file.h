/* Files that appear whole or not at all: written aside to PATH.part-PID, flushed to the disk, then renamed to PATH. */
#ifndef LR_IO_FILES_PART_FILE_H
#define LR_IO_FILES_PART_FILE_H

#include "base/context.h"

/* The name of the file written aside, freed with free(); NULL when memory is exhausted. */
char *part_file_name(const char *path);

/* Flushes and closes `fd`, whatever happens, and gives the file its name. `what` it is, for the error text. */
enum lr_status part_file_publish(lr_context *ctx, int fd, const char *part, const char *path, const char *what);

#endif
