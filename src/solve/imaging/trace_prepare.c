#include "solve/imaging/trace_prepare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "model/field.h"
#include "solve/imaging/trace_choice.h"
#include "solve/imaging/trace_group.h"

static struct trace_gas gas_of_cell(const struct prepared_trace *prepared, int64_t cell)
{
    const struct scene *scene = prepared->scene;
    const struct transport_cell from = cell < 0 ? job_empty_cell(prepared->gas, prepared->unit.velocity)
                                                : job_cell(prepared->gas, cell, prepared->unit);
    struct trace_gas gas = {.alpha0 = from.alpha0, .a = from.a, .b = from.b, .kappa = from.kappa};
    memcpy(gas.velocity, from.velocity, sizeof gas.velocity);
    const double light_unit = prepared->unit.length / prepared->intensity_unit;
    if (prepared->shines && cell >= 0)
        gas.line_source = field_at(&scene->line_source, cell) * light_unit;
    if (prepared->group.lines && prepared->group.lines->strength && cell >= 0) {
        const struct group_sum sum = trace_group_sum(&prepared->group, cell);
        gas.alpha0 = sum.opacity * prepared->unit.length;
        if (prepared->shines && prepared->group.shines)
            gas.line_source = sum.light / (4 * LR_PI * LR_SQRT_PI * field_at(&prepared->gas->b, cell)) * light_unit;
    }
    return gas;
}

static void read_gas(const void *user, int64_t first, int64_t count, struct trace_gas *gas)
{
    const struct prepared_trace *prepared = user;
    for (int64_t i = 0; i < count; i++)
        gas[i] = gas_of_cell(prepared, first + i - prepared->cavity);
}

/* Photons per length, area, steradian and velocity, in code units. */
static void read_glow(const void *user, int glow, int64_t first, int64_t count, double *strength)
{
    const struct prepared_trace *prepared = user;
    const double unit = prepared->unit.length / (prepared->intensity_unit * prepared->unit.velocity);
    for (int64_t i = 0; i < count; i++) {
        const int64_t cell = first + i - prepared->cavity;
        strength[i] = cell < 0 ? 0 : field_at(&prepared->scene->glow[glow].strength, cell) * unit;
    }
}

/* I_v of a black body at the frequency nu, photons s^-1 cm^-2 sr^-1 per unit velocity of a line at nu0. */
static double background_light(double nu0, double nu, double temperature)
{
    if (!(temperature > 0))
        return 0;
    const double wavenumber = nu / LR_LIGHT_SPEED;
    return 2 * wavenumber * wavenumber * (nu0 / LR_LIGHT_SPEED) / expm1(LR_PLANCK * nu / (LR_BOLTZMANN * temperature));
}

/* The black body behind everything. Behind a group of lines, which may be far apart, it is that of each frequency;
 * behind one line that of its centre. */
static void add_background(const struct prepared_trace *prepared, double temperature, double *sky)
{
    const struct trace_job *job = &prepared->job;
    const double nu0 = prepared->scene->nu0;
    for (int node = 0; node < job->n_node; node++)
        for (int c = 0; c < job->n_channel; c++) {
            const double velocity =
                (job->velocity_first + (c + job->node[node]) * job->velocity_step) * prepared->unit.velocity;
            const double nu = prepared->group.lines ? nu0 * (1 - velocity / LR_LIGHT_SPEED) : nu0;
            sky[node * job->n_channel + c] += background_light(nu0, nu, temperature) / prepared->intensity_unit;
        }
}

/* A unit that keeps intensities within the range of float: roughly the brightest emission. */
static double choose_unit(const struct scene *scene, const struct trace_light *scattered, double background)
{
    const double length = code_length(&scene->mesh);
    double unit = background;
    unit = fmax(unit, field_measure(&scene->line_source, &scene->mesh).high * length);
    if (scattered->value || scattered->kept)
        unit = fmax(unit, scattered->unit * length);
    for (int g = 0; g < scene->n_glow; g++)
        unit = fmax(unit, field_measure(&scene->glow[g].strength, &scene->mesh).high * length / scene->reference_b);
    for (int c = 0; c < scene->channels.n * LIGHT_PARTS; c++) {
        unit = fmax(unit, scene->sky[c]);
        for (int p = 0; p < scene->n_plane; p++)
            unit = fmax(unit, scene->plane[p].brightness[c]);
        for (int p = 0; p < scene->n_point; p++)
            unit = fmax(unit, scene->point[p].strength[c] / (length * length));
    }
    return unit > 0 ? unit : 1;
}

