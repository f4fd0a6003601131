/* /scene: gas, sources and emissivity, so that other images can be made without another run (scene_read.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/light_table.h"
#include "io/result/result_groups.h"
#include "io/result/scene_format.h"

/* ---- fields ---- */

/* With the precision of the run, and wider if single precision lacks the range. */
static bool needs_double(const struct lr_result *result, const double *values, int64_t n)
{
    double largest = 0.0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(values[i]));
    return strcmp(result->summary.precision, "double") == 0 ||
           (largest > 0.0 && !(largest >= 1e-30 && largest <= 1e30));
}

static enum lr_status write_field(struct hdf5_writer *writer, hid_t group, const struct lr_result *result,
                                  const struct scene_field *entry)
{
    const double *values = entry->field->values;
    if (!values)
        return hdf5_write_quantity(writer, group, entry->name, entry->field->constant, entry->units);
    const bool wide = needs_double(result, values, mesh_cell_count(&result->scene->mesh));
    const struct hdf5_dataset dataset = {.name = entry->name,
                                         .memory_type = H5T_NATIVE_DOUBLE,
                                         .file_type = wide ? H5T_IEEE_F64LE : H5T_IEEE_F32LE,
                                         .data = values,
                                         .units = entry->units,
                                         .description = entry->description};
    return result_field_write(writer, group, &result->scene->mesh, 0, dataset);
}

/* ---- direct light ---- */

static enum lr_status write_points(struct hdf5_writer *writer, hid_t group, const struct scene *scene)
{
    static const struct light_table_text text = {"point", "point sources: index of the camera, position (cm)",
                                                 "1/(cm sr)"};
    struct light_table table = {.n = scene->n_point, .n_column = N_POINT_COLUMN, .n_channel = scene->channels.n};
    enum lr_status status = light_table_create(writer->ctx, &table);
    for (int i = 0; status == LR_OK && i < table.n; i++) {
        double *row = light_table_row(&table, i);
        row[POINT_CAMERA] = scene->point[i].camera;
        memcpy(row + POINT_POSITION, scene->point[i].position, 3 * sizeof(double));
        light_table_put(&table, i, scene->point[i].strength);
    }
    if (status == LR_OK)
        status = light_table_write(writer, group, &table, &text);
    light_table_free(&table);
    return status;
}

static enum lr_status write_planes(struct hdf5_writer *writer, hid_t group, const struct scene *scene)
{
    static const struct light_table_text text = {"plane",
                                                 "plane sources: index of the camera, axis (0 to 2), offset (cm), "
                                                 "isotropic (1) or Lambertian (0), side (0 both, 1 or -1)",
                                                 "1/(cm3 sr)"};
    struct light_table table = {.n = scene->n_plane, .n_column = N_PLANE_COLUMN, .n_channel = scene->channels.n};
    enum lr_status status = light_table_create(writer->ctx, &table);
    for (int i = 0; status == LR_OK && i < table.n; i++) {
        const struct scene_plane *plane = &scene->plane[i];
        double *row = light_table_row(&table, i);
        row[PLANE_CAMERA] = plane->camera;
        row[PLANE_AXIS] = plane->axis;
        row[PLANE_OFFSET] = plane->offset;
        row[PLANE_ISOTROPIC] = plane->isotropic;
        row[PLANE_SIDE] = plane->side;
        light_table_put(&table, i, plane->brightness);
    }
    if (status == LR_OK)
        status = light_table_write(writer, group, &table, &text);
    light_table_free(&table);
    return status;
}

/* ---- glows ---- */

static enum lr_status write_glow(struct hdf5_writer *writer, hid_t group, const struct lr_result *result, int index)
{
    const struct scene_glow *glow = &result->scene->glow[index];
    const struct scene_field strength = {(struct field *)&glow->strength, "strength", "1/(cm3 s sr)",
                                         "photons per second, volume and steradian", 0.0};
    LR_TRY(write_field(writer, group, result, &strength));
    LR_TRY(hdf5_write_integer(writer, group, "gas_frame", glow->gas_frame));
    LR_TRY(hdf5_write_quantity(writer, group, "shift_first", glow->first, "cm/s"));
    LR_TRY(hdf5_write_quantity(writer, group, "shift_step", glow->step, "cm/s"));
    return hdf5_write_doubles(writer, group, "below", (hsize_t)glow->n, 0, 0, glow->below, "1",
                              "fraction of the spectrum below each Doppler shift [shift]");
}

static enum lr_status write_glows(struct hdf5_writer *writer, const struct lr_result *result)
{
    for (int g = 0; g < result->scene->n_glow; g++) {
        char name[64];
        hid_t group = -1;
        snprintf(name, sizeof name, "/scene/glow_%d", g);
        LR_TRY(hdf5_write_group(writer, name, &group));
        const enum lr_status status = write_glow(writer, group, result, g);
        H5Gclose(group);
        LR_TRY(status);
    }
    return LR_OK;
}

/* ---- cameras ---- */

