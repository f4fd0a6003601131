/* The part of lr_model_report() about a molecule: what it is, its collision partners, and how its levels will be
 * found. */
#include <math.h>

#include "model/field.h"
#include "model/line.h"
#include "model/line_group.h"
#include "model/species.h"
#include "solve/report/report.h"

static void write_range(FILE *out, const struct mesh *mesh, const struct field *field, const char *unit)
{
    const struct field_range range = field_measure(field, mesh);
    if (field->values)
        fprintf(out, "%.5g to %.5g, mean %.5g %s", range.low, range.high, range.mean, unit);
    else
        fprintf(out, "%.5g %s everywhere", field->constant, unit);
}

/* Z = SUM g exp(-E / k T) over all levels of the file. */
static double partition_function(const struct molecule *molecule, double temperature)
{
    double sum = 0;
    for (int i = 0; i < molecule->n_level; i++)
        sum += molecule->level[i].weight * molecule_boltzmann(molecule, i, 0, temperature);
    return sum;
}

static void write_gas(FILE *out, const lr_model *model)
{
    const struct species *species = model->species;
    fprintf(out, "  density     ");
    write_range(out, &model->mesh, &species->density, "1/cm3, all levels");
    fprintf(out, "\n");
    if (species->temperature.values || species->temperature.constant > 0) {
        const double mean = field_measure(&species->temperature, &model->mesh).mean;
        fprintf(out, "  temperature ");
        write_range(out, &model->mesh, &species->temperature, "K");
        fprintf(out, "; partition function %.6g at %.5g K\n", partition_function(&species->molecule, mean), mean);
    }
    for (int c = 1; c < N_COLLIDER; c++)
        if (species->given[c]) {
            fprintf(out, "  with %-7s", collider_name((enum collider)c));
            write_range(out, &model->mesh, &species->collider[c], "1/cm3");
            fprintf(out, "\n");
        }
    if (!field_is_zero(&species->dust_temperature, mesh_cell_count(&model->mesh))) {
        fprintf(out, "  dust        ");
        write_range(out, &model->mesh, &species->dust_temperature, "K");
        fprintf(out, "\n");
    }
}

/* In LTE, or for given populations: the effect of stimulated emission on the largest of the three depths. */
static void write_stimulated(FILE *out, const lr_model *model)
{
    const struct species *species = model->species;
    if (species->options.method == POPULATIONS_GIVEN)
        return;
    double depth = 0;
    for (int axis = 0; axis < 3; axis++)
        depth = fmax(depth, field_depth(&model->medium.alpha0, &model->mesh, axis, false));
    const double mean = field_measure(&species->temperature, &model->mesh).mean;
    const double factor = -1 / expm1(-line_energy_ratio(&model->line, mean));
    const bool with = species->options.stimulated;
    fprintf(out, "  LTE depth   tau_c %.5g with stimulated emission, %.5g without (factor %.5g at %.5g K)%s\n",
            with ? depth : depth / factor, with ? depth * factor : depth, factor, mean, with ? "" : "; it is left out");
}

static void write_plan(FILE *out, const struct population_options *options)
{
    fprintf(out, "levels        ");
    switch (options->method) {
    case POPULATIONS_LTE:
        fprintf(out, "in local thermodynamic equilibrium");
        break;
    case POPULATIONS_GIVEN:
        fprintf(out, "read from a file");
        break;
    case POPULATIONS_TWO_LEVEL:
        fprintf(out, "two-level atom: packets are followed until populations and radiation agree");
        break;
    case POPULATIONS_LVG:
        fprintf(out, "statistical equilibrium in each cell, escape along the velocity gradient");
        break;
    case POPULATIONS_ESCAPE:
        fprintf(out, "statistical equilibrium in each cell, escape from a sphere of given diameter");
        break;
    case POPULATIONS_EQUILIBRIUM:
    case N_POPULATION_METHOD:
        fprintf(out, "statistical equilibrium with the radiation of all other cells");
        break;
    }
    if (population_method_collides(options->method))
        fprintf(out, "; background %.5g K, error %.2g, at most %d iterations", options->background, options->error,
                options->iterations);
    fprintf(out, "\n");
    if (population_method_collides(options->method))
        fprintf(out, "              solved first; its time and memory are not in the estimates below\n");
}

/* Lines that are seen together. */
static void write_group(FILE *out, const lr_model *model)
{
    const double kms = 1e5; /* cm/s */
    double sum = 0;
    for (int m = 0; m < model->group.n; m++)
        sum += model->group.member[m].g_upper * model->group.member[m].a_ul;
    fprintf(out, "  lines       %d seen together; velocities and tau_c are those of the first\n", model->group.n);
    for (int m = 0; m < model->group.n; m++) {
        const struct line_member *member = &model->group.member[m];
        fprintf(out, "    %-9d %s, %.6f GHz, at %+.4g km/s, A %.4g 1/s, %.3g %% of all g_u A\n", member->line + 1,
                member->label, 1e-9 * model->line.nu0 * (1 + member->offset), line_group_velocity(member) / kms,
                member->a_ul, 100 * member->g_upper * member->a_ul / sum);
    }
}

void report_species(FILE *out, const lr_model *model)
{
    const struct species *species = model->species;
    const struct molecule *molecule = &species->molecule;
    char label[96];
    species_line_label(molecule, species->line, label, sizeof label);
    fprintf(out, "molecule      %s: %d levels, %d lines, %d collision partners; line %d is %s\n", molecule->name,
            molecule->n_level, molecule->n_line, molecule->n_partner, species->line + 1, label);
    for (int p = 0; p < molecule->n_partner; p++) {
        const struct partner *partner = &molecule->partner[p];
        fprintf(out, "  rates       %s, %.4g to %.4g K, %d transitions\n", collider_name(partner->collider),
                partner->temperature[0], partner->temperature[partner->n_temperature - 1], partner->n_transition);
    }
    if (model->group.n > 1)
        write_group(out, model);
    write_gas(out, model);
    write_stimulated(out, model);
    write_plan(out, &species->options);
}
