#define _XOPEN_SOURCE 700
#include "io/fits/cube_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/output_path.h"
#include "io/fits/fits_image.h"
#include "io/fits/spectrum_table.h"
#include "model/cube_beam.h"
#include "model/cube_unit.h"
#include "model/scene.h"

/* Part of the file name after the camera. */
static const char *const suffix[N_CUBE_FILE] = {
    [CUBE_FILE_INTENSITY] = "",     [CUBE_FILE_ERROR] = "_error",   [CUBE_FILE_OPTICAL_DEPTH] = "_tau",
    [CUBE_FILE_MOMENT_0] = "_mom0", [CUBE_FILE_MOMENT_1] = "_mom1", [CUBE_FILE_MOMENT_2] = "_mom2",
    [CUBE_FILE_PEAK] = "_peak",     [CUBE_FILE_COLUMN] = "_column", [CUBE_FILE_SPECTRUM] = "_spectrum"};

static const struct output_kind fits_kind = {"FITS file of linerad", fits_image_recognise};
static const struct output_kind table_kind = {"spectrum of linerad", spectrum_table_recognise};

bool cube_file_wanted(enum cube_file file, const struct image_options *options)
{
    switch (file) {
    case CUBE_FILE_ERROR:
        return options->errors;
    case CUBE_FILE_OPTICAL_DEPTH:
        return options->optical_depth;
    case CUBE_FILE_MOMENT_0:
    case CUBE_FILE_MOMENT_1:
    case CUBE_FILE_MOMENT_2:
        return options->moments;
    case CUBE_FILE_PEAK:
        return options->peak;
    case CUBE_FILE_COLUMN:
        return options->column;
    case CUBE_FILE_SPECTRUM:
        return options->spectrum;
    case CUBE_FILE_INTENSITY:
    case N_CUBE_FILE:
        break;
    }
    return true;
}

enum lr_status cube_file_name(lr_context *ctx, const char *prefix, const struct camera *camera, enum cube_file file,
                              char **path)
{
    const char *end = file == CUBE_FILE_SPECTRUM ? ".txt" : ".fits";
    const size_t size = strlen(prefix) + strlen(camera->name) + strlen(suffix[file]) + strlen(end) + 2;
    LR_TRY(lr_allocate(ctx, size, 1, path));
    snprintf(*path, size, "%s_%s%s%s", prefix, camera->name, suffix[file], end);
    return LR_OK;
}

enum lr_status cube_file_resolve(lr_context *ctx, const char *path, enum cube_file file, char **resolved)
{
    return output_path_resolve(ctx, path, file == CUBE_FILE_SPECTRUM ? &table_kind : &fits_kind, resolved);
}

static enum lr_status check_file(lr_context *ctx, const char *prefix, const struct camera *camera, enum cube_file file)
{
    char *path = NULL, *resolved = NULL;
    LR_TRY(cube_file_name(ctx, prefix, camera, file, &path));
    enum lr_status status = cube_file_resolve(ctx, path, file, &resolved);
    if (status == LR_OK && file == CUBE_FILE_INTENSITY)
        status = output_path_try(ctx, resolved);
    free(path);
    free(resolved);
    return status;
}

/* A beam that cannot be handled is detected before a long run, like a file that cannot be written. */
static enum lr_status check_beam(lr_context *ctx, const struct camera *camera, const struct image_options *options)
{
    const struct beam_grid grid = cube_beam_grid(camera, 1, options);
    return cube_has_beam(options) ? cube_beam_check(ctx, &grid) : LR_OK;
}

static enum lr_status check_all(lr_context *ctx, const struct camera *camera, int n_camera,
                                const struct image_options *options, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (n_camera == 0)
        return LR_OK;
    if (length == 0 || prefix[length - 1] == '/')
        return lr_fail(ctx, LR_ERROR_IO, "'%s': give a name for the cubes in that folder, such as '%scube'", prefix,
                       prefix);
    for (int i = 0; i < n_camera; i++) {
        LR_TRY(check_beam(ctx, &camera[i], options));
        for (int file = 0; file < N_CUBE_FILE; file++)
            if (cube_file_wanted(file, options))
                LR_TRY(check_file(ctx, prefix, &camera[i], file));
    }
    return LR_OK;
}

enum lr_status lr_cube_path_check(lr_context *ctx, const lr_model *model, const char *prefix)
{
    return check_all(ctx, model->camera, model->n_camera, &model->image, prefix);
}

enum lr_status lr_scene_path_check(lr_context *ctx, const lr_scene *scene, const char *prefix)
{
    return check_all(ctx, scene->camera, scene->n_camera, &scene->image, prefix);
}
