/* The result file, described in docs/result_format.md. */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>

#include "base/constants.h"
#include "io/files/output_path.h"
#include "io/fits/cube_write.h"
#include "io/hdf5/hdf5_write.h"
#include "io/result/result_groups.h"
#include "io/result/result_path.h"
#include "io/result/stored_file.h"

enum { RESULT_FORMAT_VERSION = 1 };

static const char *const axis_name[3] = {"x", "y", "z"};
static const char *const face_name[N_FACE] = {"x-", "x+", "y-", "y+", "z-", "z+"};

/* ---- /spectrum ---- */

/* Radio convention: v = -x b, positive = receding. */
static enum lr_status write_velocity_edges(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    const double cm_per_km = 1e5;
    double *velocity = NULL;
    LR_TRY(lr_allocate(writer->ctx, (size_t)result->n_bin + 1, sizeof *velocity, &velocity));
    for (int i = 0; i <= result->n_bin; i++)
        velocity[i] = -result->x_edge[i] * result->summary.reference_b / cm_per_km;
    enum lr_status status =
        hdf5_write_doubles(writer, group, "velocity_edges", (hsize_t)result->n_bin + 1, 0, 0, velocity, "km/s",
                           "bin edges as radio velocity, positive = receding, in the order of x_edges");
    free(velocity);
    return status;
}

static enum lr_status write_face(struct hdf5_writer *writer, hid_t group, const char *name, hsize_t n_bin,
                                 const double *data, const char *description)
{
    const struct hdf5_dataset dataset = {.name = name,
                                         .rank = 2,
                                         .size = {N_FACE, n_bin},
                                         .memory_type = H5T_NATIVE_DOUBLE,
                                         .file_type = H5T_IEEE_F64LE,
                                         .data = data,
                                         .units = "1/s",
                                         .description = description};
    hid_t id = -1;
    LR_TRY(hdf5_write_dataset(writer, group, &dataset, &id));
    enum lr_status status = hdf5_write_texts(writer, id, "faces", face_name, N_FACE);
    H5Dclose(id);
    return status;
}

/* n + 1 evenly spaced values as an attribute. */
static enum lr_status write_even_edges(struct hdf5_writer *writer, hid_t object, const char *name, double first,
                                       double last, int n)
{
    double *edges = NULL;
    LR_TRY(lr_allocate(writer->ctx, (size_t)n + 1, sizeof *edges, &edges));
    for (int i = 0; i <= n; i++)
        edges[i] = i == n ? last : first + (last - first) * i / n;
    enum lr_status status = hdf5_write_numbers(writer, object, name, edges, n + 1);
    free(edges);
    return status;
}

static enum lr_status write_direction(struct hdf5_writer *writer, hid_t group, const char *name,
                                      const struct lr_result *result, const double *data, const char *description)
{
    const struct hdf5_dataset dataset = {
        .name = name,
        .rank = 3,
        .size = {(hsize_t)result->n_mu, (hsize_t)result->n_phi, (hsize_t)result->n_bin},
        .memory_type = H5T_NATIVE_DOUBLE,
        .file_type = H5T_IEEE_F64LE,
        .data = data,
        .units = "1/(s sr)",
        .description = description};
    hid_t id = -1;
    enum lr_status status = LR_OK;
    LR_TRY(hdf5_write_dataset(writer, group, &dataset, &id));
    LR_TRY_OR(done, status, hdf5_write_text(writer, id, "axis", axis_name[result->axis]));
    LR_TRY_OR(done, status, write_even_edges(writer, id, "mu_edges", -1.0, 1.0, result->n_mu));
    LR_TRY_OR(done, status, write_even_edges(writer, id, "phi_edges", 0.0, 2.0 * LR_PI, result->n_phi));
done:
    H5Dclose(id);
    return status;
}

