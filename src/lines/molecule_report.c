/* lr_molecule_*(): line data by name or from a file, and a text report of it. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "lines/builtin.h"
#include "lines/critical_density.h"

enum lr_status lr_molecule_load(lr_context *ctx, const char *name_or_path, lr_molecule **molecule)
{
    *molecule = NULL;
    lr_molecule *made = lr_new(ctx, 1, sizeof *made);
    if (!made)
        return LR_ERROR_MEMORY;
    enum lr_status status = molecule_find(ctx, name_or_path, NULL, &made->data);
    if (status == LR_OK)
        *molecule = made;
    else
        free(made);
    return status;
}

void lr_molecule_free(lr_molecule *molecule)
{
    if (!molecule)
        return;
    molecule_free(&molecule->data);
    free(molecule);
}

/* ---- tables ---- */

static int label_width(const struct molecule *molecule)
{
    size_t width = strlen("label");
    for (int i = 0; i < molecule->n_level; i++) {
        size_t length = strlen(molecule->level[i].label);
        width = length > width ? length : width;
    }
    return (int)width;
}

static void write_levels(FILE *out, const struct molecule *molecule)
{
    const int width = label_width(molecule);
    fprintf(out, "\nlevels        %d; energies in cm^-1 and K\n", molecule->n_level);
    fprintf(out, "  %5s  %-*s  %16s  %12s  %8s\n", "level", width, "label", "E/cm^-1", "E/K", "weight");
    for (int i = 0; i < molecule->n_level; i++) {
        const struct level *level = &molecule->level[i];
        double energy = level->energy + molecule->lowest;
        fprintf(out, "  %5d  %-*s  %16.9f  %12.5f  %8g\n", i + 1, width, level->label, energy, molecule_kelvin(energy),
                level->weight);
    }
}

/* "J - J'" of labels, or the numbers of the levels if they have none. */
static void line_label(const struct molecule *molecule, const struct transition *line, char *text, size_t size)
{
    const struct level *upper = &molecule->level[line->upper], *lower = &molecule->level[line->lower];
    if (upper->label[0] && lower->label[0])
        snprintf(text, size, "%s - %s", upper->label, lower->label);
    else
        snprintf(text, size, "level %d - %d", line->upper + 1, line->lower + 1);
}

static void write_wavelength(FILE *out, double cm)
{
    if (cm >= 1.0)
        fprintf(out, "  %11.6g cm", cm);
    else if (cm >= 0.03)
        fprintf(out, "  %11.6g mm", cm * 1e1);
    else if (cm >= 1e-4)
        fprintf(out, "  %11.6g um", cm * 1e4);
    else
        fprintf(out, "  %11.8g nm", cm * 1e7);
}

static void write_lines(FILE *out, const struct molecule *molecule, double temperature)
{
    enum { LABEL = 2 * sizeof(((struct level *)NULL)->label) + 8 };
    char label[LABEL];
    size_t width = strlen("upper - lower");
    for (int i = 0; i < molecule->n_line; i++) {
        line_label(molecule, &molecule->line[i], label, sizeof label);
        width = strlen(label) > width ? strlen(label) : width;
    }
    fprintf(out, "\nlines         %d", molecule->n_line);
    if (molecule->n_partner)
        fprintf(out, "; n_crit = A_ul / SUM_j k_uj at %g K in cm^-3, over all downward collisions from the upper level",
                temperature);
    fprintf(out, "\n  %5s  %-*s  %16s  %14s  %10s  %11s", "line", (int)width, "upper - lower", "nu/GHz", "wavelength",
            "A_ul/s^-1", "E_u/K");
    for (int p = 0; p < molecule->n_partner; p++)
        fprintf(out, "  n_crit %5s", collider_name(molecule->partner[p].collider));
    for (int i = 0; i < molecule->n_line; i++) {
        const struct transition *line = &molecule->line[i];
        line_label(molecule, line, label, sizeof label);
        fprintf(out, "\n  %5d  %-*s  %16.10g", i + 1, (int)width, label, line->frequency / 1e9);
        write_wavelength(out, LR_LIGHT_SPEED / line->frequency);
        fprintf(out, "  %10.4e  %11.5f", line->a_ul,
                molecule_kelvin(molecule->level[line->upper].energy + molecule->lowest));
        for (int p = 0; p < molecule->n_partner; p++) {
            double density = critical_density(molecule, i, &molecule->partner[p], temperature);
            if (isfinite(density))
                fprintf(out, "  %12.3e", density);
            else
                fprintf(out, "  %12s", "no rates");
        }
    }
    fprintf(out, "\n");
}

static void write_partners(FILE *out, const struct molecule *molecule, double temperature)
{
    if (molecule->n_partner == 0)
        fprintf(out, "\npartners      none: without collision rates only LTE is possible\n");
    else
        fprintf(out, "\npartners      %d\n", molecule->n_partner);
    for (int p = 0; p < molecule->n_partner; p++) {
        const struct partner *partner = &molecule->partner[p];
        double low = partner->temperature[0], high = partner->temperature[partner->n_temperature - 1];
        fprintf(out, "  %-4s  %d transitions at %d temperatures from %g to %g K: %s\n",
                collider_name(partner->collider), partner->n_transition, partner->n_temperature, low, high,
                partner->reference[0] ? partner->reference : "no reference given");
        if (temperature < low || temperature > high)
            fprintf(out, "        %g K is out of range: n_crit is given at %g K\n", temperature,
                    temperature < low ? low : high);
    }
}

/* ---- text ---- */

static enum lr_status finish(lr_context *ctx, FILE *out, char **text)
{
    bool good = out && !ferror(out);
    if (out && fclose(out) != 0)
        good = false;
    if (good)
        return LR_OK;
    free(*text);
    *text = NULL;
    return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the text of a report");
}

enum lr_status lr_molecule_report(lr_context *ctx, const lr_molecule *molecule, double temperature, char **text)
{
    const struct molecule *data = &molecule->data;
    *text = NULL;
    if (!(temperature > 0.0) || !isfinite(temperature))
        return lr_fail(ctx, LR_ERROR_INPUT, "temperature %g K; critical densities need a temperature above zero",
                       temperature);
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    if (out) {
        fprintf(out, "molecule      %s, mass %.6g u\n", data->name, data->mass / LR_ATOMIC_MASS_UNIT);
        write_levels(out, data);
        write_lines(out, data, temperature);
        write_partners(out, data, temperature);
    }
    return finish(ctx, out, text);
}

enum lr_status lr_molecule_names(lr_context *ctx, char **text)
{
    *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(text, &size);
    for (int i = 0; out && builtin_name(i); i++)
        fprintf(out, "%-8s  %s\n", builtin_name(i), builtin_text(i));
    return finish(ctx, out, text);
}
