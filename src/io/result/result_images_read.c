/* The group /images of a result file: cubes, and how they are presented. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "io/result/result_read.h"
#include "io/yaml/yaml_tree.h"
#include "model/cube_unit.h"

static const double cm_per_km = 1e5;

/* ---- how they are shown ---- */

static enum lr_status read_unit(const struct hdf5_reader *reader, enum brightness_unit *unit)
{
    char name[64] = "";
    int n = 0;
    LR_TRY(hdf5_read_texts(reader, "/images", "fits_unit", 1, sizeof name, name, &n));
    for (int i = UNIT_KELVIN; i <= UNIT_PHOTON; i++)
        if (strcmp(name, cube_unit_name((enum brightness_unit)i)) == 0) {
            *unit = (enum brightness_unit)i;
            return LR_OK;
        }
    return hdf5_read_fail(reader, "/images", "has an unknown unit");
}

/* Which additional files the model requested is only in its text. */
static void read_wishes(const struct yaml_node *model, struct image_options *image)
{
    const struct yaml_node *map = yaml_find(model, "image");
    image->spectrum = true;
    const struct {
        const char *key;
        bool *value;
    } wishes[] = {{"moments", &image->moments}, {"peak", &image->peak}, {"spectrum", &image->spectrum}};
    for (size_t i = 0; map && i < sizeof wishes / sizeof *wishes; i++) {
        const struct yaml_node *node = yaml_find(map, wishes[i].key);
        if (node && node->kind == YAML_SCALAR)
            *wishes[i].value = strcmp(node->text, "true") == 0;
    }
}

static enum lr_status read_options(const struct hdf5_reader *reader, struct image_options *image)
{
    int flag = 0;
    LR_TRY(read_unit(reader, &image->unit));
    LR_TRY(hdf5_read_integer(reader, "/images", "background_subtracted", 0, 1, &flag));
    image->subtract = flag;
    LR_TRY(hdf5_read_number(reader, "/images", "velocity", -LR_LIGHT_SPEED, LR_LIGHT_SPEED, &image->velocity));
    LR_TRY(hdf5_read_numbers(reader, "/images", "sky", 2, image->sky));
    if (hdf5_read_has_attribute(reader, "/images", "distance"))
        LR_TRY(hdf5_read_number(reader, "/images", "distance", 0.0, INFINITY, &image->distance));
    if (hdf5_read_has_attribute(reader, "/images", "beam"))
        LR_TRY(hdf5_read_numbers(reader, "/images", "beam", 3, image->beam));
    return LR_OK;
}

/* ---- cubes ---- */

static enum lr_status read_channels(const struct hdf5_reader *reader, const char *group, struct channels *channels)
{
    char name[128];
    double *edges = NULL;
    int n = 0;
    snprintf(name, sizeof name, "%s/velocity_edges", group);
    LR_TRY(hdf5_read_length(reader, name, 1, MAX_CHANNEL + 2, &n));
    enum lr_status status = hdf5_read_doubles(reader, name, 1, &n, -INFINITY, &edges);
    if (status == LR_OK && (n < 2 || !(edges[n - 1] > edges[0])))
        status = hdf5_read_fail(reader, name, "does not increase");
    if (status == LR_OK)
        *channels = (struct channels){
            .n = n - 1, .first = edges[0] * cm_per_km, .width = (edges[n - 1] - edges[0]) / (n - 1) * cm_per_km};
    free(edges);
    return status;
}

/* Numbers that may be too small or too large for float are in units of *scale, which is chosen if it is 0. */
static enum lr_status read_scaled(const struct hdf5_reader *reader, const char *name, const int *shape, float **values,
                                  double *scale)
{
    const size_t n = (size_t)shape[0] * (size_t)shape[1] * (size_t)shape[2];
    void *wide = NULL;
    enum lr_status status = hdf5_read_array(reader, name, 3, shape, H5T_NATIVE_DOUBLE, &wide);
    const double *found = wide;
    double largest = 0.0;
    for (size_t i = 0; status == LR_OK && i < n; i++)
        largest = fmax(largest, fabs(found[i]));
    if (*scale == 0.0)
        *scale = largest > 0.0 && !(largest >= 1e-30 && largest <= 1e30) ? largest : 1.0;
    if (status == LR_OK)
        status = lr_allocate(reader->ctx, n, sizeof **values, values);
    for (size_t i = 0; status == LR_OK && i < n; i++)
        (*values)[i] = (float)(found[i] / *scale);
    free(wide);
    return status;
}

