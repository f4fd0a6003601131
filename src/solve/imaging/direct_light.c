#include "solve/imaging/direct_light.h"

#include <math.h>
#include <string.h>

#include "base/constants.h"
#include "model/field.h"
#include "solve/imaging/source_light.h"

/* ---- volume sources --------------------------------------------------------------------------------------------- */

/* The emissivity of a volume source in photons s^-1 cm^-3 is its field times this. */
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

/* A source whose spectrum is the profile of the cell is a line source: e / (4 pi) H / (sqrt(pi) b). Of several lines
 * the field is that of the first one, the luminosity that of all. */
static enum lr_status add_line_source(lr_context *ctx, const lr_model *model, const struct source *source,
                                      struct scene *scene)
{
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    const double scale = (model->group.n > 1 ? 1 : volume_scale(model, source)) / (4 * LR_PI * LR_SQRT_PI);
    LR_TRY(field_expand(ctx, &scene->line_source, n_cell));
    for (int64_t cell = 0; cell < n_cell; cell++)
        scene->line_source.values[cell] +=
            scale * field_at(&source->emissivity, cell) / field_at(&model->medium.b, cell);
    return LR_OK;
}

/* Any other spectrum is a glow: the fraction of it below each of many shifts. Two shifts are enough for a flat
 * density. */
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

/* Velocity of the gas toward an observer; in shells, for a source at the centre, whose light leaves along the flow. */
static double velocity_along(const struct mesh *mesh, const struct medium *medium, int64_t cell, const double n[3])
{
    double sum = 0;
    if (mesh->kind == MESH_SHELLS)
        return mesh->edge[0][0] > 0 ? 0 : field_at(&medium->velocity[0], cell);
    for (int axis = 0; axis < 3; axis++)
        sum += field_at(&medium->velocity[axis], cell) * n[axis];
    return sum;
}

/* Direction from a point to a camera. */
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

enum lr_status direct_light_add(lr_context *ctx, const lr_model *model, const struct source *source,
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
