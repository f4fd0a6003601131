/* The part of lr_model_report() that adds everything up: volume, mass of the gas (H2 times the gas mass per H2
 * molecule), number and mass of the molecule, and column densities INT n ds along the axes, so that a model can be
 * compared with the simulation it came from. */
#include <math.h>
#include <string.h>

#include "base/constants.h"
#include "model/field.h"
#include "model/species.h"
#include "solve/report/report.h"

struct totals {
    double volume, h2, molecules; /* cm^3, numbers */
    double heat;                  /* SUM n(H2) T V, or with the density of the molecule if there is no H2 */
};

static struct totals add_up(const lr_model *model)
{
    const struct mesh *mesh = &model->mesh;
    const struct species *species = model->species;
    struct totals sum = {.volume = mesh_volume(mesh)};
    int64_t cell = 0;
    for (int i = 0; species && i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++, cell++) {
                const double volume = mesh_cell_volume(mesh, i, j, k), h2 = species_h2_at(species, cell) * volume;
                const double molecules = field_at(&species->density, cell) * volume;
                sum.h2 += h2;
                sum.molecules += molecules;
                sum.heat += (species_has_h2(species) ? h2 : molecules) * field_at(&species->temperature, cell);
            }
    return sum;
}

/* The area covered by the mesh, as seen along an axis. */
static double shadow(const struct mesh *mesh, int axis)
{
    if (mesh->kind == MESH_SHELLS)
        return 0.25 * LR_PI * mesh_size(mesh, 0) * mesh_size(mesh, 0);
    return mesh_size(mesh, (axis + 1) % 3) * mesh_size(mesh, (axis + 2) % 3);
}

/* `field` is the density, or NULL if it is a sum of several. */
static void write_columns(FILE *out, const struct mesh *mesh, const char *name, double total, const struct field *field)
{
    const bool shells = mesh->kind == MESH_SHELLS;
    fprintf(out, "  N(%s)%*s", name, strlen(name) < 8 ? (int)(9 - strlen(name)) : 1, "");
    for (int axis = 0; axis < (shells ? 1 : 3); axis++) {
        fprintf(out, "%s%c: mean %.5g", axis ? "; " : "", shells ? 'r' : "xyz"[axis], total / shadow(mesh, axis));
        if (field)
            fprintf(out, ", maximum %.5g", field_largest_depth(field, mesh, axis));
    }
    fprintf(out, " 1/cm2\n");
}

static const struct field *whole_h2(const struct species *species)
{
    const bool kinds = species->given[COLLIDER_PARA_H2] || species->given[COLLIDER_ORTHO_H2];
    return species->given[COLLIDER_H2] && !kinds ? &species->collider[COLLIDER_H2] : NULL;
}

static void write_molecule(FILE *out, const lr_model *model, const struct totals *sum)
{
    const struct species *species = model->species;
    const bool warm = species->temperature.values || species->temperature.constant > 0.0;
    if (species_has_h2(species))
        fprintf(out, "  gas         %.6g Msun: %.6g H2 molecules, %.5g u of gas each\n",
                sum->h2 * species->mass_per_h2 / LR_SOLAR_MASS, sum->h2, species->mass_per_h2 / LR_ATOMIC_MASS_UNIT);
    fprintf(out, "  %-12s%.6g Msun: %.6g molecules\n", species->name,
            sum->molecules * species->molecule.mass / LR_SOLAR_MASS, sum->molecules);
    const double weight = species_has_h2(species) ? sum->h2 : sum->molecules;
    if (warm && weight > 0.0)
        fprintf(out, "  temperature %.5g K, mean over %s\n", sum->heat / weight,
                species_has_h2(species) ? "mass" : "molecules");
    if (species_has_h2(species))
        write_columns(out, &model->mesh, "H2", sum->h2, whole_h2(species));
    write_columns(out, &model->mesh, species->name, sum->molecules, &species->density);
}

void report_inventory(FILE *out, const lr_model *model)
{
    const struct totals sum = add_up(model);
    fprintf(out, "inventory     %.6g pc3 (%.6g cm3)\n", sum.volume / pow(LR_PARSEC, 3.0), sum.volume);
    if (model->species)
        write_molecule(out, model, &sum);
}