static enum lr_status write_emissivity(struct hdf5_writer *writer, hid_t group, const struct scene *scene,
                                       const char *name, const float *values, double unit, const char *description)
{
    int shape[SCENE_MAX_RANK];
    struct hdf5_dataset dataset = {.name = name,
                                   .rank = scene_emissivity_shape(scene, shape),
                                   .memory_type = H5T_NATIVE_FLOAT,
                                   .file_type = H5T_IEEE_F32LE,
                                   .data = values,
                                   .units = "1/(cm4 sr)",
                                   .description = description};
    hid_t id = -1;
    for (int i = 0; i < dataset.rank; i++)
        dataset.size[i] = (hsize_t)shape[i];
    LR_TRY(hdf5_write_dataset(writer, group, &dataset, &id));
    enum lr_status status = hdf5_write_number(writer, id, "scale", unit);
    H5Dclose(id);
    return status;
}

static enum lr_status write_camera(struct hdf5_writer *writer, hid_t group, const struct scene *scene, int index)
{
    const struct emissivity *emissivity = &scene->emissivity[index];
    LR_TRY(result_camera_write(writer, group, &scene->camera[index]));
    if (emissivity->value)
        LR_TRY(
            write_emissivity(writer, group, scene, "emissivity", emissivity->value, emissivity->unit,
                             scene->rows.n_aspect > 1
                                 ? "scattered light that leaves shells toward the camera, by the cosine between "
                                   "radius and camera where it leaves [shell, aspect, channel]: photons per second, "
                                   "area, steradian and unit radio velocity (cm/s) over the radius of the mesh, in "
                                   "units of the attribute scale"
                                 : "scattered light that leaves cells toward the camera [x, y, z, channel] or [brick, "
                                   "x, y, z, channel]: photons per second, volume, steradian and unit radio velocity "
                                   "(cm/s), in units of the attribute scale"));
    if (emissivity->value && emissivity->error)
        LR_TRY(write_emissivity(writer, group, scene, "emissivity_error", emissivity->error, emissivity->unit,
                                "one standard error of emissivity, in units of the attribute scale"));
    return LR_OK;
}

static enum lr_status write_cameras(struct hdf5_writer *writer, const struct scene *scene)
{
    const char *names[MAX_CAMERA];
    hid_t group = -1;
    for (int i = 0; i < scene->n_camera; i++)
        names[i] = scene->camera[i].name;
    LR_TRY(hdf5_write_group(writer, "/scene/cameras", &group));
    enum lr_status named = hdf5_write_texts(writer, group, "names", names, scene->n_camera);
    H5Gclose(group);
    LR_TRY(named);
    for (int i = 0; i < scene->n_camera; i++) {
        char name[sizeof scene->camera->name + sizeof "/scene/cameras/"];
        hid_t id = -1;
        snprintf(name, sizeof name, "/scene/cameras/%s", scene->camera[i].name);
        LR_TRY(hdf5_write_group(writer, name, &id));
        enum lr_status status = write_camera(writer, id, scene, i);
        H5Gclose(id);
        LR_TRY(status);
    }
    return LR_OK;
}

/* ---- the group ---- */

static enum lr_status write_gas(struct hdf5_writer *writer, const struct lr_result *result)
{
    struct scene_field fields[N_SCENE_FIELD];
    hid_t group = -1;
    scene_fields(result->scene, fields);
    enum lr_status status = hdf5_write_group(writer, "/scene/gas", &group);
    for (int i = 0; status == LR_OK && i < N_SCENE_FIELD; i++)
        status = write_field(writer, group, result, &fields[i]);
    if (group >= 0)
        H5Gclose(group);
    return status;
}

enum lr_status result_scene_write(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    const struct scene *scene = result->scene;
    const struct channels *channels = &scene->channels;
    LR_TRY(hdf5_write_quantity(writer, group, "nu0", scene->nu0, "Hz"));
    LR_TRY(hdf5_write_quantity(writer, group, "reference_b", scene->reference_b, "cm/s"));
    LR_TRY(hdf5_write_integer(writer, group, "channels", channels->n));
    LR_TRY(hdf5_write_quantity(writer, group, "channel_first", channels->first, "cm/s"));
    LR_TRY(hdf5_write_quantity(writer, group, "channel_width", channels->width, "cm/s"));
    LR_TRY(hdf5_write_integer(writer, group, "refined", scene->refined));
    LR_TRY(hdf5_write_integer(writer, group, "samples", channels->samples));
    LR_TRY(hdf5_write_integer(writer, group, "format", SCENE_FORMAT));
    LR_TRY(hdf5_write_integer(writer, group, "aspects", scene->rows.n_aspect));
    LR_TRY(hdf5_write_integer(writer, group, "escaped", scene->escaped));
    LR_TRY(hdf5_write_integer(writer, group, "external", scene->external));
    LR_TRY(write_gas(writer, result));
    LR_TRY(hdf5_write_doubles(writer, group, "sky", (hsize_t)channels->n, LIGHT_PARTS, 0, scene->sky, "1/(cm3 sr)",
                              "external light: photons per second, area, steradian and unit radio velocity (cm/s) "
                              "[channel, part of the channel]"));
    LR_TRY(write_glows(writer, result));
    if (scene->n_point > 0)
        LR_TRY(write_points(writer, group, scene));
    if (scene->n_plane > 0)
        LR_TRY(write_planes(writer, group, scene));
    return write_cameras(writer, scene);
}
