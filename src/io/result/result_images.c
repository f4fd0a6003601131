/* /images: each cube as it was traced, without a beam, in CGS. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/result/result_groups.h"
#include "model/cube_unit.h"

enum lr_status result_camera_write(struct hdf5_writer *writer, hid_t object, const struct camera *camera)
{
    const bool near = camera->kind == CAMERA_PERSPECTIVE;
    const double pixels[2] = {camera->pixels[0], camera->pixels[1]};
    LR_TRY(hdf5_write_text(writer, object, "kind", near ? "perspective" : "orthographic"));
    LR_TRY(hdf5_write_numbers(writer, object, "toward", camera->toward, 3));
    LR_TRY(hdf5_write_numbers(writer, object, "right", camera->right, 3));
    LR_TRY(hdf5_write_numbers(writer, object, "up", camera->up, 3));
    LR_TRY(hdf5_write_numbers(writer, object, "centre", camera->centre, 3));
    LR_TRY(hdf5_write_text(writer, object, "centre_units", "cm"));
    if (near) {
        LR_TRY(hdf5_write_numbers(writer, object, "position", camera->position, 3));
        LR_TRY(hdf5_write_text(writer, object, "position_units", "cm"));
    }
    LR_TRY(hdf5_write_numbers(writer, object, "field", camera->field, 2));
    LR_TRY(hdf5_write_text(writer, object, "field_units", near ? "rad" : "cm"));
    LR_TRY(hdf5_write_numbers(writer, object, "pixels", pixels, 2));
    return hdf5_write_integer(writer, object, "rays", camera->rays);
}

/* Pixel edges from the image centre; those of a perspective camera are equally spaced in the tangent. */
static enum lr_status write_pixel_edges(struct hdf5_writer *writer, hid_t group, const struct camera *camera, int axis)
{
    static const char *const name[2] = {"x_edges", "y_edges"};
    static const char *const description[2] = {"pixel edges to the right, from the image centre",
                                               "pixel edges upward, from the image centre"};
    const bool near = camera->kind == CAMERA_PERSPECTIVE;
    const int n = camera->pixels[axis];
    double plane[2], *edges = NULL;
    camera_plane(camera, plane);
    LR_TRY(lr_allocate(writer->ctx, (size_t)n + 1, sizeof *edges, &edges));
    for (int i = 0; i <= n; i++) {
        const double offset = plane[axis] * ((double)i / n - 0.5);
        edges[i] = near ? atan(offset) : offset;
    }
    enum lr_status status = hdf5_write_doubles(writer, group, name[axis], (hsize_t)n + 1, 0, 0, edges,
                                               near ? "rad" : "cm", description[axis]);
    free(edges);
    return status;
}

static enum lr_status write_velocity_edges(struct hdf5_writer *writer, hid_t group, const struct channels *channels)
{
    const double cm_per_km = 1e5;
    double *edges = NULL;
    LR_TRY(lr_allocate(writer->ctx, (size_t)channels->n + 1, sizeof *edges, &edges));
    for (int i = 0; i <= channels->n; i++)
        edges[i] = (channels->first + i * channels->width) / cm_per_km;
    enum lr_status status =
        hdf5_write_doubles(writer, group, "velocity_edges", (hsize_t)channels->n + 1, 0, 0, edges, "km/s",
                           "channel edges as radio velocity in the frame of the mesh, positive = receding");
    free(edges);
    return status;
}

static enum lr_status write_column(struct hdf5_writer *writer, hid_t group, const struct cube *cube)
{
    const hsize_t size[3] = {1, (hsize_t)cube->camera.pixels[1], (hsize_t)cube->camera.pixels[0]};
    return hdf5_write_scaled(writer, group, "column", size, cube->column, cube->column_unit, "1/cm2",
                             "column density of the molecule, mean over pixel [1, y, x]");
}

/* The numbers of the summary; unknown ones are left out. */
static enum lr_status write_report(struct hdf5_writer *writer, hid_t group, const struct cube *cube)
{
    const struct lr_image *report = &cube->report;
    const struct {
        const char *name, *units;
        double value;
    } numbers[] = {{"depth_mean", "1", report->depth.mean},
                   {"depth_largest", "1", report->depth.largest},
                   {"depth_mean_without_stimulated_emission", "1", report->bare.mean},
                   {"depth_largest_without_stimulated_emission", "1", report->bare.largest},
                   {"correlation_with_column", "1", report->correlation},
                   {"centroid_shift", report->near ? "rad" : "cm", report->shift},
                   {"image_flux", "1/(s sr)", cube->check.image.value},
                   {"image_flux_error", "1/(s sr)", cube->check.image.error},
                   {"packet_flux", "1/(s sr)", cube->check.packets.value},
                   {"packet_flux_error", "1/(s sr)", cube->check.packets.error},
                   {"packet_angle", "rad", cube->check.angle > 0 ? cube->check.angle : (double)NAN},
                   {"flux_deviation", "1", cube->check.deviation}};
    if (!*report->camera) /* no report was made, as by `linerad image` */
        return LR_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (isfinite(numbers[i].value))
            LR_TRY(hdf5_write_quantity(writer, group, numbers[i].name, numbers[i].value, numbers[i].units));
    if (*cube->check.missing)
        LR_TRY(hdf5_write_text(writer, group, "flux_not_compared", cube->check.missing));
    return LR_OK;
}

