/* Lines and colliders as the public interface shows them. */
#include <math.h>
#include <string.h>

#include "base/constants.h"
#include "lines/molecule.h"

void lr_molecule_size(const lr_molecule *molecule, int *n_level, int *n_line)
{
    *n_level = molecule->data.n_level;
    *n_line = molecule->data.n_line;
}

struct lr_line lr_molecule_line(const lr_molecule *molecule, int line)
{
    const struct molecule *data = &molecule->data;
    const struct transition *t = &data->line[line];
    double lowest = data->level[0].energy;
    for (int i = 1; i < data->n_level; i++)
        lowest = fmin(lowest, data->level[i].energy);
    const double kelvin = LR_PLANCK * LR_LIGHT_SPEED / LR_BOLTZMANN; /* K per cm^-1 */
    return (struct lr_line){.frequency = t->frequency,
                            .a_ul = t->a_ul,
                            .upper_energy = kelvin * (data->level[t->upper].energy - lowest),
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
