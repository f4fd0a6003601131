/* The temperature of the gas: a field, that of a snapshot, or from a pressure with the recipe `ideal-gas`,
 *   T = mu m_u P / (k rho),
 * where mu is the mean mass of a particle in atomic mass units (2.33 for H2 with 0.1 helium atoms per hydrogen
 * nucleus). */
#include <float.h>
#include <math.h>

#include "base/constants.h"
#include "io/model/model_field.h"
#include "io/model/model_snapshot.h"
#include "io/model/model_temperature.h"
#include "io/model/model_value.h"
#include "io/snapshot/snapshot.h"
#include "model/field.h"
#include "model/species.h"

static const struct field_rule TEMPERATURE = {DIMENSION_TEMPERATURE, false, 0.0, MOST_TEMPERATURE};
static const struct field_rule PRESSURE = {DIMENSION_PRESSURE, false, 0.0, MOST_PRESSURE};
static const struct field_rule MASS_DENSITY = {DIMENSION_MASS_DENSITY, true, 0.0, MOST_MASS_DENSITY};

/* rho: from the snapshot, or from H2 among the colliders, which may itself have been derived from it. */
static enum lr_status find_mass(const struct reader *r, const struct yaml_node *place, struct field *mass,
                                bool *from_h2)
{
    const struct species *species = r->model->species;
    const int index = snapshot_find(r->snapshot, "gas_density");
    const bool made = r->snapshot && r->snapshot->h2_from_mass;
    *from_h2 = species && species_has_h2(species) && (made || index < 0);
    if (*from_h2)
        return LR_OK;
    if (index >= 0)
        return read_snapshot_field(r, index, &MASS_DENSITY, mass);
    return READER_FAIL(r, place,
                       "an ideal gas needs its density: gas_density in a snapshot, or H2 among the colliders of a "
                       "molecule");
}

/* Convert pressures to temperatures, in place. */
static enum lr_status divide_by_mass(const struct reader *r, const struct yaml_node *place, double weight,
                                     struct field *field)
{
    const struct species *species = r->model->species;
    const int64_t n_cell = mesh_cell_count(&r->model->mesh);
    struct field mass = {0};
    bool from_h2 = false;
    enum lr_status status = find_mass(r, place, &mass, &from_h2);
    if (status == LR_OK && (mass.values || (from_h2 && species_h2_varies(species))))
        status = field_expand(r->ctx, field, n_cell);
    double *value = field->values ? field->values : &field->constant;
    for (int64_t cell = 0; cell < (field->values ? n_cell : 1) && status == LR_OK; cell++) {
        const double rho = from_h2 ? species_h2_at(species, cell) * species->mass_per_h2 : field_at(&mass, cell);
        value[cell] *= weight * LR_ATOMIC_MASS_UNIT / (LR_BOLTZMANN * rho);
        if (!isfinite(value[cell])) {
            char at[64];
            name_cell(&r->model->mesh, cell, at, sizeof at);
            status = READER_FAIL(r, place, "the temperature is %g at cell %s, where the density is %g g/cm^3",
                                 value[cell], at, rho);
        }
    }
    field_free(&mass);
    if (status == LR_OK)
        field_compact(field, n_cell);
    return status;
}

/* {ideal-gas: {mean_molecular_weight, pressure}}; `map` may be NULL if the snapshot provides both. */
static enum lr_status read_ideal_gas(const struct reader *r, const struct yaml_node *map, const struct yaml_node *place,
                                     struct field *field)
{
    const int index = snapshot_find(r->snapshot, "pressure");
    double weight = r->snapshot ? r->snapshot->mean_molecular_weight : 0.0;
    if (map && !yaml_is_empty(map))
        LR_TRY(READER_KEYS(r, map, &SCHEMA_IDEAL_GAS));
    LR_TRY(read_number(r, yaml_find(map, "mean_molecular_weight"), 0.1, 1000.0, &weight));
    if (!(weight > 0.0))
        return yaml_fail_key(r->ctx, r->tree, place,
                             "'mean_molecular_weight' is missing: the mean mass per particle in u, such as 2.33");
    if (yaml_find(map, "pressure"))
        LR_TRY(read_field(r, yaml_find(map, "pressure"), &PRESSURE, field));
    else if (index >= 0)
        LR_TRY(read_snapshot_field(r, index, &PRESSURE, field));
    else if (r->snapshot)
        return fail_missing(r, place, "pressure", "or give it as 'pressure'");
    else
        return yaml_fail_key(r->ctx, r->tree, place, "'pressure' is missing");
    return divide_by_mass(r, place, weight, field);
}

static bool is_recipe(const struct yaml_node *node)
{
    return node && node->kind == YAML_MAP && yaml_find(node, "ideal-gas");
}

bool temperature_needs_mass(const struct reader *r, const struct yaml_node *map)
{
    const struct yaml_node *node = yaml_find(map, "temperature");
    if (node)
        return is_recipe(node);
    return snapshot_find(r->snapshot, "temperature") < 0 && snapshot_find(r->snapshot, "pressure") >= 0;
}

enum lr_status read_temperature(const struct reader *r, const struct yaml_node *map, struct field *temperature,
                                bool *found)
{
    const struct yaml_node *node = yaml_find(map, "temperature");
    if (is_recipe(node)) {
        LR_TRY(READER_KEYS(r, node, &SCHEMA_TEMPERATURE));
        *found = true;
        return read_ideal_gas(r, yaml_find(node, "ideal-gas"), node, temperature);
    }
    LR_TRY(read_medium_field(r, map, "temperature", "temperature", &TEMPERATURE, temperature, found));
    if (*found || snapshot_find(r->snapshot, "pressure") < 0)
        return LR_OK;
    *found = true;
    if (!(r->snapshot->mean_molecular_weight > 0.0))
        return READER_FAIL(r, r->snapshot_node,
                           "the snapshot has a pressure but no temperature; give the mean mass per particle in u, "
                           "snapshot.mean_molecular_weight: 2.33 for molecular gas, or medium.temperature");
    return read_ideal_gas(r, NULL, r->snapshot_node, temperature);
}
