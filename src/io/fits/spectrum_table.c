#define _XOPEN_SOURCE 700
#include "io/fits/spectrum_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/cube_moments.h"
#include "model/cube_unit.h"

#define FIRST_WORDS "# linerad "

static const double cm_per_km = 1e5;

bool spectrum_table_recognise(const char *path)
{
    char start[sizeof FIRST_WORDS] = "";
    FILE *file = fopen(path, "rb");
    bool same = file && fread(start, 1, sizeof start - 1, file) == sizeof start - 1 && strcmp(start, FIRST_WORDS) == 0;
    if (file)
        fclose(file);
    return same;
}

struct table {
    int n;
    double *value, *error; /* error: NULL when there is none */
    double factor;         /* from sums over pixels to the unit */
    const char *unit, *what;
};

static void print_table(FILE *file, const struct cube *cube, double systemic, const char *origin,
                        const struct table *table)
{
    const struct channels *channels = &cube->channels;
    fprintf(file, FIRST_WORDS LR_VERSION ": camera %s, %s%s%s\n", cube->camera.name, table->what, *origin ? "; " : "",
            origin);
    fprintf(file, "# rest frequency %.12g Hz; velocities are radio, LSRK, positive = receding\n", cube->nu0);
    fprintf(file, "# velocity (km/s)  flux (%s)", table->unit);
    fprintf(file, table->error ? "  error (%s)\n" : "\n", table->unit);
    for (int i = 0; i < table->n; i++) {
        const double velocity = (channels->first + (i + 0.5) * channels->width + systemic) / cm_per_km;
        fprintf(file, "%.9g %.7e", velocity, table->factor * table->value[i]);
        if (table->error)
            fprintf(file, " %.3e", table->factor * table->error[i]);
        fputc('\n', file);
    }
}

static enum lr_status write_text(struct file_set *set, const char *text, size_t size, const char *path)
{
    const char *part = NULL;
    LR_TRY(file_set_add(set, path, &part));
    int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return lr_fail(set->ctx, LR_ERROR_IO, "%s: cannot create the spectrum: %s", path, strerror(errno));
    for (ssize_t n = 0; size > 0; text += n, size -= (size_t)n) {
        n = write(fd, text, size);
        if (n <= 0) {
            const int error = n ? errno : ENOSPC;
            close(fd);
            return lr_fail(set->ctx, LR_ERROR_IO, "%s: cannot write the spectrum: %s", path, strerror(error));
        }
    }
    return file_set_flush(set, fd, path, "the spectrum");
}

static enum lr_status fill_table(lr_context *ctx, const struct cube *cube, const struct image_options *options,
                                 struct table *table)
{
    const int *pixels = cube->camera.pixels;
    const struct cube_axis axis = {.n_channel = cube->channels.n, .n_pixel = (size_t)pixels[0] * (size_t)pixels[1]};
    const double pixel_sr =
        cube_pixel_angle(&cube->camera, options->distance, 0) * cube_pixel_angle(&cube->camera, options->distance, 1);
    table->n = axis.n_channel;
    LR_TRY(lr_allocate(ctx, (size_t)table->n, sizeof(double), &table->value));
    float *weights = NULL;
    enum lr_status status = LR_OK;
    if (cube->camera.kind == CAMERA_PERSPECTIVE) {
        LR_TRY(lr_allocate(ctx, axis.n_pixel, sizeof *weights, &weights));
        cube_pixel_weights(&cube->camera, weights);
    }
    cube_sum_pixels(&axis, cube->intensity, weights, table->value);
    if (cube->error)
        status = lr_allocate(ctx, (size_t)table->n, sizeof(double), &table->error);
    if (cube->error && status == LR_OK)
        cube_sum_errors(&axis, cube->error, weights, table->error);
    free(weights);
    LR_TRY(status);
    if (pixel_sr > 0.0) {
        table->factor = cube->scale * cube_unit_factor(UNIT_JY_PER_PIXEL, cube->nu0, pixel_sr, 0.0);
        table->unit = "Jy";
        table->what = "flux of the whole image";
    } else {
        table->factor = cube->scale * cube_unit_factor(options->unit, cube->nu0, 0.0, 0.0) / (double)axis.n_pixel;
        table->unit = cube_unit_name(options->unit);
        table->what = "mean over the image";
    }
    return LR_OK;
}

enum lr_status spectrum_table_write(struct file_set *set, const struct cube *cube, const struct image_options *options,
                                    const char *origin, const char *path)
{
    lr_context *ctx = set->ctx;
    struct table table = {0};
    char *text = NULL;
    size_t size = 0;
    enum lr_status status = fill_table(ctx, cube, options, &table);
    FILE *memory = status == LR_OK ? open_memstream(&text, &size) : NULL;
    if (memory) {
        print_table(memory, cube, options->velocity, origin, &table);
        status = fclose(memory) == 0 ? write_text(set, text, size, path) : LR_ERROR_MEMORY;
    }
    if ((status == LR_OK && !memory) || status == LR_ERROR_MEMORY)
        status = lr_fail(ctx, LR_ERROR_MEMORY, "%s: out of memory", path);
    free(text);
    free(table.value);
    free(table.error);
    return status;
}
