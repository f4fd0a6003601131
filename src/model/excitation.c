#include "model/excitation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/threads.h"
#include "lines/populations.h"
#include "model/field.h"
#include "model/line.h"
#include "model/line_group.h"

/* Fractions for successive temperatures; neighbouring cells often have the same. */
struct lte {
    const struct species *species;
    double temperature;
    double *x; /* [n_level] */
};

static enum lr_status lte_begin(lr_context *ctx, const struct species *species, struct lte *lte)
{
    *lte = (struct lte){.species = species, .temperature = -1};
    return lr_allocate(ctx, (size_t)species->molecule.n_level, sizeof(double), &lte->x);
}

static const double *lte_at(struct lte *lte, int64_t cell)
{
    const double temperature = field_at(&lte->species->temperature, cell);
    if (temperature != lte->temperature)
        populations_lte(&lte->species->molecule, temperature, lte->x);
    lte->temperature = temperature;
    return lte->x;
}

/* Lower and upper level of the line. In LTE their ratio is taken from the frequency of the line: level energies are
 * rounded in many files, and the source function must be the Planck function at that frequency. */
static void level_pair(const lr_model *model, struct lte *lte, const double *x, int64_t cell, double pair[2])
{
    const struct species *species = model->species;
    const struct transition *line = &species->molecule.line[species->line];
    const double *here = x ? x + cell * species->molecule.n_level : lte_at(lte, cell);
    pair[0] = here[line->lower];
    pair[1] = x ? here[line->upper]
                : pair[0] * model->line.g_upper / model->line.g_lower *
                      exp(-line_energy_ratio(&model->line, field_at(&species->temperature, cell)));
}

static bool varies(const lr_model *model, const double *x)
{
    const struct species *species = model->species;
    return x || species->temperature.values || species->density.values || model->medium.b.values;
}

static double opacity_of(const lr_model *model, int64_t cell, const double pair[2], struct inversion *inversion)
{
    const struct species *species = model->species;
    const double ratio = model->line.g_lower / model->line.g_upper;
    const double density = field_at(&species->density, cell);
    const double difference = pair[0] - (species->options.stimulated ? ratio * pair[1] : 0.0);
    if (difference < 0.0 && density > 0.0) {
        const double excess = pair[0] > 0.0 ? ratio * pair[1] / pair[0] : HUGE_VAL;
        inversion->n_cell++;
        if (excess > inversion->largest) {
            inversion->largest = excess;
            inversion->worst = cell;
        }
    }
    return density * fmax(difference, 0.0) * line_cross_section(&model->line, field_at(&model->medium.b, cell));
}

/* One cell after the other, on one thread. */
static void derive_cells(const lr_model *model, const double *x, int64_t first, int64_t end, struct lte *lte,
                         double *alpha0, double *emissivity, struct inversion *inversion)
{
    *inversion = (struct inversion){.worst = -1};
    for (int64_t cell = first; cell < end; cell++) {
        double pair[2];
        level_pair(model, lte, x, cell, pair);
        alpha0[cell] = opacity_of(model, cell, pair, inversion);
        emissivity[cell] = field_at(&model->species->density, cell) * pair[1] * model->line.a_ul;
    }
}

enum { MOST_PARTS = 64 };

/* Parts of the mesh, each with space for the levels of one cell. */
static enum lr_status derive_parts(lr_context *ctx, const lr_model *model, const double *x, int64_t n_cell, int n_part,
                                   double *alpha0, double *emissivity, struct inversion *inversion)
{
    struct lte lte[MOST_PARTS] = {{0}};
    struct inversion found[MOST_PARTS];
    enum lr_status status = LR_OK;
    for (int part = 0; part < n_part && status == LR_OK; part++)
        status = lte_begin(ctx, model->species, &lte[part]);
    if (status == LR_OK) {
#pragma omp parallel for schedule(dynamic, 1) if (n_part > 1) num_threads(thread_count(model->run.threads))
        for (int part = 0; part < n_part; part++)
            derive_cells(model, x, n_cell * part / n_part, n_cell * (part + 1) / n_part, &lte[part], alpha0, emissivity,
                         &found[part]);
        *inversion = (struct inversion){.worst = -1};
        for (int part = 0; part < n_part; part++) {
            inversion->n_cell += found[part].n_cell;
            if (found[part].n_cell > 0 && (inversion->worst < 0 || found[part].largest > inversion->largest)) {
                inversion->largest = found[part].largest;
                inversion->worst = found[part].worst;
            }
        }
    }
    for (int part = 0; part < n_part; part++)
        free(lte[part].x);
    return status;
}

enum lr_status excitation_line(lr_context *ctx, const lr_model *model, const double *x, struct field *alpha0,
                               struct field *emissivity, struct inversion *inversion)
{
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    if (!varies(model, x))
        return derive_parts(ctx, model, x, 1, 1, &alpha0->constant, &emissivity->constant, inversion);
    LR_TRY(field_expand(ctx, alpha0, n_cell));
    LR_TRY(field_expand(ctx, emissivity, n_cell));
    LR_TRY(derive_parts(ctx, model, x, n_cell, n_cell < 4096 ? 1 : MOST_PARTS, alpha0->values, emissivity->values,
                        inversion));
    field_compact(alpha0, n_cell);
    field_compact(emissivity, n_cell);
    return LR_OK;
}

