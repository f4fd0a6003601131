/* In LTE the share of a line in the opacity and the light of a cell follows from the temperature (kernel/line_group.h);
 * the cell then has those of the base. Otherwise each cell has its shares, in those of all lines together, which
 * are never zero where a line is. */
#include "solve/imaging/trace_group.h"

#include <math.h>

#include "base/constants.h"
#include "lines/molecule.h"
#include "model/field.h"
#include "model/line.h"
#include "model/line_group.h"

struct group_sum trace_group_sum(const struct scene_group *group, int64_t cell)
{
    const struct line_group *lines = group->lines;
    const float *own = lines->strength + 2 * cell * lines->n;
    struct group_sum sum = {0};
    for (int m = 0; m < lines->n; m++) {
        sum.opacity += (double)own[2 * m];
        sum.light += (double)own[2 * m + 1] / (1 + lines->member[m].offset);
    }
    return sum;
}

static void read_shares(const struct prepared_trace *prepared, int64_t cell, double *value)
{
    const struct line_group *lines = prepared->group.lines;
    const struct group_sum sum = cell < 0 ? (struct group_sum){0} : trace_group_sum(&prepared->group, cell);
    const float *own = cell < 0 ? NULL : lines->strength + 2 * cell * lines->n;
    for (int m = 0; m < lines->n; m++) {
        value[2 * m] = sum.opacity > 0 ? (double)own[2 * m] / sum.opacity : 0;
        value[2 * m + 1] = sum.light > 0 ? (double)own[2 * m + 1] / (1 + lines->member[m].offset) / sum.light : 0;
    }
}

/* Beyond this, exp(-h nu / k T) is zero. */
static const double coldest = 1e4;

/* h nu / k T of the base; 0 for atoms, whose shares do not depend on it. The cavity inside shells has any but 0. */
static double coldness(const struct scene_group *group, int64_t cell)
{
    if (!group->molecule || cell < 0)
        return cell < 0;
    const struct line base = line_group_line(group->first, &group->lines->member[group->base]);
    return fmin(line_energy_ratio(&base, field_at(group->temperature, cell)), coldest);
}

static void read_lines(const void *user, int64_t first, int64_t count, double *values)
{
    const struct prepared_trace *prepared = user;
    const struct scene_group *group = &prepared->group;
    for (int64_t i = 0; i < count; i++) {
        const int64_t cell = first + i - prepared->cavity;
        if (group->lines->strength)
            read_shares(prepared, cell, values + 2 * i * group->lines->n);
        else
            values[i] = coldness(group, cell);
    }
}

/* Of a molecule in LTE: opacity and emission are those of the base times these, but for Boltzmann factors. */
static void relate_to_base(const struct scene_group *group, const struct line_member *member, struct trace_line *line)
{
    const struct level *level = group->molecule->level;
    const struct line_member *from = &group->lines->member[group->base];
    const struct line base = line_group_line(group->first, from);
    const double stretch = (1 + member->offset) / (1 + from->offset);
    const double emission = member->g_upper * member->a_ul / (base.g_upper * base.a_ul);
    line->from_base = (member->offset - from->offset) / (1 + from->offset);
    line->opacity = emission / (stretch * stretch * stretch);
    line->shine = emission / (1 + member->offset);
    line->lower = LR_LIGHT_SPEED * (level[member->lower].energy - level[from->lower].energy) / base.nu0;
}

static struct trace_line line_of(const struct scene_group *group, int m, const struct code_units *unit)
{
    const struct line *first = group->first;
    const struct line_member *member = &group->lines->member[m];
    struct trace_line line = {.offset = LR_LIGHT_SPEED * member->offset / unit->velocity,
                              .d = member->offset,
                              .damping = line_group_damping(first, member),
                              .opacity = member->abundance * line_group_cross_section(first, member),
                              .shine = m == 0};
    if (group->molecule)
        relate_to_base(group, member, &line);
    return line;
}

enum lr_status trace_group_prepare(lr_context *ctx, struct prepared_trace *prepared)
{
    const struct scene_group *group = &prepared->group;
    struct trace_job *job = &prepared->job;
    if (!group->lines)
        return LR_OK;
    LR_TRY(lr_allocate(ctx, (size_t)group->lines->n, sizeof *prepared->line, &prepared->line));
    for (int m = 0; m < group->lines->n; m++)
        prepared->line[m] = line_of(group, m, &prepared->unit);
    job->n_line = group->lines->n;
    job->line = prepared->line;
    job->lte = !group->lines->strength;
    job->stimulated = group->stimulated;
    job->read_lines = read_lines;
    return LR_OK;
}
