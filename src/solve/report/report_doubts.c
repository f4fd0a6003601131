/* Warnings of `linerad check` about models that are valid but hardly meant: channels that cut off the line, a beam
 * larger than the image, more memory than there is. */
#include <math.h>

#include "backend/backend.h"
#include "base/constants.h"
#include "base/context.h"
#include "model/cube_unit.h"
#include "model/field.h"
#include "model/line_group.h"
#include "model/medium.h"
#include "solve/report/report.h"

static const double KM_S = 1e5; /* cm/s */

/* ---- Channels ---- */

/* How many times wider than a Doppler profile the line is when it comes out. Scattered photons leave a slab at about
 * |x| = 0.9 (a tau_mean)^(1/3); emission saturates to where the depth is one. */
static double broadening(const lr_model *model)
{
    const struct field_range damping = field_measure(&model->medium.a, &model->mesh);
    double depth = 0.0;
    for (int axis = 0; axis < (model->mesh.kind == MESH_SHELLS ? 1 : 3); axis++)
        if (!mesh_is_endless(&model->mesh, axis))
            depth = fmax(depth, medium_line_centre_depth(model, axis, true));
    if (!(depth > 1.0))
        return 1.0;
    const double core = sqrt(log(depth));
    const double wings = model->run.packets > 0 ? 0.9 * cbrt(damping.mean * LR_SQRT_PI * depth)
                                                : sqrt(damping.mean * depth / LR_SQRT_PI);
    return fmax(1.0, fmax(core, wings));
}

/* The part of a line that lies more than `distance` to one side of its centre; negative distances are on the other
 * side. For scattered light, a fit to escaped spectra of slabs (tau_mean 200: 0.25 beyond 1.4 widths, 0.03 beyond 2.1).
 */
static double beyond(double distance, double width, bool scattered)
{
    if (!scattered)
        return 0.5 * erfc(distance / width);
    const double half = 0.5 * exp(-0.6 * pow(fabs(distance / width), 2.4));
    return distance < 0.0 ? 1.0 - half : half;
}

/* Sums over cells and, on shells, over directions, weighted with the number of absorbers. */
struct extent {
    double weight, outside, velocity, square;
};

static void add_profile(struct extent *sum, double weight, double velocity, double b, double wide,
                        const lr_model *model)
{
    const struct channels *channels = &model->channels;
    const double low = channels->first, high = low + channels->n * channels->width;
    const double width = b * wide;
    const bool scattered = model->run.packets > 0 && wide > 2.0;
    sum->weight += weight;
    sum->outside += weight * (beyond(high - velocity, width, scattered) + beyond(velocity - low, width, scattered));
    sum->velocity += weight * velocity;
    sum->square += weight * (velocity * velocity + 0.5 * width * width);
}

/* Of all lines that lie in the channels; others are named elsewhere (report_neighbours.c). */
static void add_profiles(struct extent *sum, double weight, double velocity, double b, double wide,
                         const lr_model *model)
{
    const struct channels *channels = &model->channels;
    if (model->group.n < 2)
        add_profile(sum, weight, velocity, b, wide, model);
    for (int m = 0; model->group.n > 1 && m < model->group.n; m++) {
        const struct line_member *member = &model->group.member[m];
        const double from = line_group_velocity(member);
        if (from >= channels->first && from <= channels->first + channels->n * channels->width)
            add_profile(sum, weight * member->abundance * member->g_upper * member->a_ul, velocity + from, b, wide,
                        model);
    }
}