static enum lr_status write_spectrum(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    const hsize_t n = (hsize_t)result->n_bin;
    LR_TRY(
        hdf5_write_doubles(writer, group, "x_edges", n + 1, 0, 0, result->x_edge, "1",
                           "bin edges, (nu - nu0) / nu_D in the mesh frame, Doppler units of reference_b, positive = "
                           "blue"));
    LR_TRY(write_velocity_edges(writer, group, result));
    LR_TRY(hdf5_write_doubles(writer, group, "total", n, 0, 0, result->total.value, "1/s",
                              "escaped photons per second and unit x"));
    LR_TRY(hdf5_write_doubles(writer, group, "total_error", n, 0, 0, result->total.error, "1/s",
                              "one standard error of total"));
    if (result->face.value) {
        LR_TRY(write_face(writer, group, "face", n, result->face.value,
                          "escaped photons per second and unit x through each face"));
        LR_TRY(write_face(writer, group, "face_error", n, result->face.error, "one standard error of face"));
    }
    if (result->direction.value) {
        LR_TRY(write_direction(writer, group, "direction", result, result->direction.value,
                               "escaped photons per second, unit x and steradian, by direction of flight"));
        LR_TRY(write_direction(writer, group, "direction_error", result, result->direction.error,
                               "one standard error of direction"));
    }
    LR_TRY(hdf5_write_number(writer, group, "reference_b_cm_s", result->summary.reference_b));
    LR_TRY(hdf5_write_number(writer, group, "outside", result->summary.outside.value));
    LR_TRY(hdf5_write_number(writer, group, "outside_error", result->summary.outside.error));
    return hdf5_write_text(writer, group, "outside_units", "1/s");
}

/* ---- /fields ---- */

static enum lr_status write_field(struct hdf5_writer *writer, hid_t group, const struct lr_result *result,
                                  const char *name, const double *data, const char *units, const char *description)
{
    const struct hdf5_dataset dataset = {.name = name,
                                         .memory_type = H5T_NATIVE_DOUBLE,
                                         .file_type = H5T_IEEE_F64LE,
                                         .data = data,
                                         .units = units,
                                         .description = description};
    return data ? result_field_write(writer, group, &result->mesh, 0, dataset) : LR_OK;
}

static enum lr_status write_fields(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    static const char intensity_units[] = "1/(s cm2 sr)", rate_units[] = "1/(s cm3)";
    LR_TRY(write_field(
        writer, group, result, "mean_intensity", result->mean_intensity.value, intensity_units,
        "mean intensity in photons, integrated over frequency, per cell [x, y, z], [shell] or [brick, x, y, z]"));
    LR_TRY(write_field(writer, group, result, "mean_intensity_error", result->mean_intensity.error, intensity_units,
                       "one standard error of mean_intensity"));
    LR_TRY(write_field(writer, group, result, "scattering_rate", result->scattering_rate.value, rate_units,
                       "scatterings per second and volume, per cell [x, y, z], [shell] or [brick, x, y, z]"));
    return write_field(writer, group, result, "scattering_rate_error", result->scattering_rate.error, rate_units,
                       "one standard error of scattering_rate");
}

/* ---- /packets ---- */

static enum lr_status write_packets(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    const struct packet_list *list = &result->packets;
    const hid_t real = H5T_NATIVE_DOUBLE, real_file = H5T_IEEE_F64LE;
    const hid_t integer = H5T_NATIVE_INT64, integer_file = H5T_STD_I64LE;
    const struct {
        const char *name;
        hsize_t width; /* 0: one value per packet */
        hid_t memory_type, file_type;
        const void *data;
        const char *units, *description;
    } columns[] = {
        {"id", 0, integer, integer_file, list->id, "1", "packet number; with the seed it identifies the history"},
        {"weight", 0, real, real_file, list->weight, "1/s", "photons per second carried"},
        {"shift", 0, real, real_file, list->shift, "cm/s",
         "Doppler shift c (nu - nu0) / nu0 in the mesh frame, positive = blue"},
        {"path", 0, real, real_file, list->path, "cm", "length of the path from emission to escape"},
        {"scatterings", 0, integer, integer_file, list->scatterings, "1", "number of scatterings"},
        {"face", 0, H5T_NATIVE_INT, H5T_STD_I8LE, list->face, "1", "face of escape, 0 to 5 = x-, x+, y-, y+, z-, z+"},
        {"position", 3, real, real_file, list->position, "cm",
         "where the packet left the mesh [x, y, z]; shells: z is outward"},
        {"direction", 3, real, real_file, list->direction, "1",
         "unit vector of flight [x, y, z]; shells: z is outward"},
        {"last_scattering", 3, real, real_file, list->last_scattering, "cm",
         "position of the last scattering, or of emission if it never scattered [x, y, z]"},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const struct hdf5_dataset dataset = {.name = columns[i].name,
                                             .rank = columns[i].width ? 2 : 1,
                                             .size = {(hsize_t)list->n, columns[i].width},
                                             .memory_type = columns[i].memory_type,
                                             .file_type = columns[i].file_type,
                                             .data = columns[i].data,
                                             .units = columns[i].units,
                                             .description = columns[i].description,
                                             .compress = true};
        if (dataset.data)
            LR_TRY(hdf5_write_dataset(writer, group, &dataset, NULL));
    }
    return LR_OK;
}

/* ---- /summary and /provenance ---- */

struct quantity {
    const char *name;
    double value;
    const char *units;
};

