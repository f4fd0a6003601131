#include "solve/imaging/imaging_plan.h"

#include <math.h>
#include <stdlib.h>

#include "model/light_rows.h"
#include "model/species.h"

static const double GIB = 1024.0 * 1024.0 * 1024.0;
static const double MIB = 1024.0 * 1024.0;

/* Shares of scatterings are summed in double where voxels are few and each gets many, or where sums are not to depend
 * on the order of additions (kernel/exact_sum.h); 2^25 doubles are 256 MiB. */
static const double WIDE_VOXELS = 33554432;

/* What a pass over some cameras needs per row (model/light_rows.h) and recorded channel. Transport has sums, a float
 * for each group and a double where they are wide, on the device and on the host; for every camera, or once for all
 * observers of shells. When the packets are done the host rounds wide sums to floats, and makes an emissivity of these
 * for every camera, and its error. */
struct voxel_cost {
    double sums, rounded, emissivity; /* bytes */
    bool shared;                      /* one set of sums for all cameras */
    bool kept;                        /* the host has none */
};

static struct voxel_cost voxel_cost(const lr_model *model, const struct imaging_plan *plan, bool shared)
{
    return (struct voxel_cost){plan->n_group * (plan->wide ? 12.0 : 4.0), plan->n_group * 4.0,
                               model->image.errors ? 8.0 : 4.0, shared, plan->keep};
}

static double device_bytes_of(const struct voxel_cost *cost, int n_camera)
{
    return cost->sums * (cost->shared ? 1 : n_camera);
}

static double host_bytes_of(const struct voxel_cost *cost, int n_camera)
{
    const double after = cost->rounded * (cost->shared ? 1 : n_camera) + cost->emissivity * n_camera;
    return cost->kept ? 0 : fmax(device_bytes_of(cost, n_camera), after);
}

/* Whether the emissivity can stay on the device that traces the rays: nothing else needs it. */
static bool can_keep(const lr_model *model, const struct imaging_plan *plan)
{
    return model->mesh.kind != MESH_SHELLS && model->image.method != IMAGE_PEEL_OFF && plan->n_group == 1 &&
           !plan->wide && !model->image.emissivity;
}

/* Bytes that may be used. */
struct memory {
    double device, host;
};

static double least(const struct memory *memory)
{
    return fmin(memory->device, memory->host);
}

/* Whether transport records light in voxels at all. */
static bool records(const lr_model *model)
{
    return model->run.packets > 0 && model->image.method == IMAGE_TWO_STEP;
}

/* The most cameras whose `voxels` fit at once; 0 if not even one does. */
static int cameras_that_fit(const struct voxel_cost *cost, double voxels, int n_camera, const struct memory *memory)
{
    while (n_camera > 0 && (voxels * device_bytes_of(cost, n_camera) > memory->device ||
                            voxels * host_bytes_of(cost, n_camera) > memory->host))
        n_camera--;
    return n_camera;
}

/* The cubes themselves: intensity, and whatever else is kept with them. */
static enum lr_status check_cubes(lr_context *ctx, const lr_model *model, double host_bytes)
{
    const double per_voxel =
        4 * (1 + (model->image.optical_depth || model->image.report) + (model->image.errors ? 6 : 0));
    double bytes = 0;
    const struct camera *largest = &model->camera[0];
    for (int c = 0; c < model->n_camera; c++) {
        const struct camera *camera = &model->camera[c];
        bytes += (double)camera->pixels[0] * camera->pixels[1] * model->channels.n * per_voxel;
        if ((double)camera->pixels[0] * camera->pixels[1] > (double)largest->pixels[0] * largest->pixels[1])
            largest = camera;
    }
    if (bytes <= host_bytes)
        return LR_OK;
    return lr_fail(ctx, LR_ERROR_MEMORY,
                   "%s: the cubes need %.3g GiB and only %.3g GiB may be used; use fewer channels, or fewer pixels "
                   "than the %d x %d of camera '%s'",
                   model->path, bytes / GIB, host_bytes / GIB, largest->pixels[0], largest->pixels[1], largest->name);
}

