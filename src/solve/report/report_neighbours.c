/* A warning about other lines of the molecule that the channels would show: a run follows a single line, and HCN 1-0
 * over 20 km/s, for example, has three hyperfine components. */
#include <math.h>

#include "base/constants.h"
#include "base/context.h"
#include "model/field.h"
#include "model/species.h"
#include "solve/report/report.h"

void report_neighbours(lr_context *ctx, const lr_model *model)
{
    const struct channels *channels = &model->channels;
    if (!model->species || channels->n == 0)
        return;
    const struct molecule *molecule = &model->species->molecule;
    const double b = field_measure(&model->medium.b, &model->mesh).high;
    const double low = channels->first - b, high = channels->first + channels->n * channels->width + b;
    double nearest = HUGE_VAL, frequency = 0.0;
    int n = 0;
    for (int i = 0; i < molecule->n_line; i++) {
        const double velocity = LR_LIGHT_SPEED * (1.0 - molecule->line[i].frequency / model->line.nu0);
        if (i == model->species->line || !(molecule->line[i].a_ul > 0.0) || velocity < low || velocity > high)
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
