#include "solve/levels/equilibrium.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "lines/populations.h"
#include "model/field.h"
#include "parallel/communicator.h"
#include "parallel/meeting.h"
#include "solve/levels/level_job.h"
#include "solve/levels/level_rays.h"
#include "solve/levels/populations_kept.h"

/* Populations are extrapolated after LEVEL_LEAST_PAST + 1 iterations or, if the ratio of successive changes is above
 * SLOW, only after as many as are kept. */
static const double SLOW = 0.85;
/* If the change is then WORSE times the previous one, only a PART of the step is taken; then PART again, and finally
 * none. */
static const double WORSE = 2, PART = 0.2;
enum { MOST_RETREATS = 3 };
/* For the largest ratio of changes: its upper limit, and the rate at which it fades with every extrapolation. */
static const double SLOWEST = 0.9999, FADING = 0.4;
/* The first set of rays need only reach this many times the required error. */
static const double FIRST_SET = 10;

struct iteration {
    lr_context *ctx;
    const struct level_backend *backend;
    const struct level_job *job;
    void *state;
    const struct population_options *options;
    struct populations *out;
    int room; /* in out->step */
    double start;
    struct level_change last; /* of the previous iteration; rms 0 = not comparable with this one */
    double radius;            /* ratio of the last two changes */
    double slow;              /* the largest recent radius */
    int since;                /* last extrapolation */
    double rms_before;        /* before that extrapolation, while it may still be undone; or 0 */
    int retreats;             /* from it */
    struct lr_keeper *keeper; /* or NULL */
    double minutes;           /* between statepoints, as the model says */
    struct ray_set rays;
};

/* Shells and layers take a second or two, not worth using a device. They can be very thick; in double precision
 * rounding does not disturb the extrapolation. */
static void choose_place(const lr_model *model, struct worker *place)
{
    const bool small = ray_set_is_fixed(&model->mesh);
    *place = worker_in_order(place, small || model->run.deterministic);
    place->double_precision |= small;
}

bool equilibrium_is_shared(const lr_context *ctx, const struct worker *worker, const lr_model *model)
{
    struct worker place = *worker;
    choose_place(model, &place);
    return team_is_large(ctx) && place.backend == backend_cpu() && !ray_set_is_fixed(&model->mesh);
}

/* From one rank to all. */
static bool spread(void *user, int from, void *data, int64_t bytes)
{
    lr_context *ctx = user;
    if (team_meet(ctx, PLACE_LEVELS, LR_OK) != LR_OK)
        return false;
    ctx->team->broadcast(ctx->team, from, data, bytes);
    return true;
}

static void share_work(lr_context *ctx, struct worker *place, struct level_job *job)
{
    *place = worker_in_order(place, true);
    job->share = (struct level_share){ctx->team->rank, ctx->team->size, spread, ctx};
}

/* LTE everywhere, or what an earlier session has reached. */
static enum lr_status first_guess(lr_context *ctx, const lr_model *model, const struct lr_keeper *keeper, double *x)
{
    const struct species *species = model->species;
    const int n = species->molecule.n_level;
    const int64_t n_cell = mesh_cell_count(&model->mesh);
    if (keeper && stored_find(&keeper->found, "population_x")) {
        lr_log(ctx, LR_LOG_INFO, "continuing from the level populations of a statepoint");
        return stored_get(ctx, &keeper->found, "population_x", STORED_DOUBLE, n_cell * n, x);
    }
    for (int64_t cell = 0; cell < n_cell; cell++)
        populations_lte(&species->molecule, field_at(&species->temperature, cell), x + cell * n);
    return LR_OK;
}

/* ---- one iteration ---- */

static enum lr_status remember(struct iteration *it, struct population_step step)
{
    if (it->out->n_step == it->room) {
        const int room = it->room ? 2 * it->room : 64;
        struct population_step *grown = realloc(it->out->step, (size_t)room * sizeof *grown);
        if (!grown)
            return lr_fail(it->ctx, LR_ERROR_MEMORY, "out of memory for the history of the iteration");
        it->out->step = grown;
        it->room = room;
    }
    it->out->step[it->out->n_step++] = step;
    return LR_OK;
}