/* What there is to record. */
struct extent {
    double cells;
    int n_channel; /* as asked for */
    int refined;   /* that each is recorded as */
    int n_aspect;
    int n_emissivity; /* one for each camera; all observers of shells share one */
    double slice;     /* voxels of one channel and camera */
};

static struct extent measure(const lr_model *model)
{
    const struct light_rows rows = light_rows_make(&model->mesh, aspect_count(model));
    const int refined = channel_refinement(model);
    return (struct extent){.cells = (double)mesh_cell_count(&model->mesh),
                           .n_channel = model->channels.n,
                           .refined = refined,
                           .n_aspect = rows.n_aspect,
                           .n_emissivity = rows.n_aspect > 1 ? 1 : model->n_camera,
                           .slice = (double)rows.n * refined};
}

/* Everything recorded in all passes together, in voxels. */
static double all_voxels(const struct extent *extent)
{
    return extent->slice * extent->n_channel * extent->n_emissivity;
}

static bool is_wide(const lr_model *model, const struct imaging_plan *plan, const struct extent *extent)
{
    return model->run.deterministic || plan->n_group * all_voxels(extent) <= WIDE_VOXELS;
}

/* The cameras and channels of one pass: all channels of as many cameras as fit, or some of one camera. */
static enum lr_status choose_pass(lr_context *ctx, const lr_model *model, const struct memory *memory,
                                  const struct imaging_plan *plan, const struct extent *extent, struct window *pass)
{
    const int n_camera = model->n_camera;
    const int n_channel = extent->n_channel;
    const double slice = extent->slice;
    const struct voxel_cost cost = voxel_cost(model, plan, extent->n_emissivity < n_camera);
    *pass = (struct window){.n_camera = n_camera, .n_channel = n_channel};
    if (!records(model))
        return LR_OK;
    pass->n_camera = cameras_that_fit(&cost, slice * n_channel, n_camera, memory);
    if (pass->n_camera > 0)
        return LR_OK;
    const double on_host = cost.kept ? n_channel : memory->host / (slice * host_bytes_of(&cost, 1));
    pass->n_camera = 1;
    pass->n_channel = (int)fmin(memory->device / (slice * device_bytes_of(&cost, 1)), on_host);
    if (pass->n_channel >= 1)
        return LR_OK;
    return lr_fail(ctx, LR_ERROR_MEMORY,
                   "%s: one channel of %g cells needs %.3g GiB and only %.3g GiB may be used; use a smaller mesh%s",
                   model->path, extent->cells, slice * fmax(device_bytes_of(&cost, 1), host_bytes_of(&cost, 1)) / GIB,
                   least(memory) / GIB, model->image.errors ? " or 'image.errors: false'" : "");
}

/* Passes of that size; the last may be smaller. */
static enum lr_status divide(lr_context *ctx, const lr_model *model, const struct window *pass,
                             struct imaging_plan *plan)
{
    const int n_camera = model->n_camera;
    const int n_channel = model->channels.n;
    const int camera_parts = (n_camera + pass->n_camera - 1) / pass->n_camera;
    const int channel_parts = (n_channel + pass->n_channel - 1) / pass->n_channel;
    plan->n_window = camera_parts * channel_parts;
    LR_TRY(lr_allocate(ctx, (size_t)plan->n_window, sizeof *plan->window, &plan->window));
    for (int w = 0; w < plan->n_window; w++) {
        struct window *window = &plan->window[w];
        window->camera = w / channel_parts * pass->n_camera;
        window->channel = w % channel_parts * pass->n_channel;
        window->n_camera = n_camera - window->camera < pass->n_camera ? n_camera - window->camera : pass->n_camera;
        window->n_channel =
            n_channel - window->channel < pass->n_channel ? n_channel - window->channel : pass->n_channel;
    }
    return LR_OK;
}

