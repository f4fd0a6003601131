/* The files of a cube: which ones a model requests, and their names PREFIX_<camera>[_what].fits or .txt. */
#ifndef LR_IO_FITS_CUBE_FILES_H
#define LR_IO_FITS_CUBE_FILES_H

#include <stdbool.h>

#include "base/context.h"
#include "model/camera.h"

enum cube_file {
    CUBE_FILE_INTENSITY,
    CUBE_FILE_ERROR,
    CUBE_FILE_OPTICAL_DEPTH,
    CUBE_FILE_MOMENT_0,
    CUBE_FILE_MOMENT_1,
    CUBE_FILE_MOMENT_2,
    CUBE_FILE_PEAK,
    CUBE_FILE_COLUMN,
    CUBE_FILE_SPECTRUM,
    N_CUBE_FILE
};

bool cube_file_wanted(enum cube_file file, const struct image_options *options);

/* The name, freed with free(). */
enum lr_status cube_file_name(lr_context *ctx, const char *prefix, const struct camera *camera, enum cube_file file,
                              char **path);
/* Where to write it: see output_path.h. */
enum lr_status cube_file_resolve(lr_context *ctx, const char *path, enum cube_file file, char **resolved);

#endif
