/* What section `medium` says about a molecule: its temperature, its density or abundance, and the dust temperature. The
 * opacity follows from the levels, which are in LTE until a run computes others. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "io/model/model_field.h"
#include "io/model/model_snapshot.h"
#include "io/model/model_species.h"
#include "io/model/model_temperature.h"
#include "io/snapshot/snapshot.h"
#include "model/excitation.h"
#include "model/field.h"
#include "model/line.h"

static const struct field_rule TEMPERATURE = {DIMENSION_TEMPERATURE, false, 0.0, MOST_TEMPERATURE};
static const struct field_rule DENSITY = {DIMENSION_DENSITY, true, 0.0, MOST_DENSITY};
static const struct field_rule ABUNDANCE = {DIMENSION_NONE, false, 0.0, DBL_MAX};

enum lr_status refuse_species_keys(const struct reader *r, const struct yaml_node *map)
{
    const char *const molecule_only[] = {"abundance", "colliders", "collider_rates", "dust_temperature"};
    const char *const line_only[] = {"opacity", "tau_mean", "tau_centre", "upper_density"};
    for (int i = 0; i < 4; i++) {
        const struct yaml_node *node = yaml_find(map, r->model->species ? line_only[i] : molecule_only[i]);
        if (node && r->model->species)
            return yaml_fail_key(r->ctx, r->tree, node,
                                 "the opacity of a molecule follows from its 'density' or 'abundance' and its levels; "
                                 "remove this, or give the line by name");
        if (node)
            return yaml_fail_key(r->ctx, r->tree, node,
                                 "only a molecule has this; write for example line: {molecule: co.dat}");
    }
    return LR_OK;
}

enum lr_status read_species_temperature(const struct reader *r, const struct yaml_node *map)
{
    struct species *species = r->model->species;
    bool found = false;
    LR_TRY(read_temperature(r, map, &species->temperature, &found));
    if (found || species->options.method == POPULATIONS_GIVEN)
        return LR_OK;
    if (r->snapshot)
        return fail_missing(r, map, "temperature, or pressure", "or give medium.temperature");
    return yaml_fail_key(r->ctx, r->tree, map, "'temperature' is missing: the levels of the molecule need it");
}

/* ---- Density ---- */

/* Convert abundances relative to H2 to densities, in place. */
static enum lr_status scale_abundance(const struct reader *r, struct field *density)
{
    const struct species *species = r->model->species;
    const int64_t n_cell = mesh_cell_count(&r->model->mesh);
    const bool many = density->values || species_h2_varies(species);
    if (many)
        LR_TRY(field_expand(r->ctx, density, n_cell));
    for (int64_t cell = 0; cell < (many ? n_cell : 1); cell++)
        *(many ? &density->values[cell] : &density->constant) *= species_h2_at(species, cell);
    return LR_OK;
}

static enum lr_status check_hydrogen(const struct reader *r, const struct yaml_node *node)
{
    if (species_has_h2(r->model->species))
        return LR_OK;
    return yaml_fail_key(r->ctx, r->tree, node, "an abundance is relative to H2: %s",
                         r->snapshot ? "the snapshot needs n_H2 or gas_density, or 'colliders' H2"
                                     : "'colliders' needs H2, or p-H2 and o-H2");
}

/* n_<SPECIES>, or abundance_<SPECIES> times the density of H2. */
static enum lr_status read_snapshot_density(const struct reader *r, const struct yaml_node *map)
{
    struct species *species = r->model->species;
    char density[48], abundance[48], needed[128];
    snprintf(density, sizeof density, "n_%s", species->name);
    snprintf(abundance, sizeof abundance, "abundance_%s", species->name);
    snprintf(needed, sizeof needed, "%s or %s", density, abundance);
    const int n = snapshot_find(r->snapshot, density), x = snapshot_find(r->snapshot, abundance);
    if (n >= 0)
        return read_snapshot_field(r, n, &DENSITY, &species->density);
    if (x < 0)
        return fail_missing(r, map, needed, "or give medium.abundance, or the right name as line.species");
    LR_TRY(check_hydrogen(r, r->snapshot_node));
    LR_TRY(read_snapshot_field(r, x, &ABUNDANCE, &species->density));
    return scale_abundance(r, &species->density);
}