static void report(lr_context *ctx, const lr_model *model, const struct imaging_plan *plan, const struct extent *extent)
{
    const int n_channel = extent->n_channel * extent->refined;
    const bool aspects = extent->n_aspect > 1;
    if (records(model))
        lr_log(ctx, LR_LOG_INFO, "emissivity: %g %s x %d channel%s x %d %s%s x 4 bytes%s = %.3g MiB", extent->cells,
               aspects ? "shells" : "cells", n_channel, n_channel == 1 ? "" : "s",
               aspects ? extent->n_aspect : model->n_camera, aspects ? "aspect" : "camera",
               aspects || model->n_camera > 1 ? "s" : "", plan->n_group > 1 ? " x 8 groups for errors" : "",
               all_voxels(extent) * 4 * plan->n_group / MIB);
    if (plan->n_window > 1)
        lr_log(ctx, LR_LOG_INFO, "this does not fit in memory at once; making %d passes over the same packets",
               plan->n_window);
}

enum lr_status imaging_plan(lr_context *ctx, const lr_model *model, double free_bytes, double host_bytes,
                            struct imaging_plan *plan)
{
    const struct memory memory = {free_bytes, host_bytes};
    const struct extent extent = measure(model);
    struct window pass;
    LR_TRY(check_cubes(ctx, model, host_bytes));
    plan->n_group = model->image.errors ? IMAGE_GROUPS : 1;
    plan->wide = is_wide(model, plan, &extent);
    plan->keep = plan->keep && can_keep(model, plan);
    LR_TRY(choose_pass(ctx, model, &memory, plan, &extent, &pass));
    LR_TRY(divide(ctx, model, &pass, plan));
    report(ctx, model, plan, &extent);
    if (plan->n_window > 1 && model->image.emissivity)
        return lr_fail(ctx, LR_ERROR_MEMORY,
                       "%s: 'image.emissivity: true' stores all of it, which does not fit in %.3g GiB; remove it, or "
                       "use fewer cameras or channels",
                       model->path, least(&memory) / GIB);
    return LR_OK;
}

/* Of several lines, for each cell: the temperature in LTE, otherwise their strengths and shares. */
static double bytes_of_lines(const lr_model *model, double record)
{
    if (model->group.n < 2)
        return 0;
    const bool lte = !model->species || model->species->options.method == POPULATIONS_LTE;
    return lte ? record / 8 : model->group.n * (8 + record / 4);
}

double imaging_bytes(const lr_model *model)
{
    const struct extent extent = measure(model);
    const bool errors = model->image.errors && model->run.packets > 0;
    struct imaging_plan plan = {.n_group = model->image.errors ? IMAGE_GROUPS : 1};
    plan.wide = is_wide(model, &plan, &extent);
    const struct voxel_cost cost = voxel_cost(model, &plan, extent.n_emissivity < model->n_camera);
    const double one_camera = extent.slice * extent.n_channel;
    const double record = model->run.precision == PRECISION_DOUBLE ? 64 : 32;
    const double gas = model->run.packets == 0 && model->image.step_velocity ? 2 * record : record; /* and its slopes */
    const double lines = bytes_of_lines(model, record);
    const double emission = 8 + lines; /* of the gas, for each cell */
    const double per_pixel = 4.0 * (1 + (model->image.optical_depth || model->image.report) + (errors ? 6 : 0)) +
                             (model->image.report ? 8.0 : 0.0); /* images with the other opacity */
    double pixels = 0;
    for (int c = 0; c < model->n_camera; c++)
        pixels += (double)model->camera[c].pixels[0] * model->camera[c].pixels[1];
    double bytes = extent.cells * (gas + emission) + pixels * extent.n_channel * per_pixel;
    if (records(
            model)) /* errors: the light of one group at a time besides, counted already unless the errors are kept */
        bytes += one_camera * (host_bytes_of(&cost, model->n_camera) + (errors && model->image.emissivity ? 4.0 : 0.0));
    return model->n_camera > 0 ? bytes : 0;
}

void imaging_plan_free(struct imaging_plan *plan)
{
    free(plan->window);
    plan->window = NULL;
}