/* The change of an iteration is not its error: if changes shrink by a factor rho each time, those still to come add up
 * to change rho / (1 - rho). rho is the ratio of rms changes, which single cells do not disturb, or of the largest
 * changes if that is smaller. After an extrapolation or with new rays the rapidly decaying changes are seen first, so
 * the slowest rho is used until the next extrapolation, and then fades. */
static double estimate_error(struct iteration *it, const struct level_change *change)
{
    if (!(it->last.rms > 0))
        return HUGE_VAL;
    it->radius = fmin(change->rms / it->last.rms, change->largest / it->last.largest);
    it->slow = fmax(fmin(it->radius, SLOWEST), it->slow);
    return change->largest * it->slow / (1 - it->slow);
}

static void report(const struct iteration *it, double error)
{
    lr_context *ctx = it->ctx;
    char what[96];
    if (!ctx->progress)
        return;
    if (error < HUGE_VAL)
        snprintf(what, sizeof what, "iterations of level populations, error about %.1e", error);
    else
        snprintf(what, sizeof what, "iterations of level populations");
    ctx->progress(ctx->progress_user, what, it->out->n_step, 0, lr_seconds() - it->start);
}

/* True if the change shows that the last extrapolation went too far: part of it is then undone. */
static enum lr_status judge_extrapolation(struct iteration *it, const struct level_change *change, bool *too_far)
{
    const int most = it->job->n_past - 1 < MOST_RETREATS ? it->job->n_past - 1 : MOST_RETREATS;
    *too_far = it->rms_before > 0 && change->rms > WORSE * it->rms_before;
    if (!*too_far) {
        it->rms_before = 0;
        return LR_OK;
    }
    it->retreats++;
    it->since = 0;
    const bool back = it->retreats >= most;
    if (back)
        it->rms_before = 0;
    return it->backend->retreat(it->ctx, it->state, back ? 0 : PART);
}

static enum lr_status extrapolate(struct iteration *it, bool *done)
{
    const double now = fmin(it->radius, SLOWEST);
    *done = false;
    if (it->since <= (it->radius < SLOW ? LEVEL_LEAST_PAST : it->job->n_past))
        return LR_OK;
    /* An extrapolation is a guess until the next step confirms it: a stop keeps what there was before. */
    LR_TRY(it->backend->read(it->ctx, it->state, it->out->x, it->out->residual));
    LR_TRY(it->backend->accelerate(it->ctx, it->state, done));
    it->since = 0;
    it->slow = fmax(now, it->slow + FADING * (now - it->slow));
    if (*done) {
        it->rms_before = it->last.rms;
        it->retreats = 0;
        it->last.rms = 0;
    }
    return LR_OK;
}

/* The populations of the last iteration, without an extrapolation that no step has confirmed yet. */
static enum lr_status read_confirmed(struct iteration *it)
{
    return it->rms_before > 0 ? LR_OK : it->backend->read(it->ctx, it->state, it->out->x, it->out->residual);
}

/* The radiation field is incomplete; the populations are still those of the last iteration. How noisy rays make them is
 * known only at the end. */
static enum lr_status stop(struct iteration *it)
{
    if (it->out->n_step == 0)
        return lr_fail(it->ctx, LR_ERROR_INTERRUPTED,
                       "stopped before the first iteration of level populations was finished; nothing was written");
    it->out->stopped = true;
    it->out->noise = NAN;
    LR_TRY(read_confirmed(it));
    populations_save(it->ctx, it->keeper, it->minutes, true, it->out);
    return LR_OK;
}

static enum lr_status save_if_due(struct iteration *it)
{
    if (!it->keeper || !populations_save_is_due(it->ctx, it->keeper, it->minutes))
        return LR_OK;
    LR_TRY(read_confirmed(it));
    populations_save(it->ctx, it->keeper, it->minutes, true, it->out);
    return LR_OK;
}

/* What is a stop for one rank is one for all. */
static enum lr_status agree_on_stop(const struct iteration *it)
{
    double goes_on = it->ctx->stop ? 0 : 1;
    if (it->job->share.ranks > 1)
        LR_TRY(team_least(it->ctx, PLACE_LEVELS, &goes_on));
    if (!(goes_on > 0))
        it->ctx->stop = 1;
    return LR_OK;
}