/* The map of the column density, and the centroids of the channels, of molecules. */
static enum lr_status read_column(const struct hdf5_reader *reader, const char *group, struct cube *cube,
                                  struct image_options *image)
{
    const int map[3] = {1, cube->camera.pixels[1], cube->camera.pixels[0]}, path[2] = {cube->channels.n, 2};
    char name[128];
    snprintf(name, sizeof name, "%s/column", group);
    if (hdf5_read_has(reader, name)) {
        LR_TRY(read_scaled(reader, name, map, &cube->column, &cube->column_unit));
        image->column = true;
    }
    snprintf(name, sizeof name, "%s/centroid", group);
    if (!hdf5_read_has(reader, name))
        return LR_OK;
    void *centroid = NULL;
    const enum lr_status status = hdf5_read_array(reader, name, 2, path, H5T_NATIVE_DOUBLE, &centroid);
    cube->centroid = centroid;
    return status;
}

/* The numbers of the summary; unknown ones are not in the file. `stimulated`: whether there is stimulated emission. */
static enum lr_status read_report(const struct hdf5_reader *reader, const char *group, bool stimulated,
                                  struct cube *cube)
{
    struct lr_image *report = &cube->report;
    const struct {
        const char *name;
        double *value;
    } numbers[] = {{"depth_mean", &report->depth.mean},
                   {"depth_largest", &report->depth.largest},
                   {"depth_mean_without_stimulated_emission", &report->bare.mean},
                   {"depth_largest_without_stimulated_emission", &report->bare.largest},
                   {"correlation_with_column", &report->correlation},
                   {"centroid_shift", &report->shift},
                   {"image_flux", &cube->check.image.value},
                   {"image_flux_error", &cube->check.image.error},
                   {"packet_flux", &cube->check.packets.value},
                   {"packet_flux_error", &cube->check.packets.error},
                   {"packet_angle", &cube->check.angle},
                   {"flux_deviation", &cube->check.deviation}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i].value = NAN;
        if (hdf5_read_has_attribute(reader, group, numbers[i].name) &&
            hdf5_read_any_number(reader, group, numbers[i].name, numbers[i].value) == LR_OK)
            snprintf(report->camera, sizeof report->camera, "%s", cube->camera.name);
    }
    report->near = cube->camera.kind == CAMERA_PERSPECTIVE;
    report->stimulated = stimulated;
    if (!isfinite(cube->check.angle))
        cube->check.angle = 0.0;
    int n = 0;
    if (hdf5_read_has_attribute(reader, group, "flux_not_compared"))
        LR_TRY(hdf5_read_texts(reader, group, "flux_not_compared", 1, sizeof cube->check.missing, cube->check.missing,
                               &n));
    return LR_OK;
}

static enum lr_status read_arrays(const struct hdf5_reader *reader, const char *group, struct cube *cube,
                                  struct image_options *image)
{
    const int shape[3] = {cube->channels.n, cube->camera.pixels[1], cube->camera.pixels[0]};
    char name[128];
    snprintf(name, sizeof name, "%s/intensity", group);
    LR_TRY(read_scaled(reader, name, shape, &cube->intensity, &cube->scale));
    snprintf(name, sizeof name, "%s/error", group);
    if (hdf5_read_has(reader, name)) {
        LR_TRY(read_scaled(reader, name, shape, &cube->error, &cube->scale));
        image->errors = true;
    }
    snprintf(name, sizeof name, "%s/optical_depth", group);
    if (hdf5_read_has(reader, name)) {
        LR_TRY(hdf5_read_floats(reader, name, 3, shape, &cube->optical_depth));
        image->optical_depth = true;
    }
    return read_column(reader, group, cube, image);
}

