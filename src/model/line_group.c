#include "model/line_group.h"

#include <stdio.h>

#include "base/constants.h"

enum lr_status line_group_single(lr_context *ctx, const struct line *line, struct line_group *group)
{
    LR_TRY(lr_allocate(ctx, 1, sizeof *group->member, &group->member));
    group->n = 1;
    *group->member = (struct line_member){.a_ul = line->a_ul,
                                          .gamma = line->gamma,
                                          .g_lower = line->g_lower,
                                          .g_upper = line->g_upper,
                                          .dipole_core = line->dipole_core,
                                          .upper = 1,
                                          .line = -1,
                                          .abundance = 1.0,
                                          .mass = line->mass,
                                          .partner = -1};
    snprintf(group->member->label, sizeof group->member->label, "%s", line->name);
    return LR_OK;
}

struct line line_group_line(const struct line *first, const struct line_member *member)
{
    struct line line = *first;
    line.nu0 = first->nu0 * (1.0 + member->offset);
    line.a_ul = member->a_ul;
    line.gamma = member->gamma;
    line.g_lower = member->g_lower;
    line.g_upper = member->g_upper;
    line.dipole_core = member->dipole_core;
    line.mass = member->mass;
    return line;
}

double line_group_cross_section(const struct line *first, const struct line_member *member)
{
    const double stretch = 1.0 + member->offset;
    return member->g_upper * member->a_ul / member->g_lower / (first->g_upper * first->a_ul / first->g_lower) /
           (stretch * stretch * stretch);
}

double line_group_damping(const struct line *first, const struct line_member *member)
{
    return member->gamma / first->gamma / (1.0 + member->offset);
}

double line_group_velocity(const struct line_member *member)
{
    return 0.0 - LR_LIGHT_SPEED * member->offset;
}

double line_group_branching(const struct line_group *group, int member)
{
    double sum = 0.0;
    for (int m = 0; m < group->n; m++)
        if (group->member[m].upper == group->member[member].upper)
            sum += group->member[m].a_ul;
    return group->member[member].a_ul / sum;
}
