#include "solve/imaging/image_check.h"

#include <math.h>
#include <stdio.h>

#include "base/constants.h"
#include "solve/common/statistics.h"

/* A warning is given beyond this many standard errors. The mesh limits images to an accuracy of MESH_ERROR: a deviation
 * of one per cent is no reason to warn, however many packets there are. */
static const double MOST_DEVIATION = 4, MESH_ERROR = 0.0025;
/* Fewer packets in a cone give no meaningful error. */
static const double FEWEST_PACKETS = 50;

/* ---- what can be compared ---- */

/* With a fraction f of all directions the noise is 3 / sqrt(f N), and the remaining variation of the flux with
 * direction is of order f: f = N^(-1/3) / 2 keeps the second well below the first. */
double image_check_share(double packets)
{
    const double least = 1e-3, most = 0.02;
    return fmin(fmax(0.5 / cbrt(packets), least), most);
}

/* 1 - cos(angle) = 2 f. */
static double half_angle(double share)
{
    return share < 1 ? acos(1 - 2 * share) : LR_PI;
}

/* Whether the image covers the box around the mesh, or all shells. */
static bool shows_whole_mesh(const struct camera *camera, const struct mesh *mesh)
{
    const double rounding = 1e-6;
    for (int side = 0; side < 2; side++) {
        const double *axis = side == 0 ? camera->right : camera->up;
        double offset = 0, reach = 0;
        for (int d = 0; d < 3; d++) {
            offset += axis[d] * (mesh_centre(mesh, d) - camera->centre[d]);
            reach += 0.5 * fabs(axis[d]) * mesh_size(mesh, d);
        }
        if (mesh->kind == MESH_SHELLS)
            reach = 0.5 * mesh_size(mesh, 0);
        if (fabs(offset) + reach > 0.5 * camera->field[side] * (1 + rounding))
            return false;
    }
    return true;
}

/* Why the light of an image differs from that of the packets; NULL = it does not. */
static const char *source_in_the_way(const lr_model *model, const struct camera *camera, double narrowest)
{
    for (int s = 0; s < model->n_source; s++) {
        const struct source *source = &model->source[s];
        if (!(source->luminosity > 0))
            continue;
        if (source->kind == SOURCE_EXTERNAL)
            return "external light also passes by the gas";
        if (source->kind == SOURCE_PLANE && source->angular != ANGULAR_BEAM &&
            fabs(camera->toward[source->axis]) < narrowest)
            return "a plane source is seen edge-on";
    }
    return NULL;
}

static const char *find_obstacle(const lr_model *model, const struct camera *camera, double share)
{
    const struct mesh *mesh = &model->mesh;
    const int layers = mesh_layer_axis(mesh);
    const double edge_on = sin(half_angle(share));
    if (model->run.packets == 0 || camera->kind == CAMERA_PERSPECTIVE)
        return "";
    if (model->image.background > 0)
        return "the image has a background";
    const char *source = source_in_the_way(model, camera, edge_on);
    if (source)
        return source;
    if (mesh->kind == MESH_SHELLS)
        return shows_whole_mesh(camera, mesh) ? NULL : "the image is smaller than the shells";
    if (layers >= 0)
        return fabs(camera->toward[layers]) < edge_on ? "the layers are seen edge-on" : NULL;
    for (int face = 0; face < N_FACE; face++)
        if (mesh->face[face] == FACE_PERIODIC)
            return "the mesh is periodic";
    return NULL;
}

static struct transport_cone make_cone(const lr_model *model, const struct camera *camera, double share)
{
    const struct mesh *mesh = &model->mesh;
    const double length = code_length(mesh);
    const bool whole = mesh->kind == MESH_SHELLS || mesh_layer_axis(mesh) >= 0 || shows_whole_mesh(camera, mesh);
    struct transport_cone cone = {.share = mesh->kind == MESH_SHELLS ? 1 : share};
    for (int d = 0; d < 3; d++) {
        cone.toward[d] = camera->toward[d];
        cone.right[d] = camera->right[d];
        cone.up[d] = camera->up[d];
        cone.middle[d] = job_coordinate(mesh, d, camera->centre[d], length);
    }
    for (int side = 0; side < 2; side++)
        cone.half[side] = whole ? (double)INFINITY : 0.5 * camera->field[side] / length;
    return cone;
}

void image_check_plan(const lr_model *model, int64_t packets, struct image_check *check)
{
    const double share = packets > 0 ? image_check_share((double)packets) : 1;
    check->n_cone = 0;
    for (int c = 0; c < model->n_camera; c++) {
        check->missing[c] = find_obstacle(model, &model->camera[c], share);
        check->of_camera[c] = check->missing[c] ? -1 : check->n_cone;
        if (!check->missing[c])
            check->cone[check->n_cone++] = make_cone(model, &model->camera[c], share);
    }
}

/* ---- counting ---- */

