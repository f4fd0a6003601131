/* linerad molecule --json: the same tables for programs. Levels are counted from 1, as in the file. */
#include "molecule_json.h"

#include "json.h"

static void put_levels(struct json *json, const lr_molecule *molecule, int n)
{
    json_open(json, "levels", '[');
    for (int i = 0; i < n; i++) {
        struct lr_level level = {.size = sizeof level};
        lr_molecule_level(molecule, i, &level);
        json_open(json, NULL, '{');
        json_integer(json, "level", i + 1);
        json_text(json, "label", level.label);
        json_number(json, "energy_K", level.energy);
        json_number(json, "weight", level.weight);
        json_close(json, '{');
    }
    json_close(json, '[');
}

/* Infinite ones are null. */
static void put_critical_densities(struct json *json, const lr_molecule *molecule, int line, double temperature)
{
    json_open(json, "critical_density_cm3", '{');
    for (int p = 0; p < lr_molecule_partner_count(molecule); p++) {
        struct lr_partner partner = {.size = sizeof partner};
        lr_molecule_partner(molecule, p, &partner);
        json_number(json, partner.name, lr_molecule_critical_density(molecule, line, p, temperature));
    }
    json_close(json, '{');
}

static void put_lines(struct json *json, const lr_molecule *molecule, int n, double temperature)
{
    json_open(json, "lines", '[');
    for (int i = 0; i < n; i++) {
        struct lr_line line = {.size = sizeof line};
        lr_molecule_line(molecule, i, &line);
        json_open(json, NULL, '{');
        json_integer(json, "upper", line.upper + 1);
        json_integer(json, "lower", line.lower + 1);
        json_text(json, "upper_label", line.upper_label);
        json_text(json, "lower_label", line.lower_label);
        json_number(json, "frequency_Hz", line.frequency);
        json_number(json, "einstein_a_per_s", line.a_ul);
        json_number(json, "upper_energy_K", line.upper_energy);
        put_critical_densities(json, molecule, i, temperature);
        json_close(json, '{');
    }
    json_close(json, '[');
}

static void put_partners(struct json *json, const lr_molecule *molecule)
{
    json_open(json, "partners", '[');
    for (int p = 0; p < lr_molecule_partner_count(molecule); p++) {
        struct lr_partner partner = {.size = sizeof partner};
        lr_molecule_partner(molecule, p, &partner);
        json_open(json, NULL, '{');
        json_text(json, "name", partner.name);
        json_text(json, "reference", partner.reference);
        json_integer(json, "rates", partner.n_transition);
        json_integer(json, "temperatures", partner.n_temperature);
        json_number(json, "coldest_K", partner.coldest);
        json_number(json, "hottest_K", partner.hottest);
        json_close(json, '{');
    }
    json_close(json, '[');
}

void molecule_put_json(FILE *file, const lr_molecule *molecule, double temperature)
{
    const double gram_per_u = 1.66053906660e-24; /* CODATA 2018 */
    struct json json = {.file = file, .first = true};
    int n_level = 0, n_line = 0;
    lr_molecule_size(molecule, &n_level, &n_line);
    json_open(&json, NULL, '{');
    json_text(&json, "name", lr_molecule_name(molecule));
    json_number(&json, "mass_u", lr_molecule_mass(molecule) / gram_per_u);
    json_number(&json, "temperature_K", temperature);
    put_levels(&json, molecule, n_level);
    put_lines(&json, molecule, n_line, temperature);
    put_partners(&json, molecule);
    json_close(&json, '{');
}