/* Rays at a number of distances from the centre represent all pixels. Light emitted at the surfaces of spheres changes
 * more abruptly with their velocity toward the observer than light from the volume of a shell. */
static enum lr_status prepare_rings(lr_context *ctx, const struct camera *view, struct prepared_trace *prepared)
{
    struct trace_job *job = &prepared->job;
    const double fine = prepared->scene->rows.n_aspect > 1 ? 4 : 1;
    LR_TRY(rings_make(ctx, &prepared->scene->mesh,
                      fine * trace_largest_speed(&prepared->scene->mesh, prepared->gas, &prepared->scene->line_source),
                      view, &prepared->rings));
    for (int i = 0; i < prepared->rings.n_row * RAYS_PER_ROW; i++)
        prepared->rings.impact[i] /= prepared->unit.length;
    memcpy(job->toward, view->toward, sizeof job->toward);
    job->impact = prepared->rings.impact;
    job->pixels[0] = RAYS_PER_ROW;
    job->pixels[1] = prepared->rings.n_row;
    job->pixel = 1;
    job->rays = 1;
    return LR_OK;
}

static enum lr_status prepare_eye(lr_context *ctx, const struct camera *view, struct prepared_trace *prepared)
{
    const struct mesh *mesh = &prepared->scene->mesh;
    struct trace_job *job = &prepared->job;
    if (mesh->kind == MESH_SHELLS)
        return prepare_rings(ctx, view, prepared);
    job->perspective = view->kind == CAMERA_PERSPECTIVE;
    for (int axis = 0; axis < 3; axis++) {
        job->toward[axis] = view->toward[axis];
        job->right[axis] = view->right[axis];
        job->up[axis] = view->up[axis];
        const double origin = job->perspective ? view->position[axis] : view->centre[axis];
        job->origin[axis] = job_coordinate(mesh, axis, origin, prepared->unit.length);
    }
    const double size = camera_pixel_size(view);
    job->pixel = job->perspective ? size : size / prepared->unit.length;
    job->pixels[0] = view->pixels[0];
    job->pixels[1] = view->pixels[1];
    job->rays = trace_choose_rays(ctx, mesh, view);
    return LR_OK;
}

static enum lr_status prepare_mesh(lr_context *ctx, struct prepared_trace *prepared)
{
    const struct mesh *mesh = &prepared->scene->mesh;
    struct trace_job *job = &prepared->job;
    LR_TRY(job_mesh_make(ctx, mesh, job_cavity(mesh), prepared->unit.length, &prepared->mesh));
    prepared->cavity = job_cavity(mesh);
    job->mesh = prepared->mesh.job;
    job->n_cell = mesh_cell_count(mesh) + prepared->cavity;
    job->medium = prepared;
    job->read_gas = read_gas;
    job->grey = !field_is_zero(&prepared->gas->kappa, mesh_cell_count(mesh));
    return LR_OK;
}

/* The channels of the cube are made of stored channels [first, first + n), `merge` at a time. */
static int prepare_channels(lr_context *ctx, const struct channels *channels, struct prepared_trace *prepared)
{
    const struct channels *stored = &prepared->scene->channels;
    struct trace_job *job = &prepared->job;
    const int first = (int)lround((channels->first - stored->first) / stored->width);
    job->merge = (int)lround(channels->width / stored->width);
    job->n_channel = channels->n * job->merge;
    job->velocity_first = (stored->first + first * stored->width) / prepared->unit.velocity;
    job->velocity_step = stored->width / prepared->unit.velocity;
    const int samples = trace_choose_samples(ctx, &prepared->scene->mesh, prepared->gas, &prepared->scene->line_source,
                                             stored->width, channels->samples);
    quadrature_make(samples, &prepared->rule);
    job->n_node = prepared->rule.n;
    job->node = prepared->rule.node;
    job->weight = prepared->rule.weight;
    job->stride = stored->n;
    return first;
}

