/* `medium.destruction`: a field, or {critical_density: n_c}, the probability that a collision with H2 ends an
 * excitation of a two-level atom,
 *
 *     eps = y / (1 + y),      y = n(H2) / n_c (1 - exp(-h nu / k T)),      n_c = A_ul / k_ul
 *
 * for molecules without a table of rates k_ul(T): n_c is a single number, and the bracket accounts for collisional
 * excitation from the lower level. */
#include <math.h>

#include "io/model/model_field.h"
#include "io/model/model_species.h"
#include "model/field.h"
#include "model/line.h"
#include "model/species.h"

static const struct field_rule PROBABILITY = {DIMENSION_NONE, false, 0.0, 1.0};
static const struct field_rule DENSITY = {DIMENSION_DENSITY, false, 0.0, MOST_DENSITY};

/* Convert critical densities to probabilities, in place. */
static enum lr_status from_critical_density(const struct reader *r, const struct yaml_node *node, struct field *eps)
{
    const struct species *species = r->model->species;
    const int64_t n_cell = mesh_cell_count(&r->model->mesh);
    LR_TRY(read_field(r, node, &DENSITY, eps));
    LR_TRY(field_expand(r->ctx, eps, n_cell));
    for (int64_t cell = 0; cell < n_cell; cell++) {
        if (!(eps->values[cell] > 0.0))
            return READER_FAIL(r, node, "a critical density must be above zero");
        const double ratio = line_energy_ratio(&r->model->line, field_at(&species->temperature, cell));
        const double y = -species_h2_at(species, cell) / eps->values[cell] * expm1(-ratio);
        eps->values[cell] = y / (1.0 + y);
    }
    field_compact(eps, n_cell);
    return LR_OK;
}

bool destruction_needs_hydrogen(const struct yaml_node *medium)
{
    return yaml_find(yaml_find(medium, "destruction"), "critical_density") != NULL;
}

enum lr_status read_destruction(const struct reader *r, const struct yaml_node *node, struct field *eps)
{
    const struct species *species = r->model->species;
    const struct yaml_node *critical = yaml_find(node, "critical_density");
    if (!node)
        return LR_OK;
    if (species && species->options.method == POPULATIONS_TWO_LEVEL)
        return yaml_fail_key(r->ctx, r->tree, node, "'populations: two-level' derives this from collisions; remove it");
    if (!critical)
        return read_field(r, node, &PROBABILITY, eps);
    LR_TRY(READER_KEYS(r, node, &SCHEMA_DESTRUCTION));
    if (!species)
        return yaml_fail_key(r->ctx, r->tree, critical,
                             "only a molecule has collision partners; give the probability itself");
    if (!species_has_h2(species))
        return yaml_fail_key(r->ctx, r->tree, critical,
                             "this needs the density of H2: 'colliders', or a snapshot with n_H2 or gas_density");
    if (field_is_zero(&species->temperature, mesh_cell_count(&r->model->mesh))) /* given populations may have none */
        return yaml_fail_key(r->ctx, r->tree, critical,
                             "this needs the temperature of the gas: 'temperature' of the medium or of a snapshot");
    return from_critical_density(r, critical, eps);
}
