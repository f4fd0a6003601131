#include "solve/imaging/scene_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/threads.h"
#include "mesh/neighbour.h"
#include "model/field.h"
#include "solve/imaging/source_light.h"

double model_luminosity(const lr_model *model)
{
    double sum = 0;
    for (int s = 0; s < model->n_source; s++)
        sum += model->source[s].luminosity;
    return sum;
}

struct channels window_channels(const lr_model *model, const struct window *window)
{
    struct channels channels = model->channels;
    channels.first += window->channel * channels.width;
    channels.n = window->n_channel;
    return channels;
}

/* Gas moves toward the observer with v mu: a bin is so narrow that this changes by b/8. */
int aspect_count(const lr_model *model)
{
    const int least = 32;
    const double per_b = 16;
    double speed = 0;
    if (model->mesh.kind != MESH_SHELLS || model->run.packets == 0)
        return 1;
    for (int64_t cell = 0; cell < mesh_cell_count(&model->mesh); cell++)
        if (field_at(&model->medium.alpha0, cell) > 0)
            speed = fmax(speed, fabs(field_at(&model->medium.velocity[0], cell)) / field_at(&model->medium.b, cell));
    return 2 * (int)ceil(0.5 * fmin(fmax(per_b * speed, least), MAX_ASPECT)); /* as many of either sphere */
}

bool has_deep_cells(const lr_model *model, double depth)
{
    bool deep = false;
    for (int64_t cell = 0; cell < mesh_cell_count(&model->mesh) && !deep; cell++) {
        int at[3];
        mesh_cell_place(&model->mesh, cell, at);
        const double opacity = field_at(&model->medium.alpha0, cell) + field_at(&model->medium.kappa, cell);
        deep = opacity * mesh_cell_longest(&model->mesh, at[0], at[1], at[2]) > depth;
    }
    return deep;
}

/* Where all cells are thin, rays can take light over from packets at the end of its cell (kernel/sight.h). */
bool follows_light_out(const lr_model *model)
{
    return has_deep_cells(model, 0.05);
}

/* Inside a channel the ray tracer gives scattered light the shape of the line, which it has less and less of as the gas
 * gets thick: within b/8 that does not matter (docs/imaging.md). Channels are recorded as narrow as that where it takes
 * little memory, and of b/4 where it takes much. */
int channel_refinement(const lr_model *model)
{
    const double fine = 0.125 * model->reference_b, coarse = 0.25 * model->reference_b;
    const double little = 33554432, much = 536870912; /* numbers for one camera: 2^25, 2^29 */
    const double rows = (double)light_rows_make(&model->mesh, aspect_count(model)).n;
    int factor = 1;
    if (model->run.packets == 0 || model->image.method != IMAGE_TWO_STEP || model->channels.samples > 0)
        return 1;
    for (;;) {
        const double width = model->channels.width / factor, next = rows * model->channels.n * 2 * factor;
        const bool wanted = (width > 1.001 * fine && next <= little) || (width > 1.001 * coarse && next <= much);
        if (!wanted || 2 * factor * model->channels.n > MAX_CHANNEL)
            return factor;
        factor *= 2;
    }
}

struct channels recorded_channels(const lr_model *model, const struct window *window)
{
    const int factor = channel_refinement(model);
    struct channels channels = window_channels(model, window);
    channels.width /= factor;
    channels.n *= factor;
    return channels;
}

static double length_unit(const struct mesh *mesh)
{
    return 0.5 * mesh_size(mesh, 0);
}

/* Emissivities are stored in this unit, so that they stay within the range of float. */
static double emissivity_unit(const lr_model *model)
{
    const double length = length_unit(&model->mesh);
    const double luminosity = model_luminosity(model);
    return (luminosity > 0 ? luminosity : 1) / (4 * LR_PI * length * length * length * model->reference_b);
}

/* Velocity of the gas toward an observer; that of shells is for a source in their centre, whose light leaves along the
 * flow. */
static double velocity_along(const struct mesh *mesh, const struct medium *medium, int64_t cell, const double n[3])
{
    double sum = 0;
    if (mesh->kind == MESH_SHELLS)
        return mesh->edge[0][0] > 0 ? 0 : field_at(&medium->velocity[0], cell);
    for (int axis = 0; axis < 3; axis++)
        sum += field_at(&medium->velocity[axis], cell) * n[axis];
    return sum;
}

