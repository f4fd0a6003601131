/* Implausible gas: levels at zero temperature, more of a molecule than of H2, and speeds so close to that of light that
 * shifts are no longer v / c. Cells without gas may have any values. */
#include <math.h>
#include <string.h>

#include "base/constants.h"
#include "io/model/model_field.h"
#include "io/model/model_medium.h"
#include "model/species.h"

static const double FASTEST = 0.05; /* of light; v^2 / (2 c^2), the leading term neglected in shifts, is then 1e-3 */

/* The cell where a quantity is largest. */
struct extreme {
    double value;
    int64_t cell;
};

static void keep_larger(struct extreme *most, double value, int64_t cell)
{
    if (value > most->value)
        *most = (struct extreme){value, cell};
}

static enum lr_status check_temperature(const struct reader *r, const struct yaml_node *map)
{
    const struct species *species = r->model->species;
    const struct field *temperature = &species->temperature;
    const struct yaml_node *node = yaml_find(map, "temperature");
    const bool given = species->options.method == POPULATIONS_GIVEN && !node && !temperature->values; /* not needed */
    for (int64_t cell = 0; !given && cell < mesh_cell_count(&r->model->mesh); cell++)
        if (!(field_at(temperature, cell) > 0.0) && field_at(&species->density, cell) > 0.0) {
            char place[64];
            name_cell(&r->model->mesh, cell, place, sizeof place);
            return READER_FAIL(r, node ? node : r->snapshot_node,
                               "the temperature is %g K at cell %s, which contains gas; level populations need a "
                               "temperature above zero",
                               field_at(temperature, cell), place);
        }
    return LR_OK;
}

/* Hydrogen atoms may well outnumber molecules. */
static void warn_of_abundance(const struct reader *r, const struct yaml_node *map)
{
    const struct species *species = r->model->species;
    struct extreme most = {0.0, 0};
    if (!species_has_h2(species) || strcmp(species->name, "H") == 0)
        return;
    for (int64_t cell = 0; cell < mesh_cell_count(&r->model->mesh); cell++)
        if (species_h2_at(species, cell) > 0.0)
            keep_larger(&most, field_at(&species->density, cell) / species_h2_at(species, cell), cell);
    if (!(most.value > 1.0))
        return;
    const struct yaml_node *density = yaml_find(map, "density"), *abundance = yaml_find(map, "abundance");
    char place[64];
    name_cell(&r->model->mesh, most.cell, place, sizeof place);
    READER_WARN(r,
                abundance          ? abundance
                : density          ? density
                : r->snapshot_node ? r->snapshot_node
                                   : map,
                "the abundance of %s relative to H2 is %.3g at cell %s; abundances are by number, not by mass",
                species->name, most.value, place);
}

static void warn_of_speed(const struct reader *r, const struct yaml_node *map, const struct medium *medium)
{
    const struct yaml_node *node = yaml_find(map, "velocity");
    const struct field *v = medium->velocity;
    const bool moves = v[0].values || v[1].values || v[2].values || v[0].constant != 0.0 || v[1].constant != 0.0 ||
                       v[2].constant != 0.0;
    struct extreme most = {0.0, 0};
    for (int64_t cell = 0; moves && cell < mesh_cell_count(&r->model->mesh); cell++)
        if (field_at(&medium->alpha0, cell) > 0.0) {
            const double x = field_at(&v[0], cell), y = field_at(&v[1], cell), z = field_at(&v[2], cell);
            keep_larger(&most, x * x + y * y + z * z, cell);
        }
    const double speed = sqrt(most.value) / LR_LIGHT_SPEED;
    if (!(speed > FASTEST))
        return;
    char place[64];
    name_cell(&r->model->mesh, most.cell, place, sizeof place);
    READER_WARN(r, node ? node : r->snapshot_node,
                "the gas at cell %s moves at %.3g of the speed of light; Doppler shifts are non-relativistic, v / c, "
                "and off by about %.2g c",
                place, speed, 0.5 * speed * speed);
}

enum lr_status check_plausible(const struct reader *r, const struct yaml_node *map, const struct medium *medium)
{
    if (r->model->species) {
        LR_TRY(check_temperature(r, map));
        warn_of_abundance(r, map);
    }
    warn_of_speed(r, map, medium);
    return LR_OK;
}
