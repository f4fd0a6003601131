#include "io/result/scene_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "io/hdf5/hdf5_read.h"
#include "io/result/light_table.h"
#include "io/result/result_path.h"
#include "io/result/result_read.h"
#include "io/result/scene_format.h"

/* ---- gas ---- */

static enum lr_status read_field(const struct hdf5_reader *reader, const struct mesh *mesh,
                                 const struct scene_field *entry)
{
    char name[64];
    snprintf(name, sizeof name, "/scene/gas/%s", entry->name);
    if (hdf5_read_has_attribute(reader, "/scene/gas", entry->name))
        return hdf5_read_number(reader, "/scene/gas", entry->name, entry->low, INFINITY, &entry->field->constant);
    int shape[MESH_MAX_RANK];
    const int rank = mesh_field_shape(mesh, shape);
    return hdf5_read_doubles(reader, name, rank, shape, entry->low, &entry->field->values);
}

static enum lr_status read_gas(const struct hdf5_reader *reader, struct scene *scene)
{
    struct scene_field fields[N_SCENE_FIELD];
    scene_fields(scene, fields);
    for (int i = 0; i < N_SCENE_FIELD; i++)
        LR_TRY(read_field(reader, &scene->mesh, &fields[i]));
    for (int64_t cell = 0; cell < (scene->medium.b.values ? mesh_cell_count(&scene->mesh) : 1); cell++)
        if (!(field_at(&scene->medium.b, cell) > 0.0))
            return hdf5_read_fail(reader, "/scene/gas/b", "has invalid values");
    return LR_OK;
}

/* ---- direct light ---- */

static bool is_index(double value, int n)
{
    return value >= 0.0 && value < n && value == floor(value);
}

static enum lr_status read_point(const struct hdf5_reader *reader, const struct light_table *table, int source,
                                 const struct scene *scene, struct scene_point *point)
{
    const double *row = light_table_row(table, source);
    if (!is_index(row[POINT_CAMERA], scene->n_camera))
        return hdf5_read_fail(reader, "/scene/point_geometry", "names a camera that does not exist");
    point->camera = (int)row[POINT_CAMERA];
    memcpy(point->position, row + POINT_POSITION, sizeof point->position);
    return light_table_get(reader->ctx, table, source, &point->strength);
}

static enum lr_status read_points(const struct hdf5_reader *reader, struct scene *scene)
{
    struct light_table table = {.n_column = N_POINT_COLUMN, .n_channel = scene->channels.n};
    enum lr_status status = light_table_read(reader, "point", &table);
    if (status == LR_OK)
        status = lr_allocate(reader->ctx, (size_t)table.n, sizeof *scene->point, &scene->point);
    for (int i = 0; status == LR_OK && i < table.n; i++) {
        scene->n_point++;
        status = read_point(reader, &table, i, scene, &scene->point[i]);
    }
    light_table_free(&table);
    return status;
}

static enum lr_status read_plane(const struct hdf5_reader *reader, const struct light_table *table, int source,
                                 const struct scene *scene, struct scene_plane *plane)
{
    const double *row = light_table_row(table, source);
    if (!is_index(row[PLANE_CAMERA], scene->n_camera) || !is_index(row[PLANE_AXIS], 3) ||
        !is_index(row[PLANE_ISOTROPIC], 2) || !is_index(row[PLANE_SIDE] + 1.0, 3))
        return hdf5_read_fail(reader, "/scene/plane_geometry", "has invalid values");
    plane->camera = (int)row[PLANE_CAMERA];
    plane->axis = (int)row[PLANE_AXIS];
    plane->offset = row[PLANE_OFFSET];
    plane->isotropic = row[PLANE_ISOTROPIC] != 0.0;
    plane->side = (int)row[PLANE_SIDE];
    return light_table_get(reader->ctx, table, source, &plane->brightness);
}

static enum lr_status read_planes(const struct hdf5_reader *reader, struct scene *scene)
{
    struct light_table table = {.n_column = N_PLANE_COLUMN, .n_channel = scene->channels.n};
    enum lr_status status = light_table_read(reader, "plane", &table);
    if (status == LR_OK)
        status = lr_allocate(reader->ctx, (size_t)table.n, sizeof *scene->plane, &scene->plane);
    for (int i = 0; status == LR_OK && i < table.n; i++) {
        scene->n_plane++;
        status = read_plane(reader, &table, i, scene, &scene->plane[i]);
    }
    light_table_free(&table);
    return status;
}

/* ---- glows ---- */

