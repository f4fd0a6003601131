/* Section `line` of a molecule: {molecule: FILE or NAME, transition: one or several (model_transition.c), levels:
 * number, species: its name in a snapshot}, or with `rotor: {...}` as the molecule. Fills in the species and
 * its lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/model/model_file.h"
#include "io/model/model_line.h"
#include "io/model/model_transition.h"
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

/* Gamma is the sum of all radiative rates out of both levels. */
static void fill_line(const struct molecule *molecule, int index, const char *label, struct line *line)
{
    const struct transition *transition = &molecule->line[index];
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

static enum lr_status fill_group(const struct reader *r, const struct molecule *molecule,
                                 const struct transitions *found, struct line_group *group)
{
    LR_TRY(lr_allocate(r->ctx, (size_t)found->n, sizeof *group->member, &group->member));
    group->n = found->n;
    snprintf(group->name, sizeof group->name, "%s", found->name);
    for (int i = 0; i < found->n; i++) {
        const int index = found->line[i];
        struct line_member *member = &group->member[i];
        struct line line;
        species_line_label(molecule, index, member->label, sizeof member->label);
        fill_line(molecule, index, member->label, &line);
        member->offset = line.nu0 / molecule->line[found->line[0]].frequency - 1.0;
        member->a_ul = line.a_ul;
        member->gamma = line.gamma;
        member->g_lower = line.g_lower;
        member->g_upper = line.g_upper;
        member->dipole_core = line.dipole_core;
        member->upper = molecule->line[index].upper;
        member->lower = molecule->line[index].lower;
        member->line = index;
        member->abundance = 1.0;
        member->mass = line.mass;
        member->partner = -1;
    }
    return LR_OK;
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
    struct transitions found;
    LR_TRY(read_transitions(r, map, &species->molecule, &found));
    species->line = found.line[0];
    fill_line(&species->molecule, species->line, found.name, line);
    const enum lr_status status = fill_group(r, &species->molecule, &found, &model->group);
    free(found.line);
    return status;
}
