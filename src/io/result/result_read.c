/* lr_result_read: a result file back into memory, all of it but the scene (scene_read.c reads that). */
#include "io/result/result_read.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/result/model_same.h"
#include "io/result/result_path.h"
#include "io/result/stored_file.h"

enum lr_status result_field_read(const struct hdf5_reader *reader, const struct mesh *mesh, const char *name,
                                 int n_last, hid_t memory_type, void **values)
{
    int shape[MESH_MAX_RANK + 1];
    int rank = mesh_field_shape(mesh, shape);
    if (n_last > 0)
        shape[rank++] = n_last;
    return hdf5_read_has(reader, name) ? hdf5_read_array(reader, name, rank, shape, memory_type, values) : LR_OK;
}

/* A value and its error, NAME and NAME_error, of any shape. */
static enum lr_status read_measured(const struct hdf5_reader *reader, const char *name, int rank, const int *shape,
                                    struct measured *measured)
{
    char error[64];
    void *values = NULL, *errors = NULL;
    snprintf(error, sizeof error, "%s_error", name);
    if (!hdf5_read_has(reader, name))
        return LR_OK;
    enum lr_status status = hdf5_read_array(reader, name, rank, shape, H5T_NATIVE_DOUBLE, &values);
    if (status == LR_OK)
        status = hdf5_read_array(reader, error, rank, shape, H5T_NATIVE_DOUBLE, &errors);
    *measured = (struct measured){values, errors};
    return status;
}

/* ---- /spectrum and /fields ---- */

static enum lr_status read_direction(const struct hdf5_reader *reader, lr_result *result)
{
    enum { MOST_BINS = 1 << 20 };
    static const char *const axes[] = {"x", "y", "z"};
    char axis[4] = "";
    int n = 0;
    hsize_t size[3] = {0};
    if (!hdf5_read_has(reader, "/spectrum/direction"))
        return LR_OK;
    LR_TRY(hdf5_read_length(reader, "/spectrum/direction", 3, MOST_BINS, &result->n_mu));
    const hid_t id = H5Dopen2(reader->file, "/spectrum/direction", H5P_DEFAULT);
    const hid_t space = id >= 0 ? H5Dget_space(id) : -1;
    if (space >= 0) {
        H5Sget_simple_extent_dims(space, size, NULL);
        H5Sclose(space);
    }
    if (id >= 0)
        H5Dclose(id);
    if (size[1] < 1 || size[1] > MOST_BINS)
        return hdf5_read_fail(reader, "/spectrum/direction", "has the wrong shape");
    result->n_phi = (int)size[1];
    LR_TRY(hdf5_read_texts(reader, "/spectrum/direction", "axis", 1, sizeof axis, axis, &n));
    for (int i = 0; i < 3; i++)
        result->axis = strcmp(axis, axes[i]) == 0 ? i : result->axis;
    return read_measured(reader, "/spectrum/direction", 3, (const int[]){result->n_mu, result->n_phi, result->n_bin},
                         &result->direction);
}

static enum lr_status read_spectrum(const struct hdf5_reader *reader, lr_result *result)
{
    struct lr_summary *s = &result->summary;
    int n = 0;
    if (!hdf5_read_has(reader, "/spectrum"))
        return LR_OK;
    LR_TRY(hdf5_read_length(reader, "/spectrum/x_edges", 1, INT_MAX, &n));
    LR_TRY(hdf5_read_doubles(reader, "/spectrum/x_edges", 1, &n, -INFINITY, &result->x_edge));
    result->n_bin = n - 1;
    LR_TRY(read_measured(reader, "/spectrum/total", 1, &result->n_bin, &result->total));
    LR_TRY(read_measured(reader, "/spectrum/face", 2, (const int[]){N_FACE, result->n_bin}, &result->face));
    LR_TRY(hdf5_read_any_number(reader, "/spectrum", "outside", &s->outside.value));
    LR_TRY(hdf5_read_any_number(reader, "/spectrum", "outside_error", &s->outside.error));
    return read_direction(reader, result);
}

static enum lr_status read_fields(const struct hdf5_reader *reader, lr_result *result)
{
    int shape[MESH_MAX_RANK];
    const int rank = mesh_field_shape(&result->mesh, shape);
    LR_TRY(read_measured(reader, "/fields/mean_intensity", rank, shape, &result->mean_intensity));
    return read_measured(reader, "/fields/scattering_rate", rank, shape, &result->scattering_rate);
}