static enum lr_status read_glow(const struct hdf5_reader *reader, const struct scene *scene, const char *group,
                                struct scene_glow *glow)
{
    enum { MOST_SHIFTS = 1 << 24 };
    char name[80];
    int gas_frame = 0;
    LR_TRY(hdf5_read_integer(reader, group, "gas_frame", 0, 1, &gas_frame));
    LR_TRY(hdf5_read_number(reader, group, "shift_first", -LR_LIGHT_SPEED, LR_LIGHT_SPEED, &glow->first));
    LR_TRY(hdf5_read_number(reader, group, "shift_step", 0.0, LR_LIGHT_SPEED, &glow->step));
    glow->gas_frame = gas_frame == 1;
    snprintf(name, sizeof name, "%s/below", group);
    LR_TRY(hdf5_read_length(reader, name, 1, MOST_SHIFTS, &glow->n));
    LR_TRY(hdf5_read_doubles(reader, name, 1, &glow->n, 0.0, &glow->below));
    if (glow->n < 2 || !(glow->step > 0.0))
        return hdf5_read_fail(reader, name, "is not a spectrum");
    if (hdf5_read_has_attribute(reader, group, "strength"))
        return hdf5_read_number(reader, group, "strength", 0.0, INFINITY, &glow->strength.constant);
    int shape[MESH_MAX_RANK];
    const int rank = mesh_field_shape(&scene->mesh, shape);
    snprintf(name, sizeof name, "%s/strength", group);
    return hdf5_read_doubles(reader, name, rank, shape, 0.0, &glow->strength.values);
}

static enum lr_status read_glows(const struct hdf5_reader *reader, struct scene *scene)
{
    enum { MOST_GLOWS = 1024 };
    char group[64];
    int n = 0;
    while (n < MOST_GLOWS && (snprintf(group, sizeof group, "/scene/glow_%d", n), hdf5_read_has(reader, group)))
        n++;
    LR_TRY(lr_allocate(reader->ctx, (size_t)n, sizeof *scene->glow, &scene->glow));
    while (scene->n_glow < n) {
        snprintf(group, sizeof group, "/scene/glow_%d", scene->n_glow);
        scene->n_glow++;
        LR_TRY(read_glow(reader, scene, group, &scene->glow[scene->n_glow - 1]));
    }
    return LR_OK;
}

/* ---- cameras ---- */

static enum lr_status read_emissivity(const struct hdf5_reader *reader, const char *group, const struct scene *scene,
                                      struct emissivity *emissivity)
{
    int shape[SCENE_MAX_RANK];
    const int rank = scene_emissivity_shape(scene, shape);
    char name[192];
    snprintf(name, sizeof name, "%s/emissivity", group);
    if (!hdf5_read_has(reader, name))
        return LR_OK;
    LR_TRY(hdf5_read_floats(reader, name, rank, shape, &emissivity->value));
    const size_t n = scene_voxel_count(scene);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(emissivity->value[i]))
            return hdf5_read_fail(reader, name, "has values that are not finite");
    LR_TRY(hdf5_read_number(reader, name, "scale", 0.0, INFINITY, &emissivity->unit));
    snprintf(name, sizeof name, "%s/emissivity_error", group);
    return hdf5_read_has(reader, name) ? hdf5_read_floats(reader, name, rank, shape, &emissivity->error) : LR_OK;
}

static enum lr_status read_cameras(const struct hdf5_reader *reader, struct scene *scene)
{
    const size_t length = sizeof scene->camera->name;
    char *names = NULL;
    int n = 0;
    enum lr_status status = lr_allocate(reader->ctx, MAX_CAMERA, length, &names);
    if (status == LR_OK)
        status = hdf5_read_texts(reader, "/scene/cameras", "names", MAX_CAMERA, length, names, &n);
    if (status == LR_OK)
        status = lr_allocate(reader->ctx, (size_t)n, sizeof *scene->camera, &scene->camera);
    if (status == LR_OK)
        status = lr_allocate(reader->ctx, (size_t)n, sizeof *scene->emissivity, &scene->emissivity);
    scene->n_camera = status == LR_OK ? n : 0;
    for (int i = 0; status == LR_OK && i < n; i++) {
        char group[128];
        memcpy(scene->camera[i].name, names + (size_t)i * length, length);
        snprintf(group, sizeof group, "/scene/cameras/%s", scene->camera[i].name);
        status = result_camera_read(reader, group, &scene->camera[i]);
        if (status == LR_OK)
            status = read_emissivity(reader, group, scene, &scene->emissivity[i]);
    }
    free(names);
    return status;
}

/* ---- the scene ---- */

