/* Models of `linerad radex` as a text table, as CSV and as JSON. */
#include <math.h>

#include "json.h"
#include "radex.h"

const char *const radex_collider_names[LR_MAX_COLLIDER] = {"", "H2", "p-H2", "o-H2", "e", "H", "He", "H+"};

static const double light_speed = 2.99792458e10; /* cm/s */

struct row {
    struct lr_line line;
    int64_t at; /* in arrays over models and lines */
    double upper, lower;
};

static struct row row_of(const struct radex_block *block, int64_t model, int shown)
{
    const int line = block->shown[shown];
    struct row row = {.at = model * block->n_line + line};
    LR_INIT(row.line);
    lr_molecule_line(block->molecule, line, &row.line);
    row.upper = block->population[model * block->n_level + row.line.upper];
    row.lower = block->population[model * block->n_level + row.line.lower];
    return row;
}

/* ---- text ---- */

static void write_text_flags(int flags, FILE *file)
{
    if (flags & LR_NOT_CONVERGED)
        fputs("  not converged", file);
    if (flags & LR_RATES_CLAMPED)
        fputs("  rates clamped", file);
    if (flags & LR_INVERTED)
        fputs(flags & LR_MASER ? "  maser" : "  inversion", file);
    fputc('\n', file);
}

static void write_text_model(const struct radex_block *block, int64_t i, FILE *file)
{
    fprintf(file, "# T %g K", block->temperature[i]);
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        if (block->density[c])
            fprintf(file, "  n(%s) %g cm^-3", radex_collider_names[c], block->density[c][i]);
    fprintf(file, "  N %g cm^-2  width %g km/s  background %g K  iterations %d", block->column[i],
            1e-5 * block->width[i], block->background[i], block->iterations[i]);
    write_text_flags(block->flags[i], file);
    fprintf(file, "%-19s %9s %13s %12s %10s %10s %10s %10s %10s %10s %12s\n", "# line", "E_u", "frequency",
            "wavelength", "Tex", "tau", "T_R", "x_upper", "x_lower", "flux", "flux");
    fprintf(file, "%-19s %9s %13s %12s %10s %10s %10s %10s %10s %10s %12s\n", "#", "K", "GHz", "um", "K", "", "K", "",
            "", "K km/s", "erg/cm^2/s");
    for (int k = 0; k < block->n_shown; k++) {
        const struct row row = row_of(block, i, k);
        char name[96];
        snprintf(name, sizeof name, "%s - %s", row.line.upper_label, row.line.lower_label);
        fprintf(file, "%-19s %9.2f %13.6f %12.4f %10.4f %10.3e %10.3e %10.3e %10.3e %10.3e %12.3e\n", name,
                row.line.upper_energy, 1e-9 * row.line.frequency, 1e4 * light_speed / row.line.frequency,
                block->excitation[row.at], block->depth[row.at], block->radiation[row.at], row.upper, row.lower,
                block->flux_kelvin[row.at], block->flux_energy[row.at]);
    }
    fputc('\n', file);
}

/* ---- CSV ---- */

static void write_csv_header(const struct radex_request *request, FILE *file)
{
    fputs("temperature_K", file);
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        if (request->density[c].n)
            fprintf(file, ",density_%s_cm-3", radex_collider_names[c]);
    fputs(",column_cm-2,width_km/s,background_K,line,upper,lower,E_u_K,frequency_GHz,wavelength_um,Tex_K,tau,T_R_K,"
          "x_upper,x_lower,flux_K_km/s,flux_erg/cm2/s,iterations,flags\n",
          file);
}