int excitation_base(const lr_model *model)
{
    const struct line_member *member = model->group.member;
    int base = 0;
    for (int m = 1; model->species && m < model->group.n; m++) {
        const struct level *level = model->species->molecule.level;
        if (level[member[m].lower].energy < level[member[base].lower].energy)
            base = m;
    }
    return base;
}

enum lr_status excitation_base_line(lr_context *ctx, const lr_model *model, const double *x, struct field *alpha0,
                                    struct field *emissivity, struct inversion *inversion)
{
    const int base = excitation_base(model);
    if (x || base == 0)
        return excitation_line(ctx, model, x, alpha0, emissivity, inversion);
    const struct line_member *member = &model->group.member[base];
    struct species species = *model->species;
    lr_model changed = *model;
    species.line = member->line;
    changed.species = &species;
    changed.line = line_group_line(&model->line, member);
    return excitation_line(ctx, &changed, x, alpha0, emissivity, inversion);
}

/* Opacity and photons of all lines of a cell. Returns the largest g_l x_u / (g_u x_l) of those that are inverted, or 0.
 */
static double derive_lines(const lr_model *model, const double *here, int64_t cell, float *own)
{
    const struct species *species = model->species;
    const double density = field_at(&species->density, cell), b = field_at(&model->medium.b, cell);
    double inverted = 0.0;
    for (int m = 0; m < model->group.n; m++) {
        const struct line_member *member = &model->group.member[m];
        const struct line line = line_group_line(&model->line, member);
        const double lower = here[member->lower], upper = here[member->upper];
        const double against = species->options.stimulated ? line.g_lower / line.g_upper * upper : 0.0;
        if (against > lower && density > 0.0)
            inverted = fmax(inverted, lower > 0.0 ? against / lower : HUGE_VAL);
        own[2 * m] = (float)(density * fmax(lower - against, 0.0) * line_cross_section(&line, b));
        own[2 * m + 1] = (float)(density * upper * line.a_ul);
    }
    return inverted;
}

enum lr_status excitation_group(lr_context *ctx, const lr_model *model, const double *x, float **strength,
                                struct inversion *inversion)
{
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    const size_t width = 2 * (size_t)model->group.n;
    *inversion = (struct inversion){.worst = -1};
    LR_TRY(lr_allocate(ctx, (size_t)n_cell * width, sizeof **strength, strength));
#pragma omp parallel for schedule(static) if (n_cell > 4096) num_threads(thread_count(model->run.threads))
    for (int64_t cell = 0; cell < n_cell; cell++) {
        const double inverted =
            derive_lines(model, x + cell * model->species->molecule.n_level, cell, *strength + (size_t)cell * width);
        if (inverted > 0.0) {
#pragma omp critical
            {
                inversion->n_cell++;
                if (inverted > inversion->largest || (inverted == inversion->largest && cell < inversion->worst)) {
                    inversion->largest = inverted;
                    inversion->worst = cell;
                }
            }
        }
    }
    return LR_OK;
}

void excitation_warn(lr_context *ctx, const lr_model *model, const struct inversion *inversion)
{
    if (inversion->n_cell == 0)
        return;
    const struct mesh *mesh = &model->mesh;
    char place[64];
    mesh_name_cell(mesh, inversion->worst, place, sizeof place);
    lr_log(ctx, LR_LOG_WARNING,
           "%s inverted (a maser) in %lld of %lld cells, with g_l x_u / (g_u x_l) up to %.4g at cell %s; "
           "packets cannot be amplified, so the opacity of these cells is set to zero",
           model->group.n > 1 ? "one or more of the lines are" : "the line is", (long long)inversion->n_cell,
           (long long)mesh_cell_count(mesh), inversion->largest, place);
}

enum lr_status excitation_lte(lr_context *ctx, const lr_model *model, double **x)
{
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    const size_t n_level = (size_t)model->species->molecule.n_level;
    struct lte lte;
    LR_TRY(lr_allocate(ctx, (size_t)n_cell * n_level, sizeof(double), x));
    LR_TRY(lte_begin(ctx, model->species, &lte));
    for (int64_t cell = 0; cell < n_cell; cell++)
        memcpy(*x + (size_t)cell * n_level, lte_at(&lte, cell), n_level * sizeof(double));
    free(lte.x);
    return LR_OK;
}

enum lr_status excitation_temperature(lr_context *ctx, const lr_model *model, const double *x, double **temperature)
{
    const struct species *species = model->species;
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    LR_TRY(lr_allocate(ctx, (size_t)n_cell, sizeof(double), temperature));
    for (int64_t cell = 0; cell < n_cell; cell++) {
        const bool gas = field_at(&species->density, cell) > 0.0;
        (*temperature)[cell] =
            !gas ? (double)NAN
            : x  ? populations_excitation(&species->molecule, species->line, x + cell * species->molecule.n_level)
                 : field_at(&species->temperature, cell);
    }
    return LR_OK;
}