static enum lr_status write_arrays(struct hdf5_writer *writer, hid_t group, const struct cube *cube)
{
    static const char units[] = "erg/(s cm2 Hz sr)";
    const hsize_t size[3] = {(hsize_t)cube->channels.n, (hsize_t)cube->camera.pixels[1],
                             (hsize_t)cube->camera.pixels[0]};
    LR_TRY(hdf5_write_scaled(writer, group, "intensity", size, cube->intensity, cube->scale, units,
                             "mean over pixel and channel [channel, y, x], before convolution with a beam"));
    if (cube->error)
        LR_TRY(hdf5_write_scaled(writer, group, "error", size, cube->error, cube->scale, units,
                                 "one standard error of intensity"));
    if (cube->optical_depth)
        LR_TRY(hdf5_write_scaled(writer, group, "optical_depth", size, cube->optical_depth, 1.0, "1",
                                 "optical depth of the mesh, mean over pixel and channel [channel, y, x]"));
    if (cube->column)
        LR_TRY(write_column(writer, group, cube));
    if (cube->centroid)
        LR_TRY(hdf5_write_doubles(writer, group, "centroid", (hsize_t)cube->channels.n, 2, 0, cube->centroid,
                                  cube->camera.kind == CAMERA_PERSPECTIVE ? "1" : "cm",
                                  "of the emission in each channel, from the image centre to the right and up"));
    return write_report(writer, group, cube);
}

static enum lr_status write_cube(struct hdf5_writer *writer, hid_t group, const struct cube *cube)
{
    LR_TRY(result_camera_write(writer, group, &cube->camera));
    LR_TRY(hdf5_write_quantity(writer, group, "nu0", cube->nu0, "Hz"));
    LR_TRY(hdf5_write_quantity(writer, group, "background", cube->background, "K"));
    LR_TRY(hdf5_write_quantity(writer, group, "seconds", cube->seconds, "s"));
    LR_TRY(write_velocity_edges(writer, group, &cube->channels));
    for (int axis = 0; axis < 2; axis++)
        LR_TRY(write_pixel_edges(writer, group, &cube->camera, axis));
    return write_arrays(writer, group, cube);
}

/* How the FITS files next to the result were made from these cubes. */
static enum lr_status write_options(struct hdf5_writer *writer, hid_t group, const struct image_options *options)
{
    LR_TRY(hdf5_write_text(writer, group, "fits_unit", cube_unit_name(options->unit)));
    LR_TRY(hdf5_write_integer(writer, group, "background_subtracted", options->subtract));
    LR_TRY(hdf5_write_quantity(writer, group, "velocity", options->velocity, "cm/s"));
    if (options->distance > 0.0)
        LR_TRY(hdf5_write_quantity(writer, group, "distance", options->distance, "cm"));
    LR_TRY(hdf5_write_numbers(writer, group, "sky", options->sky, 2));
    LR_TRY(hdf5_write_text(writer, group, "sky_units", "rad"));
    if (cube_has_beam(options)) {
        LR_TRY(hdf5_write_numbers(writer, group, "beam", options->beam, 3));
        LR_TRY(hdf5_write_text(writer, group, "beam_units", "rad"));
    }
    return LR_OK;
}

enum lr_status result_images_write(struct hdf5_writer *writer, hid_t group, const struct lr_result *result)
{
    LR_TRY(write_options(writer, group, &result->image));
    for (int i = 0; i < result->n_cube; i++) {
        char name[sizeof result->cube->camera.name + sizeof "/images/"];
        hid_t id = -1;
        snprintf(name, sizeof name, "/images/%s", result->cube[i].camera.name);
        LR_TRY(hdf5_write_group(writer, name, &id));
        enum lr_status status = write_cube(writer, id, &result->cube[i]);
        H5Gclose(id);
        LR_TRY(status);
    }
    return LR_OK;
}
