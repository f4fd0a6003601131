#include "solve/transport/group_job.h"

#include <math.h>

#include "base/constants.h"
#include "kernel/voigt.h"
#include "model/field.h"
#include "model/line.h"
#include "model/line_group.h"

/* c ln(nu / nu_0) in code units, from the shift as a fraction. */
static double logarithmic(double offset, double velocity_unit)
{
    return LR_LIGHT_SPEED * log1p(offset) / velocity_unit;
}

/* E1 for light absorbed in one line and emitted in another of the same upper level. */
static double dipole_part(const struct line_member *from, const struct line_member *to)
{
    if (from == to)
        return from->dipole_core;
    return line_dipole_amplitude(from->g_lower, from->g_upper) * line_dipole_amplitude(to->g_lower, to->g_upper);
}

static struct transport_way make_way(const lr_model *model, int from, int to, double velocity_unit)
{
    const struct line *first = &model->line;
    const struct line_group *group = &model->group;
    const struct line_member *in = &group->member[from], *out = &group->member[to];
    const struct line line = line_group_line(first, in);
    struct transport_way way = {
        .centre = logarithmic(in->offset, velocity_unit),
        .strength = in->abundance * line_group_cross_section(first, in),
        .damping = line_group_damping(first, in),
        .share = line_group_branching(group, to),
        .turn = logarithmic(out->offset, velocity_unit) - logarithmic(in->offset, velocity_unit),
        .lightness = first->mass / in->mass,
        .dipole = dipole_part(in, out),
        .dipole_kind = in->partner < 0   ? DIPOLE_OWN
                       : in->g_upper > 2 ? DIPOLE_UPPER_3_2
                                         : DIPOLE_UPPER_1_2,
    };
    if (model->physics.recoil)
        way.recoil = LR_PLANCK * line.nu0 / (line.mass * LR_LIGHT_SPEED) / velocity_unit;
    if (in->partner >= 0)
        way.partner = logarithmic(group->member[in->partner].offset, velocity_unit) - way.centre;
    return way;
}

enum lr_status group_job_prepare(lr_context *ctx, const lr_model *model, double velocity_unit,
                                 struct transport_way **ways, struct job_group *group)
{
    const struct line_group *lines = &model->group;
    const double a = field_measure(&model->medium.a, &model->mesh).high;
    LR_TRY(lr_allocate(ctx, (size_t)lines->n * (size_t)lines->n, sizeof **ways, ways));
    *group = (struct job_group){
        .way = *ways, .turbulence = model->medium.turbulence / velocity_unit, .beta = velocity_unit / LR_LIGHT_SPEED};
    for (int from = 0; from < lines->n; from++) {
        bool opens = true;
        for (int to = 0; to < lines->n && lines->member[from].abundance > 0.0; to++) {
            if (lines->member[to].upper != lines->member[from].upper)
                continue;
            struct transport_way *way = &(*ways)[group->n++];
            *way = make_way(model, from, to, velocity_unit);
            way->opens = opens;
            opens = false;
            group->broad |= a * way->damping * fmax(1.0, 1.0 / sqrt(way->lightness)) > (double)LR_VOIGT_NARROW_MAX;
        }
    }
    return LR_OK;
}

double group_job_strength(const struct job_group *group)
{
    double strength = 0.0;
    for (int i = 0; i < group->n; i++)
        if (group->way[i].opens)
            strength += group->way[i].strength * fmax(1.0, 1.0 / sqrt(group->way[i].lightness));
    return fmax(strength, 1.0);
}

/* nu / nu_0 - 1 in units of velocity, from c ln(nu / nu_0). */
static double shift_of(double logarithmic, double beta)
{
    return beta > 0.0 ? expm1(beta * logarithmic) / beta : logarithmic;
}

void group_job_range(const struct job_group *group, double near, double source, double range[2])
{
    double extent[2] = {0.0, 0.0};
    for (int i = 0; i < group->n; i++)
        for (int emits = 0; emits < 2; emits++) {
            const double centre = group->way[i].centre + emits * group->way[i].turn;
            extent[0] = fmin(extent[0], centre);
            extent[1] = fmax(extent[1], centre);
        }
    for (int end = 0; end < 2; end++) {
        const double side = end == 0 ? -1.0 : 1.0;
        const double lines = shift_of(extent[end] + side * near, group->beta);
        range[end] = lines + side * source * (1.0 + group->beta * lines); /* frequencies are multiplied */
    }
}
