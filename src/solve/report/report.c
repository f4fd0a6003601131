/* lr_model_report(): what was understood from a model file, in physical units, and the expected cost of the run. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/context.h"
#include "model/field.h"
#include "model/line_group.h"
#include "model/medium.h"
#include "model/model.h"
#include "model/species.h"
#include "solve/common/skip.h"
#include "solve/imaging/imaging_plan.h"
#include "solve/report/report.h"
#include "solve/stage/stage.h"

static const double KM_S = 1e5; /* cm/s */

struct length_unit report_length_unit(double length)
{
    if (length >= 0.01 * LR_PARSEC)
        return (struct length_unit){"pc", LR_PARSEC};
    if (length >= 0.01 * LR_ASTRONOMICAL_UNIT)
        return (struct length_unit){"au", LR_ASTRONOMICAL_UNIT};
    return length >= 1e5 ? (struct length_unit){"km", 1e5} : (struct length_unit){"cm", 1.0};
}

bool report_is_before_levels(const lr_model *model)
{
    return model->species && population_method_collides(model->species->options.method);
}

/* ---- Line ---- */

static void write_line(FILE *out, const struct line *line)
{
    fprintf(out, "line          %s: %.9g GHz (%.6g cm), A_ul %.5g 1/s, Gamma %.5g 1/s, g %g and %g, mass %.6g u\n",
            line->name, line->nu0 / 1e9, LR_LIGHT_SPEED / line->nu0, line->a_ul, line->gamma, line->g_lower,
            line->g_upper, line->mass / LR_ATOMIC_MASS_UNIT);
}

/* Lines of atoms; report_species.c writes those of a molecule. */
static void write_group(FILE *out, const lr_model *model)
{
    const struct line_group *group = &model->group;
    if (group->n < 2 || model->species)
        return;
    fprintf(out, "  lines       %d; opacity, depths, a and b below are those of the first\n", group->n);
    for (int m = 0; m < group->n; m++) {
        const struct line_member *member = &group->member[m];
        fprintf(out, "    %-9s %.6f A in vacuum, at %+.5g km/s, A %.4g 1/s, %.4g of the decays of its level, ",
                member->label, 1e8 * LR_LIGHT_SPEED / (model->line.nu0 * (1.0 + member->offset)),
                line_group_velocity(member) / KM_S, member->a_ul, line_group_branching(group, m));
        if (member->abundance > 0.0)
            fprintf(out, "opacity %.4g\n", member->abundance * line_group_cross_section(&model->line, member));
        else
            fprintf(out, "absorbs nothing\n");
    }
}

/* ---- Medium ---- */

static void write_field(FILE *out, const struct mesh *mesh, const char *name, const struct field *field, double scale,
                        const char *unit, const char *cgs_unit)
{
    struct field_range range = field_measure(field, mesh);
    fprintf(out, "  %-12s", name);
    if (field->values)
        fprintf(out, "%.5g to %.5g, mean %.5g%s", range.low / scale, range.high / scale, range.mean / scale, unit);
    else
        fprintf(out, "%.5g%s everywhere", field->constant / scale, unit);
    if (cgs_unit && range.high != 0.0)
        fprintf(out, " (%s%.5g%s)", field->values ? "mean " : "", range.mean, cgs_unit);
    fprintf(out, "\n");
}

static void write_medium(FILE *out, const lr_model *model)
{
    const struct medium *medium = &model->medium;
    const struct mesh *mesh = &model->mesh;
    struct length_unit unit = report_mesh_unit(mesh);
    char per_length[16];
    snprintf(per_length, sizeof per_length, " 1/%s", unit.name);
    fprintf(out, "medium        means are over volume%s\n",
            report_is_before_levels(model) ? "; the opacity is for LTE, until the run solves for the levels" : "");
    write_field(out, mesh, "b", &medium->b, KM_S, " km/s", NULL);
    write_field(out, mesh, "damping a", &medium->a, 1.0, "", NULL);
    write_field(out, mesh, "opacity", &medium->alpha0, 1.0 / unit.cm, per_length, " 1/cm, line centre");
    for (int d = 0; d < 3; d++) {
        const char name[] = {'v', 'e', 'l', 'o', 'c', 'i', 't', 'y', ' ', "xyz"[d], '\0'};
        if (!field_is_zero(&medium->velocity[d], mesh_cell_count(mesh)))
            write_field(out, mesh, mesh->kind == MESH_SHELLS ? "outflow" : name, &medium->velocity[d], KM_S, " km/s",
                        NULL);
    }
    write_field(out, mesh, "absorption", &medium->kappa, 1.0 / unit.cm, per_length, " 1/cm");
    write_field(out, mesh, "destruction", &medium->eps, 1.0, "", NULL);
}

