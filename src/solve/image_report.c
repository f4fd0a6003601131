/* Depths, columns and centroids of images.
 *
 * Depths are those that were traced: means over pixels and channels, with the velocities of the gas. The largest of the
 * channels counts in each pixel. They are traced a second time with the other opacity, without stimulated emission (or
 * with it, where the model leaves it out):
 *
 *     alpha0 = n sigma0 (x_l - (g_l / g_u) x_u),      without: n sigma0 x_l
 *
 * The column density INT n ds is the depth of grey dust whose absorption is n times a constant, along the same rays. */
#include "solve/image_report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/excitation.h"
#include "model/field.h"
#include "solve/scene_build.h"

static size_t pixel_count(const struct cube *cube)
{
    return (size_t)cube->camera.pixels[0] * (size_t)cube->camera.pixels[1];
}

/* ---- depths ---- */

/* Mean and maximum over pixels of the largest channel. */
static void measure_depth(const struct cube *cube, const float *depth, struct lr_depth *measured)
{
    const size_t n = pixel_count(cube);
    *measured = (struct lr_depth){0.0, 0.0};
    for (size_t pixel = 0; pixel < n; pixel++) {
        double largest = 0.0;
        for (int c = 0; c < cube->channels.n; c++)
            largest = fmax(largest, (double)depth[(size_t)c * n + pixel]);
        measured->mean += largest / (double)n;
        measured->largest = fmax(measured->largest, largest);
    }
}

/* The opacity with stimulated emission where the model has it without, and the other way round. *known is false where
 * levels were found and not kept. */
static enum lr_status other_opacity(lr_context *ctx, const lr_model *model, const struct lr_result *result,
                                    struct field *alpha0, bool *known)
{
    const struct species *from = model->species;
    const double *x = from ? from->populations : NULL;
    *known = from && !population_method_collides(from->options.method);
    if (from && !*known && result->populations && result->populations->found.x) {
        x = result->populations->found.x;
        *known = true;
    }
    if (!*known)
        return LR_OK;
    lr_model changed = *model;
    struct species species = *from;
    struct field unused = {0};
    struct inversion inversion;
    species.options.stimulated = !from->options.stimulated;
    changed.species = &species;
    const enum lr_status status = excitation_line(ctx, &changed, x, alpha0, &unused, &inversion);
    field_free(&unused);
    return status;
}

static enum lr_status trace_other(lr_context *ctx, const struct worker *worker, const struct field *alpha0,
                                  struct scene *scene, int camera, struct cube *cube)
{
    const struct field used = scene->medium.alpha0;
    float *depth = NULL;
    LR_TRY(lr_allocate(ctx, pixel_count(cube) * (size_t)cube->channels.n, sizeof *depth, &depth));
    scene->medium.alpha0 = *alpha0;
    const enum lr_status status =
        trace_depth(ctx, worker, scene, camera, &cube->camera, &cube->channels, cube->as_one, depth);
    scene->medium.alpha0 = used;
    if (status == LR_OK)
        measure_depth(cube, depth, cube->report.stimulated ? &cube->report.bare : &cube->report.depth);
    free(depth);
    return status;
}

/* ---- columns ---- */

static enum lr_status trace_column(lr_context *ctx, const struct worker *worker, const struct field *density,
                                   struct scene *scene, int camera, struct cube *cube)
{
    const struct medium medium = scene->medium;
    const int64_t n_cell = mesh_cell_count(&scene->mesh);
    const struct channels one = {1, cube->channels.first, scene->channels.width, 1};
    const double unit = field_measure(density, &scene->mesh).high * mesh_size(&scene->mesh, 0);
    struct field grey = {0};
    LR_TRY(lr_allocate(ctx, pixel_count(cube), sizeof *cube->column, &cube->column));
    cube->column_unit = unit;
    if (!(unit > 0.0))
        return LR_OK;
    if (density->values)
        LR_TRY(field_expand(ctx, &grey, n_cell));
    for (int64_t cell = 0; cell < (density->values ? n_cell : 1); cell++)
        *(density->values ? &grey.values[cell] : &grey.constant) = field_at(density, cell) / unit;
    scene->medium.alpha0 = (struct field){0};
    scene->medium.kappa = grey;
    const enum lr_status status =
        trace_depth(ctx, worker, scene, camera, &cube->camera, &one, cube->as_one, cube->column);
    scene->medium = medium;
    field_free(&grey);
    return status;
}

/* Correlation over pixels of the logarithms of the intensity, summed over channels, and of the column density. */
static double correlate(const struct cube *cube)
{
    const size_t n = pixel_count(cube);
    double count = 0.0, x = 0.0, y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0, first[2] = {0.0, 0.0};
    for (size_t pixel = 0; pixel < n; pixel++) {
        double sum = 0.0;
        for (int c = 0; c < cube->channels.n; c++)
            sum += (double)cube->intensity[(size_t)c * n + pixel];
        if (!(sum > 0.0 && cube->column[pixel] > 0.0f))
            continue;
        const double a = log10(sum), b = log10((double)cube->column[pixel]);
        if (count == 0.0) { /* sums about a point nearby lose no digits */
            first[0] = a;
            first[1] = b;
        }
        count += 1.0;
        x += a - first[0];
        y += b - first[1];
        xx += (a - first[0]) * (a - first[0]);
        yy += (b - first[1]) * (b - first[1]);
        xy += (a - first[0]) * (b - first[1]);
    }
    const double across = xx / count - x / count * (x / count), along = yy / count - y / count * (y / count);
    return count > 2.0 && across > 0.0 && along > 0.0 ? (xy / count - x / count * (y / count)) / sqrt(across * along)
                                                      : (double)NAN;
}

