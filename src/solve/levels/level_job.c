#include "solve/levels/level_job.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "base/context.h"
#include "lines/populations.h"
#include "model/field.h"
#include "solve/levels/level_blends.h"
#include "solve/levels/level_rays.h"
#include "solve/levels/level_star.h"
#include "solve/transport/job.h"

/* Spacing of the frequencies, in units of the smallest b: the mean over a Gaussian profile is then accurate to 1e-7 for
 * an intensity that varies like the profile itself. */
static const double FREQUENCY_STEP = 0.4;
enum { MOST_FREQUENCIES = 1024 };
/* Width of infinite layers, in units of their thickness: large enough that rays leave before they meet a copy of the
 * mesh. */
static const double LAYER_WIDTH = 1e6;

/* Iterates kept for the extrapolation: many if cells are few and may be very thick, otherwise as few as possible. */
enum { PAST_OF_FEW_CELLS = 8 };

static void read_gas(const void *medium, int64_t first, int64_t count, struct level_gas *gas)
{
    const struct prepared_levels *prepared = medium;
    const lr_model *model = prepared->model;
    for (int64_t i = 0; i < count; i++) {
        const int64_t cell = first + i;
        gas[i].density = field_at(&model->species->density, cell);
        gas[i].b = field_at(&model->medium.b, cell) / prepared->unit.velocity;
        for (int axis = 0; axis < 3; axis++)
            gas[i].velocity[axis] = field_at(&model->medium.velocity[axis], cell) / prepared->unit.velocity;
        gas[i].kappa = field_at(&model->medium.kappa, cell) * prepared->unit.length;
        gas[i].dust_temperature = field_at(&model->species->dust_temperature, cell);
    }
}

static void read_rates(const void *medium, int64_t cell, double *rates)
{
    const struct prepared_levels *prepared = medium;
    const struct species *species = prepared->model->species;
    double density[N_COLLIDER] = {0};
    for (int c = 0; c < N_COLLIDER; c++)
        density[c] = species->given[c] ? field_at(&species->collider[c], cell) : 0;
    collision_rates(&species->molecule, &species->plan, field_at(&species->temperature, cell), density, rates);
}

static double occupation(double energy, double temperature)
{
    return temperature > 0 ? 1 / expm1(energy / temperature) : 0;
}

static enum lr_status prepare_lines(lr_context *ctx, struct prepared_levels *prepared)
{
    const struct species *species = prepared->model->species;
    const struct molecule *molecule = &species->molecule;
    struct level_job *job = &prepared->job;
    LR_TRY(lr_allocate(ctx, (size_t)molecule->n_line, sizeof *prepared->line, &prepared->line));
    for (int l = 0; l < molecule->n_line; l++) {
        const struct transition *from = &molecule->line[l];
        struct level_line *to = &prepared->line[l];
        const double wavelength = LR_LIGHT_SPEED / from->frequency;
        to->upper = from->upper;
        to->lower = from->lower;
        to->a_ul = from->a_ul;
        to->weight_ratio = molecule->level[from->upper].weight / molecule->level[from->lower].weight;
        to->opacity = from->a_ul * wavelength * wavelength * wavelength / (8 * LR_PI * LR_SQRT_PI) /
                      prepared->unit.velocity * prepared->unit.length;
        to->energy = LR_PLANCK * from->frequency / LR_BOLTZMANN;
        to->background = occupation(to->energy, species->options.background);
    }
    job->n_level = molecule->n_level;
    job->n_line = molecule->n_line;
    job->line = prepared->line;
    return LR_OK;
}

static enum lr_status prepare_mesh(lr_context *ctx, struct prepared_levels *prepared)
{
    const struct mesh *mesh = &prepared->model->mesh;
    struct level_job *job = &prepared->job;
    const int across = mesh_layer_axis(mesh);
    LR_TRY(job_mesh_make(ctx, mesh, 0, prepared->unit.length, &prepared->mesh));
    for (int axis = 0; across >= 0 && axis < 3; axis++)
        if (axis != across)
            prepared->mesh.width[axis][0] = LAYER_WIDTH * mesh_size(mesh, across) / prepared->unit.length;
    job->mesh = prepared->mesh.job;
    job->inner = mesh->kind == MESH_SHELLS ? mesh->edge[0][0] / prepared->unit.length : 0;
    job->n_cell = mesh_cell_count(mesh);
    return LR_OK;
}