static enum lr_status read_species_density(const struct reader *r, const struct yaml_node *map)
{
    struct species *species = r->model->species;
    const struct yaml_node *density = yaml_find(map, "density"), *abundance = yaml_find(map, "abundance");
    const bool told = species->density.values || species->density.constant > 0.0; /* as densities in `populations` */
    if (density && abundance)
        return yaml_fail_key(r->ctx, r->tree, abundance, "'density' is also given; remove one of them");
    if (told && (density || abundance))
        return yaml_fail_key(r->ctx, r->tree, density ? density : abundance,
                             "the dataset of 'populations' holds densities, which already set this");
    if (told)
        return LR_OK;
    if (!density && !abundance && r->snapshot)
        return read_snapshot_density(r, map);
    if (!density && !abundance)
        return yaml_fail_key(r->ctx, r->tree, map, "'density' or 'abundance' of the molecule is missing");
    if (density)
        return read_field(r, density, &DENSITY, &species->density);
    LR_TRY(check_hydrogen(r, abundance));
    if (is_abundance_recipe(abundance))
        return read_abundance_recipe(r, abundance, &species->density);
    LR_TRY(read_field(r, abundance, &ABUNDANCE, &species->density));
    return scale_abundance(r, &species->density);
}

/* ---- Opacity ---- */

/* Tells the user the effect of leaving out stimulated emission. */
static void warn_of_missing_bracket(const struct reader *r)
{
    const struct species *species = r->model->species;
    const struct yaml_node *node = yaml_find(yaml_find(r->tree->root, "populations"), "stimulated");
    if (species->options.stimulated || species->options.method == POPULATIONS_GIVEN || !node)
        return;
    const struct field_range range = field_measure(&species->temperature, &r->model->mesh);
    READER_WARN(r, node,
                "without stimulated emission the opacity is too high, by a factor of %.4g in LTE at %.4g K, 1 / (1 - "
                "exp(-h nu / k T))",
                -1.0 / expm1(-line_energy_ratio(&r->model->line, range.mean)), range.mean);
}

static enum lr_status read_dust(const struct reader *r, const struct yaml_node *map)
{
    const struct yaml_node *dust = yaml_find(map, "dust_temperature");
    const bool absorbs = yaml_find(map, "absorption") || yaml_find(map, "tau_absorption") ||
                         snapshot_find(r->snapshot, "absorption") >= 0;
    bool found = false;
    if (dust && !absorbs)
        return yaml_fail_key(r->ctx, r->tree, dust, "there is no dust; this needs 'absorption'");
    if (!absorbs)
        return LR_OK;
    return read_medium_field(r, map, "dust_temperature", "dust_temperature", &TEMPERATURE,
                             &r->model->species->dust_temperature, &found);
}

enum lr_status read_species(const struct reader *r, const struct yaml_node *map, struct medium *medium)
{
    struct species *species = r->model->species;
    struct field unused = {0};
    struct inversion inversion;
    LR_TRY(plan_collisions(r, map));
    LR_TRY(read_species_density(r, map));
    LR_TRY(read_dust(r, map));
    enum lr_status status =
        excitation_line(r->ctx, r->model, species->populations, &medium->alpha0, &unused, &inversion);
    field_free(&unused);
    LR_TRY(status);
    if (species->options.method == POPULATIONS_GIVEN && r->model->group.n < 2) /* of several, when a run knows all */
        excitation_warn(r->ctx, r->model, &inversion);
    warn_of_missing_bracket(r);
    return species->options.method == POPULATIONS_TWO_LEVEL ? excitation_destruction(r->ctx, r->model, &medium->eps)
                                                            : LR_OK;
}