/* ---- centroids ---- */

/* Where the light of each channel is, from the middle of the image along right and up: cm, or tangents of a near
 * observer. Between channels with 1 % or more of the light of the brightest, the largest distance. */
static enum lr_status find_centroids(lr_context *ctx, struct cube *cube)
{
    const double bright = 0.01, pixel = camera_pixel_size(&cube->camera);
    const int n_x = cube->camera.pixels[0], n_y = cube->camera.pixels[1], n_channel = cube->channels.n;
    double *light = NULL, most = 0.0;
    LR_TRY(lr_allocate(ctx, 2 * (size_t)n_channel, sizeof *cube->centroid, &cube->centroid));
    LR_TRY(lr_allocate(ctx, (size_t)n_channel, sizeof *light, &light));
    for (int c = 0; c < n_channel; c++) {
        double *centroid = &cube->centroid[2 * c];
        for (int j = 0; j < n_y; j++)
            for (int i = 0; i < n_x; i++) {
                const double value =
                    (double)cube->intensity[((size_t)c * (size_t)n_y + (size_t)j) * (size_t)n_x + (size_t)i];
                light[c] += value;
                centroid[0] += value * (i + 0.5 - 0.5 * n_x) * pixel;
                centroid[1] += value * (j + 0.5 - 0.5 * n_y) * pixel;
            }
        for (int axis = 0; axis < 2; axis++)
            centroid[axis] = light[c] > 0.0 ? centroid[axis] / light[c] : (double)NAN;
        most = fmax(most, light[c]);
    }
    cube->report.shift = 0.0;
    for (int a = 0; a < n_channel; a++)
        for (int b = 0; b < a; b++)
            if (light[a] > 0.0 && light[b] > 0.0 && fmin(light[a], light[b]) >= bright * most)
                cube->report.shift =
                    fmax(cube->report.shift, hypot(cube->centroid[2 * a] - cube->centroid[2 * b],
                                                   cube->centroid[2 * a + 1] - cube->centroid[2 * b + 1]));
    free(light);
    return LR_OK;
}

/* ---- all ---- */

static enum lr_status report_cube(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                  const struct field *other, struct scene *scene, int camera, struct cube *cube)
{
    struct lr_image *report = &cube->report;
    const struct species *species = model->species;
    report->stimulated = !species || species->options.stimulated;
    struct lr_depth *used = report->stimulated ? &report->depth : &report->bare;
    if (cube->optical_depth)
        measure_depth(cube, cube->optical_depth, used);
    if (other && model->image.report)
        LR_TRY(trace_other(ctx, worker, other, scene, camera, cube));
    if (species) {
        LR_TRY(trace_column(ctx, worker, &species->density, scene, camera, cube));
        report->correlation = correlate(cube);
    }
    return find_centroids(ctx, cube);
}

static enum lr_status report_cubes(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                   const struct field *other, struct lr_result *result)
{
    const struct window all = {0, model->n_camera, 0, model->channels.n};
    struct scene *scene = NULL;
    LR_TRY(scene_build(ctx, model, &all, &scene));
    enum lr_status status = LR_OK;
    for (int c = 0; c < result->n_cube && status == LR_OK; c++)
        status = report_cube(ctx, worker, model, other, scene, c, &result->cube[c]);
    scene_free(scene);
    return status;
}

enum lr_status image_report(lr_context *ctx, const struct worker *worker, const lr_model *model,
                            struct lr_result *result)
{
    struct field other = {0};
    bool known = false;
    for (int c = 0; c < result->n_cube; c++) {
        struct cube *cube = &result->cube[c];
        const double none = NAN;
        cube->report = (struct lr_image){
            .depth = {none, none}, .bare = {none, none}, .correlation = none, .shift = none, .stimulated = 1};
        memcpy(cube->report.camera, cube->camera.name, sizeof cube->report.camera);
        cube->as_one = model->run.packets > 0 || !model->image.step_velocity;
    }
    enum lr_status status = LR_OK;
    if (result->n_cube > 0 && (model->image.report || model->image.column))
        status = other_opacity(ctx, model, result, &other, &known);
    if (status == LR_OK && result->n_cube > 0 && (model->image.report || model->image.column))
        status = report_cubes(ctx, worker, model, known ? &other : NULL, result);
    field_free(&other);
    for (int c = 0; c < result->n_cube; c++)
        cube_drop(&result->cube[c], &model->image);
    if (status == LR_ERROR_INTERRUPTED) {
        ctx->stop = 0;
        lr_log(ctx, LR_LOG_WARNING, "stopped while depths were traced: the result does not have all of them");
        return LR_OK;
    }
    return status;
}
