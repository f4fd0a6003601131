/* The folder of liblinerad.so, in which other files of an installation lie: backends, the database of units. */
#ifndef LR_BASE_LIBRARY_FOLDER_H
#define LR_BASE_LIBRARY_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* The path of a file given relative to that folder. False if there is no such file, or its path is too long. */
bool library_folder_find(const char *file, char *path, size_t size);

#endif
