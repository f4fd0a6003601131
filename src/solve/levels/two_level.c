#include "solve/levels/two_level.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "model/line.h"
#include "solve/levels/derive.h"
#include "solve/transport/assemble.h"
#include "solve/transport/job.h"
#include "solve/transport/pass.h"
#include "solve/transport/quanta.h"

/* Scatterings per second and volume, with errors, from a pass through the gas with these populations. */
static enum lr_status measure_rates(lr_context *ctx, const struct worker *worker, const lr_model *derived,
                                    struct lr_result *measured)
{
    struct transport_device description;
    struct prepared prepared = {.model = derived};
    struct transport_tally tally = {0};
    double left = 0;
    enum lr_status status = LR_OK;
    LR_TRY(worker->backend->device_describe(ctx, worker_device(worker), &description));
    LR_TRY(job_prepare(ctx, derived, &prepared));
    struct transport_job *job = &prepared.job;
    job->tally.fields = true;
    job->tally.record = false;
    LR_TRY_OR(done, status, pass_plan_memory(ctx, derived, &description, job, &left));
    quanta_choose(derived, job);
    LR_TRY_OR(done, status, pass_allocate(ctx, job, &derived->run, &tally));
    LR_TRY_OR(done, status, pass_transport(ctx, worker, "packets for level populations", job, &tally));
    if (ctx->stop)
        LR_TRY_OR(done, status, lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped while solving for level populations"));
    status = assemble_result(ctx, &prepared, &tally, measured);
done:
    pass_free(&tally);
    job_free(&prepared);
    return status;
}

/* x_u / x_l for this mean intensity, photons s^-1 cm^-2 sr^-1 per unit velocity. C_ul follows from eps. */
static double upper_to_lower(const lr_model *model, int64_t cell, double intensity)
{
    const struct line *line = &model->line;
    const double ratio = line_energy_ratio(line, field_at(&model->species->temperature, cell));
    const double eps = field_at(&model->medium.eps, cell);
    const double down = line->a_ul * eps / (1 - eps) / -expm1(-ratio);
    const double wavelength = LR_LIGHT_SPEED / line->nu0;
    const double per_mode = 0.5 * intensity * wavelength * wavelength * wavelength;
    return line->g_upper / line->g_lower * (line->a_ul * per_mode + down * exp(-ratio)) /
           (line->a_ul * (1 + per_mode) + down);
}

/* Sums over cells, weighted by their emission. */
struct progress_sums {
    double weight, change, noise;
};

/* New populations of one cell from its scattering rate and the error of that. */
static void update_cell(const lr_model *model, const lr_model *derived, const struct lr_result *measured, int64_t cell,
                        struct populations *out, struct progress_sums *sums)
{
    const struct species *species = model->species;
    const struct transition *line = &species->molecule.line[species->line];
    double *x = out->x + cell * out->n_level;
    const double per_intensity = (1 - field_at(&model->medium.eps, cell)) * 4 * LR_PI * LR_SQRT_PI *
                                 field_at(&derived->medium.alpha0, cell) * field_at(&model->medium.b, cell);
    if (!(per_intensity > 0))
        return;
    const double around = line_planck(&model->line, species->options.background);
    const double excess = measured->scattering_rate.value[cell] / per_intensity;
    const double error = measured->scattering_rate.error[cell] / per_intensity;
    const double share = x[line->lower] + x[line->upper];
    const double quotient = upper_to_lower(model, cell, around + excess);
    const double upper = share * quotient / (1 + quotient);
    const double other = upper_to_lower(model, cell, around + excess + error);
    const double weight = field_at(&species->density, cell) * upper;
    const double change = upper > 0 ? fabs(upper - x[line->upper]) / upper : 0;
    out->residual[cell] = (float)change;
    sums->weight += weight;
    sums->change += weight * change;
    sums->noise +=
        weight * (isfinite(error) && quotient > 0 ? fabs(other / (1 + other) * (1 + quotient) / quotient - 1) : 0);
    x[line->upper] = upper;
    x[line->lower] = share / (1 + quotient);
}

/* One pass and the populations that follow from it. */
static enum lr_status iterate(lr_context *ctx, const struct worker *worker, const lr_model *model,
                              struct populations *out, struct population_step *step)
{
    struct lr_result *measured = NULL;
    struct inversion inversion;
    struct progress_sums sums = {0};
    lr_model derived = {0};
    LR_TRY(lr_allocate(ctx, 1, sizeof *measured, &measured));
    enum lr_status status = derive_model(ctx, model, out->x, &derived, &inversion);
    if (status == LR_OK)
        status = measure_rates(ctx, worker, &derived, measured);
    for (int64_t cell = 0; status == LR_OK && cell < out->n_cell; cell++)
        update_cell(model, &derived, measured, cell, out, &sums);
    step->change = sums.weight > 0 ? sums.change / sums.weight : 0;
    out->noise = sums.weight > 0 ? sums.noise / sums.weight : 0;
    derive_free(model, &derived);
    lr_result_free(measured);
    return status;
}

/* The remainder of a geometric series: change rho / (1 - rho). */
static void estimate_error(struct populations *out)
{
    struct population_step *step = &out->step[out->n_step];
    const double before = out->n_step > 0 ? step[-1].change : 0;
    const double earlier = out->n_step > 1 ? step[-2].change : 0;
    step->radius = earlier > 0 ? sqrt(step->change / earlier) : before > 0 ? step->change / before : 0;
    const double radius = fmin(fmax(step->radius, 0.01), 0.99);
    step->error = out->n_step > 0 ? step->change * radius / (1 - radius) : step->change;
}

enum lr_status two_level_solve(lr_context *ctx, const struct worker *worker, const lr_model *model,
                               struct populations *out)
{
    const struct population_options *options = &model->species->options;
    enum lr_status status = LR_OK;
    *out = (struct populations){.n_cell = mesh_cell_count(&model->mesh), .n_level = model->species->molecule.n_level};
    LR_TRY_OR(fail, status, excitation_lte(ctx, model, &out->x));
    LR_TRY_OR(fail, status, lr_allocate(ctx, (size_t)out->n_cell, sizeof *out->residual, &out->residual));
    LR_TRY_OR(fail, status, lr_allocate(ctx, (size_t)options->iterations, sizeof *out->step, &out->step));
    while (out->n_step < options->iterations && !out->converged) {
        struct population_step *step = &out->step[out->n_step];
        LR_TRY_OR(fail, status, iterate(ctx, worker, model, out, step));
        estimate_error(out);
        out->n_step++;
        out->converged = step->error <= options->error;
        lr_log(ctx, LR_LOG_INFO, "populations: pass %d, mean change %.3g, estimated error %.3g, noise %.3g",
               out->n_step, step->change, step->error, out->noise);
        /* Histories that branch differently cause changes that no further pass removes. */
        if (!out->converged && out->n_step > 3 && step->change < out->noise && step->radius > 0.7) {
            lr_log(ctx, LR_LOG_WARNING,
                   "the populations fluctuate within the packet noise, %.2g; use more packets to reduce it",
                   out->noise);
            break;
        }
    }
    return LR_OK;
fail:
    populations_free(out);
    return status;
}