static enum lr_status write_quantities(struct hdf5_writer *writer, hid_t group, const struct quantity *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        LR_TRY(hdf5_write_quantity(writer, group, list[i].name, list[i].value, list[i].units));
    return LR_OK;
}

/* What only packets can measure. */
static enum lr_status write_measured(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    const struct lr_summary *s = &result->summary;
    const struct {
        const char *name;
        struct lr_estimate estimate;
        const char *units;
    } measured[] = {
        {"escaped", s->escaped, "1/s"},
        {"absorbed", s->absorbed, "1/s"},
        {"f_esc", s->f_esc, "1"},
        {"scatterings_per_packet", s->scatterings_per_packet, "1"},
        {"mean_path", s->mean_path, "1"},
        {"median_abs_x", s->median_abs_x, "1"},
        {"lower_quartile_abs_x", s->lower_quartile_abs_x, "1"},
        {"upper_quartile_abs_x", s->upper_quartile_abs_x, "1"},
        {"stuck", s->stuck, "1/s"},
        {"peak_abs_x", {s->peak_abs_x, s->peak_abs_x_error}, "1"},
        {"mean_velocity", s->mean_velocity, "km/s"},
        {"red_blue_ratio", s->red_blue_ratio, "1"},
        {"red_peak_velocity", s->red_peak_velocity, "km/s"},
        {"blue_peak_velocity", s->blue_peak_velocity, "km/s"},
    };
    const struct quantity exact[] = {
        {"half_size_x", result->half_size_x, "cm"},
        {"photon_energy", result->photon_energy, "erg"},
        {"roulette_balance", result->roulette_balance, "1/s"},
        {"scatterings_per_second", s->scatterings_per_second, "1/s"},
        {"scatterings_skipped", s->scatterings_skipped, "1"},
        {"x_crit", s->x_crit, "1"},
    };
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        char label[64];
        snprintf(label, sizeof label, "%s_error", measured[i].name);
        LR_TRY(hdf5_write_quantity(writer, group, measured[i].name, measured[i].estimate.value, measured[i].units));
        LR_TRY(hdf5_write_number(writer, group, label, measured[i].estimate.error));
    }
    LR_TRY(hdf5_write_integer(writer, group, "scatterings", s->scatterings));
    LR_TRY(hdf5_write_integer(writer, group, "asymmetric", s->asymmetric));
    return write_quantities(writer, group, exact, sizeof exact / sizeof *exact);
}

static enum lr_status write_summary(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    const struct lr_summary *s = &result->summary;
    const struct quantity always[] = {
        {"reference_b", s->reference_b, "cm/s"},          {"emitted", s->emitted, "1/s"},
        {"seconds_transport", s->seconds_transport, "s"}, {"seconds_images", s->seconds_images, "s"},
        {"seconds_total", s->seconds_total, "s"},
    };
    if (s->packets > 0)
        LR_TRY(write_measured(writer, group, result));
    LR_TRY(write_quantities(writer, group, always, sizeof always / sizeof *always));
    LR_TRY(hdf5_write_integer(writer, group, "packets", s->packets));
    LR_TRY(hdf5_write_integer(writer, group, "packets_requested", s->packets_requested));
    LR_TRY(hdf5_write_integer(writer, group, "packets_left", s->packets_left));
    LR_TRY(hdf5_write_integer(writer, group, "packets_stuck", s->packets_stuck));
    if (*s->until) {
        LR_TRY(hdf5_write_text(writer, group, "until", s->until));
        LR_TRY(hdf5_write_integer(writer, group, "until_reached", s->until_reached));
    }
    LR_TRY(hdf5_write_text(writer, group, "device", s->device));
    LR_TRY(hdf5_write_text(writer, group, "precision", s->precision));
    return hdf5_write_unsigned(writer, group, "seed", s->seed);
}

