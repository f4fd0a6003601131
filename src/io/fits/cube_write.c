/* From traced cubes to files: one per requested item. Conventions: docs/cubes.md. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/output_path.h"
#include "io/fits/cube_files.h"
#include "io/fits/cube_write.h"
#include "io/fits/fits_image.h"
#include "io/fits/spectrum_table.h"
#include "linerad_tools.h"
#include "model/cube_finish.h"
#include "model/cube_unit.h"
#include "model/result.h"

enum { N_HISTORY = 4, HISTORY_LENGTH = 256, OBJECT_LENGTH = 68 };

/* Shared by the files of one cube. */
struct writer {
    lr_context *ctx;
    struct file_set *set;
    const char *run, *partial;
    const struct cube *cube;
    const struct image_options *options;
    const char *prefix;
    struct finished_cube finished;
    struct cube_moments moments;
    char object[OBJECT_LENGTH + 1];
    char history[N_HISTORY][HISTORY_LENGTH];
    int n_history;
    char **paths; /* of all files so far, one per line; or NULL */
    int n_replaced;
};

/* ---- the header ---- */

/* The last part of the prefix, in the characters that FITS allows. */
static void set_object(struct writer *w)
{
    const char *slash = strrchr(w->prefix, '/');
    snprintf(w->object, sizeof w->object, "%s", slash ? slash + 1 : w->prefix);
    for (char *c = w->object; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '_';
}

static void set_history(struct writer *w, const struct lr_summary *summary)
{
    const struct camera *camera = &w->cube->camera;
    const double *toward = camera->toward, *up = camera->up;
    snprintf(w->history[w->n_history++], HISTORY_LENGTH,
             "camera %s: toward the observer (%.6g, %.6g, %.6g), up (%.6g, %.6g, %.6g)", camera->name, toward[0],
             toward[1], toward[2], up[0], up[1], up[2]);
    snprintf(w->history[w->n_history++], HISTORY_LENGTH, "line at %.12g Hz, velocities radio, positive = receding",
             w->cube->nu0);
    if (w->cube->background > 0.0)
        snprintf(w->history[w->n_history++], HISTORY_LENGTH, "background of %.6g K, %s", w->cube->background,
                 w->options->subtract ? "subtracted" : "included");
    if (summary->packets > 0)
        snprintf(w->history[w->n_history++], HISTORY_LENGTH, "%lld packets, seed %llu, %s precision",
                 (long long)summary->packets, (unsigned long long)summary->seed, summary->precision);
}

/* ---- files ---- */

static enum lr_status add_path(struct writer *w, const char *path)
{
    if (!w->paths)
        return LR_OK;
    const size_t used = *w->paths ? strlen(*w->paths) : 0, size = used + strlen(path) + 2;
    char *longer = realloc(*w->paths, size);
    if (!longer)
        return lr_fail(w->ctx, LR_ERROR_MEMORY, "%s: out of memory", path);
    snprintf(longer + used, size - used, "%s\n", path);
    *w->paths = longer;
    return LR_OK;
}

static struct fits_image describe(const struct writer *w, enum cube_file file, const char *const *history)
{
    const enum brightness_unit unit = w->options->unit;
    const struct {
        const float *data;
        double factor;
        bool map;
        const char *unit, *type;
    } kinds[N_CUBE_FILE] = {
        [CUBE_FILE_INTENSITY] = {w->finished.intensity, w->finished.factor, false, cube_unit_name(unit), "Intensity"},
        [CUBE_FILE_ERROR] = {w->finished.error, w->finished.factor, false, cube_unit_name(unit), "Intensity"},
        [CUBE_FILE_OPTICAL_DEPTH] = {w->cube->optical_depth, 1.0, false, "", "Optical Depth"},
        [CUBE_FILE_MOMENT_0] = {w->moments.integral, w->finished.factor, true, cube_unit_integral_name(unit),
                                "Intensity"},
        [CUBE_FILE_MOMENT_1] = {w->moments.mean, 1.0, true, "km s-1", "Velocity"},
        [CUBE_FILE_MOMENT_2] = {w->moments.dispersion, 1.0, true, "km s-1", "Velocity Dispersion"},
        [CUBE_FILE_COLUMN] = {w->cube->column, w->cube->column_unit, true, "cm-2", "Column Density"},
        [CUBE_FILE_PEAK] = {w->moments.peak, w->finished.factor, true, cube_unit_name(unit), "Intensity"},
    };
    return (struct fits_image){.cube = w->cube,
                               .options = w->options,
                               .data = kinds[file].data,
                               .factor = kinds[file].factor,
                               .map = kinds[file].map,
                               .convolved = cube_has_beam(w->options) && file != CUBE_FILE_OPTICAL_DEPTH &&
                                            file != CUBE_FILE_COLUMN,
                               .unit = kinds[file].unit,
                               .type = kinds[file].type,
                               .object = w->object,
                               .run = w->run,
                               .partial = w->partial,
                               .history = history,
                               .n_history = w->n_history};
}

static enum lr_status write_to(struct writer *w, enum cube_file file, const char *resolved)
{
    const char *history[N_HISTORY];
    if (file == CUBE_FILE_SPECTRUM) {
        char origin[128] = "";
        if (*w->run)
            snprintf(origin, sizeof origin, "run %s%s%s", w->run, *w->partial ? ", partial: " : "", w->partial);
        return spectrum_table_write(w->set, w->cube, w->options, origin, resolved);
    }
    for (int i = 0; i < w->n_history; i++)
        history[i] = w->history[i];
    const struct fits_image image = describe(w, file, history);
    return fits_image_write(w->set, &image, resolved);
}

/* Errors and optical depths are requested by the options, but a cube of unscattered light has no errors. */
static bool exists(const struct writer *w, enum cube_file file)
{
    return cube_file_wanted(file, w->options) && (file != CUBE_FILE_ERROR || w->cube->error) &&
           (file != CUBE_FILE_OPTICAL_DEPTH || w->cube->optical_depth) && (file != CUBE_FILE_COLUMN || w->cube->column);
}

static enum lr_status write_file(struct writer *w, enum cube_file file)
{
    char *path = NULL, *resolved = NULL;
    enum lr_status status = cube_file_name(w->ctx, w->prefix, &w->cube->camera, file, &path);
    if (status == LR_OK)
        status = cube_file_resolve(w->ctx, path, file, &resolved);
    const bool taken = status == LR_OK && output_path_taken(resolved);
    if (status == LR_OK)
        status = write_to(w, file, resolved);
    w->n_replaced += status == LR_OK && taken;
    if (status == LR_OK)
        status = add_path(w, path);
    free(path);
    free(resolved);
    return status;
}

static enum lr_status write_cube(struct writer *w, const struct lr_summary *summary)
{
    set_object(w);
    set_history(w, summary);
    enum lr_status status = cube_finish(w->ctx, w->cube, w->options, &w->finished);
    if (status == LR_OK && (w->options->moments || w->options->peak))
        status = cube_finish_moments(w->ctx, &w->finished, &w->moments);
    for (int file = 0; status == LR_OK && file < N_CUBE_FILE; file++)
        if (exists(w, file))
            status = write_file(w, file);
    cube_moments_free(&w->moments);
    cube_finish_free(&w->finished);
    return status;
}

enum lr_status cube_set_write(struct file_set *set, const lr_result *result, const char *prefix, char **paths,
                              int *n_replaced)
{
    enum lr_status status = LR_OK;
    *n_replaced = 0;
    if (paths)
        LR_TRY(lr_allocate(set->ctx, 1, 1, paths));
    for (int i = 0; status == LR_OK && i < result->n_cube; i++) {
        struct writer w = {.ctx = set->ctx,
                           .set = set,
                           .run = result->run,
                           .partial = result->summary.partial,
                           .cube = &result->cube[i],
                           .options = &result->image,
                           .prefix = prefix,
                           .paths = paths};
        status = write_cube(&w, &result->summary);
        *n_replaced += w.n_replaced;
    }
    if (status != LR_OK && paths) {
        free(*paths);
        *paths = NULL;
    }
    return status;
}

void cube_set_report(lr_context *ctx, const lr_result *result, const char *prefix, int n_replaced)
{
    bool offsets = false;
    for (int i = 0; i < result->n_cube; i++)
        offsets |= !(cube_pixel_angle(&result->cube[i].camera, result->image.distance, 0) > 0.0);
    if (n_replaced > 0)
        lr_log(ctx, LR_LOG_INFO, "%s_*: %d earlier file%s replaced", prefix, n_replaced,
               n_replaced > 1 ? "s were" : " was");
    if (offsets)
        lr_log(ctx, LR_LOG_WARNING,
               "without image.distance the axes of a cube are offsets in pc; give it to get sky coordinates");
}

/* Adds those of one cube that exist. */
static enum lr_status find_files(struct writer *w)
{
    enum lr_status status = LR_OK;
    for (int file = 0; status == LR_OK && file < N_CUBE_FILE; file++) {
        char *path = NULL;
        if (!exists(w, file))
            continue;
        status = cube_file_name(w->ctx, w->prefix, &w->cube->camera, file, &path);
        if (status == LR_OK && access(path, F_OK) == 0)
            status = add_path(w, path);
        free(path);
    }
    return status;
}

enum lr_status lr_result_find_cubes(lr_context *ctx, const lr_result *result, const char *prefix, char **paths)
{
    enum lr_status status = lr_allocate(ctx, 1, 1, paths);
    for (int i = 0; status == LR_OK && i < result->n_cube; i++) {
        struct writer w = {
            .ctx = ctx, .cube = &result->cube[i], .options = &result->image, .prefix = prefix, .paths = paths};
        status = find_files(&w);
    }
    if (status != LR_OK) {
        free(*paths);
        *paths = NULL;
    }
    return status;
}

enum lr_status lr_result_write_cubes(lr_context *ctx, const lr_result *result, const char *prefix, char **paths)
{
    struct file_set set = {.ctx = ctx};
    int n_replaced = 0;
    enum lr_status status = cube_set_write(&set, result, prefix, paths, &n_replaced);
    const bool written = status == LR_OK;
    status = file_set_end(&set, status);
    if (status == LR_OK) {
        cube_set_report(ctx, result, prefix, n_replaced);
    } else if (written && paths) {
        free(*paths);
        *paths = NULL;
    }
    return status;
}
