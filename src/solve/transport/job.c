#include "solve/transport/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/context.h"
#include "kernel/redistribution.h"
#include "model/field.h"
#include "solve/common/skip.h"
#include "solve/transport/group_job.h"

double code_length(const struct mesh *mesh)
{
    return 0.5 * mesh_size(mesh, 0);
}

struct code_units code_units_of(const struct mesh *mesh, double reference_b)
{
    return (struct code_units){.length = code_length(mesh), .velocity = reference_b};
}

struct transport_cell job_cell(const struct medium *medium, int64_t cell, struct code_units unit)
{
    struct transport_cell gas = {.alpha0 = field_at(&medium->alpha0, cell) * unit.length,
                                 .a = field_at(&medium->a, cell),
                                 .b = field_at(&medium->b, cell) / unit.velocity,
                                 .kappa = field_at(&medium->kappa, cell) * unit.length,
                                 .eps = field_at(&medium->eps, cell)};
    for (int axis = 0; axis < 3; axis++)
        gas.velocity[axis] = field_at(&medium->velocity[axis], cell) / unit.velocity;
    return gas;
}

static void read_cells(const void *user, int64_t first, int64_t count, struct transport_cell *cells)
{
    const struct prepared *prepared = user;
    const struct medium *medium = &prepared->model->medium;
    for (int64_t i = 0; i < count; i++) {
        const int64_t cell = first + i - prepared->cavity;
        if (cell < 0) {
            cells[i] = job_empty_cell(medium, prepared->unit.velocity);
            continue;
        }
        cells[i] = job_cell(medium, cell, prepared->unit);
    }
}

/* An array of doubles that lives as long as the job. */
static enum lr_status own(lr_context *ctx, struct prepared *prepared, int64_t n, double **array)
{
    double **grown = realloc(prepared->owned, (size_t)(prepared->n_owned + 1) * sizeof *grown);
    if (!grown)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory");
    prepared->owned = grown;
    LR_TRY(lr_allocate(ctx, (size_t)n, sizeof(double), array));
    prepared->owned[prepared->n_owned++] = *array;
    return LR_OK;
}

int job_cavity(const struct mesh *mesh)
{
    return mesh->kind == MESH_SHELLS && mesh->edge[0][0] > 0;
}

struct transport_cell job_empty_cell(const struct medium *medium, double velocity_unit)
{
    return (struct transport_cell){.a = field_at(&medium->a, 0), .b = field_at(&medium->b, 0) / velocity_unit};
}

double job_coordinate(const struct mesh *mesh, int axis, double coordinate, double length_unit)
{
    return (coordinate - (mesh->kind == MESH_SHELLS ? 0 : mesh_lower(mesh, axis))) / length_unit;
}

static struct transport_tree make_tree(const struct mesh_tree *from, double length_unit)
{
    struct transport_tree tree = {.deepest = from->deepest,
                                  .n_brick = from->n_brick,
                                  .n_link = from->n_link,
                                  .key = from->key,
                                  .link = from->link};
    for (int axis = 0; axis < 3; axis++) {
        tree.root[axis] = from->root[axis];
        tree.brick[axis] = from->brick[axis];
        tree.cell[axis] = from->size[axis] / length_unit / ((double)from->root[axis] * from->brick[axis]);
    }
    return tree;
}

enum lr_status job_mesh_make(lr_context *ctx, const struct mesh *mesh, int cavity, double length_unit,
                             struct own_mesh *made)
{
    struct job_mesh *job = &made->job;
    job->kind = mesh->kind;
    memcpy(job->face, mesh->face, sizeof job->face);
    if (mesh->kind == MESH_AMR) {
        memcpy(job->n, mesh->n, sizeof job->n);
        made->tree = make_tree(&mesh->tree, length_unit);
        job->tree = &made->tree;
        return LR_OK;
    }
    for (int axis = 0; axis < 3; axis++) {
        const bool edges = axis < mesh_axis_count(mesh);
        const int first = axis == 0 ? cavity : 0;
        job->n[axis] = mesh->n[axis] + first;
        LR_TRY(lr_allocate(ctx, (size_t)job->n[axis], sizeof(double), &made->width[axis]));
        job->width[axis] = made->width[axis];
        if (first)
            made->width[axis][0] = mesh->edge[axis][0] / length_unit;
        for (int i = 0; edges && i < mesh->n[axis]; i++)
            made->width[axis][i + first] = (mesh->edge[axis][i + 1] - mesh->edge[axis][i]) / length_unit;
    }
    return LR_OK;
}

