/* The images of a model, as `linerad check` describes them. */
#include "solve/report/report.h"

#include <math.h>

#include "base/constants.h"
#include "model/cube_unit.h"
#include "solve/imaging/image_depths.h"
#include "solve/imaging/recording.h"
#include "solve/imaging/trace.h"

static const double KM_S = 1e5; /* cm/s */
static const double DEGREE = LR_PI / 180.0;
static const double ARCSEC = LR_PI / 648000.0;

static void write_channels(FILE *out, const lr_model *model)
{
    const struct channels *channels = &model->channels;
    fprintf(out, "images        %d channels of %.5g km/s (%.3g b) from %.6g to %.6g km/s, receding positive, ",
            channels->n, channels->width / KM_S, channels->width / model->reference_b, channels->first / KM_S,
            (channels->first + channels->n * channels->width) / KM_S);
    if (channels->samples)
        fprintf(out, "%d frequencies in each\n", channels->samples);
    else
        fprintf(out, "automatic number of frequencies in each\n");
}

static void write_point(FILE *out, const double point[3], struct length_unit unit)
{
    fprintf(out, "[%.5g, %.5g, %.5g] %s", point[0] / unit.cm, point[1] / unit.cm, point[2] / unit.cm, unit.name);
}

static void write_camera(FILE *out, const lr_model *model, const struct camera *camera)
{
    const bool near = camera->kind == CAMERA_PERSPECTIVE;
    const struct length_unit mesh_unit = report_length_unit(mesh_size(&model->mesh, 0));
    const struct length_unit unit = near ? (struct length_unit){"deg", DEGREE} : report_length_unit(camera->field[0]);
    const double angle = cube_pixel_angle(camera, model->image.distance, 0);
    fprintf(out, "  %-11s ", camera->name);
    if (near) {
        fprintf(out, "at ");
        write_point(out, camera->position, mesh_unit);
    } else {
        fprintf(out, "toward [%.4g, %.4g, %.4g]", camera->toward[0], camera->toward[1], camera->toward[2]);
    }
    fprintf(out, ", up [%.4g, %.4g, %.4g], centre ", camera->up[0], camera->up[1], camera->up[2]);
    write_point(out, camera->centre, mesh_unit);
    fprintf(out, "\n              field %.5g x %.5g %s, %d x %d pixels of ", camera->field[0] / unit.cm,
            camera->field[1] / unit.cm, unit.name, camera->pixels[0], camera->pixels[1]);
    if (!near) {
        const struct length_unit small = report_length_unit(camera_pixel_size(camera));
        fprintf(out, "%.4g %s%s", camera_pixel_size(camera) / small.cm, small.name, angle > 0.0 ? " = " : "");
    }
    if (angle > 0.0)
        fprintf(out, "%.4g arcsec", angle / ARCSEC);
    if (camera->rays)
        fprintf(out, ", %d x %d rays in each\n", camera->rays, camera->rays);
    else
        fprintf(out, ", automatic number of rays\n");
}

static void write_unit(FILE *out, const struct image_options *image)
{
    fprintf(out, "  %-11s %s", "unit", cube_unit_name(image->unit));
    if (cube_has_beam(image))
        fprintf(out, ", beam %.4g x %.4g arcsec at %.4g deg", image->beam[0] / ARCSEC, image->beam[1] / ARCSEC,
                image->beam[2] / DEGREE);
    if (image->distance > 0.0) {
        const struct length_unit unit = report_length_unit(image->distance);
        fprintf(out, ", distance %.5g %s", image->distance / unit.cm, unit.name);
    }
    if (image->velocity != 0.0)
        fprintf(out, ", systemic velocity %.5g km/s", image->velocity / KM_S);
    if (image->background > 0.0)
        fprintf(out, ", background %.4g K%s", image->background, image->subtract ? " subtracted" : "");
    fprintf(out, "\n");
}