/* ---- /packets ---- */

static enum lr_status read_packets(const struct hdf5_reader *reader, lr_result *result)
{
    struct packet_list *list = &result->packets;
    int n = 0;
    if (!hdf5_read_has(reader, "/packets"))
        return LR_OK;
    LR_TRY(hdf5_read_length(reader, "/packets/weight", 1, INT_MAX, &n));
    const hid_t real = H5T_NATIVE_DOUBLE, integer = H5T_NATIVE_INT64;
    const struct {
        const char *name;
        int rank;
        hid_t type;
        void **values;
    } columns[] = {
        {"/packets/id", 1, integer, (void **)&list->id},
        {"/packets/weight", 1, real, (void **)&list->weight},
        {"/packets/shift", 1, real, (void **)&list->shift},
        {"/packets/path", 1, real, (void **)&list->path},
        {"/packets/scatterings", 1, integer, (void **)&list->scatterings},
        {"/packets/face", 1, H5T_NATIVE_INT, (void **)&list->face},
        {"/packets/position", 2, real, (void **)&list->position},
        {"/packets/direction", 2, real, (void **)&list->direction},
        {"/packets/last_scattering", 2, real, (void **)&list->last_scattering},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (hdf5_read_has(reader, columns[i].name))
            LR_TRY(hdf5_read_array(reader, columns[i].name, columns[i].rank, (const int[]){n, 3}, columns[i].type,
                                   columns[i].values));
    list->n = n;
    return LR_OK;
}

/* ---- /summary and /provenance ---- */

/* Whole numbers of 64 bits. */
static enum lr_status read_whole(const struct hdf5_reader *reader, const char *object, const char *name, hid_t type,
                                 void *value)
{
    const hid_t id = hdf5_read_has_attribute(reader, object, name)
                         ? H5Aopen_by_name(reader->file, object, name, H5P_DEFAULT, H5P_DEFAULT)
                         : -1;
    const hid_t space = id >= 0 ? H5Aget_space(id) : -1, stored = id >= 0 ? H5Aget_type(id) : -1;
    const bool good = space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && stored >= 0 &&
                      H5Tget_class(stored) == H5T_INTEGER && H5Aread(id, type, value) >= 0;
    if (stored >= 0)
        H5Tclose(stored);
    if (space >= 0)
        H5Sclose(space);
    if (id >= 0)
        H5Aclose(id);
    return good ? LR_OK : hdf5_read_fail(reader, object, "has an attribute that is missing or not an integer");
}

static enum lr_status read_estimate(const struct hdf5_reader *reader, const char *name, struct lr_estimate *estimate)
{
    char error[64];
    snprintf(error, sizeof error, "%s_error", name);
    LR_TRY(hdf5_read_any_number(reader, "/summary", name, &estimate->value));
    return hdf5_read_any_number(reader, "/summary", error, &estimate->error);
}

/* Not in files of version 0.1. */
static enum lr_status read_line_shape(const struct hdf5_reader *reader, struct lr_summary *s)
{
    const struct lr_estimate unknown = {NAN, NAN};
    int64_t asymmetric = 0;
    s->peak_abs_x_error = NAN;
    s->mean_velocity = s->red_blue_ratio = s->red_peak_velocity = s->blue_peak_velocity = unknown;
    if (!hdf5_read_has_attribute(reader, "/summary", "asymmetric"))
        return LR_OK;
    LR_TRY(read_whole(reader, "/summary", "asymmetric", H5T_NATIVE_INT64, &asymmetric));
    s->asymmetric = asymmetric != 0;
    LR_TRY(hdf5_read_any_number(reader, "/summary", "peak_abs_x_error", &s->peak_abs_x_error));
    LR_TRY(read_estimate(reader, "mean_velocity", &s->mean_velocity));
    LR_TRY(read_estimate(reader, "red_blue_ratio", &s->red_blue_ratio));
    LR_TRY(read_estimate(reader, "red_peak_velocity", &s->red_peak_velocity));
    return read_estimate(reader, "blue_peak_velocity", &s->blue_peak_velocity);
}

/* What only packets can measure. */
static enum lr_status read_estimates(const struct hdf5_reader *reader, lr_result *result)
{
    struct lr_summary *s = &result->summary;
    const struct {
        const char *name;
        struct lr_estimate *estimate;
    } measured[] = {{"escaped", &s->escaped},
                    {"absorbed", &s->absorbed},
                    {"f_esc", &s->f_esc},
                    {"scatterings_per_packet", &s->scatterings_per_packet},
                    {"mean_path", &s->mean_path},
                    {"median_abs_x", &s->median_abs_x},
                    {"lower_quartile_abs_x", &s->lower_quartile_abs_x},
                    {"upper_quartile_abs_x", &s->upper_quartile_abs_x}};
    const struct {
        const char *name;
        double *value;
    } exact[] = {{"peak_abs_x", &s->peak_abs_x},
                 {"half_size_x", &result->half_size_x},
                 {"photon_energy", &result->photon_energy},
                 {"roulette_balance", &result->roulette_balance},
                 {"scatterings_per_second", &s->scatterings_per_second}};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        LR_TRY(read_estimate(reader, measured[i].name, measured[i].estimate));
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        LR_TRY(hdf5_read_any_number(reader, "/summary", exact[i].name, exact[i].value));
    if (hdf5_read_has_attribute(reader, "/summary", "scatterings_skipped")) /* not in files of version 0.1 */
        LR_TRY(hdf5_read_any_number(reader, "/summary", "scatterings_skipped", &s->scatterings_skipped));
    if (hdf5_read_has_attribute(reader, "/summary", "x_crit"))
        LR_TRY(hdf5_read_any_number(reader, "/summary", "x_crit", &s->x_crit));
    if (hdf5_read_has_attribute(reader, "/summary", "stuck"))
        LR_TRY(read_estimate(reader, "stuck", &s->stuck));
    LR_TRY(read_line_shape(reader, s));
    return read_whole(reader, "/summary", "scatterings", H5T_NATIVE_INT64, &s->scatterings);
}

/* A number that older files lack, which is then unknown. */
static enum lr_status read_if_known(const struct hdf5_reader *reader, const char *name, double *value)
{
    *value = NAN;
    return hdf5_read_has_attribute(reader, "/summary", name) ? hdf5_read_any_number(reader, "/summary", name, value)
                                                             : LR_OK;
}

/* With run.until. Older files do not say that it was reached, but a run then ended early without being stopped. */
static enum lr_status read_until(const struct hdf5_reader *reader, struct lr_summary *s)
{
    int n = 0;
    s->until_reached = !*s->partial && s->packets < s->packets_requested;
    if (hdf5_read_has_attribute(reader, "/summary", "until"))
        LR_TRY(hdf5_read_texts(reader, "/summary", "until", 1, sizeof s->until, s->until, &n));
    return hdf5_read_has_attribute(reader, "/summary", "until_reached")
               ? hdf5_read_integer(reader, "/summary", "until_reached", 0, 1, &s->until_reached)
               : LR_OK;
}

static enum lr_status read_summary(const struct hdf5_reader *reader, lr_result *result)
{
    struct lr_summary *s = &result->summary;
    int n = 0;
    LR_TRY(read_whole(reader, "/summary", "packets", H5T_NATIVE_INT64, &s->packets));
    LR_TRY(read_whole(reader, "/summary", "packets_requested", H5T_NATIVE_INT64, &s->packets_requested));
    if (hdf5_read_has_attribute(reader, "/summary", "packets_left"))
        LR_TRY(read_whole(reader, "/summary", "packets_left", H5T_NATIVE_INT64, &s->packets_left));
    if (hdf5_read_has_attribute(reader, "/summary", "packets_stuck"))
        LR_TRY(read_whole(reader, "/summary", "packets_stuck", H5T_NATIVE_INT64, &s->packets_stuck));
    if (hdf5_read_has_attribute(reader, "/", "partial"))
        LR_TRY(hdf5_read_texts(reader, "/", "partial", 1, sizeof s->partial, s->partial, &n));
    LR_TRY(read_until(reader, s));
    LR_TRY(read_whole(reader, "/summary", "seed", H5T_NATIVE_UINT64, &s->seed));
    LR_TRY(hdf5_read_any_number(reader, "/summary", "reference_b", &s->reference_b));
    LR_TRY(read_if_known(reader, "emitted", &s->emitted));
    LR_TRY(hdf5_read_any_number(reader, "/summary", "seconds_transport", &s->seconds_transport));
    LR_TRY(read_if_known(reader, "seconds_images", &s->seconds_images));
    LR_TRY(hdf5_read_any_number(reader, "/summary", "seconds_total", &s->seconds_total));
    LR_TRY(hdf5_read_texts(reader, "/summary", "device", 1, sizeof s->device, s->device, &n));
    LR_TRY(hdf5_read_texts(reader, "/summary", "precision", 1, sizeof s->precision, s->precision, &n));
    if (hdf5_read_has_attribute(reader, "/provenance", "line"))
        LR_TRY(hdf5_read_texts(reader, "/provenance", "line", 1, sizeof s->line, s->line, &n));
    s->shells = result->mesh.kind == MESH_SHELLS;
    return s->packets > 0 ? read_estimates(reader, result) : LR_OK;
}

static enum lr_status read_provenance(const struct hdf5_reader *reader, lr_result *result)
{
    int n = 0;
    LR_TRY(hdf5_read_texts(reader, "/provenance", "version", 1, sizeof result->version, result->version, &n));
    LR_TRY(hdf5_read_texts(reader, "/provenance", "date", 1, sizeof result->date, result->date, &n));
    LR_TRY(hdf5_read_texts(reader, "/provenance", "host", 1, sizeof result->host, result->host, &n));
    LR_TRY(hdf5_read_texts(reader, "/provenance", "cpu", 1, sizeof result->cpu, result->cpu, &n));
    if (hdf5_read_has_attribute(reader, "/", "run_id"))
        LR_TRY(hdf5_read_texts(reader, "/", "run_id", 1, sizeof result->run, result->run, &n));
    LR_TRY(hdf5_read_integer(reader, "/provenance", "threads", 0, INT_MAX, &result->threads));
    LR_TRY(hdf5_read_integer(reader, "/provenance", "batches", 0, INT_MAX, &result->batches));
    if (hdf5_read_has_attribute(reader, "/provenance", "first_packet"))
        LR_TRY(read_whole(reader, "/provenance", "first_packet", H5T_NATIVE_INT64, &result->first_packet));
    if (hdf5_read_has_attribute(reader, "/provenance", "print"))
        LR_TRY(hdf5_read_texts(reader, "/provenance", "print", 1, sizeof result->print, result->print, &n));
    LR_TRY(hdf5_read_text(reader, "/provenance/model", &result->model_text));
    return hdf5_read_has(reader, "/provenance/model_resolved")
               ? hdf5_read_text(reader, "/provenance/model_resolved", &result->model_resolved)
               : LR_OK;
}

/* ---- the file ---- */

static enum lr_status read_all(const struct hdf5_reader *reader, lr_result *result)
{
    if (!result_path_has_format(reader->file))
        return lr_fail(reader->ctx, LR_ERROR_INPUT, "%s: not a linerad result", reader->path);
    if (hdf5_read_has(reader, "/mesh"))
        LR_TRY(result_mesh_read(reader, &result->mesh));
    LR_TRY(read_provenance(reader, result));
    LR_TRY(read_summary(reader, result));
    LR_TRY(read_spectrum(reader, result));
    LR_TRY(read_fields(reader, result));
    LR_TRY(result_populations_read(reader, result));
    LR_TRY(read_packets(reader, result));
    if (hdf5_read_has(reader, "/sums"))
        LR_TRY(stored_read(reader, "/sums", &result->sums));
    return result_images_read(reader, result);
}

enum lr_status lr_result_read(lr_context *ctx, const char *path, lr_result **made)
{
    struct hdf5_reader reader;
    lr_result *result = NULL;
    enum lr_status status = LR_OK;
    *made = NULL;
    LR_TRY(lr_allocate(ctx, 1, sizeof *result, &result));
    H5E_BEGIN_TRY
    {
        status = hdf5_read_open(ctx, path, &reader);
        if (status == LR_OK)
            status = read_all(&reader, result);
        hdf5_read_close(&reader);
    }
    H5E_END_TRY;
    if (status == LR_OK)
        *made = result;
    else
        lr_result_free(result);
    return status;
}

enum lr_status lr_result_same_model(lr_context *ctx, const lr_result *one, const lr_result *other)
{
    char *difference = NULL;
    if (!one->model_resolved || !other->model_resolved)
        return lr_fail(ctx, LR_ERROR_INPUT, "the result does not say of which model it is");
    LR_TRY(model_difference(ctx, one->model_resolved, other->model_resolved, true, &difference));
    if (!difference)
        return LR_OK;
    const enum lr_status status = lr_fail(ctx, LR_ERROR_INPUT, "the results are of different models: %s", difference);
    free(difference);
    return status;
}
