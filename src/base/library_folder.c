#define _GNU_SOURCE
#include "base/library_folder.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool library_folder_find(const char *file, char *path, size_t size)
{
    Dl_info self;
    char *library = dladdr((const void *)(uintptr_t)library_folder_find, &self) ? realpath(self.dli_fname, NULL) : NULL;
    const char *slash = library ? strrchr(library, '/') : NULL;
    const int length = slash ? snprintf(path, size, "%.*s%s", (int)(slash - library + 1), library, file) : -1;
    free(library);
    return length > 0 && (size_t)length < size && access(path, R_OK) == 0;
}
