/* Depths, columns and centroids of images.
 *
 * Depths are traced: means over pixels and channels that include the gas velocities. Each pixel has the depth of its
 * deepest channel. They are traced a second time with the other opacity, without stimulated emission (or with it, if
 * the model leaves it out):
 *
 *     alpha0 = n sigma0 (x_l - (g_l / g_u) x_u),      without: n sigma0 x_l
 *
 * The column density INT n ds is the depth of grey dust whose absorption is n times a constant, along the same rays.
 *
 * The light of an object is what it adds to or removes from the sky behind it: |I - I_sky|. */
#include "solve/imaging/image_depths.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/excitation.h"
#include "model/field.h"
#include "solve/imaging/scene_build.h"

static size_t pixel_count(const struct cube *cube)
{
    return (size_t)cube->camera.pixels[0] * (size_t)cube->camera.pixels[1];
}

/* |I - I_sky|, if above the rounding error of I. */
static double light_at(const struct cube *cube, int channel, size_t pixel)
{
    const double few_roundings = 8 * (double)FLT_EPSILON;
    const double intensity = (double)cube->intensity[(size_t)channel * pixel_count(cube) + pixel];
    const double sky = cube->sky ? cube->sky[channel] : 0.0, light = fabs(intensity - sky);
    return light > few_roundings * sky ? light : 0.0;
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

bool image_report_other(const lr_model *model)
{
    return model->species && model->image.report &&
           (!population_method_collides(model->species->options.method) || model->output.populations);
}

/* Gas with the opacity that the model leaves out. */
struct other_gas {
    bool known; /* false if levels were computed but not kept */
    struct field alpha0;
    struct line_group lines; /* of the model, with another strength */
};

static void other_gas_free(struct other_gas *other)
{
    field_free(&other->alpha0);
    free(other->lines.strength);
}

/* The opacity with stimulated emission if the model leaves it out, otherwise without. */
static enum lr_status other_opacity(lr_context *ctx, const lr_model *model, const struct lr_result *result,
                                    struct other_gas *other)
{
    const struct species *from = model->species;
    const double *x = from ? from->populations : NULL;
    other->known = image_report_other(model);
    if (!other->known)
        return LR_OK;
    if (population_method_collides(from->options.method))
        x = result->populations->found.x;
    lr_model changed = *model;
    struct species species = *from;
    struct field unused = {0};
    struct inversion inversion;
    species.options.stimulated = !from->options.stimulated;
    changed.species = &species;
    const enum lr_status status = excitation_base_line(ctx, &changed, x, &other->alpha0, &unused, &inversion);
    field_free(&unused);
    other->lines = model->group;
    other->lines.strength = NULL;
    if (status == LR_OK && x && model->group.n > 1)
        return excitation_group(ctx, &changed, x, &other->lines.strength, &inversion);
    return status;
}

/* Depths of gas on the mesh of the scene, along the rays of the image. */
static enum lr_status trace_gas_depth(lr_context *ctx, const struct worker *worker, const struct scene *scene,
                                      const struct medium *gas, struct scene_group group, const struct cube *cube,
                                      const struct channels *channels, float *depth, double *seconds)
{
    const struct image_options options = {.step_velocity = !cube->as_one};
    const struct trace_request request = {
        .scene = scene, .gas = gas, .group = group, .view = &cube->camera, .channels = channels, .options = &options};
    return trace_depth(ctx, worker, &request, depth, seconds);
}

static enum lr_status trace_other(lr_context *ctx, const struct worker *worker, const struct other_gas *other,
                                  const struct scene *scene, struct cube *cube, double *seconds)
{
    struct medium gas = scene->medium;
    struct scene_group group = scene->group;
    float *depth = NULL;
    LR_TRY(lr_allocate(ctx, pixel_count(cube) * (size_t)cube->channels.n, sizeof *depth, &depth));
    gas.alpha0 = other->alpha0;
    group.stimulated = !group.stimulated;
    if (group.lines)
        group.lines = &other->lines;
    const enum lr_status status =
        trace_gas_depth(ctx, worker, scene, &gas, group, cube, &cube->channels, depth, seconds);
    if (status == LR_OK)
        measure_depth(cube, depth, cube->report.stimulated ? &cube->report.bare : &cube->report.depth);
    free(depth);
    return status;
}

/* ---- columns ---- */

/* `column` is in units of cube->column_unit. */
static enum lr_status trace_grey(lr_context *ctx, const struct worker *worker, const struct field *density,
                                 const struct scene *scene, struct cube *cube, float *column, double *seconds)
{
    struct medium gas = scene->medium;
    const int64_t n_cell = mesh_cell_count(&scene->mesh);
    const struct channels one = {1, cube->channels.first, scene->channels.width, 1};
    const double unit = field_measure(density, &scene->mesh).high * mesh_size(&scene->mesh, 0);
    struct field grey = {0};
    cube->column_unit = unit;
    if (!(unit > 0.0))
        return LR_OK;
    if (density->values)
        LR_TRY(field_expand(ctx, &grey, n_cell));
    for (int64_t cell = 0; cell < (density->values ? n_cell : 1); cell++)
        *(density->values ? &grey.values[cell] : &grey.constant) = field_at(density, cell) / unit;
    gas.alpha0 = (struct field){0};
    gas.kappa = grey;
    const struct scene_group no_lines = {0};
    const enum lr_status status = trace_gas_depth(ctx, worker, scene, &gas, no_lines, cube, &one, column, seconds);
    field_free(&grey);
    return status;
}

/* The cube has a complete column density map or none. */
static enum lr_status trace_column(lr_context *ctx, const struct worker *worker, const struct field *density,
                                   const struct scene *scene, struct cube *cube, double *seconds)
{
    float *column = NULL;
    LR_TRY(lr_allocate(ctx, pixel_count(cube), sizeof *column, &column));
    const enum lr_status status = trace_grey(ctx, worker, density, scene, cube, column, seconds);
    if (status == LR_OK)
        cube->column = column;
    else
        free(column);
    return status;
}

/* Correlation over pixels of the logarithms of the light, summed over channels, and of the column density. */
static double correlate(const struct cube *cube)
{
    const size_t n = pixel_count(cube);
    double count = 0.0, x = 0.0, y = 0.0, xx = 0.0, yy = 0.0, xy = 0.0, first[2] = {0.0, 0.0};
    for (size_t pixel = 0; pixel < n; pixel++) {
        double sum = 0.0;
        for (int c = 0; c < cube->channels.n; c++)
            sum += light_at(cube, c, pixel);
        if (!(sum > 0.0 && cube->column[pixel] > 0.0f))
            continue;
        const double a = log10(sum), b = log10((double)cube->column[pixel]);
        if (count == 0.0) { /* sums about a nearby point lose no digits */
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

/* Distance between two points of the image: cm, or for a near observer the angle between two directions (x, y, 1),
 * tan(angle) = |p x q| / (p . q). */
static double distance_between(const struct cube *cube, const double p[2], const double q[2])
{
    const double dx = p[0] - q[0], dy = p[1] - q[1];
    if (cube->camera.kind != CAMERA_PERSPECTIVE)
        return hypot(dx, dy);
    return atan2(hypot(hypot(dx, dy), p[0] * q[1] - p[1] * q[0]), 1.0 + p[0] * q[0] + p[1] * q[1]);
}

/* Centroid of the light of a channel, from the image centre along right and up: cm, or tangents for a near observer.
 * Returns the amount of light. */
static double find_centroid(const struct cube *cube, int channel, double centroid[2])
{
    const double pixel = camera_pixel_size(&cube->camera);
    const int n_x = cube->camera.pixels[0], n_y = cube->camera.pixels[1];
    double light = 0.0, x = 0.0, y = 0.0;
    for (int j = 0; j < n_y; j++)
        for (int i = 0; i < n_x; i++) {
            const double here = light_at(cube, channel, (size_t)j * (size_t)n_x + (size_t)i);
            light += here;
            x += here * (i + 0.5 - 0.5 * n_x) * pixel;
            y += here * (j + 0.5 - 0.5 * n_y) * pixel;
        }
    centroid[0] = light > 0.0 ? x / light : (double)NAN;
    centroid[1] = light > 0.0 ? y / light : (double)NAN;
    return light;
}

/* Centroids of all channels, and the largest distance between those of channels with at least 1 % of the light of the
 * brightest; unknown if there are fewer than two, 0 if it is as small as rounding may make it. */
static enum lr_status find_centroids(lr_context *ctx, struct cube *cube)
{
    const double bright = 0.01;
    const double rounding = 1e-6 * camera_pixel_size(&cube->camera) * cube->camera.pixels[0]; /* images are in float */
    const int n_channel = cube->channels.n;
    double *light = NULL, most = 0.0;
    LR_TRY(lr_allocate(ctx, (size_t)n_channel, sizeof *light, &light));
    if (lr_allocate(ctx, 2 * (size_t)n_channel, sizeof *cube->centroid, &cube->centroid)) {
        free(light);
        return LR_ERROR_MEMORY;
    }
    for (int c = 0; c < n_channel; c++) {
        light[c] = find_centroid(cube, c, &cube->centroid[2 * c]);
        most = fmax(most, light[c]);
    }
    for (int a = 0; a < n_channel; a++)
        for (int b = 0; b < a; b++)
            if (fmin(light[a], light[b]) > 0.0 && fmin(light[a], light[b]) >= bright * most)
                cube->report.shift = fmax(cube->report.shift, /* ignores NAN */
                                          distance_between(cube, &cube->centroid[2 * a], &cube->centroid[2 * b]));
    if (cube->report.shift < rounding)
        cube->report.shift = 0.0;
    free(light);
    return LR_OK;
}

/* ---- all ---- */

static void start_report(const lr_model *model, struct cube *cube)
{
    const double none = NAN;
    cube->report = (struct lr_image){.depth = {none, none},
                                     .bare = {none, none},
                                     .correlation = none,
                                     .shift = none,
                                     .near = cube->camera.kind == CAMERA_PERSPECTIVE,
                                     .stimulated = !model->species || model->species->options.stimulated};
    memcpy(cube->report.camera, cube->camera.name, sizeof cube->report.camera);
    cube->as_one = model->run.packets > 0 || !model->image.step_velocity;
}

/* From the cube itself. */
static enum lr_status report_seen(lr_context *ctx, struct cube *cube)
{
    struct lr_image *report = &cube->report;
    if (cube->optical_depth)
        measure_depth(cube, cube->optical_depth, report->stimulated ? &report->depth : &report->bare);
    return find_centroids(ctx, cube);
}

/* From additional rays. */
static enum lr_status report_traced(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                    const struct other_gas *other, const struct scene *scene, struct cube *cube,
                                    double *seconds)
{
    if (other->known)
        LR_TRY(trace_other(ctx, worker, other, scene, cube, seconds));
    LR_TRY(trace_column(ctx, worker, &model->species->density, scene, cube, seconds));
    cube->report.correlation = correlate(cube);
    return LR_OK;
}

/* Only molecules have a second opacity and a column density. */
static enum lr_status report_molecule(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                      struct lr_result *result)
{
    struct scene *scene = NULL;
    struct other_gas other = {0};
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, other_opacity(ctx, model, result, &other));
    LR_TRY_OR(done, status, scene_build_dark(ctx, model, &scene));
    for (int c = 0; c < result->n_cube; c++) {
        double seconds = 0.0;
        status = report_traced(ctx, worker, model, &other, scene, &result->cube[c], &seconds);
        result->summary.seconds_images += seconds;
        LR_TRY_OR(done, status, status);
        lr_log(ctx, LR_LOG_INFO, "image '%s': traced %scolumn density in %.3g s", result->cube[c].camera.name,
               other.known ? "optical depth with the other opacity, and " : "", seconds);
    }
done:
    scene_free(scene);
    other_gas_free(&other);
    return status;
}

static enum lr_status report_all(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                 struct lr_result *result)
{
    for (int c = 0; c < result->n_cube; c++)
        LR_TRY(report_seen(ctx, &result->cube[c]));
    return model->species ? report_molecule(ctx, worker, model, result) : LR_OK;
}

void image_report(lr_context *ctx, const struct worker *worker, const lr_model *model, struct lr_result *result)
{
    enum lr_status status = LR_OK;
    for (int c = 0; c < result->n_cube; c++)
        start_report(model, &result->cube[c]);
    if (result->n_cube > 0 && (model->image.report || model->image.column))
        status = report_all(ctx, worker, model, result);
    for (int c = 0; c < result->n_cube; c++)
        cube_drop(&result->cube[c], &model->image);
    const char *missing = model->image.column ? "some image statistics and column densities" : "some image statistics";
    if (status == LR_ERROR_INTERRUPTED) {
        ctx->stop = 0;
        result->summary.report_missing = 1;
        lr_log(ctx, LR_LOG_WARNING, "stopped after making the images; %s are missing", missing);
    } else if (status != LR_OK) {
        lr_log(ctx, LR_LOG_WARNING, "%s; the images are complete, but %s are missing", lr_last_error(ctx), missing);
    }
}
