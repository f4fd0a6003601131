/* Collision partners of a molecule: densities from `medium.colliders`, or else from a snapshot, and the rates to use
 * for each. In a snapshot with only a mass density rho, n(H2) = rho / (mass per H2): all hydrogen is taken to be
 * molecular. */
#include <float.h>
#include <stdio.h>

#include "io/model/model_field.h"
#include "io/model/model_snapshot.h"
#include "io/model/model_species.h"
#include "io/model/model_temperature.h"
#include "io/model/model_value.h"
#include "io/snapshot/snapshot.h"
#include "model/field.h"
#include "model/species.h"

static const struct field_rule DENSITY = {DIMENSION_DENSITY, true, 0.0, MOST_DENSITY};
static const struct field_rule MASS_DENSITY = {DIMENSION_MASS_DENSITY, true, 0.0, MOST_MASS_DENSITY};

enum { N_NAMED = N_COLLIDER - 1 };

static enum lr_status read_given_colliders(const struct reader *r, const struct yaml_node *node)
{
    struct species *species = r->model->species;
    LR_TRY(READER_KEYS(r, node, &SCHEMA_COLLIDERS));
    for (int i = 0; i < N_NAMED; i++) {
        const struct yaml_node *density = yaml_find(node, SCHEMA_COLLIDERS.key[i].name);
        if (!density)
            continue;
        LR_TRY(read_field(r, density, &DENSITY, &species->collider[i + 1]));
        species->given[i + 1] = true;
    }
    if (species->given[COLLIDER_H2] && (species->given[COLLIDER_PARA_H2] || species->given[COLLIDER_ORTHO_H2]))
        return READER_FAIL(r, yaml_find(node, "H2"), "give either H2, or p-H2 and o-H2, not both");
    if (!node->first)
        return READER_FAIL(r, node, "no collider is given");
    return LR_OK;
}

/* ---- From a snapshot ---- */

static int find_collider(const struct reader *r, enum collider collider)
{
    char name[16];
    snprintf(name, sizeof name, "n_%s", collider_name(collider));
    return snapshot_find(r->snapshot, name);
}

static enum lr_status take_collider(const struct reader *r, enum collider collider)
{
    struct species *species = r->model->species;
    const int index = find_collider(r, collider);
    if (index < 0)
        return LR_OK;
    LR_TRY(read_snapshot_field(r, index, &DENSITY, &species->collider[collider]));
    species->given[collider] = true;
    return LR_OK;
}

static bool has_rates(const struct molecule *molecule, enum collider collider)
{
    for (int p = 0; p < molecule->n_partner; p++)
        if (molecule->partner[p].collider == collider)
            return true;
    return false;
}

/* Whether anything in the model depends on H2: collisions, an abundance, or the mean mass of gas with a given
 * pressure. */
static bool needs_hydrogen(const struct reader *r, const struct yaml_node *map)
{
    const struct species *species = r->model->species;
    const bool told = species->density.values || species->density.constant > 0.0; /* by given populations */
    char name[48];
    snprintf(name, sizeof name, "n_%s", species->name);
    if (population_method_collides(species->options.method) || destruction_needs_hydrogen(map))
        return true;
    if (!told && (yaml_find(map, "abundance") || (!yaml_find(map, "density") && snapshot_find(r->snapshot, name) < 0)))
        return true;
    return snapshot_find(r->snapshot, "gas_density") < 0 && temperature_needs_mass(r, map);
}

static enum lr_status take_hydrogen(const struct reader *r)
{
    struct species *species = r->model->species;
    const int mass = snapshot_find(r->snapshot, "gas_density");
    const bool kinds = find_collider(r, COLLIDER_PARA_H2) >= 0 || find_collider(r, COLLIDER_ORTHO_H2) >= 0;
    const bool whole = find_collider(r, COLLIDER_H2) >= 0;
    if (kinds && (!whole || (has_rates(&species->molecule, COLLIDER_PARA_H2) &&
                             has_rates(&species->molecule, COLLIDER_ORTHO_H2)))) {
        LR_TRY(take_collider(r, COLLIDER_PARA_H2));
        return take_collider(r, COLLIDER_ORTHO_H2);
    }
    if (whole || mass < 0)
        return take_collider(r, COLLIDER_H2);
    LR_TRY(read_snapshot_field(r, mass, &MASS_DENSITY, &species->collider[COLLIDER_H2]));
    field_scale(&species->collider[COLLIDER_H2], mesh_cell_count(&r->model->mesh), 1.0 / species->mass_per_h2);
    species->given[COLLIDER_H2] = true;
    r->snapshot->h2_from_mass = true;
    return LR_OK;
}