/* Direction from a point to a camera; its own `toward` from its own place. */
static void direction_to(const struct camera *camera, const double from[3], double n[3])
{
    memcpy(n, camera->toward, 3 * sizeof *n);
    double square = 0;
    for (int axis = 0; axis < 3; axis++)
        square += pow(camera->position[axis] - from[axis], 2);
    if (camera->kind == CAMERA_ORTHOGRAPHIC || !(square > 0))
        return;
    for (int axis = 0; axis < 3; axis++)
        n[axis] = (camera->position[axis] - from[axis]) / sqrt(square);
}

/* ---- volume sources --------------------------------------------------------------------------------------------- */

/* Emissivity of a volume source in photons s^-1 cm^-3 is its field times this. */
static double volume_scale(const lr_model *model, const struct source *source)
{
    const struct mesh *mesh = &model->mesh;
    double sum = 0;
    int64_t cell = 0;
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++, cell++)
                sum += field_at(&source->emissivity, cell) * mesh_cell_volume(mesh, i, j, k);
    return sum > 0 ? source->luminosity / sum : 0;
}

/* A spectrum that is the profile of the cell makes a line source: e / (4 pi) H / (sqrt(pi) b). */
static enum lr_status add_line_source(lr_context *ctx, const lr_model *model, const struct source *source,
                                      struct scene *scene)
{
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    const double scale = volume_scale(model, source) / (4 * LR_PI * LR_SQRT_PI);
    LR_TRY(field_expand(ctx, &scene->line_source, n_cell));
    for (int64_t cell = 0; cell < n_cell; cell++)
        scene->line_source.values[cell] +=
            scale * field_at(&source->emissivity, cell) / field_at(&model->medium.b, cell);
    return LR_OK;
}

static enum lr_status need_emissivity(lr_context *ctx, const lr_model *model, struct scene *scene, int camera)
{
    struct emissivity *emissivity = &scene->emissivity[camera];
    if (emissivity->value)
        return LR_OK;
    emissivity->unit = emissivity_unit(model);
    return lr_allocate(ctx, scene_voxel_count(scene), sizeof(float), &emissivity->value);
}

/* Any other spectrum is a glow: the part of it below each of many shifts. Two are enough for a density that is even. */
static enum lr_status add_glow(lr_context *ctx, const lr_model *model, const struct source *source, struct scene *scene)
{
    enum { FINE = 4097 };
    const bool even = source->spectrum.kind == SPECTRUM_BAND || source->spectrum.kind == SPECTRUM_MONOCHROMATIC;
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    const double scale = volume_scale(model, source) / (4 * LR_PI);
    struct scene_glow *glow = &scene->glow[scene->n_glow++];
    double high;
    spectrum_extent(&source->spectrum, &glow->first, &high);
    glow->n = even ? 2 : FINE;
    glow->step = (high - glow->first) / (glow->n - 1);
    glow->gas_frame = source->spectrum.gas_frame;
    LR_TRY(lr_allocate(ctx, (size_t)glow->n, sizeof *glow->below, &glow->below));
    for (int i = 1; i < glow->n; i++)
        glow->below[i] = even ? 1
                              : spectrum_share(&source->spectrum, glow->first, glow->first + i * glow->step,
                                               field_at(&model->medium.a, 0), field_at(&model->medium.b, 0));
    glow->strength.constant = scale * source->emissivity.constant;
    if (!source->emissivity.values)
        return LR_OK;
    LR_TRY(field_expand(ctx, &glow->strength, n_cell));
    for (int64_t cell = 0; cell < n_cell; cell++)
        glow->strength.values[cell] = scale * source->emissivity.values[cell];
    return LR_OK;
}

/* ---- other sources ---------------------------------------------------------------------------------------------- */

static void fill_light(const lr_model *model, const struct source *source, const struct scene *scene, int camera,
                       const double place[3], double strength, double *light)
{
    const int64_t cell = mesh_cell_at(&model->mesh, place);
    const double part_width = scene->channels.width / LIGHT_PARTS;
    double n[3];
    direction_to(&scene->camera[camera], place, n);
    const double approach = source->spectrum.gas_frame ? velocity_along(&model->mesh, &model->medium, cell, n) : 0;
    for (int c = 0; c < scene->channels.n; c++)
        for (int part = 0; part < LIGHT_PARTS; part++)
            light[c * LIGHT_PARTS + part] +=
                strength / part_width *
                channel_share(&source->spectrum, &scene->channels, c, part, approach, field_at(&model->medium.a, cell),
                              field_at(&model->medium.b, cell));
}