static enum lr_status read_channels(const struct hdf5_reader *reader, struct channels *channels)
{
    LR_TRY(hdf5_read_integer(reader, "/scene", "channels", 1, MAX_CHANNEL, &channels->n));
    LR_TRY(hdf5_read_integer(reader, "/scene", "samples", 0, MAX_SAMPLES, &channels->samples));
    LR_TRY(hdf5_read_number(reader, "/scene", "channel_first", -LR_LIGHT_SPEED, LR_LIGHT_SPEED, &channels->first));
    LR_TRY(hdf5_read_number(reader, "/scene", "channel_width", 0.0, LR_LIGHT_SPEED, &channels->width));
    return channels->width > 0.0 ? LR_OK : hdf5_read_fail(reader, "/scene", "has channels of zero width");
}

/* Older versions stored a different quantity under the same name. */
static enum lr_status check_format(const struct hdf5_reader *reader)
{
    int format = 1;
    if (hdf5_read_has_attribute(reader, "/scene", "format"))
        LR_TRY(hdf5_read_integer(reader, "/scene", "format", 1, 1 << 20, &format));
    if (format == SCENE_FORMAT)
        return LR_OK;
    return lr_fail(reader->ctx, LR_ERROR_INPUT,
                   "%s: its light is stored in format %d, but this version reads format %d: %s", reader->path, format,
                   SCENE_FORMAT,
                   format < SCENE_FORMAT ? "run the model again" : "use the version of linerad that wrote it");
}

static enum lr_status read_all(const struct hdf5_reader *reader, struct scene *scene, char **text, char **resolved)
{
    int external = 0, escaped = 0, n_aspect = 1;
    if (!result_path_has_format(reader->file))
        return lr_fail(reader->ctx, LR_ERROR_INPUT, "%s: not a linerad result", reader->path);
    if (!hdf5_read_has(reader, "/scene"))
        return lr_fail(reader->ctx, LR_ERROR_INPUT,
                       "%s: does not contain the gas and its emission, which images are made from; run the model again "
                       "with 'image.emissivity: true' (needed even without packets)%s",
                       reader->path,
                       hdf5_read_has(reader, "/populations/fraction")
                           ? "; to reuse its level populations, set 'populations: {method: given, file: ..., dataset: "
                             "populations/fraction}'"
                           : "");
    LR_TRY(check_format(reader));
    LR_TRY(hdf5_read_text(reader, "/provenance/model", text));
    LR_TRY(hdf5_read_text(reader, "/provenance/model_resolved", resolved));
    LR_TRY(hdf5_read_number(reader, "/scene", "nu0", 0.0, INFINITY, &scene->nu0));
    LR_TRY(hdf5_read_number(reader, "/scene", "reference_b", 0.0, LR_LIGHT_SPEED, &scene->reference_b));
    if (!(scene->nu0 > 0.0 && scene->reference_b > 0.0))
        return hdf5_read_fail(reader, "/scene", "has no line");
    LR_TRY(read_channels(reader, &scene->channels));
    LR_TRY(hdf5_read_integer(reader, "/scene", "refined", 1, scene->channels.n, &scene->refined));
    LR_TRY(result_mesh_read(reader, &scene->mesh));
    LR_TRY(
        hdf5_read_integer(reader, "/scene", "aspects", 1, scene->mesh.kind == MESH_SHELLS ? MAX_ASPECT : 1, &n_aspect));
    if (n_aspect > 1 && n_aspect % 2 != 0)
        return hdf5_read_fail(reader, "/scene", "has an invalid number of aspects");
    scene->rows = light_rows_make(&scene->mesh, n_aspect);
    LR_TRY(read_gas(reader, scene));
    LR_TRY(hdf5_read_integer(reader, "/scene", "external", 0, 1, &external));
    scene->external = external == 1;
    LR_TRY(hdf5_read_integer(reader, "/scene", "escaped", 0, 1, &escaped));
    scene->escaped = escaped == 1;
    LR_TRY(hdf5_read_doubles(reader, "/scene/sky", 2, (const int[]){scene->channels.n, LIGHT_PARTS}, -INFINITY,
                             &scene->sky));
    LR_TRY(read_glows(reader, scene));
    LR_TRY(read_cameras(reader, scene));
    LR_TRY(read_points(reader, scene));
    return read_planes(reader, scene);
}

enum lr_status scene_read(lr_context *ctx, const char *path, struct scene **scene, char **text, char **resolved)
{
    struct hdf5_reader reader;
    enum lr_status status = LR_OK;
    LR_TRY(lr_allocate(ctx, 1, sizeof **scene, scene));
    H5E_BEGIN_TRY
    {
        status = hdf5_read_open(ctx, path, &reader);
        if (status == LR_OK)
            status = read_all(&reader, *scene, text, resolved);
        hdf5_read_close(&reader);
    }
    H5E_END_TRY;
    return status;
}