void job_mesh_free(struct own_mesh *made)
{
    for (int axis = 0; axis < 3; axis++)
        free(made->width[axis]);
}

static enum lr_status prepare_mesh(lr_context *ctx, struct prepared *prepared)
{
    const struct mesh *mesh = &prepared->model->mesh;
    struct transport_job *job = &prepared->job;
    prepared->cavity = job_cavity(mesh);
    LR_TRY(job_mesh_make(ctx, mesh, prepared->cavity, prepared->unit.length, &prepared->mesh));
    job->mesh = prepared->mesh.job;
    job->n_cell = mesh_cell_count(mesh) + prepared->cavity;
    job->medium = prepared;
    job->read_cells = read_cells;
    return LR_OK;
}

/* The cell of boxes that holds a point, and the position inside it in code units. */
static void locate(const struct prepared *prepared, const double point[3], int32_t cell[3], double local[3])
{
    const struct mesh *mesh = &prepared->model->mesh;
    int at[3];
    double low[3], high[3];
    mesh_find_point(mesh, point, at);
    mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
    for (int axis = 0; axis < 3; axis++) {
        cell[axis] = at[axis];
        local[axis] = fmax((point[axis] - low[axis]) / prepared->unit.length, 0);
    }
}

/* A plane lies in one layer of cells, or, where cells have several sizes, at a distance from the lower face. */
static void locate_plane(const struct prepared *prepared, int axis, double offset, struct transport_source *to)
{
    const struct mesh *mesh = &prepared->model->mesh;
    double point[3] = {mesh_lower(mesh, 0), mesh_lower(mesh, 1), mesh_lower(mesh, 2)};
    point[axis] = offset;
    locate(prepared, point, to->cell, to->local);
    if (mesh->kind == MESH_AMR)
        to->local[axis] = job_coordinate(mesh, axis, offset, prepared->unit.length);
}

static enum lr_status prepare_spectrum(lr_context *ctx, struct prepared *prepared, const struct spectrum *from,
                                       struct transport_source *to)
{
    to->spectrum = from->kind;
    to->gas_frame = from->gas_frame;
    to->centre = from->centre / prepared->unit.velocity;
    to->width = from->width / prepared->unit.velocity;
    if (from->kind != SPECTRUM_TABLE)
        return LR_OK;
    const int n = from->n_table;
    double *shift;
    double *density;
    double *integral;
    LR_TRY(own(ctx, prepared, n, &shift));
    LR_TRY(own(ctx, prepared, n, &density));
    LR_TRY(own(ctx, prepared, n, &integral));
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, from->density[i]);
    for (int i = 0; i < n; i++) {
        shift[i] = from->shift[i] / prepared->unit.velocity;
        density[i] = from->density[i] / largest;
        integral[i] = i == 0 ? 0 : integral[i - 1] + 0.5 * (density[i] + density[i - 1]) * (shift[i] - shift[i - 1]);
    }
    for (int i = 0; i < n; i++)
        integral[i] /= integral[n - 1];
    to->n_table = n;
    to->table_shift = shift;
    to->table_density = density;
    to->table_integral = integral;
    return LR_OK;
}

struct emissivity_weight {
    const lr_model *model;
    const struct field *field;
    int cavity;
};

static double cell_weight(const void *user, int64_t entry)
{
    const struct emissivity_weight *weight = user;
    const int64_t cell = entry - weight->cavity;
    if (cell < 0)
        return 0;
    const struct mesh *mesh = &weight->model->mesh;
    int at[3];
    mesh_cell_place(mesh, cell, at);
    return field_at(weight->field, cell) * mesh_cell_volume(mesh, at[0], at[1], at[2]);
}