static enum lr_status add_point(lr_context *ctx, const lr_model *model, const struct source *source,
                                struct scene *scene, int camera)
{
    struct scene_point *point = &scene->point[scene->n_point];
    *point = (struct scene_point){.camera = camera};
    memcpy(point->position, source->position, sizeof point->position);
    LR_TRY(lr_allocate(ctx, (size_t)scene->channels.n * LIGHT_PARTS, sizeof(double), &point->strength));
    scene->n_point++;
    fill_light(model, source, scene, camera, point->position, source->luminosity / (4 * LR_PI), point->strength);
    return LR_OK;
}

/* Isotropic emission per area, L / (4 pi A), seen at cosine mu has the brightness L / (4 pi A |mu|); a Lambertian
 * sheet has L / (pi A) on its side. */
static enum lr_status add_plane(lr_context *ctx, const lr_model *model, const struct source *source,
                                struct scene *scene, int camera)
{
    struct scene_plane *plane = &scene->plane[scene->n_plane];
    const double area = mesh_face_area(&model->mesh, 2 * source->axis);
    const bool isotropic = source->angular == ANGULAR_ISOTROPIC;
    *plane =
        (struct scene_plane){.camera = camera, .axis = source->axis, .offset = source->offset, .isotropic = isotropic};
    plane->side = isotropic ? 0 : source->direction[source->axis] > 0 ? 1 : -1;
    LR_TRY(lr_allocate(ctx, (size_t)scene->channels.n * LIGHT_PARTS, sizeof(double), &plane->brightness));
    scene->n_plane++;
    double place[3] = {mesh_centre(&model->mesh, 0), mesh_centre(&model->mesh, 1), mesh_centre(&model->mesh, 2)};
    place[source->axis] = source->offset;
    fill_light(model, source, scene, camera, place, source->luminosity / ((isotropic ? 4 : 1) * LR_PI * area),
               plane->brightness);
    return LR_OK;
}

static void add_external(const lr_model *model, const struct source *source, struct scene *scene)
{
    double area = 0;
    for (int face = 0; face < N_FACE; face++)
        area += model->mesh.face[face] == FACE_OPEN ? mesh_face_area(&model->mesh, face) : 0;
    const double corner[3] = {mesh_lower(&model->mesh, 0), mesh_lower(&model->mesh, 1), mesh_lower(&model->mesh, 2)};
    fill_light(model, source, scene, 0, corner, source->luminosity / (LR_PI * area), scene->sky);
    scene->external = true;
}

static bool gas_moves(const lr_model *model)
{
    bool moves = false;
    for (int axis = 0; axis < 3; axis++)
        moves |= !field_is_zero(&model->medium.velocity[axis], mesh_cell_count(&model->mesh));
    return moves;
}

static enum lr_status add_source(lr_context *ctx, const lr_model *model, const struct source *source,
                                 struct scene *scene)
{
    const bool local = source->spectrum.kind == SPECTRUM_LOCAL;
    const bool sheet = source->kind == SOURCE_PLANE || source->kind == SOURCE_EXTERNAL;
    if (!(source->luminosity > 0) || source->angular == ANGULAR_BEAM || source->kind == SOURCE_PACKETS)
        return LR_OK; /* beams and packets point elsewhere */
    if (sheet && source->spectrum.gas_frame && gas_moves(model))
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "%s: a plane or external source whose spectrum moves with the gas cannot be imaged; give its "
                       "spectrum 'frame: mesh'",
                       model->path);
    if (source->kind == SOURCE_PLANE && model->mesh.face[2 * source->axis] == FACE_PERIODIC)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "%s: a plane source normal to the periodic axis %c repeats in every period, but images show "
                       "one; make that axis open",
                       model->path, "xyz"[source->axis]);
    if (source->kind == SOURCE_VOLUME && local)
        return add_line_source(ctx, model, source, scene);
    if (source->kind == SOURCE_VOLUME)
        return add_glow(ctx, model, source, scene);
    if (source->kind == SOURCE_EXTERNAL)
        add_external(model, source, scene);
    for (int camera = 0; camera < scene->n_camera; camera++) {
        if (source->kind == SOURCE_POINT)
            LR_TRY(add_point(ctx, model, source, scene, camera));
        if (source->kind == SOURCE_PLANE)
            LR_TRY(add_plane(ctx, model, source, scene, camera));
    }
    return LR_OK;
}