static enum lr_status write_provenance(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    const struct lr_summary *s = &result->summary;
    LR_TRY(hdf5_write_text(writer, group, "version", result->version));
    LR_TRY(hdf5_write_text(writer, group, "date", result->date));
    LR_TRY(hdf5_write_text(writer, group, "host", result->host));
    LR_TRY(hdf5_write_text(writer, group, "cpu", result->cpu));
    LR_TRY(hdf5_write_text(writer, group, "device", s->device));
    LR_TRY(hdf5_write_text(writer, group, "precision", s->precision));
    LR_TRY(hdf5_write_unsigned(writer, group, "seed", s->seed));
    LR_TRY(hdf5_write_integer(writer, group, "threads", result->threads));
    LR_TRY(hdf5_write_integer(writer, group, "batches", result->batches));
    LR_TRY(hdf5_write_integer(writer, group, "first_packet", result->first_packet));
    if (*result->print)
        LR_TRY(hdf5_write_text(writer, group, "print", result->print));
    LR_TRY(hdf5_write_quantity(writer, group, "seconds_transport", s->seconds_transport, "s"));
    LR_TRY(hdf5_write_quantity(writer, group, "seconds_total", s->seconds_total, "s"));
    if (*s->line)
        LR_TRY(hdf5_write_text(writer, group, "line", s->line));
    LR_TRY(hdf5_write_text_dataset(writer, group, "model", result->model_text ? result->model_text : "",
                                   "the model file as read, followed by the settings applied to it"));
    if (!result->model_resolved)
        return LR_OK;
    return hdf5_write_text_dataset(writer, group, "model_resolved", result->model_resolved,
                                   "the same model with the settings applied");
}

/* ---- the file ---- */

static enum lr_status write_group(struct hdf5_writer *writer, const char *name, result_group *write,
                                  const struct lr_result *result)
{
    hid_t group = -1;
    LR_TRY(hdf5_write_group(writer, name, &group));
    enum lr_status status = write(writer, group, result);
    H5Gclose(group);
    return status;
}

static enum lr_status write_all(struct hdf5_writer *writer, const struct lr_result *result)
{
    LR_TRY(hdf5_write_text(writer, writer->file, "format", RESULT_FORMAT));
    LR_TRY(hdf5_write_integer(writer, writer->file, "format_version", RESULT_FORMAT_VERSION));
    if (*result->run)
        LR_TRY(hdf5_write_text(writer, writer->file, "run_id", result->run));
    if (*result->summary.partial)
        LR_TRY(hdf5_write_text(writer, writer->file, "partial", result->summary.partial));
    LR_TRY(write_group(writer, "/summary", write_summary, result));
    LR_TRY(write_group(writer, "/provenance", write_provenance, result));
    if (result->n_bin > 0)
        LR_TRY(write_group(writer, "/spectrum", write_spectrum, result));
    if (mesh_cell_count(&result->mesh) > 0)
        LR_TRY(write_group(writer, "/mesh", result_mesh_write, result));
    if (result->mean_intensity.value || result->scattering_rate.value)
        LR_TRY(write_group(writer, "/fields", write_fields, result));
    if (result->populations)
        LR_TRY(write_group(writer, "/populations", result_populations_write, result));
    if (result->sums.n > 0)
        LR_TRY(stored_write(writer, "/sums", &result->sums, true));
    if (result->packets.n > 0)
        LR_TRY(write_group(writer, "/packets", write_packets, result));
    if (result->n_cube > 0)
        LR_TRY(write_group(writer, "/images", result_images_write, result));
    if (result->scene)
        LR_TRY(write_group(writer, "/scene", result_scene_write, result));
    return LR_OK;
}

static enum lr_status add_to(struct file_set *set, const lr_result *result, const char *path, bool *replaces)
{
    char *resolved = NULL;
    struct hdf5_writer writer;
    LR_TRY(result_path_resolve(set->ctx, path, &resolved));
    *replaces = output_path_taken(resolved);
    enum lr_status status = hdf5_write_open(set, resolved, &writer);
    if (status == LR_OK)
        status = hdf5_write_close(&writer, write_all(&writer, result));
    free(resolved);
    return status;
}

static void report(lr_context *ctx, const char *path, bool replaced)
{
    if (replaced)
        lr_log(ctx, LR_LOG_INFO, "%s: the earlier result was replaced", path);
}

enum lr_status lr_result_write(lr_context *ctx, const lr_result *result, const char *path)
{
    struct file_set set = {.ctx = ctx};
    bool replaces = false;
    const enum lr_status status = file_set_end(&set, add_to(&set, result, path, &replaces));
    if (status == LR_OK)
        report(ctx, path, replaces);
    return status;
}

enum lr_status lr_result_write_all(lr_context *ctx, const lr_result *result, const char *path, const char *prefix,
                                   char **paths)
{
    struct file_set set = {.ctx = ctx};
    bool replaces = false;
    int n_replaced = 0;
    char *made = NULL;
    enum lr_status status = add_to(&set, result, path, &replaces);
    if (status == LR_OK)
        status = cube_set_write(&set, result, prefix, &made, &n_replaced);
    status = file_set_end(&set, status);
    if (status == LR_OK) {
        report(ctx, path, replaces);
        cube_set_report(ctx, result, prefix, n_replaced);
    }
    if (status == LR_OK && paths)
        *paths = made;
    else
        free(made);
    return status;
}