/* ---- the two-level atom ---- */

/* C_ul of the line, s^-1. `rates` is scratch, [n_level][n_level]. */
static double deexcitation(const struct species *species, int64_t cell, double *rates)
{
    const struct transition *line = &species->molecule.line[species->line];
    double density[N_COLLIDER] = {0};
    for (int c = 0; c < N_COLLIDER; c++)
        density[c] = species->given[c] ? field_at(&species->collider[c], cell) : 0.0;
    collision_rates(&species->molecule, &species->plan, field_at(&species->temperature, cell), density, rates);
    return rates[line->upper * species->molecule.n_level + line->lower];
}

enum lr_status excitation_destruction(lr_context *ctx, const lr_model *model, struct field *eps)
{
    const struct species *species = model->species;
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    const size_t n_level = (size_t)species->molecule.n_level;
    bool many = species->temperature.values;
    for (int c = 0; c < N_COLLIDER; c++)
        many |= species->collider[c].values != NULL;
    double *rates = NULL;
    LR_TRY(lr_allocate(ctx, n_level * n_level, sizeof(double), &rates));
    enum lr_status status = many ? field_expand(ctx, eps, n_cell) : LR_OK;
    for (int64_t cell = 0; status == LR_OK && cell < (many ? n_cell : 1); cell++) {
        const double ratio = line_energy_ratio(&model->line, field_at(&species->temperature, cell));
        const double down = -deexcitation(species, cell, rates) * expm1(-ratio);
        *(many ? &eps->values[cell] : &eps->constant) = down / (model->line.a_ul + down);
    }
    free(rates);
    return status;
}

enum lr_status excitation_thermal(lr_context *ctx, const lr_model *model, const struct field *alpha0, double background,
                                  struct field *emissivity)
{
    const struct species *species = model->species;
    const struct medium *medium = &model->medium;
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    const double around = line_planck(&model->line, background);
    const bool many = medium->eps.values || alpha0->values || medium->b.values || species->temperature.values;
    if (many)
        LR_TRY(field_expand(ctx, emissivity, n_cell));
    const int64_t n_value = many ? n_cell : 1;
#pragma omp parallel for schedule(static) if (n_value > 4096) num_threads(thread_count(model->run.threads))
    for (int64_t cell = 0; cell < n_value; cell++)
        *(many ? &emissivity->values[cell] : &emissivity->constant) =
            4.0 * LR_PI * LR_SQRT_PI * field_at(&medium->eps, cell) * field_at(alpha0, cell) *
            field_at(&medium->b, cell) * (line_planck(&model->line, field_at(&species->temperature, cell)) - around);
    field_compact(emissivity, n_cell);
    return LR_OK;
}

double excitation_luminosity(const struct mesh *mesh, const struct field *emissivity)
{
    return field_measure(emissivity, mesh).mean * mesh_volume(mesh);
}

/* Photons of a line in LTE per photon of the base. */
static double photon_ratio(const lr_model *model, const struct line_member *base, const struct line_member *member,
                           double temperature)
{
    const double lower = molecule_boltzmann(&model->species->molecule, member->lower, base->lower, temperature);
    const double colder = line_energy_ratio(&model->line, temperature) * (member->offset - base->offset);
    return member->g_upper * member->a_ul / (base->g_upper * base->a_ul) * lower * exp(-colder);
}

/* s^-1 cm^-3; in LTE from the emissivity of the base. */
static double photons_of_group(const lr_model *model, const double *x, const struct field *emissivity, int64_t cell)
{
    const struct species *species = model->species;
    const struct line_group *group = &model->group;
    const struct line_member *base = &group->member[excitation_base(model)];
    const double density = field_at(&species->density, cell), temperature = field_at(&species->temperature, cell);
    double sum = 0.0;
    for (int m = 0; m < group->n; m++) {
        const struct line_member *member = &group->member[m];
        if (x)
            sum += density * x[cell * species->molecule.n_level + member->upper] * member->a_ul;
        else if (field_at(emissivity, cell) > 0.0)
            sum += field_at(emissivity, cell) * photon_ratio(model, base, member, temperature);
    }
    return sum;
}

enum lr_status excitation_group_luminosity(lr_context *ctx, const lr_model *model, const double *x, double *luminosity)
{
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    struct field all = {0}, unused = {0}, emissivity = {0};
    struct inversion inversion;
    enum lr_status status = lr_allocate(ctx, (size_t)n_cell, sizeof *all.values, &all.values);
    if (status == LR_OK && !x)
        status = excitation_base_line(ctx, model, NULL, &unused, &emissivity, &inversion);
    if (status == LR_OK) {
#pragma omp parallel for schedule(static) if (n_cell > 4096) num_threads(thread_count(model->run.threads))
        for (int64_t cell = 0; cell < n_cell; cell++)
            all.values[cell] = photons_of_group(model, x, &emissivity, cell);
        *luminosity = excitation_luminosity(&model->mesh, &all);
    }
    field_free(&unused);
    field_free(&emissivity);
    field_free(&all);
    return status;
}