static void add_cell(const lr_model *model, const struct camera *camera, int64_t cell, double wide, struct extent *sum)
{
    enum { N_MU = 8 };
    const struct medium *medium = &model->medium;
    const double b = field_at(&medium->b, cell);
    int at[3];
    double corner[3], other[3], toward[3], recession = 0.0, length = 0.0;
    mesh_cell_place(&model->mesh, cell, at);
    const double weight = field_at(&medium->alpha0, cell) * b * mesh_cell_volume(&model->mesh, at[0], at[1], at[2]);
    if (!(weight > 0.0))
        return;
    if (model->mesh.kind == MESH_SHELLS) {
        for (int i = 0; i < N_MU; i++)
            add_profiles(sum, weight / N_MU, field_at(&medium->velocity[0], cell) * ((2.0 * i + 1.0) / N_MU - 1.0), b,
                         wide, model);
        return;
    }
    mesh_cell_box(&model->mesh, at[0], at[1], at[2], corner, other);
    for (int d = 0; d < 3; d++) {
        toward[d] =
            camera->kind == CAMERA_PERSPECTIVE ? camera->position[d] - 0.5 * (corner[d] + other[d]) : camera->toward[d];
        length += toward[d] * toward[d];
        recession -= field_at(&medium->velocity[d], cell) * toward[d];
    }
    add_profiles(sum, weight, length > 0.0 ? recession / sqrt(length) : 0.0, b, wide, model);
}

static void doubt_channels(lr_context *ctx, const lr_model *model)
{
    const double matters = 0.02;
    const int64_t most = 1000000, n_cell = mesh_cell_count(&model->mesh), step = n_cell / most + 1;
    const double wide = broadening(model);
    const struct channels *channels = &model->channels;
    struct extent worst = {0};
    const char *name = "";
    for (int i = 0; i < model->n_camera; i++) {
        struct extent sum = {0};
        for (int64_t cell = 0; cell < n_cell; cell += step)
            add_cell(model, &model->camera[i], cell, wide, &sum);
        if (sum.outside * worst.weight > worst.outside * sum.weight || worst.weight == 0.0) {
            worst = sum;
            name = model->camera[i].name;
        }
    }
    if (!(worst.outside > matters * worst.weight) || worst.outside > 0.99 * worst.weight)
        return; /* channels that miss the line altogether are noticed when the model is read */
    const double mean = worst.velocity / worst.weight;
    const double reach = 3.0 * sqrt(fmax(worst.square / worst.weight - mean * mean, 0.0));
    lr_log(ctx, LR_LOG_WARNING,
           "the channels, %.4g to %.4g km/s, cut off the line: as seen by camera '%s' it extends from about %.3g to "
           "%.3g km/s, and about %.0f %% of it is outside",
           channels->first / KM_S, (channels->first + channels->n * channels->width) / KM_S, name,
           (mean - reach) / KM_S, (mean + reach) / KM_S, 100.0 * worst.outside / worst.weight);
}

/* ---- Beam ---- */

static void doubt_beam(lr_context *ctx, const lr_model *model)
{
    const double arcsec = LR_PI / 648000.0, beam = model->image.beam[0];
    for (int i = 0; cube_has_beam(&model->image) && i < model->n_camera; i++) {
        const struct camera *camera = &model->camera[i];
        double side = HUGE_VAL;
        for (int axis = 0; axis < 2; axis++)
            side = fmin(side, cube_pixel_angle(camera, model->image.distance, axis) * camera->pixels[axis]);
        if (beam > side) {
            lr_log(ctx, LR_LOG_WARNING,
                   "the beam of %.4g arcsec is larger than the image of camera '%s', %.4g arcsec: most of the light is "
                   "lost beyond its edge; use a larger field",
                   beam / arcsec, camera->name, side / arcsec);
            return;
        }
    }
}

/* ---- Memory ---- */

static void doubt_memory(lr_context *ctx, double bytes)
{
    const double gib = 1024.0 * 1024.0 * 1024.0;
    struct transport_device device;
    if (backend_cpu()->device_describe(ctx, 0, &device) != LR_OK || !(bytes > device.memory_bytes))
        return;
    lr_log(ctx, LR_LOG_WARNING,
           "the run needs about %.3g GiB of memory, even if the light for images is recorded in passes; this machine "
           "has %.3g GiB free",
           bytes / gib, device.memory_bytes / gib);
}

void report_doubts(lr_context *ctx, const lr_model *model, double bytes)
{
    if (model->n_camera > 0) {
        doubt_channels(ctx, model);
        doubt_beam(ctx, model);
    }
    doubt_memory(ctx, bytes);
}