void image_check_prepare_job(const lr_model *model, const struct image_check *check, bool count,
                             struct transport_job *job)
{
    const struct channels *channels = &model->channels;
    job->cones.n = count ? check->n_cone : 0;
    job->cones.cone = check->cone;
    job->cones.shift[0] = -(channels->first + channels->n * channels->width) / model->reference_b;
    job->cones.shift[1] = -channels->first / model->reference_b;
}

/* L / (4 pi f) SUM w / N. */
void image_check_count(const lr_model *model, const struct transport_job *job, const struct transport_tally *tally,
                       struct image_check *check)
{
    double sum[TRANSPORT_MAX_BATCH], packets[TRANSPORT_MAX_BATCH];
    for (int c = 0; c < job->cones.n; c++) {
        const double scale = model_luminosity(model) / (4 * LR_PI * check->cone[c].share);
        check->packets[c] = 0;
        for (int b = 0; b < job->tally.n_batch; b++) {
            const double *counted = &tally->cone[2 * ((size_t)b * (size_t)job->cones.n + (size_t)c)];
            sum[b] = counted[0];
            packets[b] = tally->batch[b].packets;
            check->packets[c] += counted[1];
        }
        const struct lr_estimate share = ratio_estimate(job->tally.n_batch, sum, packets);
        check->flux[c] = (struct lr_estimate){share.value * scale, share.error * scale};
    }
}

/* ---- images ---- */

/* Error of the light that packets contributed to the image, times `factor`, from the scatter between groups of packets
 * as in imaging.c. Without groups it is estimated from the number of packets whose light the image shows, n = N 4 pi F
 * / L: a packet leaves about as much light with the camera as it would bring there itself. */
static double image_error(const struct cube *cube, double factor, double flux, double flux_of_packet)
{
    double all = 0, sum = 0, square = 0;
    int n = 0;
    for (int g = 0; g < IMAGE_GROUPS; g++) {
        n += cube->group_packets[g] > 0;
        all += cube->group_packets[g];
        sum += cube->group_packets[g] * cube->group_flux[g];
    }
    if (n < 2)
        return sqrt(fmax(flux, 0) * flux_of_packet);
    for (int g = 0; g < IMAGE_GROUPS; g++)
        square += cube->group_packets[g] * pow(cube->group_flux[g] - sum / all, 2);
    return factor * sqrt(square / (all * (n - 1)));
}

double image_check_deviation(struct lr_estimate image, struct lr_estimate packets)
{
    const double noise = hypot(image.error, packets.error);
    return (image.value - packets.value) / hypot(noise, MESH_ERROR * packets.value);
}

bool image_check_disagrees(const struct lr_check *check)
{
    return check->angle > 0 && fabs(check->deviation) > MOST_DEVIATION;
}

/* The pixels of layers are all the same: what counts is the area of one period as seen by the camera, not the field. */
static double area_over_field(const struct mesh *mesh, const struct camera *camera)
{
    const int axis = mesh_layer_axis(mesh);
    return axis < 0
               ? 1
               : mesh_face_area(mesh, 2 * axis) * fabs(camera->toward[axis]) / (camera->field[0] * camera->field[1]);
}

static void compare(const lr_model *model, const struct image_check *check, int cone, double packets,
                    const struct cube *cube, struct lr_check *to)
{
    const double factor = area_over_field(&model->mesh, &cube->camera);
    const double points = mesh_layer_axis(&model->mesh) < 0 ? cube->point_flux : 0;
    const double rest = factor * (cube_flux(cube, cube->intensity) - cube->point_flux);
    const double flux_of_packet = model_luminosity(model) / (4 * LR_PI * packets);
    to->image = (struct lr_estimate){rest + points, image_error(cube, factor, rest, flux_of_packet)};
    to->packets = (struct lr_estimate){check->flux[cone].value + points, check->flux[cone].error};
    to->angle = half_angle(check->cone[cone].share);
    to->deviation = image_check_deviation(to->image, to->packets);
}

void image_check_finish(lr_context *ctx, const lr_model *model, const struct image_check *check,
                        struct lr_result *result)
{
    for (int c = 0; c < result->n_cube; c++) {
        struct lr_check *to = &result->cube[c].check;
        const int cone = check->of_camera[c];
        const char *missing = check->missing[c];
        if (cone >= 0 && check->packets[cone] < FEWEST_PACKETS)
            missing = "too few packets escape toward the camera";
        *to = (struct lr_check){.image = {NAN, NAN}, .packets = {NAN, NAN}, .deviation = NAN};
        if (missing)
            snprintf(to->missing, sizeof to->missing, "%s", missing);
        else
            compare(model, check, cone, (double)result->summary.packets, &result->cube[c], to);
        if (image_check_disagrees(to))
            lr_log(ctx, LR_LOG_WARNING,
                   "image '%s': its flux is %.3g times that of the packets escaping toward the camera, a difference of "
                   "%.2g standard errors; do not trust it until you know why (docs/imaging.md)",
                   model->camera[c].name, to->image.value / to->packets.value, fabs(to->deviation));
    }
}
