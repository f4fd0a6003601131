/* What section `medium` says of a molecule: its density or abundance, what it collides with, and the temperature of
 * dust. Opacity follows from the levels, in LTE until a run finds others. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/model_reader.h"
#include "model/excitation.h"
#include "model/field.h"
#include "model/line.h"

static const struct field_rule TEMPERATURE = {DIMENSION_TEMPERATURE, false, 0.0, DBL_MAX};
static const struct field_rule DENSITY = {DIMENSION_DENSITY, true, 0.0, DBL_MAX};
static const struct field_rule ABUNDANCE = {DIMENSION_NONE, false, 0.0, DBL_MAX};

enum { N_NAMED = N_COLLIDER - 1 };

static void collider_names(const char *names[N_NAMED])
{
    for (int i = 0; i < N_NAMED; i++)
        names[i] = collider_name((enum collider)(i + 1));
}

enum lr_status refuse_species_keys(const struct reader *r, const struct yaml_node *map)
{
    const char *const molecule_only[] = {"abundance", "colliders", "collider_rates", "dust_temperature"};
    const char *const line_only[] = {"opacity", "tau_mean", "tau_centre", "upper_density"};
    for (int i = 0; i < 4; i++) {
        const struct yaml_node *node = yaml_find(map, r->model->species ? line_only[i] : molecule_only[i]);
        if (node && r->model->species)
            return yaml_fail_key(r->ctx, r->tree, node,
                                 "the opacity of a molecule follows from 'density' or 'abundance' and its levels; "
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
    const struct yaml_node *node = yaml_find(map, "temperature");
    if (node)
        return read_field(r, node, &TEMPERATURE, &species->temperature);
    if (species->options.method == POPULATIONS_GIVEN)
        return LR_OK;
    return yaml_fail_key(r->ctx, r->tree, map, "'temperature' is missing: the levels of the molecule need it");
}

/* ---- Collisions ---- */

static enum lr_status read_colliders(const struct reader *r, const struct yaml_node *node)
{
    struct species *species = r->model->species;
    const char *names[N_NAMED];
    collider_names(names);
    if (!node)
        return LR_OK;
    LR_TRY(READER_KEYS(r, node, names));
    for (int i = 0; i < N_NAMED; i++) {
        const struct yaml_node *density = yaml_find(node, names[i]);
        if (!density)
            continue;
        LR_TRY(read_field(r, density, &DENSITY, &species->collider[i + 1]));
        species->given[i + 1] = true;
    }
    if (species->given[COLLIDER_H2] && (species->given[COLLIDER_PARA_H2] || species->given[COLLIDER_ORTHO_H2]))
        return READER_FAIL(r, yaml_find(node, "H2"), "give H2 as a whole, or its kinds p-H2 and o-H2, not both");
    if (!node->first)
        return READER_FAIL(r, node, "there is no collider");
    return LR_OK;
}

static enum lr_status read_replacements(const struct reader *r, const struct yaml_node *node,
                                        enum collider replace[N_COLLIDER])
{
    const char *names[N_NAMED];
    collider_names(names);
    if (!node)
        return LR_OK;
    LR_TRY(READER_KEYS(r, node, names));
    for (const struct yaml_node *entry = node->first; entry; entry = entry->next) {
        int of = 0, by = 0, nearest = 0;
        of = yaml_match_word(entry->key, names, N_NAMED, &nearest);
        LR_TRY(read_word(r, entry, names, N_NAMED, &by));
        if (!r->model->species->given[of + 1])
            return yaml_fail_key(r->ctx, r->tree, entry, "'colliders' has no '%s'", entry->key);
        replace[of + 1] = (enum collider)(by + 1);
    }
    return LR_OK;
}

/* Rates for every density, where the method needs rates at all. */
static enum lr_status plan_collisions(const struct reader *r, const struct yaml_node *map)
{
    struct species *species = r->model->species;
    const struct yaml_node *colliders = yaml_find(map, "colliders");
    const char *method = population_method_name(species->options.method);
    enum collider replace[N_COLLIDER] = {0};
    LR_TRY(read_replacements(r, yaml_find(map, "collider_rates"), replace));
    if (!population_method_collides(species->options.method))
        return LR_OK;
    if (!colliders)
        return yaml_fail_key(r->ctx, r->tree, map,
                             "'colliders' is missing: populations by '%s' need the densities of what the molecule "
                             "collides with, for example colliders: {H2: 1e4 cm^-3}",
                             method);
    if (species->molecule.n_partner == 0)
        return READER_FAIL(r, yaml_find(r->tree->root, "line"),
                           "%s has no collision rates, which populations by '%s' need; only 'lte' and 'given' do not",
                           species->molecule.name, method);
    LR_TRY(place_error(r, colliders,
                       collision_plan_make(r->ctx, &species->molecule, species->given, replace, &species->plan)));
    const struct field_range range = field_measure(&species->temperature, &r->model->mesh);
    if (collision_clamped(&species->molecule, &species->plan, range.low, range.high))
        READER_WARN(r, yaml_find(map, "temperature"),
                    "%.4g to %.4g K goes beyond the temperatures of some collision rates of %s, which are held at "
                    "those of their ends",
                    range.low, range.high, species->molecule.name);
    return LR_OK;
}

