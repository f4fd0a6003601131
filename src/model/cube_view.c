/* Cubes of a result for other programs: the contents of the FITS files, in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/structure.h"
#include "model/cube_finish.h"
#include "model/cube_unit.h"
#include "model/result.h"

struct lr_cube {
    struct finished_cube finished;
    float *values, *errors; /* in the unit of the view, divided by `scale` */
    double scale;
    bool has_moments;
    struct cube_moments moments;
    double map_scale;
};

/* As in FITS files: floats times the factor, if the range of float allows it. */
static void scale_floats(const float *from, size_t n, double factor, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)((double)from[i] * factor);
}

static enum lr_status fill(lr_context *ctx, lr_cube *cube)
{
    const struct finished_cube *f = &cube->finished;
    const struct camera *camera = &f->cube->camera;
    const size_t n = (size_t)camera->pixels[0] * (size_t)camera->pixels[1] * (size_t)f->cube->channels.n;
    const bool narrow = cube_exceeds_float(f->intensity, n, f->factor);
    const double factor = narrow ? 1.0 : f->factor;
    cube->scale = narrow ? f->factor : 1.0;
    LR_TRY(lr_allocate(ctx, n, sizeof(float), &cube->values));
    scale_floats(f->intensity, n, factor, cube->values);
    if (!f->error)
        return LR_OK;
    LR_TRY(lr_allocate(ctx, n, sizeof(float), &cube->errors));
    scale_floats(f->error, n, factor, cube->errors);
    return LR_OK;
}

enum lr_status lr_cube_create(lr_context *ctx, const lr_result *result, const char *camera, lr_cube **made)
{
    const struct cube *source = result_find_cube(result, camera);
    lr_cube *cube = NULL;
    *made = NULL;
    if (!source)
        return lr_fail(ctx, LR_ERROR_INPUT, "no camera '%s'; the result has %d", camera, result->n_cube);
    LR_TRY(lr_allocate(ctx, 1, sizeof *cube, &cube));
    enum lr_status status = cube_finish(ctx, source, &result->image, &cube->finished);
    if (status == LR_OK)
        status = fill(ctx, cube);
    if (status == LR_OK)
        *made = cube;
    else
        lr_cube_free(cube);
    return status;
}

void lr_cube_free(lr_cube *cube)
{
    if (!cube)
        return;
    cube_finish_free(&cube->finished);
    cube_moments_free(&cube->moments);
    free(cube->values);
    free(cube->errors);
    free(cube);
}

void lr_cube_describe(const lr_cube *made, struct lr_cube_view *to)
{
    const struct cube *cube = made->finished.cube;
    const struct image_options *options = made->finished.options;
    const struct camera *camera = &cube->camera;
    const double angle = cube_pixel_angle(camera, options->distance, 0);
    struct lr_cube_view view = {.unit = cube_unit_name(options->unit),
                                .integral_unit = cube_unit_integral_name(options->unit),
                                .n_channel = cube->channels.n,
                                .n_y = camera->pixels[1],
                                .n_x = camera->pixels[0],
                                .values = made->values,
                                .errors = made->errors,
                                .optical_depth = cube->optical_depth,
                                .scale = made->scale,
                                .column = cube->column,
                                .column_unit = cube->column_unit,
                                .rest_frequency = cube->nu0,
                                .first = cube->channels.first + 0.5 * cube->channels.width + options->velocity,
                                .width = cube->channels.width,
                                .angles = angle > 0.0,
                                .sky = {options->sky[0], options->sky[1]},
                                .distance = options->distance,
                                .background = cube->background,
                                .subtracted = options->subtract,
                                .seconds = cube->seconds};
    snprintf(view.camera, sizeof view.camera, "%s", camera->name);
    for (int i = 0; i < 2; i++)
        view.pixel[i] =
            angle > 0.0 ? cube_pixel_angle(camera, options->distance, i) : camera->field[i] / camera->pixels[i];
    if (cube_has_beam(options))
        memcpy(view.beam, options->beam, sizeof view.beam);
    memcpy(view.toward, camera->toward, sizeof view.toward);
    memcpy(view.right, camera->right, sizeof view.right);
    memcpy(view.up, camera->up, sizeof view.up);
    structure_give(&view, sizeof view, to);
}

enum lr_status lr_cube_moments(lr_context *ctx, lr_cube *cube, struct lr_moments *to)
{
    const struct finished_cube *f = &cube->finished;
    struct cube_moments *moments = &cube->moments;
    const size_t n = (size_t)f->cube->camera.pixels[0] * (size_t)f->cube->camera.pixels[1];
    if (!cube->has_moments) {
        LR_TRY(cube_finish_moments(ctx, f, moments));
        const bool narrow =
            cube_exceeds_float(moments->integral, n, f->factor) || cube_exceeds_float(moments->peak, n, f->factor);
        cube->map_scale = narrow ? f->factor : 1.0;
        if (!narrow) {
            scale_floats(moments->integral, n, f->factor, moments->integral);
            scale_floats(moments->peak, n, f->factor, moments->peak);
        }
        cube->has_moments = true;
    }
    const struct lr_moments found = {.integral = moments->integral,
                                     .peak = moments->peak,
                                     .mean = moments->mean,
                                     .dispersion = moments->dispersion,
                                     .scale = cube->map_scale};
    structure_give(&found, sizeof found, to);
    return LR_OK;
}
