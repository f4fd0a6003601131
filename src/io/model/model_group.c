/* Groups of lines of atoms: `line: mgii`, `line: {group: lyman_alpha_fine, deuterium: 3e-5}` or `line: {group: [...]}`
 * with the constants of each line, of which the first one sets the frequency axis. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/constants.h"
#include "io/model/model_line.h"
#include "io/model/model_value.h"
#include "model/atom_group.h"
#include "model/line.h"
#include "model/line_group.h"

static enum lr_status fail_unknown(const struct reader *r, const struct yaml_node *node, int nearest)
{
    char names[256];
    atom_group_list(names, sizeof names);
    if (nearest >= 0)
        return READER_FAIL(r, node, "'%s' is not a known group of lines (%s); did you mean '%s'?", node->text, names,
                           atom_group_name(nearest));
    return READER_FAIL(r, node, "'%s' is not a known group of lines (%s); or give a list of lines", node->text, names);
}

enum lr_status read_named_group(const struct reader *r, const struct yaml_node *node, const struct yaml_node *deuterium,
                                struct line *line)
{
    int nearest = -1;
    double abundance = 0.0;
    const int group = atom_group_find(node->text, &nearest);
    if (group < 0)
        return fail_unknown(r, node, nearest);
    if (deuterium && !atom_group_has_deuterium(group))
        return yaml_fail_key(r->ctx, r->tree, deuterium, "'%s' has no deuterium; only lyman_alpha_fine has",
                             atom_group_name(group));
    LR_TRY(read_number(r, deuterium, 0.0, 1.0, &abundance));
    return atom_group_make(r->ctx, group, abundance, line, &r->model->group);
}

/* Upper levels with the same name are the same; a line without a name has one of its own. */
static int number_level(const struct yaml_node *list, const struct yaml_node *entry)
{
    const struct yaml_node *name = yaml_find(entry, "upper");
    int number = 0;
    for (const struct yaml_node *other = list->first; name && other != entry; other = other->next, number++) {
        const struct yaml_node *same = yaml_find(other, "upper");
        if (same && strcmp(same->text, name->text) == 0)
            return number;
    }
    if (name)
        return number;
    for (const struct yaml_node *other = list->first; other != entry; other = other->next)
        number++;
    return number;
}

static enum lr_status read_member(const struct reader *r, const struct yaml_node *list, const struct yaml_node *entry,
                                  struct line *line, struct line_member *member)
{
    const struct yaml_node *upper = yaml_find(entry, "upper");
    if (upper)
        LR_TRY(yaml_expect(r->ctx, r->tree, upper, YAML_SCALAR));
    LR_TRY(read_constants(r, entry, &SCHEMA_GROUP_LINE, line));
    *member = (struct line_member){.a_ul = line->a_ul,
                                   .gamma = line->gamma,
                                   .g_lower = line->g_lower,
                                   .g_upper = line->g_upper,
                                   .dipole_core = line->dipole_core,
                                   .upper = number_level(list, entry),
                                   .line = -1,
                                   .abundance = 1.0,
                                   .mass = line->mass,
                                   .partner = -1};
    return read_number(r, yaml_find(entry, "abundance"), 0.0, 1e30, &member->abundance);
}

/* What lines of one group must have in common. */
static enum lr_status check_member(const struct reader *r, const struct yaml_node *entry, int index)
{
    const struct line_group *group = &r->model->group;
    const struct line_member *member = &group->member[index];
    if (fabs(member->offset) > LINE_GROUP_REACH)
        return READER_FAIL(r, entry,
                           "this line is %.3g km/s from the first one; lines of a group lie within %.3g km/s of it",
                           1e-5 * LR_LIGHT_SPEED * fabs(member->offset), 1e-5 * LR_LIGHT_SPEED * LINE_GROUP_REACH);
    for (int m = 0; m < index; m++) {
        if (group->member[m].upper != member->upper)
            continue;
        if (group->member[m].g_upper != member->g_upper || group->member[m].mass != member->mass)
            return READER_FAIL(r, entry,
                               "lines %d and %d have the same upper level, but not the same mass and upper weight",
                               m + 1, index + 1);
    }
    if (index == 0 && member->abundance != 1.0)
        return READER_FAIL(r, entry, "the abundance of the first line is 1: those of the others are relative to it");
    return LR_OK;
}

/* The total rate out of an upper level is at least the sum of the A of its lines. */
static void share_damping(struct line_group *group)
{
    for (int i = 0; i < group->n; i++) {
        double sum = 0.0;
        for (int m = 0; m < group->n; m++)
            sum += group->member[m].upper == group->member[i].upper ? group->member[m].a_ul : 0.0;
        group->member[i].gamma = fmax(group->member[i].gamma, sum);
    }
}

static enum lr_status read_list(const struct reader *r, const struct yaml_node *list, struct line *line)
{
    struct line_group *group = &r->model->group;
    int i = 0;
    if (list->n_child < 1)
        return READER_FAIL(r, list, "a group needs at least one line");
    LR_TRY(lr_allocate(r->ctx, (size_t)list->n_child, sizeof *group->member, &group->member));
    group->n = list->n_child;
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next, i++) {
        struct line_member *member = &group->member[i];
        struct line own = {.name = "group"};
        LR_TRY(yaml_expect(r->ctx, r->tree, entry, YAML_MAP));
        LR_TRY(read_member(r, list, entry, &own, member));
        if (i == 0)
            *line = own;
        member->offset = own.nu0 / line->nu0 - 1.0;
        snprintf(member->label, sizeof member->label, "%.8g GHz", 1e-9 * own.nu0);
        LR_TRY(check_member(r, entry, i));
    }
    share_damping(group);
    line->gamma = group->member[0].gamma;
    snprintf(line->name, sizeof line->name, "group");
    return LR_OK;
}

enum lr_status read_group(const struct reader *r, const struct yaml_node *map, struct line *line)
{
    const struct yaml_node *group = yaml_find(map, "group"), *deuterium = yaml_find(map, "deuterium");
    LR_TRY(READER_KEYS(r, map, &SCHEMA_GROUP));
    if (group->kind == YAML_SCALAR)
        return read_named_group(r, group, deuterium, line);
    LR_TRY(yaml_expect(r->ctx, r->tree, group, YAML_LIST));
    if (deuterium)
        return yaml_fail_key(r->ctx, r->tree, deuterium, "this belongs to 'group: lyman_alpha_fine'");
    return read_list(r, group, line);
}
