/* The lines that images show. A run follows the lines that the model names, and HCN 1-0 over 20 km/s, for example, has
 * three hyperfine components: a warning about lines of the molecule that the channels would show and that are left out,
 * about named lines that they do not show, and about what is not computed of lines that overlap. */
#include <math.h>

#include "base/constants.h"
#include "base/context.h"
#include "model/field.h"
#include "model/line_group.h"
#include "model/species.h"
#include "solve/report/report.h"

static bool is_member(const struct line_group *group, int line)
{
    bool found = false;
    for (int m = 0; m < group->n; m++)
        found |= group->member[m].line == line;
    return found;
}

static void warn_of_others(lr_context *ctx, const lr_model *model, double low, double high)
{
    const struct molecule *molecule = &model->species->molecule;
    double nearest = HUGE_VAL, frequency = 0.0;
    int n = 0;
    for (int i = 0; i < molecule->n_line; i++) {
        const double velocity = LR_LIGHT_SPEED * (1.0 - molecule->line[i].frequency / model->line.nu0);
        if (is_member(&model->group, i) || !(molecule->line[i].a_ul > 0.0) || velocity < low || velocity > high)
            continue;
        n++;
        if (fabs(velocity) < fabs(nearest)) {
            nearest = velocity;
            frequency = molecule->line[i].frequency;
        }
    }
    if (n > 0)
        lr_log(ctx, LR_LOG_WARNING,
               "%d other line%s of %s %s within the channels and %s left out; the nearest, %.6f GHz, is at %+.3g km/s",
               n, n == 1 ? "" : "s", molecule->name, n == 1 ? "lies" : "lie", n == 1 ? "is" : "are", 1e-9 * frequency,
               1e-5 * nearest);
}

/* The largest speed of the gas. */
static double fastest(const lr_model *model)
{
    double square = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        const struct field_range range = field_measure(&model->medium.velocity[axis], &model->mesh);
        const double most = fmax(fabs(range.low), fabs(range.high));
        square += most * most;
    }
    return sqrt(square);
}

static void warn_of_unseen(lr_context *ctx, const lr_model *model, double low, double high)
{
    const struct line_group *group = &model->group;
    const double reach = fastest(model);
    int n = 0, one = 0;
    for (int m = 0; m < group->n; m++) {
        const double velocity = line_group_velocity(&group->member[m]);
        if (velocity >= low - reach && velocity <= high + reach)
            continue;
        n++;
        one = m;
    }
    if (n > 0)
        lr_log(ctx, LR_LOG_WARNING, "%d of the %d lines lie%s outside the channels, such as %s at %+.4g km/s", n,
               group->n, n == 1 ? "s" : "", group->member[one].label, 1e-5 * line_group_velocity(&group->member[one]));
}

/* Whether populations are solved, but do not know of overlap. */
static bool lines_stand_alone(const struct species *species)
{
    return species && population_method_collides(species->options.method) && !species->options.overlap;
}

void report_neighbours(lr_context *ctx, const lr_model *model)
{
    const struct channels *channels = &model->channels;
    if (model->group.n > 1 && lines_stand_alone(model->species))
        lr_log(ctx, LR_LOG_WARNING,
               "the level populations are computed as if the lines did not overlap; images contain the overlap");
    if (channels->n == 0)
        return;
    const double b = field_measure(&model->medium.b, &model->mesh).high;
    const double low = channels->first - b, high = channels->first + channels->n * channels->width + b;
    if (model->species)
        warn_of_others(ctx, model, low, high);
    if (model->group.n > 1)
        warn_of_unseen(ctx, model, low, high);
}