static double face_weight(const void *user, int64_t face)
{
    const struct mesh *mesh = user;
    return mesh->face[face] == FACE_OPEN ? mesh_face_area(mesh, (int)face) : 0;
}

static double entry_weight(const void *user, int64_t k)
{
    return ((const double *)user)[k];
}

/* Packets on shells: the shell, the height in it, and the direction in a frame whose z axis is the radius. */
static enum lr_status prepare_radial_list(lr_context *ctx, struct prepared *prepared, const struct source *from,
                                          int index, double *local)
{
    const struct mesh *mesh = &prepared->model->mesh;
    double *direction;
    LR_TRY(own(ctx, prepared, 3 * from->n_packet, &direction));
    for (int64_t k = 0; k < from->n_packet; k++) {
        const double *at = from->packet_position + 3 * k;
        const double *n = from->packet_direction + 3 * k;
        const double r = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        const double mu = r > 0 ? fmin(fmax((at[0] * n[0] + at[1] * n[1] + at[2] * n[2]) / r, -1), 1) : 1;
        const bool inside = r < mesh->edge[0][0]; /* in the cavity */
        const int shell = inside ? 0 : mesh_find_cell(mesh, 0, r);
        prepared->list_cell[index][3 * k] = inside ? 0 : shell + prepared->cavity;
        local[3 * k] = (inside ? r : r - mesh->edge[0][shell]) / prepared->unit.length;
        direction[3 * k] = sqrt(1 - mu * mu);
        direction[3 * k + 2] = mu;
    }
    prepared->source[index].list_direction = direction;
    return LR_OK;
}

static enum lr_status prepare_list(lr_context *ctx, struct prepared *prepared, const struct source *from, int index)
{
    struct transport_source *to = &prepared->source[index];
    const int64_t n = from->n_packet;
    double *local;
    double *shift;
    LR_TRY(own(ctx, prepared, 3 * n, &local));
    LR_TRY(own(ctx, prepared, n, &shift));
    LR_TRY(lr_allocate(ctx, (size_t)(3 * n), sizeof(int32_t), &prepared->list_cell[index]));
    to->list_direction = from->packet_direction;
    if (prepared->model->mesh.kind == MESH_SHELLS)
        LR_TRY(prepare_radial_list(ctx, prepared, from, index, local));
    for (int64_t k = 0; k < n; k++) {
        shift[k] = from->packet_shift[k] / prepared->unit.velocity;
        if (prepared->model->mesh.kind != MESH_SHELLS)
            locate(prepared, &from->packet_position[3 * k], &prepared->list_cell[index][3 * k], &local[3 * k]);
    }
    to->list_cell = prepared->list_cell[index];
    to->list_local = local;
    to->list_shift = shift;
    return alias_build(ctx, n, entry_weight, from->packet_weight, &prepared->alias[index]);
}

static enum lr_status prepare_source(lr_context *ctx, struct prepared *prepared, int index)
{
    const struct source *from = &prepared->model->source[index];
    struct transport_source *to = &prepared->source[index];
    to->probability = from->luminosity / prepared->luminosity;
    to->angular = from->angular;
    memcpy(to->direction, from->direction, sizeof to->direction);
    LR_TRY(prepare_spectrum(ctx, prepared, &from->spectrum, to));
    switch (from->kind) {
    case SOURCE_POINT:
        to->kind = EMIT_POINT;
        if (prepared->model->mesh.kind != MESH_SHELLS)
            locate(prepared, from->position, to->cell, to->local);
        break;
    case SOURCE_PLANE:
        to->kind = EMIT_PLANE;
        to->axis = from->axis;
        locate_plane(prepared, from->axis, from->offset, to);
        break;
    case SOURCE_VOLUME:
        to->kind = EMIT_UNIFORM;
        if (from->emissivity.values || prepared->model->mesh.kind == MESH_SHELLS) {
            const struct emissivity_weight weight = {prepared->model, &from->emissivity, prepared->cavity};
            to->kind = EMIT_CELLS;
            LR_TRY(alias_build(ctx, prepared->job.n_cell, cell_weight, &weight, &prepared->alias[index]));
        }
        break;
    case SOURCE_EXTERNAL:
        to->kind = EMIT_EXTERNAL;
        LR_TRY(alias_build(ctx, N_FACE, face_weight, &prepared->model->mesh, &prepared->alias[index]));
        break;
    case SOURCE_PACKETS:
        to->kind = EMIT_LIST;
        LR_TRY(prepare_list(ctx, prepared, from, index));
        break;
    }
    to->alias =
        (struct transport_alias){prepared->alias[index].n, prepared->alias[index].keep, prepared->alias[index].other};
    return LR_OK;
}