enum lr_status scene_build(lr_context *ctx, const lr_model *model, const struct window *window, struct scene **out)
{
    const size_t n_camera = (size_t)window->n_camera;
    const size_t n_light = n_camera * (size_t)model->n_source;
    struct scene *scene = NULL;
    enum lr_status status = LR_OK;
    LR_TRY(lr_allocate(ctx, 1, sizeof *scene, &scene));
    scene->nu0 = model->line.nu0;
    scene->reference_b = model->reference_b;
    scene->medium = model->medium;
    scene->borrowed = true;
    scene->channels = recorded_channels(model, window);
    scene->refined = channel_refinement(model);
    scene->rows = light_rows_make(&model->mesh, aspect_count(model));
    scene->escaped = follows_light_out(model);
    LR_TRY_OR(fail, status, mesh_copy(ctx, &model->mesh, &scene->mesh));
    LR_TRY_OR(fail, status, lr_allocate(ctx, (size_t)scene->channels.n * LIGHT_PARTS, sizeof(double), &scene->sky));
    LR_TRY_OR(fail, status, lr_allocate(ctx, (size_t)model->n_source, sizeof *scene->glow, &scene->glow));
    LR_TRY_OR(fail, status, lr_allocate(ctx, n_light, sizeof *scene->point, &scene->point));
    LR_TRY_OR(fail, status, lr_allocate(ctx, n_light, sizeof *scene->plane, &scene->plane));
    LR_TRY_OR(fail, status, lr_allocate(ctx, n_camera, sizeof *scene->camera, &scene->camera));
    LR_TRY_OR(fail, status, lr_allocate(ctx, n_camera, sizeof *scene->emissivity, &scene->emissivity));
    scene->n_camera = window->n_camera;
    memcpy(scene->camera, model->camera + window->camera, n_camera * sizeof *scene->camera);
    for (int s = 0; s < model->n_source; s++)
        LR_TRY_OR(fail, status, add_source(ctx, model, &model->source[s], scene));
    field_compact(&scene->line_source, mesh_cell_count(&scene->mesh));
    *out = scene;
    return LR_OK;
fail:
    scene_free(scene);
    return status;
}

enum lr_status scene_build_dark(lr_context *ctx, const lr_model *model, struct scene **scene)
{
    const struct window all = {0, model->n_camera, 0, model->channels.n};
    lr_model dark = *model;
    dark.n_source = 0;
    return scene_build(ctx, &dark, &all, scene);
}

/* ---- scattered light -------------------------------------------------------------------------------------------- */

static size_t job_voxel_count(const struct scattered *scattered, const struct scene *scene)
{
    return scene_voxel_count(scene) + (size_t)(scattered->cavity * scene->rows.n_aspect * scene->channels.n);
}

/* All observers of shells share what one camera was sent. */
const float *scattered_sums(const struct scattered *scattered, const struct scene *scene, int group, int camera)
{
    const int from = scene->mesh.kind == MESH_SHELLS ? 0 : camera;
    return scattered->sums + (size_t)(group * scattered->n_camera + from) * job_voxel_count(scattered, scene) +
           (size_t)(scattered->cavity * scene->rows.n_aspect * scene->channels.n);
}

/* One standard error of SUM s_g / P from the groups, as in assemble.c. */
static double group_error(const struct scattered *scattered, const float *sums, size_t stride)
{
    double sum = 0;
    double square = 0;
    double all = 0;
    int used = 0;
    for (int g = 0; g < scattered->n_group; g++) {
        const double s = (double)sums[(size_t)g * stride];
        if (!(scattered->packets[g] > 0))
            continue;
        used++;
        all += scattered->packets[g];
        sum += s;
        square += s * s / scattered->packets[g];
    }
    return used > 1 ? sqrt(fmax(square - sum * sum / all, 0) / ((used - 1) * all)) : (double)NAN;
}

/* Photons per packet that leave a cell in a channel are an emissivity that this cell does not absorb:
 *
 *     E = L / (4 pi V dv) SUM / N      photons s^-1 cm^-3 sr^-1 per unit velocity,
 *
 * and those that leave by a surface the same with its area, an intensity. This without SUM / (N V), in the unit of the
 * scene. */