/* The light at each node: the mean over the part of the channel that the node represents. `light` is given for the
 * LIGHT_PARTS of all stored channels. */
static void light_of_nodes(const struct prepared_trace *prepared, int first, const double *light, double *nodes)
{
    const struct trace_job *job = &prepared->job;
    double low = 0;
    for (int node = 0; node < job->n_node; node++) {
        const double high = low + job->weight[node];
        for (int c = 0; c < job->n_channel; c++) {
            const double *parts = light + (size_t)(first + c) * LIGHT_PARTS;
            double sum = 0;
            for (int p = 0; p < LIGHT_PARTS; p++) {
                const double overlap = fmin(high * LIGHT_PARTS, p + 1) - fmax(low * LIGHT_PARTS, p);
                sum += overlap > 0 ? overlap / LIGHT_PARTS * parts[p] : 0;
            }
            nodes[node * job->n_channel + c] = sum / (job->weight[node] * prepared->intensity_unit);
        }
        low = high;
    }
}

static enum lr_status prepare_planes(lr_context *ctx, int origin, int first, struct prepared_trace *prepared)
{
    const struct scene *scene = prepared->scene;
    struct trace_job *job = &prepared->job;
    const size_t n = (size_t)job->n_channel * (size_t)job->n_node;
    LR_TRY(lr_allocate(ctx, (size_t)scene->n_plane, sizeof *prepared->plane, &prepared->plane));
    LR_TRY(lr_allocate(ctx, (size_t)scene->n_plane * n, sizeof(double), &prepared->owned));
    for (int p = 0; p < scene->n_plane; p++) {
        const struct scene_plane *from = &scene->plane[p];
        if (from->camera != origin)
            continue;
        double *brightness = prepared->owned + (size_t)job->n_plane * n;
        light_of_nodes(prepared, first, from->brightness, brightness);
        prepared->plane[job->n_plane++] = (struct trace_plane){
            from->axis, job_coordinate(&scene->mesh, from->axis, from->offset, prepared->unit.length), from->isotropic,
            from->side, brightness};
    }
    job->plane = prepared->plane;
    return LR_OK;
}

static enum lr_status prepare_glows(lr_context *ctx, struct prepared_trace *prepared)
{
    const struct scene *scene = prepared->scene;
    LR_TRY(lr_allocate(ctx, (size_t)scene->n_glow, sizeof *prepared->glow, &prepared->glow));
    for (int g = 0; g < scene->n_glow; g++) {
        const struct scene_glow *from = &scene->glow[g];
        prepared->glow[g] = (struct trace_glow){from->n, from->first / prepared->unit.velocity,
                                                from->step / prepared->unit.velocity, from->below, from->gas_frame};
    }
    prepared->job.n_glow = scene->n_glow;
    prepared->job.glow = prepared->glow;
    prepared->job.read_glow = read_glow;
    return LR_OK;
}

static enum lr_status prepare_probes(lr_context *ctx, int origin, const struct camera *view,
                                     struct prepared_trace *prepared)
{
    const struct scene *scene = prepared->scene;
    struct trace_job *job = &prepared->job;
    LR_TRY(lr_allocate(ctx, (size_t)scene->n_point, sizeof *prepared->probe, &prepared->probe));
    LR_TRY(lr_allocate(ctx, (size_t)scene->n_point, sizeof *prepared->probe_point, &prepared->probe_point));
    for (int p = 0; p < scene->n_point; p++) {
        const struct scene_point *from = &scene->point[p];
        if (from->camera != origin)
            continue;
        struct trace_probe *probe = &prepared->probe[job->n_probe];
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            probe->start[axis] = job_coordinate(&scene->mesh, axis, from->position[axis], prepared->unit.length);
            probe->direction[axis] = job->perspective
                                         ? (view->position[axis] - from->position[axis]) / prepared->unit.length
                                         : view->toward[axis];
            square += probe->direction[axis] * probe->direction[axis];
        }
        for (int axis = 0; axis < 3; axis++)
            probe->direction[axis] /= sqrt(square);
        probe->length = job->perspective ? sqrt(square) : (double)INFINITY;
        prepared->probe_point[job->n_probe++] = p;
    }
    job->probe = prepared->probe;
    job->n_probe_node = LIGHT_PARTS;
    return LR_OK;
}