static enum lr_status prepare_sources(lr_context *ctx, struct prepared *prepared)
{
    const lr_model *model = prepared->model;
    const size_t n = (size_t)model->n_source;
    LR_TRY(lr_allocate(ctx, n, sizeof *prepared->source, &prepared->source));
    LR_TRY(lr_allocate(ctx, n, sizeof *prepared->alias, &prepared->alias));
    LR_TRY(lr_allocate(ctx, n, sizeof *prepared->list_cell, &prepared->list_cell));
    for (int s = 0; s < model->n_source; s++)
        prepared->luminosity += model->source[s].luminosity;
    for (int s = 0; s < model->n_source; s++)
        LR_TRY(prepare_source(ctx, prepared, s));
    prepared->job.sources.n = model->n_source;
    prepared->job.sources.source = prepared->source;
    return LR_OK;
}

/* The furthest shift, in reference_b, at which a source emits enough to need a bin. */
static double source_extent(const struct prepared *prepared)
{
    double extent = 0;
    for (int s = 0; s < prepared->model->n_source; s++) {
        const struct source *source = &prepared->model->source[s];
        const struct spectrum *spectrum = &source->spectrum;
        double edge = fabs(spectrum->centre);
        if (spectrum->kind == SPECTRUM_GAUSSIAN)
            edge += 5 * spectrum->width;
        if (spectrum->kind == SPECTRUM_BAND)
            edge += 0.5 * spectrum->width;
        for (int i = 0; spectrum->kind == SPECTRUM_TABLE && i < spectrum->n_table; i++)
            edge = fmax(edge, fabs(spectrum->shift[i]));
        for (int64_t k = 0; source->kind == SOURCE_PACKETS && k < source->n_packet; k++)
            edge = fmax(edge, fabs(source->packet_shift[k]));
        extent = fmax(extent, edge / prepared->unit.velocity);
    }
    return extent;
}

/* Bins that hold the line: the Doppler core, four and a half times the (a tau_c)^(1/3) of a thick medium (its median
 * escape frequency is about one), bulk motion and the sources. Complete redistribution sends photons far into the
 * damping wing, where they leave in one flight from |x| about (a tau_c)^(1/2). Core skipping sends them from below
 * x_crit to twice that at most. */
static void choose_range(struct prepared *prepared, const struct field_range *b, const struct field_range *a,
                         double speed)
{
    const lr_model *model = prepared->model;
    double depth = 0;
    for (int axis = 0; axis < 3; axis++)
        if (model->mesh.face[2 * axis] != FACE_PERIODIC)
            depth = fmax(depth, field_largest_depth(&model->medium.alpha0, &model->mesh, axis));
    depth *= group_job_strength(&prepared->job.group);
    const double wing = a->high * 0.5 * depth;
    const double core = 6 + (prepared->job.mode == REDISTRIBUTION_COMPLETE ? 10 * sqrt(wing) : 4.5 * cbrt(wing));
    const double skipped = 6 + 2 * prepared->job.skip.x_crit;
    const double near = fmax(core, skipped) * b->high / prepared->unit.velocity + speed;
    double range[2];
    group_job_range(&prepared->job.group, near, source_extent(prepared), range);
    prepared->job.tally.x_first = range[0];
    prepared->job.tally.x_step = (range[1] - range[0]) / model->output.n_bin;
}