static enum lr_status take_others(const struct reader *r, const struct yaml_node *map)
{
    const enum collider others[] = {COLLIDER_ELECTRON, COLLIDER_H, COLLIDER_HE, COLLIDER_PROTON};
    const struct species *species = r->model->species;
    const struct yaml_node *replaced = yaml_find(map, "collider_rates");
    for (int i = 0; i < 4 && population_method_collides(species->options.method); i++) {
        const enum collider collider = others[i];
        if (!species->given[collider] &&
            (has_rates(&species->molecule, collider) || yaml_find(replaced, collider_name(collider))))
            LR_TRY(take_collider(r, collider));
    }
    return LR_OK;
}

enum lr_status read_colliders(const struct reader *r, const struct yaml_node *map)
{
    struct species *species = r->model->species;
    const struct yaml_node *node = yaml_find(map, "colliders");
    species->mass_per_h2 = r->snapshot ? r->snapshot->mass_per_h2 : SPECIES_MASS_PER_H2;
    if (node)
        LR_TRY(read_given_colliders(r, node));
    if (!r->snapshot)
        return LR_OK;
    if (!species_has_h2(species) && needs_hydrogen(r, map))
        LR_TRY(take_hydrogen(r));
    return take_others(r, map);
}

/* ---- Rates ---- */

static enum lr_status read_replacements(const struct reader *r, const struct yaml_node *node,
                                        enum collider replace[N_COLLIDER])
{
    if (!node)
        return LR_OK;
    LR_TRY(READER_KEYS(r, node, &SCHEMA_COLLIDER_RATES));
    for (const struct yaml_node *entry = node->first; entry; entry = entry->next) {
        const int of = (int)(schema_find(&SCHEMA_COLLIDER_RATES, entry->key) - SCHEMA_COLLIDER_RATES.key);
        int by = 0;
        LR_TRY(read_choice(r, entry, &SCHEMA_COLLIDER_RATES, entry->key, &by));
        if (!r->model->species->given[of + 1])
            return yaml_fail_key(r->ctx, r->tree, entry, "'colliders' has no '%s'", entry->key);
        replace[of + 1] = (enum collider)(by + 1);
    }
    return LR_OK;
}

static bool has_colliders(const struct species *species)
{
    for (int c = 1; c < N_COLLIDER; c++)
        if (species->given[c])
            return true;
    return false;
}

enum lr_status plan_collisions(const struct reader *r, const struct yaml_node *map)
{
    struct species *species = r->model->species;
    const struct yaml_node *colliders = yaml_find(map, "colliders"), *temperature = yaml_find(map, "temperature");
    const char *method = population_method_name(species->options.method);
    enum collider replace[N_COLLIDER] = {0};
    LR_TRY(read_replacements(r, yaml_find(map, "collider_rates"), replace));
    if (!population_method_collides(species->options.method))
        return LR_OK;
    if (!has_colliders(species) && r->snapshot)
        return fail_missing(r, map, "n_H2, gas_density, or another collider", "or give medium.colliders");
    if (!colliders && !r->snapshot)
        return yaml_fail_key(r->ctx, r->tree, map,
                             "'colliders' is missing: 'populations: %s' needs the densities of collision partners, for "
                             "example colliders: {H2: 1e4 cm^-3}",
                             method);
    if (species->molecule.n_partner == 0)
        return READER_FAIL(
            r, yaml_find(r->tree->root, "line"),
            "%s has no collision rates, which 'populations: %s' needs; use a file of the molecule from the Leiden "
            "Atomic and Molecular Database (LAMDA), line: {molecule: FILE.dat}, or 'populations: lte' or 'given'",
            species->molecule.name, method);
    LR_TRY(place_error(r, colliders ? colliders : r->snapshot_node,
                       collision_plan_make(r->ctx, &species->molecule, species->given, replace, &species->plan)));
    const struct field_range range = field_measure(&species->temperature, &r->model->mesh);
    if (collision_clamped(&species->molecule, &species->plan, range.low, range.high))
        READER_WARN(r, temperature ? temperature : r->snapshot_node,
                    "%.4g to %.4g K exceeds the temperature range of some collision rates of %s; outside it, the rates "
                    "at the end of the table are used",
                    range.low, range.high, species->molecule.name);
    return LR_OK;
}
