/* Levels, lines and colliders as shown by the public interface. */
#include <math.h>
#include <string.h>

#include "base/constants.h"
#include "base/structure.h"
#include "lines/critical_density.h"

void lr_molecule_size(const lr_molecule *molecule, int *n_level, int *n_line)
{
    *n_level = molecule->data.n_level;
    *n_line = molecule->data.n_line;
}

/* K above the lowest level. */
static double energy_of(const struct molecule *data, int level)
{
    double lowest = data->level[0].energy;
    for (int i = 1; i < data->n_level; i++)
        lowest = fmin(lowest, data->level[i].energy);
    const double kelvin = LR_PLANCK * LR_LIGHT_SPEED / LR_BOLTZMANN; /* K per cm^-1 */
    return kelvin * (data->level[level].energy - lowest);
}

int lr_molecule_level(const lr_molecule *molecule, int index, struct lr_level *level)
{
    const struct molecule *data = &molecule->data;
    if (index < 0 || index >= data->n_level)
        return 0;
    const struct lr_level found = {
        .energy = energy_of(data, index), .weight = data->level[index].weight, .label = data->level[index].label};
    structure_give(&found, sizeof found, level);
    return 1;
}

const char *lr_molecule_name(const lr_molecule *molecule)
{
    return molecule->data.name;
}

double lr_molecule_mass(const lr_molecule *molecule)
{
    return molecule->data.mass;
}

int lr_molecule_line(const lr_molecule *molecule, int index, struct lr_line *line)
{
    const struct molecule *data = &molecule->data;
    if (index < 0 || index >= data->n_line)
        return 0;
    const struct transition *t = &data->line[index];
    const struct lr_line found = {.frequency = t->frequency,
                                  .a_ul = t->a_ul,
                                  .upper_energy = energy_of(data, t->upper),
                                  .upper = t->upper,
                                  .lower = t->lower,
                                  .upper_label = data->level[t->upper].label,
                                  .lower_label = data->level[t->lower].label};
    structure_give(&found, sizeof found, line);
    return 1;
}

int lr_collider_find(const char *name)
{
    for (int c = COLLIDER_H2; c < N_COLLIDER; c++)
        if (strcmp(name, collider_name((enum collider)c)) == 0)
            return c;
    return 0;
}

int lr_molecule_partner_count(const lr_molecule *molecule)
{
    return molecule->data.n_partner;
}

int lr_molecule_partner(const lr_molecule *molecule, int index, struct lr_partner *partner)
{
    if (index < 0 || index >= molecule->data.n_partner)
        return 0;
    const struct partner *rates = &molecule->data.partner[index];
    const struct lr_partner found = {.name = collider_name(rates->collider),
                                     .reference = rates->reference,
                                     .n_transition = rates->n_transition,
                                     .n_temperature = rates->n_temperature,
                                     .coldest = rates->temperature[0],
                                     .hottest = rates->temperature[rates->n_temperature - 1]};
    structure_give(&found, sizeof found, partner);
    return 1;
}

double lr_molecule_critical_density(const lr_molecule *molecule, int line, int partner, double temperature)
{
    return critical_density(&molecule->data, line, &molecule->data.partner[partner], temperature);
}
