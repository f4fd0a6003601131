/* A turbulent cloud as a model file: HDF5, format "linerad-model", a uniform mesh centred on the origin and one dataset
 * of float32 for every field, with its units. */
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "io/files/output_path.h"
#include "io/hdf5/hdf5_write.h"
#include "io/result/result_path.h"
#include "model/cloud.h"

#define MODEL_FORMAT "linerad-model"
enum { MODEL_VERSION = 1 };

/* Models of the same format made by others must not be overwritten. */
#define GENERATOR "linerad cloud"

static bool is_cloud(const char *path)
{
    return result_path_says(path, "generator", GENERATOR);
}

static const struct output_kind model_kind = {"cloud of 'linerad cloud'", is_cloud};

enum lr_status lr_cloud_path_check(lr_context *ctx, const char *path)
{
    char *resolved = NULL;
    LR_TRY(output_path_resolve(ctx, path, &model_kind, &resolved));
    enum lr_status status = output_path_try(ctx, resolved);
    if (status == LR_OK && output_path_taken(resolved))
        lr_log(ctx, LR_LOG_INFO, "%s exists; this earlier cloud will be replaced", path);
    free(resolved);
    return status;
}

static enum lr_status write_mesh(struct hdf5_writer *writer, const struct lr_cloud_options *options)
{
    hid_t group = -1;
    const double half = 0.5 * options->size / LR_PARSEC;
    const double lower[3] = {-half, -half, -half}, upper[3] = {half, half, half};
    const int32_t cells[3] = {options->cells, options->cells, options->cells};
    const struct hdf5_dataset counts = {.name = "cells",
                                        .rank = 1,
                                        .size = {3},
                                        .memory_type = H5T_NATIVE_INT32,
                                        .file_type = H5T_STD_I32LE,
                                        .data = cells,
                                        .units = "1",
                                        .description = "cells along x, y and z"};
    LR_TRY(hdf5_write_group(writer, "/mesh", &group));
    enum lr_status status = hdf5_write_text(writer, group, "kind", "uniform");
    if (status == LR_OK)
        status = hdf5_write_doubles(writer, group, "lower", 3, 0, 0, lower, "pc", "lower corner");
    if (status == LR_OK)
        status = hdf5_write_doubles(writer, group, "upper", 3, 0, 0, upper, "pc", "upper corner");
    if (status == LR_OK)
        status = hdf5_write_dataset(writer, group, &counts, NULL);
    H5Gclose(group);
    return status;
}

static enum lr_status write_fields(struct hdf5_writer *writer, const lr_cloud *cloud)
{
    hid_t group = -1;
    const hsize_t n = (hsize_t)cloud->options.cells;
    LR_TRY(hdf5_write_group(writer, "/fields", &group));
    enum lr_status status = LR_OK;
    for (int i = 0; i < N_CLOUD_FIELD && status == LR_OK; i++) {
        const struct hdf5_dataset dataset = {.name = cloud_field_texts[i].name,
                                             .rank = 3,
                                             .size = {n, n, n},
                                             .memory_type = H5T_NATIVE_FLOAT,
                                             .file_type = H5T_IEEE_F32LE,
                                             .data = cloud->field[i],
                                             .units = cloud_field_texts[i].units,
                                             .description = cloud_field_texts[i].description};
        status = hdf5_write_dataset(writer, group, &dataset, NULL);
    }
    H5Gclose(group);
    return status;
}

/* How it was made, so that it can be reproduced. */
static enum lr_status write_origin(struct hdf5_writer *writer, const lr_cloud *cloud)
{
    const struct lr_cloud_options *o = &cloud->options;
    const struct {
        const char *name, *units;
        double value;
    } numbers[] = {{"size", "cm", o->size},
                   {"sigma_v", "cm s-1", o->sigma_v},
                   {"velocity_slope", "1", o->velocity_slope},
                   {"solenoidal", "1", o->solenoidal},
                   {"mean_density", "cm-3", o->mean_density},
                   {"density_width", "1", o->density_width},
                   {"density_slope", "1", o->density_slope},
                   {"mean_temperature", "K", o->mean_temperature},
                   {"min_temperature", "K", o->min_temperature},
                   {"max_temperature", "K", o->max_temperature},
                   {"temperature_index", "1", o->temperature_index},
                   {"transition_density", "cm-3", o->transition_density},
                   {"mean_co", "cm-3", o->mean_co},
                   {"mean_oh", "cm-3", o->mean_oh}};
    hid_t group = -1;
    LR_TRY(hdf5_write_group(writer, "/cloud", &group));
    enum lr_status status = hdf5_write_unsigned(writer, group, "seed", o->seed);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == LR_OK; i++)
        status = hdf5_write_quantity(writer, group, numbers[i].name, numbers[i].value, numbers[i].units);
    if (status == LR_OK)
        status = hdf5_write_text(writer, group, "linerad_version", lr_version());
    H5Gclose(group);
    return status;
}

static enum lr_status write_all(struct hdf5_writer *writer, const lr_cloud *cloud)
{
    LR_TRY(hdf5_write_text(writer, writer->file, "format", MODEL_FORMAT));
    LR_TRY(hdf5_write_integer(writer, writer->file, "version", MODEL_VERSION));
    LR_TRY(hdf5_write_text(writer, writer->file, "generator", GENERATOR));
    LR_TRY(hdf5_write_text(writer, writer->file, "title", "turbulent cloud"));
    LR_TRY(write_mesh(writer, &cloud->options));
    LR_TRY(write_fields(writer, cloud));
    return write_origin(writer, cloud);
}

enum lr_status lr_cloud_write(lr_context *ctx, const lr_cloud *cloud, const char *path)
{
    char *resolved = NULL;
    struct hdf5_writer writer;
    LR_TRY(output_path_resolve(ctx, path, &model_kind, &resolved));
    struct file_set set = {.ctx = ctx};
    enum lr_status status = hdf5_write_open(&set, resolved, &writer);
    if (status == LR_OK)
        status = hdf5_write_close(&writer, write_all(&writer, cloud));
    status = file_set_end(&set, status);
    free(resolved);
    return status;
}