static void write_depths(FILE *out, const lr_model *model)
{
    fprintf(out,
            "depths        %sthrough the centre of the mesh, across it (and from the centre to the upper face);\n"
            "              tau_c = line centre without H(a, 0), tau_mean = sqrt(pi) tau_c, tau_abs = absorption\n",
            report_is_before_levels(model) ? "in LTE: " : "");
    for (int axis = 0; axis < (model->mesh.kind == MESH_SHELLS ? 1 : 3); axis++) {
        double across = medium_line_centre_depth(model, axis, false),
               half = medium_line_centre_depth(model, axis, true);
        const struct field *kappa = &model->medium.kappa;
        fprintf(out, "  %c           tau_c %.5g (%.5g), tau_mean %.5g (%.5g), tau_abs %.5g (%.5g)\n",
                model->mesh.kind == MESH_SHELLS ? 'r' : "xyz"[axis], across, half, LR_SQRT_PI * across,
                LR_SQRT_PI * half, field_depth(kappa, &model->mesh, axis, false),
                field_depth(kappa, &model->mesh, axis, true));
    }
}

/* ---- Sources ---- */

static void write_spectrum(FILE *out, const struct spectrum *spectrum, double b)
{
    double centre = spectrum->centre, width = spectrum->width;
    switch (spectrum->kind) {
    case SPECTRUM_MONOCHROMATIC:
        fprintf(out, "monochromatic at x = %.5g (%.5g km/s)", centre / b, (0.0 - centre) / KM_S);
        break;
    case SPECTRUM_GAUSSIAN:
        fprintf(out, "Gaussian at x = %.5g with sigma %.5g (%.5g km/s)", centre / b, width / b, width / KM_S);
        break;
    case SPECTRUM_LOCAL:
        fprintf(out, "profile of the local gas");
        return;
    case SPECTRUM_BAND:
        fprintf(out, "flat from x = %.5g to %.5g", (centre - 0.5 * width) / b, (centre + 0.5 * width) / b);
        break;
    case SPECTRUM_TABLE:
        fprintf(out, "table of %d values from x = %.5g to %.5g", spectrum->n_table, spectrum->shift[0] / b,
                spectrum->shift[spectrum->n_table - 1] / b);
        break;
    }
    fprintf(out, " in the frame of the %s", spectrum->gas_frame ? "gas" : "mesh");
}

static void write_place(FILE *out, const struct source *source, struct length_unit unit)
{
    const char *const angular[] = {"isotropic", "Lambertian", "beam"};
    const double *at = source->position, *to = source->direction;
    switch (source->kind) {
    case SOURCE_POINT:
        if (source->light == LIGHT_STAR) {
            fprintf(out, "star of %.5g K and radius %.5g Rsun at [%.5g, %.5g, %.5g] %s", source->temperature,
                    source->radius / LR_SOLAR_RADIUS, at[0] / unit.cm, at[1] / unit.cm, at[2] / unit.cm, unit.name);
            return;
        }
        fprintf(out, "%s point at [%.5g, %.5g, %.5g] %s", angular[source->angular], at[0] / unit.cm, at[1] / unit.cm,
                at[2] / unit.cm, unit.name);
        break;
    case SOURCE_PLANE:
        fprintf(out, "%s plane at %c = %.5g %s", angular[source->angular], "xyz"[source->axis],
                source -> offset / unit.cm, unit.name);
        break;
    case SOURCE_VOLUME:
        fprintf(out, "%s",
                source->light == LIGHT_GAS       ? "levels of the gas"
                : source->light == LIGHT_THERMAL ? "collisions in the gas"
                : source->light == LIGHT_DUST    ? "dust, in images only"
                : source->emissivity.values      ? "weighted volume"
                                                 : "uniform volume");
        return;
    case SOURCE_EXTERNAL:
        fprintf(out, "isotropic field through the open faces");
        return;
    case SOURCE_PACKETS:
        fprintf(out, "list of %lld packets", (long long)source->n_packet);
        return;
    }
    if (source->angular != ANGULAR_ISOTROPIC)
        fprintf(out, " toward [%.4g, %.4g, %.4g]", to[0], to[1], to[2]);
}