/* Labels are quoted, since they may contain commas. */
static void write_csv_text(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void write_csv_model(const struct radex_block *block, int64_t i, FILE *file)
{
    for (int k = 0; k < block->n_shown; k++) {
        const struct row row = row_of(block, i, k);
        fprintf(file, "%.10g", block->temperature[i]);
        for (int c = 1; c < LR_MAX_COLLIDER; c++)
            if (block->density[c])
                fprintf(file, ",%.10g", block->density[c][i]);
        fprintf(file, ",%.10g,%.10g,%.10g,%d,", block->column[i], 1e-5 * block->width[i], block->background[i],
                block->shown[k] + 1);
        write_csv_text(row.line.upper_label, file);
        fputc(',', file);
        write_csv_text(row.line.lower_label, file);
        fprintf(file, ",%.8g,%.10g,%.10g,%.8g,%.8g,%.8g,%.8g,%.8g,%.8g,%.8g,%d,%d\n", row.line.upper_energy,
                1e-9 * row.line.frequency, 1e4 * light_speed / row.line.frequency, block->excitation[row.at],
                block->depth[row.at], block->radiation[row.at], row.upper, row.lower, block->flux_kelvin[row.at],
                block->flux_energy[row.at], block->iterations[i], block->flags[i]);
    }
}

/* ---- JSON ---- */

static void write_json_line(struct json *json, const struct radex_block *block, int64_t i, int k)
{
    const struct row row = row_of(block, i, k);
    json_open(json, NULL, '{');
    json_integer(json, "line", block->shown[k] + 1);
    json_text(json, "upper", row.line.upper_label);
    json_text(json, "lower", row.line.lower_label);
    json_number(json, "upper_energy_K", row.line.upper_energy);
    json_number(json, "frequency_GHz", 1e-9 * row.line.frequency);
    json_number(json, "wavelength_um", 1e4 * light_speed / row.line.frequency);
    json_number(json, "excitation_K", block->excitation[row.at]);
    json_number(json, "tau", block->depth[row.at]);
    json_number(json, "radiation_K", block->radiation[row.at]);
    json_number(json, "upper_population", row.upper);
    json_number(json, "lower_population", row.lower);
    json_number(json, "flux_K_km_s", block->flux_kelvin[row.at]);
    json_number(json, "flux_erg_cm2_s", block->flux_energy[row.at]);
    json_close(json, '{');
}

static void write_json_model(struct json *json, const struct radex_block *block, int64_t i)
{
    const struct {
        int flag;
        const char *name;
    } warnings[] = {{LR_NOT_CONVERGED, "not converged"},
                    {LR_RATES_CLAMPED, "rates clamped"},
                    {LR_INVERTED, "inversion"},
                    {LR_MASER, "maser"}};
    json_open(json, NULL, '{');
    json_number(json, "temperature_K", block->temperature[i]);
    json_open(json, "density_cm3", '{');
    for (int c = 1; c < LR_MAX_COLLIDER; c++)
        if (block->density[c])
            json_number(json, radex_collider_names[c], block->density[c][i]);
    json_close(json, '{');
    json_number(json, "column_cm2", block->column[i]);
    json_number(json, "width_km_s", 1e-5 * block->width[i]);
    json_number(json, "background_K", block->background[i]);
    json_integer(json, "iterations", block->iterations[i]);
    json_number(json, "error", block->error[i]);
    json_open(json, "warnings", '[');
    for (size_t k = 0; k < sizeof warnings / sizeof *warnings; k++)
        if (block->flags[i] & warnings[k].flag)
            json_text(json, NULL, warnings[k].name);
    json_close(json, '[');
    json_open(json, "lines", '[');
    for (int k = 0; k < block->n_shown; k++)
        write_json_line(json, block, i, k);
    json_close(json, '[');
    json_close(json, '{');
}

/* ---- all ---- */

void radex_write_start(const struct radex_request *request, FILE *file)
{
    struct json json = {.file = file, .first = true};
    if (request->format == RADEX_CSV)
        write_csv_header(request, file);
    if (request->format != RADEX_JSON)
        return;
    json_open(&json, NULL, '{');
    json_text(&json, "molecule", request->molecule);
    json_text(&json, "geometry", request->geometry_name);
    json_text(&json, "version", lr_version());
    json_open(&json, "models", '[');
}

void radex_write_block(const struct radex_request *request, const struct radex_block *block, bool first, FILE *file)
{
    struct json json = {.file = file, .depth = 2, .first = first};
    for (int64_t i = 0; i < block->n; i++) {
        if (request->format == RADEX_JSON)
            write_json_model(&json, block, i);
        else if (request->format == RADEX_CSV)
            write_csv_model(block, i, file);
        else
            write_text_model(block, i, file);
    }
}

void radex_write_end(const struct radex_request *request, FILE *file)
{
    struct json json = {.file = file, .depth = 2, .first = false};
    if (request->format != RADEX_JSON)
        return;
    json_close(&json, '[');
    json_close(&json, '{');
}
