/* The part of lr_model_report() about lines of a molecule that see each other's light while its levels are found. */
#include "base/constants.h"
#include "base/context.h"
#include "model/species.h"
#include "solve/levels/level_job.h"
#include "solve/report/report.h"

static void write_blends(FILE *out, const struct prepared_levels *prepared)
{
    const double kms = 1e5; /* cm/s */
    const struct level_job *job = &prepared->job;
    fprintf(out, "  overlap     %d of %d lines see each other's light\n", job->n_line - job->blend[0].first,
            job->n_line);
    for (int i = 0; i < job->n_blend; i++) {
        const struct level_blend *blend = &job->blend[i];
        const struct level_line *line = &job->line[blend->first];
        fprintf(out, "    %d lines   from %.6f GHz, over %.4g km/s, with %d frequencies\n", blend->n,
                1e-9 * line->energy * LR_BOLTZMANN / LR_PLANCK,
                line[blend->n - 1].shift * prepared->unit.velocity / kms, blend->n_frequency);
    }
}

enum lr_status report_overlap(lr_context *ctx, FILE *out, const lr_model *model)
{
    const struct population_options *options = &model->species->options;
    struct prepared_levels prepared = {0};
    if (options->method != POPULATIONS_EQUILIBRIUM)
        return LR_OK;
    LR_TRY(level_job_prepare(ctx, model, &prepared));
    if (prepared.job.n_blend > 0)
        write_blends(out, &prepared);
    level_job_free(&prepared);
    return LR_OK;
}