static double scattered_rate(const lr_model *model, const struct scene *scene)
{
    return model_luminosity(model) / (4 * LR_PI * scene->channels.width * emissivity_unit(model));
}

/* That of a row: the sphere inside which there is nothing has no area, and no light. */
static double row_scale(const struct scene *scene, double rate, int64_t row)
{
    const double volume = light_row_volume(&scene->rows, &scene->mesh, row, length_unit(&scene->mesh));
    return volume > 0 ? rate / volume : 0;
}

void scene_scale_sums(const lr_model *model, const struct scene *scene, const float *sums, double packets,
                      float *emissivity)
{
    const double rate = scattered_rate(model, scene) / packets;
    const size_t n_channel = (size_t)scene->channels.n;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(thread_count(model->run.threads))
    for (int64_t row = 0; row < scene->rows.n; row++) {
        const double scale = row_scale(scene, rate, row);
        const size_t first = (size_t)row * n_channel;
        for (size_t at = first; at < first + n_channel; at++)
            emissivity[at] = (float)((double)sums[at] * scale);
    }
}

struct trace_light kept_light(const lr_model *model, const struct scene *scene, int camera, const void *kept,
                              double packets)
{
    const double length = 0.5 * mesh_size(&scene->mesh, 0); /* of code units, in which volumes were divided by */
    return (struct trace_light){.unit = emissivity_unit(model),
                                .kept = kept,
                                .first = (int64_t)camera * (int64_t)scene_voxel_count(scene),
                                .scale = scattered_rate(model, scene) / (packets * length * length * length)};
}

static enum lr_status copy_field(lr_context *ctx, int64_t n_cell, struct field *field)
{
    const double *from = field->values;
    if (!from)
        return LR_OK;
    field->values = NULL;
    LR_TRY(lr_allocate(ctx, (size_t)n_cell, sizeof(double), &field->values));
    memcpy(field->values, from, (size_t)n_cell * sizeof(double));
    return LR_OK;
}

enum lr_status scene_own_medium(lr_context *ctx, struct scene *scene)
{
    const int64_t n_cell = mesh_cell_count(&scene->mesh);
    struct medium own = scene->medium;
    enum { N_FIELD = 8 };
    struct field *const fields[N_FIELD] = {&own.alpha0,      &own.b,           &own.a,     &own.velocity[0],
                                           &own.velocity[1], &own.velocity[2], &own.kappa, &own.eps};
    enum lr_status status = LR_OK;
    int copied = 0;
    for (; copied < N_FIELD && status == LR_OK; copied++)
        status = copy_field(ctx, n_cell, fields[copied]);
    if (status != LR_OK) {
        for (int i = 0; i < copied; i++)
            free(fields[i]->values);
        return status;
    }
    scene->medium = own;
    scene->borrowed = false;
    return LR_OK;
}

enum lr_status scene_add_scattered(lr_context *ctx, const lr_model *model, struct scene *scene,
                                   const struct scattered *scattered, bool errors)
{
    const size_t n_channel = (size_t)scene->channels.n;
    const size_t stride = job_voxel_count(scattered, scene) * (size_t)scattered->n_camera;
    double all = 0;
    for (int g = 0; g < scattered->n_group; g++)
        all += scattered->packets[g];
    const double rate = scattered_rate(model, scene);
    for (int camera = 0; camera < scene->n_camera; camera++) {
        LR_TRY(need_emissivity(ctx, model, scene, camera));
        struct emissivity *emissivity = &scene->emissivity[camera];
        if (errors)
            LR_TRY(lr_allocate(ctx, scene_voxel_count(scene), sizeof(float), &emissivity->error));
        const float *from = scattered_sums(scattered, scene, 0, camera);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(thread_count(model->run.threads))
        for (int64_t row = 0; row < scene->rows.n; row++) {
            const double scale = row_scale(scene, rate, row);
            const size_t first = (size_t)row * n_channel;
            for (size_t at = first; at < first + n_channel; at++) {
                double sum = 0;
                for (int g = 0; g < scattered->n_group; g++)
                    sum += (double)from[(size_t)g * stride + at];
                emissivity->value[at] = (float)(sum / all * scale);
                if (errors)
                    emissivity->error[at] = (float)(group_error(scattered, from + at, stride) * scale);
            }
        }
    }
    return LR_OK;
}