static enum lr_status iterate(struct iteration *it, double wanted, double *error)
{
    struct level_change change;
    bool accelerated = false, too_far = false;
    LR_TRY(it->backend->sweep(it->ctx, it->state, &it->ctx->stop));
    LR_TRY(agree_on_stop(it));
    if (it->ctx->stop)
        return stop(it);
    LR_TRY(it->backend->step(it->ctx, it->state, &change));
    if (!isfinite(change.rms) || !isfinite(change.largest)) {
        *error = NAN; /* the caller says where */
        return LR_OK;
    }
    *error = change.largest == 0 ? 0 : estimate_error(it, &change);
    LR_TRY(judge_extrapolation(it, &change, &too_far));
    it->last = change;
    if (too_far) {
        it->last.rms = 0;
    } else {
        it->since++;
        if (*error > wanted)
            LR_TRY(extrapolate(it, &accelerated));
    }
    LR_TRY(remember(it, (struct population_step){change.largest, *error, it->radius, accelerated}));
    report(it, *error);
    return save_if_due(it);
}

static enum lr_status converge(struct iteration *it, double wanted, bool *converged)
{
    double error = HUGE_VAL;
    it->last.rms = it->radius = it->rms_before = 0;
    it->since = 0;
    while (it->out->n_step < it->options->iterations) {
        LR_TRY(iterate(it, wanted, &error));
        if (error < wanted || isnan(error) || it->out->stopped)
            break;
    }
    *converged = error < wanted && !it->out->stopped;
    return LR_OK;
}

/* ---- rays ---- */

static enum lr_status change_rays(struct iteration *it, const lr_model *model, double length_unit, int number,
                                  uint64_t seed)
{
    struct ray_set next;
    LR_TRY(ray_set_make(it->ctx, &model->mesh, length_unit, number, seed, &next));
    const enum lr_status status = it->backend->set_rays(it->ctx, it->state, &next.rays);
    ray_set_free(&it->rays);
    it->rays = next;
    it->out->directions = number;
    return status;
}

/* Rms relative difference in cells with gas, weighted by the populations: SUM x (dx / x)^2 / SUM x. */
static double compare(const lr_model *model, const struct populations *found, const double *other)
{
    double square = 0;
    double all = 0;
    for (int64_t cell = 0; cell < found->n_cell; cell++) {
        if (!(field_at(&model->species->density, cell) > 0))
            continue;
        for (int64_t i = cell * found->n_level; i < (cell + 1) * found->n_level; i++)
            if (found->x[i] > LEVEL_MATTERS) {
                square += pow(found->x[i] - other[i], 2) / found->x[i];
                all += found->x[i];
            }
    }
    return all > 0 ? sqrt(square / all) : 0;
}

/* The error due to the rays, from the difference to the solution with a different, smaller set. Random sets of n and m
 * directions differ by sqrt(s^2 / n + s^2 / m), of which s / sqrt(n) is due to the larger one; evenly spread ones do a
 * little better. Errors of quadratures fall as 1 / n^2. */
static double ray_noise(double difference, int fewer, int number, bool fixed)
{
    const double ratio = (double)fewer / number;
    return fixed ? difference * ratio * ratio / (1 - ratio * ratio) : difference * sqrt(ratio / (1 + ratio));
}

static double wanted_noise(const struct iteration *it, bool fixed)
{
    return fixed ? fmin(it->options->noise, it->options->error) : it->options->noise;
}

static int more_directions(const struct iteration *it, int number, bool fixed, int most)
{
    const double excess = it->out->noise / wanted_noise(it, fixed);
    const double factor = fixed ? sqrt(1.5 * excess) : excess * excess;
    const double wanted = number * fmin(fmax(factor, 2), 4);
    return wanted < most ? 2 * (int)ceil(0.5 * wanted) : most;
}

/* From few directions to many: each set starts from the solution of the previous one, and the difference between the
 * two gives the remaining noise. The first set only has to come close. */