static enum lr_status read_cube(const struct hdf5_reader *reader, const char *group, bool stimulated, struct cube *cube,
                                struct image_options *image)
{
    double pixels[2] = {0.0, 0.0};
    LR_TRY(result_camera_read(reader, group, &cube->camera));
    LR_TRY(hdf5_read_numbers(reader, group, "pixels", 2, pixels));
    for (int i = 0; i < 2; i++) {
        if (!(pixels[i] >= 1.0 && pixels[i] <= MAX_PIXEL))
            return hdf5_read_fail(reader, group, "has an impossible number of pixels");
        cube->camera.pixels[i] = (int)pixels[i];
    }
    if (hdf5_read_has_attribute(reader, group, "rays"))
        LR_TRY(hdf5_read_integer(reader, group, "rays", 0, INT_MAX, &cube->camera.rays));
    LR_TRY(hdf5_read_number(reader, group, "nu0", 0.0, INFINITY, &cube->nu0));
    LR_TRY(hdf5_read_number(reader, group, "background", 0.0, INFINITY, &cube->background));
    LR_TRY(hdf5_read_number(reader, group, "seconds", 0.0, INFINITY, &cube->seconds));
    LR_TRY(read_channels(reader, group, &cube->channels));
    LR_TRY(read_report(reader, group, stimulated, cube));
    return read_arrays(reader, group, cube, image);
}

/* ---- the group ---- */

struct names {
    int n;
    char name[MAX_CAMERA][sizeof((struct camera *)0)->name];
};

static herr_t add_name(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    struct names *names = user;
    (void)group;
    (void)info;
    if (names->n < MAX_CAMERA && strlen(name) < sizeof names->name[0])
        strcpy(names->name[names->n++], name);
    return 0;
}

/* In the order of the cameras of the model, if known: HDF5 lists them by name. */
static void sort_as_model(const struct yaml_node *model, lr_result *result)
{
    const struct yaml_node *cameras = yaml_find(model, "cameras");
    int next = 0;
    for (const struct yaml_node *node = cameras ? cameras->first : NULL; node && next < result->n_cube;
         node = node->next) {
        const struct yaml_node *name = yaml_find(node, "name");
        for (int i = next; name && name->text && i < result->n_cube; i++)
            if (strcmp(result->cube[i].camera.name, name->text) == 0) {
                const struct cube swap = result->cube[next];
                result->cube[next++] = result->cube[i];
                result->cube[i] = swap;
                break;
            }
    }
}

static enum lr_status read_cubes(const struct hdf5_reader *reader, lr_result *result)
{
    const bool stimulated = !result->populations || result->populations->stimulated;
    struct names *names = NULL;
    LR_TRY(lr_allocate(reader->ctx, 1, sizeof *names, &names));
    enum lr_status status = LR_OK;
    if (H5Literate_by_name(reader->file, "/images", H5_INDEX_NAME, H5_ITER_INC, NULL, add_name, names, H5P_DEFAULT) < 0)
        status = hdf5_read_fail(reader, "/images", "cannot be read");
    if (status == LR_OK)
        status = lr_allocate(reader->ctx, (size_t)names->n, sizeof *result->cube, &result->cube);
    for (int i = 0; i < names->n && status == LR_OK; i++) {
        char group[96];
        snprintf(group, sizeof group, "/images/%s", names->name[i]);
        strcpy(result->cube[i].camera.name, names->name[i]);
        result->n_cube++;
        status = read_cube(reader, group, stimulated, &result->cube[i], &result->image);
    }
    free(names);
    return status;
}

enum lr_status result_images_read(const struct hdf5_reader *reader, lr_result *result)
{
    const char *resolved = result->model_resolved;
    struct yaml_tree *tree = NULL;
    if (!hdf5_read_has(reader, "/images"))
        return LR_OK;
    enum lr_status status = read_options(reader, &result->image);
    if (status == LR_OK && resolved)
        status = yaml_parse(reader->ctx, reader->path, resolved, strlen(resolved), &tree);
    const struct yaml_node *model = tree ? tree->root : NULL;
    if (status == LR_OK) {
        read_wishes(model, &result->image);
        status = read_cubes(reader, result);
    }
    if (status == LR_OK)
        sort_as_model(model, result);
    yaml_free(tree);
    return status;
}