static void write_sources(FILE *out, const lr_model *model)
{
    const double erg = LR_PLANCK * model->line.nu0;
    fprintf(out, "sources       x in Doppler units of the reference b = %.6g km/s, blue positive\n",
            model->reference_b / KM_S);
    for (int i = 0; i < model->n_source; i++) {
        const struct source *source = &model->source[i];
        fprintf(out, "  %-12d", i);
        write_place(out, source, report_mesh_unit(&model->mesh));
        fprintf(out, ", %.5g photon/s (%.5g erg/s%s)", source->luminosity, source->luminosity * erg,
                source->light == LIGHT_GAS && report_is_before_levels(model) ? " in LTE" : "");
        if (source->kind != SOURCE_PACKETS) {
            fprintf(out, ", ");
            write_spectrum(out, &source->spectrum, model->reference_b);
        }
        fprintf(out, "\n");
    }
}

/* ---- Physics, output and run ---- */

static void write_physics(FILE *out, const lr_model *model)
{
    const char *const modes[] = {"exact", "table-global", "table-constant", "approximate-voigt", "complete"};
    const struct physics *physics = &model->physics;
    fprintf(out, "physics       %s redistribution, %s phase function, %s recoil, %s absorption\n",
            modes[physics->redistribution], physics->dipole ? "dipole" : "isotropic", physics->recoil ? "with" : "no",
            physics->absorption == ABSORPTION_ANALOG ? "analog" : "continuous");
    if (physics->acceleration == ACCELERATION_SKIP)
        fprintf(out, "  core skipping where |x| < %s%.4g: paths are too short, and absorption is too weak\n",
                physics->x_crit > 0 ? "" : "0.2 (a tau)^(1/3) of each cell, at most ", skip_largest_x_crit(model));
}

static void write_output(FILE *out, const lr_model *model)
{
    const struct output *output = &model->output;
    fprintf(out, "output        spectrum of %d bins over ", output->n_bin);
    if (output->range[0] < output->range[1])
        fprintf(out, "x = %.5g to %.5g", output->range[0] / model->reference_b, output->range[1] / model->reference_b);
    else
        fprintf(out, "an automatic range");
    if (output->n_mu * output->n_phi > 1)
        fprintf(out, ", in %d x %d directions about %c", output->n_mu, output->n_phi, "xyz"[output->axis]);
    fprintf(out, "%s%s\n", output->fields ? ", fields per cell" : "", output->packets ? ", list of packets" : "");
}

