/* Section `line`: a name, a molecule, a rotor, or frequency, Einstein A, degeneracies and mass. */
#include "io/model/model_line.h"

#include <math.h>
#include <stdio.h>

#include "base/constants.h"
#include "io/model/model_line_list.h"
#include "io/model/model_value.h"
#include "lines/builtin.h"
#include "model/atom_group.h"
#include "model/line.h"
#include "model/line_group.h"

static enum lr_status read_degeneracies(const struct reader *r, const struct yaml_node *map, struct line *line)
{
    const struct yaml_node *node = NULL;
    LR_TRY(require_key(r, map, "degeneracies", &node));
    LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_LIST));
    if (node->n_child != 2)
        return READER_FAIL(r, node, "expected two numbers [lower, upper], found %d", node->n_child);
    LR_TRY(read_number(r, node->first, 1.0, 1e6, &line->g_lower));
    return read_number(r, node->last, 1.0, 1e6, &line->g_upper);
}

enum lr_status read_constants(const struct reader *r, const struct yaml_node *map, const struct schema *schema,
                              struct line *line)
{
    LR_TRY(READER_KEYS(r, map, schema));
    snprintf(line->name, sizeof line->name, "custom");
    const char *const rates = "1e-40 to 1e25 s^-1";
    LR_TRY(read_within(r, map, "frequency", DIMENSION_FREQUENCY, 1.0, 3e19, "1 to 3e19 Hz", &line->nu0));
    LR_TRY(read_within(r, map, "einstein_a", DIMENSION_RATE, 1e-40, 1e25, rates, &line->a_ul));
    LR_TRY(read_degeneracies(r, map, line));
    LR_TRY(read_within(r, map, "mass", DIMENSION_MASS, 1e-4 * LR_ATOMIC_MASS_UNIT, 1e6 * LR_ATOMIC_MASS_UNIT,
                       "1e-4 to 1e6 u", &line->mass));
    line->gamma = line->a_ul;
    if (yaml_find(map, "gamma"))
        LR_TRY(read_within(r, map, "gamma", DIMENSION_RATE, 1e-40, 1e25, rates, &line->gamma));
    line->dipole_core = line_dipole_fraction(line->g_lower, line->g_upper);
    LR_TRY(read_number(r, yaml_find(map, "dipole_core"), 0.0, 1.0, &line->dipole_core));
    double sigma = line_cross_section(line, 1.0);
    if (!(sigma > 0.0 && isfinite(sigma)))
        return READER_FAIL(r, map, "these values do not describe a line: the cross-section is %g", sigma);
    return LR_OK;
}

/* `like` is a line with a similar name, or "". */
static enum lr_status fail_unknown(const struct reader *r, const struct yaml_node *node, const char *like)
{
    char names[256];
    int nearest = -1;
    const int molecule = builtin_find(node->text, &nearest);
    if (molecule >= 0)
        return READER_FAIL(
            r, node,
            "'%s' is a molecule with many lines; write line: {molecule: %s, transition: 1}, with a number "
            "or a label that 'linerad molecule %s' lists",
            node->text, builtin_name(molecule), builtin_name(molecule));
    char groups[256];
    line_list_names(names, sizeof names);
    atom_group_list(groups, sizeof groups);
    if (*like)
        return READER_FAIL(r, node, "'%s' is not a known line (%s) or group of lines (%s); did you mean '%s'?",
                           node->text, names, groups, like);
    return READER_FAIL(r, node,
                       "'%s' is not a known line (%s) or group of lines (%s); or give a molecule, a rotor, or "
                       "frequency, einstein_a, degeneracies and mass",
                       node->text, names, groups);
}

static enum lr_status read_atom(const struct reader *r, const struct yaml_node *node, struct line *line)
{
    int nearest = -1;
    if (node->kind == YAML_MAP) {
        LR_TRY(read_constants(r, node, &SCHEMA_LINE, line));
    } else {
        LR_TRY(yaml_expect(r->ctx, r->tree, node, YAML_SCALAR));
        if (atom_group_find(node->text, &nearest) >= 0)
            return read_named_group(r, node, NULL, line);
        if (!line_find(node->text, line))
            return fail_unknown(r, node, nearest >= 0 ? atom_group_name(nearest) : line->name);
    }
    return line_group_single(r->ctx, line, &r->model->group);
}

enum lr_status read_line(const struct reader *r, const struct yaml_node *node, struct line *line)
{
    if (node->kind == YAML_MAP)
        LR_TRY(READER_KEYS(r, node, &SCHEMA_LINE, &SCHEMA_MOLECULE,
                           &SCHEMA_GROUP)); /* of all, to suggest what was meant */
    if (node->kind == YAML_MAP && (yaml_find(node, "molecule") || yaml_find(node, "rotor")))
        return read_molecule(r, node, line);
    if (node->kind == YAML_MAP && yaml_find(node, "group"))
        return read_group(r, node, line);
    return read_atom(r, node, line);
}