/* What the frequency band must cover. */
struct extremes {
    double b_low, b_high, speed, depth;
};

/* The depth of the whole mesh in the thickest line and cell, in LTE: an upper limit, of which only the logarithm
 * matters. */
static enum lr_status find_extremes(lr_context *ctx, const struct prepared_levels *prepared, struct extremes *found)
{
    const struct level_job *job = &prepared->job;
    const struct species *species = prepared->model->species;
    double *x = NULL;
    *found = (struct extremes){.b_low = HUGE_VAL};
    double strongest = 0;
    for (int l = 0; l < job->n_line; l++)
        strongest = fmax(strongest, job->line[l].opacity * job->line[l].weight_ratio);
    LR_TRY(lr_allocate(ctx, (size_t)job->n_level, sizeof *x, &x));
    for (int64_t cell = 0; cell < job->n_cell; cell++) {
        struct level_gas gas;
        read_gas(prepared, cell, 1, &gas);
        if (!(gas.density > 0))
            continue;
        double square = 0;
        for (int axis = 0; axis < 3; axis++)
            square += gas.velocity[axis] * gas.velocity[axis];
        found->b_low = fmin(found->b_low, gas.b);
        found->b_high = fmax(found->b_high, gas.b);
        found->speed = fmax(found->speed, sqrt(square));
        if (2 * gas.density / gas.b * strongest <= found->depth) /* populations are at most 1 */
            continue;
        populations_lte(&species->molecule, field_at(&species->temperature, cell), x);
        for (int l = 0; l < job->n_line; l++)
            found->depth = fmax(found->depth, 2 * gas.density / gas.b * job->line[l].opacity *
                                                  job->line[l].weight_ratio * x[job->line[l].lower]);
    }
    free(x);
    if (!(found->b_high > 0))
        return lr_fail(ctx, LR_ERROR_INPUT, "%s: no cell contains this molecule", prepared->model->path);
    return LR_OK;
}

/* To where the line along the thickest path through the mesh has dropped to a hundredth, and at least 3 b. */
static enum lr_status prepare_band(lr_context *ctx, struct prepared_levels *prepared)
{
    struct level_job *job = &prepared->job;
    struct extremes found;
    LR_TRY(find_extremes(ctx, prepared, &found));
    const double reach = fmax(sqrt(log(fmax(100 * found.depth, 1))), 3);
    const double half = found.speed + reach * found.b_high;
    const double step = FREQUENCY_STEP * found.b_low;
    const double number = ceil(half / step);
    if (2 * number + 1 > MOST_FREQUENCIES)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "%s: lines as narrow as b = %.3g km/s with shifts up to %.3g km/s need %g frequencies, more "
                       "than %d; add turbulence to the cold gas, or remove the fastest gas",
                       prepared->model->path, found.b_low * prepared->unit.velocity / 1e5,
                       half * prepared->unit.velocity / 1e5, 2 * number + 1, MOST_FREQUENCIES);
    job->n_frequency = 2 * (int)number + 1;
    job->frequency_step = step;
    job->frequency_first = -number * step;
    return LR_OK;
}

enum lr_status level_job_prepare(lr_context *ctx, const lr_model *model, struct prepared_levels *prepared)
{
    *prepared = (struct prepared_levels){.model = model, .unit = code_units_of(&model->mesh, model->reference_b)};
    struct level_job *job = &prepared->job;
    job->medium = prepared;
    job->read_gas = read_gas;
    job->read_rates = read_rates;
    job->n_past = ray_set_is_fixed(&model->mesh) ? PAST_OF_FEW_CELLS : LEVEL_LEAST_PAST;
    job->inversion_limit = model->species->options.inversion_limit;
    enum lr_status status = prepare_mesh(ctx, prepared);
    if (status == LR_OK)
        status = prepare_lines(ctx, prepared);
    if (status == LR_OK)
        status = prepare_band(ctx, prepared);
    if (status == LR_OK)
        status = level_blends_make(ctx, prepared);
    if (status == LR_OK)
        status = level_stars_make(ctx, prepared);
    if (status != LR_OK)
        level_job_free(prepared);
    return status;
}

void level_job_free(struct prepared_levels *prepared)
{
    job_mesh_free(&prepared->mesh);
    free(prepared->line);
    level_blends_free(prepared);
    level_stars_free(prepared);
    *prepared = (struct prepared_levels){0};
}