static enum lr_status solve_with_enough_rays(struct iteration *it, const lr_model *model, double length_unit,
                                             double *other)
{
    const bool automatic = it->options->directions == 0;
    const bool fixed = ray_set_is_fixed(&model->mesh);
    const int most = ray_set_most(&model->mesh);
    const int least = population_directions(&model->mesh).least;
    int fewer = automatic ? ray_set_default(&model->mesh) : (it->options->directions + 3) / 4;
    fewer = fewer < least ? least : fewer;
    int number = automatic ? 2 * fewer : it->options->directions;
    uint64_t seed = model->run.seed;
    bool converged = false;
    LR_TRY(change_rays(it, model, length_unit, fewer, seed));
    LR_TRY(converge(it, FIRST_SET * it->options->error, &converged));
    if (it->out->stopped)
        return LR_OK;
    if (!converged)
        return it->backend->read(it->ctx, it->state, it->out->x, it->out->residual);
    for (;;) {
        LR_TRY(it->backend->read(it->ctx, it->state, other, it->out->residual));
        LR_TRY(change_rays(it, model, length_unit, number, ++seed));
        LR_TRY(converge(it, it->options->error, &converged));
        if (it->out->stopped)
            return LR_OK;
        LR_TRY(it->backend->read(it->ctx, it->state, it->out->x, it->out->residual));
        it->out->noise = fewer < number ? ray_noise(compare(model, it->out, other), fewer, number, fixed) : (double)NAN;
        const bool enough = it->out->noise <= wanted_noise(it, fixed);
        it->out->converged = converged && (enough || !automatic);
        if (!converged || enough || !automatic)
            return LR_OK;
        if (number == most) {
            lr_log(it->ctx, LR_LOG_WARNING,
                   "with %d ray directions the noise in the level populations is %.2g, above the target of %.2g",
                   number, it->out->noise, wanted_noise(it, fixed));
            return LR_OK;
        }
        fewer = number;
        number = more_directions(it, number, fixed, most);
        lr_log(it->ctx, LR_LOG_INFO,
               "with %d ray directions the noise in the level populations is %.2g; increasing to %d directions", fewer,
               it->out->noise, number);
    }
}

enum lr_status equilibrium_solve(lr_context *ctx, const struct worker *worker, const lr_model *model, bool shared,
                                 struct lr_keeper *keeper, struct populations *out)
{
    const struct species *species = model->species;
    const size_t cells = (size_t)mesh_cell_count(&model->mesh);
    const size_t n = cells * (size_t)species->molecule.n_level;
    struct worker place = *worker;
    struct prepared_levels prepared = {0};
    struct iteration it = {.ctx = ctx,
                           .options = &species->options,
                           .out = out,
                           .start = lr_seconds(),
                           .keeper = keeper,
                           .minutes = model->run.checkpoint};
    double *other = NULL;
    enum lr_status status = LR_OK;
    *out = (struct populations){.n_cell = (int64_t)cells, .n_level = species->molecule.n_level, .noise = NAN};
    LR_TRY(level_job_prepare(ctx, model, &prepared));
    choose_place(model, &place);
    if (shared)
        share_work(ctx, &place, &prepared.job);
    it.backend = place.backend->levels(prepared.job.mesh.kind, place.double_precision);
    it.job = &prepared.job;
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof *out->x, &out->x));
    LR_TRY_OR(done, status, lr_allocate(ctx, n, sizeof *other, &other));
    LR_TRY_OR(done, status, lr_allocate(ctx, cells, sizeof *out->residual, &out->residual));
    LR_TRY_OR(done, status, it.backend->open(ctx, worker_device(&place), place.threads, &prepared.job, &it.state));
    LR_TRY_OR(done, status, first_guess(ctx, model, keeper, out->x));
    if (shared)
        LR_TRY_OR(done, status, team_share(ctx, PLACE_LEVELS, out->x, (int64_t)(n * sizeof *out->x)));
    LR_TRY_OR(done, status, it.backend->write(ctx, it.state, out->x));
    LR_TRY_OR(done, status, solve_with_enough_rays(&it, model, prepared.unit.length, other));
done:
    if (it.state)
        it.backend->close(it.state);
    ray_set_free(&it.rays);
    level_job_free(&prepared);
    free(other);
    return status;
}