static enum lr_status prepare_physics(lr_context *ctx, struct prepared *prepared)
{
    const lr_model *model = prepared->model;
    const struct medium *medium = &model->medium;
    struct transport_job *job = &prepared->job;
    const int64_t n_cell = mesh_cell_count(&model->mesh); /* the job may have one more, a cavity */
    const struct field_range a = field_measure(&medium->a, &model->mesh);
    const struct field_range b = field_measure(&medium->b, &model->mesh);
    double speed = 0;
    for (int axis = 0; axis < 3; axis++) {
        const struct field_range v = field_measure(&medium->velocity[axis], &model->mesh);
        speed += fmax(fabs(v.low), fabs(v.high)) / prepared->unit.velocity;
    }
    job->absorbing = !field_is_zero(&medium->kappa, n_cell) || !field_is_zero(&medium->eps, n_cell);
    job->narrow = a.high <= LR_NARROW_DAMPING;
    job->mode = model->physics.redistribution;
    job->dipole = model->physics.dipole;
    job->dipole_core = model->line.dipole_core;
    job->analog_absorption = job->absorbing && model->physics.absorption == ABSORPTION_ANALOG;
    job->recoil = model->physics.recoil
                      ? LR_PLANCK * model->line.nu0 / (model->line.mass * LR_LIGHT_SPEED) / prepared->unit.velocity
                      : 0;
    job->skip = skip_of_model(model);
    if (job->mode == REDISTRIBUTION_TABLE_GLOBAL || job->mode == REDISTRIBUTION_TABLE_CONSTANT) {
        LR_TRY(tables_build(ctx, a.low, a.high, job->mode == REDISTRIBUTION_TABLE_CONSTANT, &prepared->tables));
        job->tables = &prepared->tables.view;
    }
    if (model->group.n > 1) {
        job->mode = REDISTRIBUTION_GROUP;
        LR_TRY(group_job_prepare(ctx, model, prepared->unit.velocity, &prepared->ways, &job->group));
    }
    const struct output *output = &model->output;
    job->tally.n_bin = output->n_bin;
    job->tally.n_mu = output->n_mu;
    job->tally.n_phi = output->n_phi;
    job->tally.direction_axis = output->axis;
    job->tally.fields = output->fields;
    job->tally.record = output->packets;
    if (output->range[0] < output->range[1]) {
        job->tally.x_first = output->range[0] / prepared->unit.velocity;
        job->tally.x_step = (output->range[1] - output->range[0]) / prepared->unit.velocity / output->n_bin;
    } else {
        choose_range(prepared, &b, &a, speed);
    }
    return LR_OK;
}

static void prepare_run(struct prepared *prepared)
{
    const struct run *run = &prepared->model->run;
    struct transport_job *job = &prepared->job;
    job->seed = run->seed;
    job->n_packet = run->packets;
    job->most_steps = run->max_steps;
    job->packets = (struct packet_range){0, run->packets};
    job->tally.n_batch = run->batches;
    job->one_thread_per_packet = run->scheduling == SCHEDULING_STATIC;
}

enum lr_status job_prepare(lr_context *ctx, const lr_model *model, struct prepared *prepared)
{
    *prepared = (struct prepared){.model = model, .unit = code_units_of(&model->mesh, model->reference_b)};
    enum lr_status status = LR_OK;
    LR_TRY_OR(fail, status, prepare_mesh(ctx, prepared));
    LR_TRY_OR(fail, status, prepare_sources(ctx, prepared));
    LR_TRY_OR(fail, status, prepare_physics(ctx, prepared));
    prepare_run(prepared);
    return LR_OK;
fail:
    job_free(prepared);
    return status;
}

void job_free(struct prepared *prepared)
{
    job_mesh_free(&prepared->mesh);
    for (int s = 0; s < prepared->model->n_source; s++) {
        if (prepared->alias)
            alias_free(&prepared->alias[s]);
        if (prepared->list_cell)
            free(prepared->list_cell[s]);
    }
    for (int i = 0; i < prepared->n_owned; i++)
        free(prepared->owned[i]);
    free(prepared->owned);
    free(prepared->list_cell);
    free(prepared->alias);
    free(prepared->source);
    tables_free(&prepared->tables);
    free(prepared->ways);
    *prepared = (struct prepared){.model = prepared->model};
}
