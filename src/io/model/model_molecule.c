/* Section `line` of a molecule: {molecule: FILE or NAME, transition: UPPER-LOWER or number, levels: number, species:
 * its name in a snapshot}, or with `rotor: {...}` as the molecule. Fills in the species and its line. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/model/model_file.h"
#include "io/model/model_line.h"
#include "io/model/model_value.h"
#include "lines/builtin.h"
#include "model/line.h"
#include "model/species.h"

/* A built-in name, or a file. */
static enum lr_status load_molecule(const struct reader *r, const struct yaml_node *node, struct molecule *molecule)
{
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    if (yaml_is_empty(node))
        return READER_FAIL(r, node, "the name is empty");
    const char *start = file_folder(r, node);
    size_t length = strlen(start);
    char *folder = NULL;
    LR_TRY(lr_allocate(r->ctx, length + 1, 1, &folder));
    memcpy(folder, start, length);
    if (length > 1)
        folder[length - 1] = '\0'; /* drop the trailing slash */
    enum lr_status status = molecule_find(r->ctx, node->text, folder, molecule);
    free(folder);
    return place_error(r, node, status);
}

static void list_lines(const struct molecule *molecule, char *text, size_t size)
{
    enum { SHOWN = 6 };
    size_t used = 0;
    for (int i = 0; i < molecule->n_line && i < SHOWN && used < size; i++) {
        char label[96];
        species_line_label(molecule, i, label, sizeof label);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", label);
    }
    if (molecule->n_line > SHOWN && used < size)
        snprintf(text + used, size - used, ", ...");
}

/* A whole number is the index of a line in the file, from 1; anything else is a label. */
static enum lr_status find_line(const struct reader *r, const struct yaml_node *node, const struct molecule *molecule,
                                int *line)
{
    *line = 0;
    if (!node)
        return LR_OK;
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
    char *end = NULL;
    const long number = strtol(node->text, &end, 10);
    if (end != node->text && *end == '\0') {
        if (number < 1 || number > molecule->n_line)
            return READER_FAIL(r, node, "'%s' must lie between 1 and %d, the number of lines of %s", node->text,
                               molecule->n_line, molecule->name);
        *line = (int)number - 1;
        return LR_OK;
    }
    char wanted[96];
    size_t n = 0;
    for (const char *c = node->text; *c && n + 1 < sizeof wanted; c++)
        if (!isspace((unsigned char)*c))
            wanted[n++] = *c;
    wanted[n] = '\0';
    int found = -1;
    for (int i = 0; i < molecule->n_line; i++) {
        char label[96];
        species_line_label(molecule, i, label, sizeof label);
        if (strcmp(label, wanted) != 0)
            continue;
        if (found >= 0)
            return READER_FAIL(r, node, "lines %d and %d of %s are both called '%s'; give a number", found + 1, i + 1,
                               molecule->name, wanted);
        found = i;
    }
    if (found < 0) {
        char list[256] = "";
        list_lines(molecule, list, sizeof list);
        return READER_FAIL(r, node, "%s has no line '%s'; it has %s, or the numbers 1 to %d", molecule->name, wanted,
                           list, molecule->n_line);
    }
    *line = found;
    return LR_OK;
}

/* Gamma is the sum of all radiative rates out of both levels. */
static void fill_line(const struct molecule *molecule, int index, struct line *line)
{
    const struct transition *transition = &molecule->line[index];
    char label[40];
    species_line_label(molecule, index, label, sizeof label);
    *line = (struct line){.nu0 = transition->frequency,
                          .a_ul = transition->a_ul,
                          .g_lower = molecule->level[transition->lower].weight,
                          .g_upper = molecule->level[transition->upper].weight,
                          .mass = molecule->mass};
    snprintf(line->name, sizeof line->name, "%.20s %s", molecule->name, label);
    for (int i = 0; i < molecule->n_line; i++)
        if (molecule->line[i].upper == transition->upper || molecule->line[i].upper == transition->lower)
            line->gamma += molecule->line[i].a_ul;
    line->dipole_core = line_dipole_fraction(line->g_lower, line->g_upper);
}

/* The name of its fields in a snapshot: by default the formula of a built-in molecule, or the first word of the name in
 * a file. */
static enum lr_status name_species(const struct reader *r, const struct yaml_node *map, struct species *species)
{
    const struct yaml_node *node = yaml_find(map, "species");
    const struct yaml_node *molecule = yaml_find(map, "molecule");
    const char *known = molecule ? builtin_species(species->molecule.name) : NULL;
    const char *name = known ? known : species->molecule.name;
    size_t length = strcspn(name, " ,;(\t");
    if (node) {
        LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
        name = node->text;
        length = strlen(name);
    }
    if (node && (length == 0 || length >= sizeof species->name || strchr(name, '/')))
        return READER_FAIL(r, node, "'%s' is not the name of a molecule, such as CO", name);
    snprintf(species->name, sizeof species->name, "%.*s", (int)length, name);
    return LR_OK;
}

enum lr_status read_molecule(const struct reader *r, const struct yaml_node *map, struct line *line)
{
    const struct yaml_node *molecule = yaml_find(map, "molecule"), *rotor = yaml_find(map, "rotor");
    lr_model *model = r->model;
    LR_TRY(READER_KEYS(r, map, &SCHEMA_MOLECULE));
    if (molecule && rotor)
        return yaml_fail_key(r->ctx, r->tree, rotor, "'molecule' is also given; remove one of them");
    LR_TRY(lr_allocate(r->ctx, 1, sizeof *model->species, &model->species));
    struct species *species = model->species;
    LR_TRY(rotor ? read_rotor(r, rotor, &species->molecule) : load_molecule(r, molecule, &species->molecule));
    LR_TRY(name_species(r, map, species));
    int64_t levels = species->molecule.n_level;
    LR_TRY(read_integer(r, yaml_find(map, "levels"), 2, species->molecule.n_level, &levels));
    molecule_keep_levels(&species->molecule, (int)levels);
    if (species->molecule.n_line < 1)
        return READER_FAIL(r, rotor ? rotor : molecule, "%s has no lines", species->molecule.name);
    LR_TRY(find_line(r, yaml_find(map, "transition"), &species->molecule, &species->line));
    fill_line(&species->molecule, species->line, line);
    return LR_OK;
}