static void write_memory(FILE *out, const lr_model *model)
{
    const double mib = 1024.0 * 1024.0, value = sizeof(float);
    const struct image_options *image = &model->image;
    const struct light_rows rows = light_rows_make(&model->mesh, aspect_count(model));
    const double n_cell = (double)mesh_cell_count(&model->mesh), n_channel = model->channels.n;
    const int refined = channel_refinement(model), n_aspect = rows.n_aspect;
    const int n_sum = n_aspect > 1 ? 1 : model->n_camera; /* shared by all observers of shells */
    const int n_group = image->errors && model->run.packets > 0 ? IMAGE_GROUPS : 1;
    double pixels = 0.0, most = 0.0;
    for (int i = 0; i < model->n_camera; i++) {
        const double n = (double)model->camera[i].pixels[0] * model->camera[i].pixels[1];
        pixels += n;
        most = fmax(most, n);
    }
    fprintf(out, "  %-11s ", "memory");
    if (image->method == IMAGE_PEEL_OFF || model->run.packets == 0)
        fprintf(out, "no emissivity (%s)", image->method == IMAGE_PEEL_OFF ? "peel-off" : "no packets");
    else
        fprintf(out, "emissivity %.4g MiB: %.4g B per cell, channel%s",
                (double)rows.n * n_channel * refined * n_sum * value * n_group / mib,
                value * refined * (double)rows.n / n_cell, n_aspect > 1 ? "" : " and camera");
    if (refined > 1)
        fprintf(out, ", recorded in channels %d times narrower", refined);
    if (n_aspect > 1)
        fprintf(out, ", for %d angles between radius and observer", n_aspect);
    if (n_group > 1)
        fprintf(out, ", in %d groups for errors", n_group);
    fprintf(out, "; cubes %.4g MiB",
            pixels * n_channel * value * (1 + (image->errors ? 1 : 0) + (image->optical_depth ? 1 : 0)) / mib);
    /* Depths of all cameras; for a molecule, a depth and a dark image of one camera at a time, and the column
     * densities. */
    const double traced = image_report_other(model) ? 2 * most * n_channel : 0.0;
    const double depths = image->report && !image->optical_depth ? pixels * n_channel : 0.0;
    if (image->report)
        fprintf(out, ", plus %.4g MiB while image.report is made",
                (depths + traced + (model->species ? pixels : 0.0)) * value / mib);
    fprintf(out, "\n");
}

/* What is traced after the images: depths with the other opacity, at all frequencies, and a column density. */
static enum lr_status count_report(lr_context *ctx, const lr_model *model, int camera, double steps, double *more)
{
    const struct channels one = {.n = 1, .samples = 1};
    double column = 0.0;
    if (model->species && (model->image.report || model->image.column))
        LR_TRY(trace_count(ctx, &model->mesh, &model->medium, &one, &model->camera[camera], &column));
    *more += column + (image_report_other(model) ? steps : 0.0);
    return LR_OK;
}

/* Groups are traced one by one for the errors. */
static enum lr_status write_time(lr_context *ctx, FILE *out, const lr_model *model, double *seconds)
{
    const double rate_per_core = 2e8; /* cells and frequencies/s, typical of a recent core */
    const struct window whole = {.n_camera = model->n_camera, .n_channel = model->channels.n};
    const struct channels channels = recorded_channels(model, &whole);
    const bool errors = model->image.errors && model->run.packets > 0 && model->image.method == IMAGE_TWO_STEP;
    double sum = 0.0, more = 0.0;
    for (int i = 0; i < model->n_camera; i++) {
        double steps = 0.0;
        LR_TRY(trace_count(ctx, &model->mesh, &model->medium, &channels, &model->camera[i], &steps));
        steps *= model->group.n > 1 ? model->group.n : 1; /* a profile of each line */
        LR_TRY(count_report(ctx, model, i, steps, &more));
        sum += steps * (errors ? 1 + IMAGE_GROUPS : 1);
    }
    const double cores = report_cores(model);
    *seconds = (sum + more) / (rate_per_core * cores);
    fprintf(out, "  %-11s about %.2g s of ray tracing on %g CPU core%s", "time", *seconds, cores,
            cores == 1 ? "" : "s");
    if (more > 0.0)
        fprintf(out, ", of which %.2g s for %s", more / (rate_per_core * cores),
                model->image.report ? "image.report" : "image.column");
    fprintf(out, ", assuming %.1g cells and frequencies/s each\n", rate_per_core);
    return LR_OK;
}

enum lr_status report_images(lr_context *ctx, FILE *out, const lr_model *model, double *seconds)
{
    write_channels(out, model);
    for (int i = 0; i < model->n_camera; i++)
        write_camera(out, model, &model->camera[i]);
    write_unit(out, &model->image);
    write_memory(out, model);
    return write_time(ctx, out, model, seconds);
}