void trace_prepared_free(struct prepared_trace *prepared)
{
    job_mesh_free(&prepared->mesh);
    rings_free(&prepared->rings);
    free(prepared->line);
    free(prepared->light);
    free(prepared->sky);
    free(prepared->plane);
    free(prepared->glow);
    free(prepared->probe);
    free(prepared->probe_point);
    free(prepared->owned);
}

/* The emissivity of the job: the cavity does not emit. */
static enum lr_status add_cavity(lr_context *ctx, const float *from, struct prepared_trace *prepared,
                                 const float **light)
{
    const size_t row = (size_t)(prepared->scene->rows.n_aspect * prepared->scene->channels.n);
    const size_t n = scene_voxel_count(prepared->scene);
    LR_TRY(lr_allocate(ctx, n + row, sizeof(float), &prepared->light));
    memcpy(prepared->light + row, from, n * sizeof(float));
    *light = prepared->light;
    return LR_OK;
}

/* The scattered light, from stored channel `first` on. */
static enum lr_status prepare_scattered(lr_context *ctx, const struct trace_light *from, int first,
                                        struct prepared_trace *prepared)
{
    const struct scene *scene = prepared->scene;
    struct trace_job *job = &prepared->job;
    const float *light = from->value;
    if (light && prepared->cavity)
        LR_TRY(add_cavity(ctx, light, prepared, &light));
    job->emissivity = light ? light + first : NULL;
    job->emissivity_unit = from->unit * prepared->unit.length / prepared->intensity_unit;
    if (from->kept) {
        job->kept = from->kept;
        job->kept_first = from->first + first;
        job->emissivity_unit *= from->scale;
    }
    job->n_aspect = light ? scene->rows.n_aspect : 1;
    job->n_row = scene->rows.n + (int64_t)prepared->cavity * scene->rows.n_aspect;
    job->escaped = scene->escaped;
    return LR_OK;
}

enum lr_status trace_prepare(lr_context *ctx, const struct trace_request *request, bool shines,
                             struct prepared_trace *prepared)
{
    const struct scene *scene = request->scene;
    const struct image_options *options = request->options;
    const double background = background_light(scene->nu0, scene->nu0, options->background);
    prepared->scene = scene;
    prepared->gas = request->gas;
    prepared->group = request->group;
    prepared->shines = shines;
    prepared->unit = code_units_of(&scene->mesh, scene->reference_b);
    prepared->intensity_unit = choose_unit(scene, &request->scattered, background);
    struct trace_job *job = &prepared->job;
    LR_TRY(prepare_mesh(ctx, prepared));
    LR_TRY(trace_group_prepare(ctx, prepared));
    LR_TRY(prepare_eye(ctx, request->view, prepared));
    const int first = prepare_channels(ctx, request->channels, prepared);
    LR_TRY(lr_allocate(ctx, (size_t)job->n_channel * (size_t)job->n_node, sizeof(double), &prepared->sky));
    job->sky = prepared->sky;
    LR_TRY(prepare_scattered(ctx, &request->scattered, first, prepared));
    /* Packets are created and scattered in cells that are uniform and move as a whole: rays see the same cells. */
    const bool with_packets = job->emissivity || job->kept || options->method == IMAGE_PEEL_OFF;
    job->step_source = options->step_source && !with_packets;
    job->step_velocity = options->step_velocity && !with_packets;
    if (!shines)
        return LR_OK;
    light_of_nodes(prepared, first, scene->sky, prepared->sky);
    add_background(prepared, options->background, prepared->sky);
    LR_TRY(prepare_planes(ctx, request->origin, first, prepared));
    LR_TRY(prepare_glows(ctx, prepared));
    return prepare_probes(ctx, request->origin, request->view, prepared);
}
