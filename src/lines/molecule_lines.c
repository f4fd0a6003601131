/* Levels, lines and colliders as shown by the public interface. */
#include <math.h>
#include <string.h>

#include "base/constants.h"
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

struct lr_level lr_molecule_level(const lr_molecule *molecule, int level)
{
    const struct molecule *data = &molecule->data;
    return (struct lr_level){
        .energy = energy_of(data, level), .weight = data->level[level].weight, .label = data->level[level].label};
}

const char *lr_molecule_name(const lr_molecule *molecule)
{
    return molecule->data.name;
}

double lr_molecule_mass(const lr_molecule *molecule)
{
    return molecule->data.mass;
}

struct lr_line lr_molecule_line(const lr_molecule *molecule, int line)
{
    const struct molecule *data = &molecule->data;
    const struct transition *t = &data->line[line];
    return (struct lr_line){.frequency = t->frequency,
                            .a_ul = t->a_ul,
                            .upper_energy = energy_of(data, t->upper),
                            .upper = t->upper,
                            .lower = t->lower,
                            .upper_label = data->level[t->upper].label,
                            .lower_label = data->level[t->lower].label};
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

struct lr_partner lr_molecule_partner(const lr_molecule *molecule, int partner)
{
    const struct partner *found = &molecule->data.partner[partner];
    return (struct lr_partner){.name = collider_name(found->collider),
                               .reference = found->reference,
                               .n_transition = found->n_transition,
                               .n_temperature = found->n_temperature,
                               .coldest = found->temperature[0],
                               .hottest = found->temperature[found->n_temperature - 1]};
}

double lr_molecule_critical_density(const lr_molecule *molecule, int line, int partner, double temperature)
{
    return critical_density(&molecule->data, line, &molecule->data.partner[partner], temperature);
}