static void write_run(FILE *out, const lr_model *model)
{
    const struct run *run = &model->run;
    double total = 0.0;
    for (int i = 0; i < model->n_source; i++)
        total += model->source[i].luminosity;
    fprintf(out, "run           %lld packets", (long long)run->packets);
    for (int i = 0; model->n_source > 1 && run->packets > 0 && i < model->n_source; i++)
        fprintf(out, "%s%.4g", i ? ", " : " (", (double)run->packets * (model->source[i].luminosity / total));
    fprintf(out, "%s, seed %llu, %d batches, device %s, %s precision%s\n",
            model->n_source > 1 && run->packets > 0 ? " from sources 0, 1, ...)" : "", (unsigned long long)run->seed,
            run->batches, run->device, run->precision == PRECISION_DOUBLE ? "double" : "mixed",
            run->scheduling == SCHEDULING_STATIC ? ", packets dealt out in advance" : "");
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The model and what its sources are drawn from. */
static double memory_of_model(const lr_model *model)
{
    const double program = 20e6, per_source_cell = 12; /* alias tables */
    double tables = 0.0;
    for (int i = 0; model->run.packets > 0 && i < model->n_source; i++)
        if (model->source[i].emissivity.values)
            tables += per_source_cell * (double)mesh_cell_count(&model->mesh);
    return program + lr_model_memory(model) + tables;
}

/* Of the images as they are written. */
static double memory_of_cubes(const lr_model *model)
{
    const int n_value = 1 + (model->image.errors ? 1 : 0) + (model->image.optical_depth ? 1 : 0);
    double pixels = 0.0;
    for (int i = 0; i < model->n_camera; i++)
        pixels += (double)model->camera[i].pixels[0] * model->camera[i].pixels[1];
    return pixels * model->channels.n * n_value * (double)sizeof(float);
}

/* Returns the bytes that are needed in any case: images can be made in several passes. */
static double write_memory(lr_context *ctx, FILE *out, const lr_model *model, double records)
{
    const double mib = 1024.0 * 1024.0;
    double n_cell = (double)mesh_cell_count(&model->mesh);
    const int record = model->run.precision == PRECISION_DOUBLE ? 64 : 32;
    const int group = 16, n_group = stage_field_groups(ctx, model);
    const int sums = n_group > 0 ? 32 : 0;
    const double tree = 8.0 * (double)model->mesh.tree.n_brick + 4.0 * (double)model->mesh.tree.n_link;
    fprintf(out, "memory        %.4g MiB: %d B per cell for the gas", (n_cell * (record + sums) + tree + records) / mib,
            record);
    if (n_group > 0)
        fprintf(out, " and %d B for the fields; plus %.4g MiB for their errors, %d B per cell in %d groups of batches",
                sums, n_cell * group * n_group / mib, group, n_group);
    if (tree > 0)
        fprintf(out, "; %.3g B per cell for the tree of bricks", tree / n_cell);
    if (records > 0)
        fprintf(out, "; up to %.4g MiB for the records of jumps", records / mib);
    /* transport and images follow each other but share the sums of packets, counted with the images */
    const double transport = model->run.packets > 0 ? n_cell * (record + sums) + tree + records : 0.0;
    const double fixed = memory_of_model(model) + n_cell * group * n_group;
    const double all = fixed + larger(transport, imaging_bytes(model));
    fprintf(out, "\n  %-11s about %.3g %s on a CPU, with the model", "in all",
            all < 1024.0 * mib ? all / mib : all / mib / 1024.0, all < 1024.0 * mib ? "MiB" : "GiB");
    if (model->n_camera)
        fprintf(out, " and the images, if these fit into memory at once");
    fprintf(out, "\n");
    return fixed + larger(transport, memory_of_cubes(model));
}

enum lr_status lr_model_report(lr_context *ctx, const lr_model *model, char **text)
{
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    if (!out)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory");
    fprintf(out, "model         %s\n", model->path);
    if (model->snapshot)
        fputs(model->snapshot, out);
    report_mesh(out, &model->mesh);
    write_line(out, &model->line);
    write_group(out, model);
    if (model->species)
        report_species(out, model);
    enum lr_status status = model->species ? report_overlap(ctx, out, model) : LR_OK;
    if (model->species || model->snapshot)
        report_inventory(out, model);
    write_medium(out, model);
    write_depths(out, model);
    write_sources(out, model);
    write_physics(out, model);
    write_output(out, model);
    double seconds_images = 0.0, records = 0.0;
    if (status == LR_OK && model->n_camera)
        status = report_images(ctx, out, model, &seconds_images);
    write_run(out, model);
    if (status == LR_OK)
        status = report_cost(ctx, out, model, seconds_images, &records);
    report_doubts(ctx, model, write_memory(ctx, out, model, records));
    report_velocity_steps(ctx, model);
    report_neighbours(ctx, model);
    if (fclose(out) != 0 && status == LR_OK)
        status = lr_fail(ctx, LR_ERROR_MEMORY, "out of memory");
    if (status != LR_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