/* ---- Density ---- */

/* From abundances relative to H2, in place. */
static enum lr_status scale_abundance(const struct reader *r, const struct yaml_node *node, struct field *density)
{
    const struct species *species = r->model->species;
    const enum collider kinds[] = {COLLIDER_H2, COLLIDER_PARA_H2, COLLIDER_ORTHO_H2};
    const int64_t n_cell = mesh_cell_count(&r->model->mesh);
    bool any = false, many = density->values;
    for (int i = 0; i < 3; i++) {
        any |= species->given[kinds[i]];
        many |= species->collider[kinds[i]].values != NULL;
    }
    if (!any)
        return yaml_fail_key(r->ctx, r->tree, node,
                             "an abundance is relative to H2: 'colliders' needs H2, or p-H2 and o-H2");
    if (many)
        LR_TRY(field_expand(r->ctx, density, n_cell));
    for (int64_t cell = 0; cell < (many ? n_cell : 1); cell++) {
        double h2 = 0.0;
        for (int i = 0; i < 3; i++)
            h2 += species->given[kinds[i]] ? field_at(&species->collider[kinds[i]], cell) : 0.0;
        *(many ? &density->values[cell] : &density->constant) *= h2;
    }
    return LR_OK;
}

static enum lr_status read_species_density(const struct reader *r, const struct yaml_node *map)
{
    struct species *species = r->model->species;
    const struct yaml_node *density = yaml_find(map, "density"), *abundance = yaml_find(map, "abundance");
    const bool told = species->density.values || species->density.constant > 0.0; /* by populations of densities */
    if (density && abundance)
        return yaml_fail_key(r->ctx, r->tree, abundance, "'density' already says this; remove one of them");
    if (told && (density || abundance))
        return yaml_fail_key(r->ctx, r->tree, density ? density : abundance,
                             "the dataset of 'populations' holds densities and already says this");
    if (told)
        return LR_OK;
    if (!density && !abundance)
        return yaml_fail_key(r->ctx, r->tree, map, "'density' or 'abundance' of the molecule is missing");
    LR_TRY(read_field(r, density ? density : abundance, density ? &DENSITY : &ABUNDANCE, &species->density));
    return abundance ? scale_abundance(r, abundance, &species->density) : LR_OK;
}

/* ---- Opacity ---- */

/* Says what leaving stimulated emission out does. */
static void warn_of_missing_bracket(const struct reader *r)
{
    const struct species *species = r->model->species;
    const struct yaml_node *node = yaml_find(yaml_find(r->tree->root, "populations"), "stimulated");
    if (species->options.stimulated || species->options.method == POPULATIONS_GIVEN || !node)
        return;
    const struct field_range range = field_measure(&species->temperature, &r->model->mesh);
    READER_WARN(r, node,
                "without stimulated emission the opacity is too large, in LTE at %.4g K by a factor of %.4g, "
                "1 / (1 - exp(-h nu / k T))",
                range.mean, -1.0 / expm1(-line_energy_ratio(&r->model->line, range.mean)));
}

static enum lr_status read_dust(const struct reader *r, const struct yaml_node *map)
{
    const struct yaml_node *dust = yaml_find(map, "dust_temperature");
    if (!dust)
        return LR_OK;
    if (!yaml_find(map, "absorption") && !yaml_find(map, "tau_absorption"))
        return yaml_fail_key(r->ctx, r->tree, dust, "there is no dust: this needs 'absorption'");
    return read_field(r, dust, &TEMPERATURE, &r->model->species->dust_temperature);
}

enum lr_status read_species(const struct reader *r, const struct yaml_node *map, struct medium *medium)
{
    struct species *species = r->model->species;
    struct field unused = {0};
    struct inversion inversion;
    LR_TRY(read_colliders(r, yaml_find(map, "colliders")));
    LR_TRY(plan_collisions(r, map));
    LR_TRY(read_species_density(r, map));
    LR_TRY(read_dust(r, map));
    enum lr_status status =
        excitation_line(r->ctx, r->model, species->populations, &medium->alpha0, &unused, &inversion);
    field_free(&unused);
    LR_TRY(status);
    if (species->options.method == POPULATIONS_GIVEN)
        excitation_warn(r->ctx, r->model, &inversion);
    warn_of_missing_bracket(r);
    return species->options.method == POPULATIONS_TWO_LEVEL ? excitation_destruction(r->ctx, r->model, &medium->eps)
                                                            : LR_OK;
}
