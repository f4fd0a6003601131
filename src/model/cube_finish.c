#include "model/cube_finish.h"

#include <stdlib.h>
#include <string.h>

#include "model/cube_beam.h"
#include "model/cube_unit.h"

static size_t plane_size(const struct cube *cube)
{
    return (size_t)cube->camera.pixels[0] * (size_t)cube->camera.pixels[1];
}

static enum lr_status copy_floats(lr_context *ctx, const float *from, size_t n, float **to)
{
    LR_TRY(lr_allocate(ctx, n, sizeof **to, to));
    memcpy(*to, from, n * sizeof **to);
    return LR_OK;
}

/* A private copy of the values, to be modified. */
static enum lr_status own_numbers(lr_context *ctx, struct finished_cube *f)
{
    const size_t n = plane_size(f->cube) * (size_t)f->cube->channels.n;
    if (!f->own_intensity)
        LR_TRY(copy_floats(ctx, f->cube->intensity, n, &f->own_intensity));
    if (f->cube->error && !f->own_error)
        LR_TRY(copy_floats(ctx, f->cube->error, n, &f->own_error));
    f->intensity = f->own_intensity;
    f->error = f->own_error;
    return LR_OK;
}

static enum lr_status convolve(lr_context *ctx, struct finished_cube *f)
{
    const struct beam_grid grid = cube_beam_grid(&f->cube->camera, f->cube->channels.n, f->options);
    LR_TRY(own_numbers(ctx, f));
    LR_TRY(cube_convolve(ctx, &grid, f->own_intensity));
    return f->own_error ? cube_convolve_error(ctx, &grid, f->own_error) : LR_OK;
}

/* Flux per pixel for a nearby observer: off-axis pixels are smaller. */
static enum lr_status weigh_pixels(lr_context *ctx, struct finished_cube *f)
{
    const size_t plane = plane_size(f->cube), n = plane * (size_t)f->cube->channels.n;
    float *weights = NULL;
    LR_TRY(own_numbers(ctx, f));
    LR_TRY(lr_allocate(ctx, plane, sizeof *weights, &weights));
    cube_pixel_weights(&f->cube->camera, weights);
    for (size_t i = 0; i < n; i++) {
        f->own_intensity[i] *= weights[i % plane];
        if (f->own_error)
            f->own_error[i] *= weights[i % plane];
    }
    free(weights);
    return LR_OK;
}

enum lr_status cube_finish(lr_context *ctx, const struct cube *cube, const struct image_options *options,
                           struct finished_cube *finished)
{
    *finished =
        (struct finished_cube){.cube = cube, .options = options, .intensity = cube->intensity, .error = cube->error};
    const double pixel[2] = {cube_pixel_angle(&cube->camera, options->distance, 0),
                             cube_pixel_angle(&cube->camera, options->distance, 1)};
    if (cube_has_beam(options))
        LR_TRY(convolve(ctx, finished));
    if (options->unit == UNIT_JY_PER_PIXEL && cube->camera.kind == CAMERA_PERSPECTIVE)
        LR_TRY(weigh_pixels(ctx, finished));
    finished->factor = cube->scale * cube_unit_factor(options->unit, cube->nu0, pixel[0] * pixel[1],
                                                      cube_beam_solid_angle(options->beam));
    return LR_OK;
}

void cube_finish_free(struct finished_cube *finished)
{
    free(finished->own_intensity);
    free(finished->own_error);
    *finished = (struct finished_cube){0};
}

enum lr_status cube_finish_moments(lr_context *ctx, const struct finished_cube *finished, struct cube_moments *moments)
{
    const double cm_per_km = 1e5;
    const struct channels *channels = &finished->cube->channels;
    const struct cube_axis axis = {.n_channel = channels->n,
                                   .n_pixel = plane_size(finished->cube),
                                   .first = (channels->first + 0.5 * channels->width + finished->options->velocity) /
                                            cm_per_km,
                                   .width = channels->width / cm_per_km};
    return cube_moments_make(ctx, &axis, finished->intensity, moments);
}
