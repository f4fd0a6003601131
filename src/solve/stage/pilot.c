/* Histories differ in length by orders of magnitude, and those that end within a second are the short ones. So a pilot
 * is not a small run but the beginning of the real one, in which ended packets are replaced by new ones, and the lives
 * that were cut short are taken into account (life_table.h). */
#include "solve/stage/pilot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/context.h"
#include "solve/stage/life_table.h"
#include "solve/stage/stage.h"

static const double PILOT_SECONDS = 0.8;

/* How many packets were done, now and then. */
enum { MOST_SAMPLES = 64 };
struct samples {
    int n;
    double at[MOST_SAMPLES];
    int64_t done[MOST_SAMPLES];
};

static void sample(void *user, int64_t done, double scatterings)
{
    struct samples *samples = user;
    (void)scatterings;
    if (samples->n == MOST_SAMPLES)
        return;
    samples->at[samples->n] = lr_seconds();
    samples->done[samples->n++] = done;
}

/* The speed in the second half of a pilot over its mean: memory that is used for the first time is slow, most of all
 * that of cameras. It can be told only if packets live much shorter than the pilot. */
static double warmed_up(const struct samples *samples, double n_ended, double n_flight, double seconds)
{
    const int last = samples->n - 1, middle = samples->n / 2;
    if (n_ended < 10 * n_flight || last <= middle)
        return 1;
    const double done = (double)(samples->done[last] - samples->done[middle]);
    return fmax(done / (samples->at[last] - samples->at[middle]) / (n_ended / seconds), 1);
}

/* The whole run, in units of the time that one packet takes for a step. A device follows n_flight packets at a time: it
 * replaces those that end until there are no more, and then waits for the last, which may then be faster. */
static double whole_run(const struct life_table *lives, double n_packet, double n_flight, double n_steady)
{
    if (n_packet <= n_flight)
        return life_table_last_born(lives, n_packet, n_steady);
    return (n_packet - n_flight) / n_flight * lives->mean + life_table_last_alive(lives, n_flight, n_steady);
}

static void conclude(const struct transport_job *job, const struct transport_tally *tally,
                     const struct samples *samples, struct pilot *pilot)
{
    const double n_packet = (double)(job->packets.end - job->packets.first), n_flight = (double)tally->n_flight;
    struct life_table lives;
    double scattered = 0, events = 0, skipped = 0;
    for (int b = 0; b < job->tally.n_batch; b++) {
        scattered += tally->batch[b].scattered;
        events += tally->batch[b].events;
        skipped += tally->batch[b].skipped;
    }
    const bool known = life_table_make(&tally->lives[0], &tally->lives[1], &lives);
    const bool whole = lives.n_left == 0;
    const double begun = lives.n_ended + lives.n_left;
    pilot->packets = (int64_t)lives.n_ended;
    pilot->at_least = !whole && !known;
    const double lifetime = whole || !known ? lives.steps / begun : lives.mean;
    pilot->scatterings = scattered / lives.steps * lifetime;
    pilot->followed = events > 0 ? pilot->scatterings * events / (events + skipped) : 0;
    /* Steps that a packet made in the time of the pilot: fewer on average if there were not enough packets for all. */
    const double made = fmax(lives.steps / n_flight, lives.steps_left / fmax(lives.n_left, 1));
    pilot->seconds = tally->seconds;
    pilot->steps = made;
    pilot->n_flight = n_flight;
    pilot->n_packet = n_packet;
    double parts = 1; /* as long as the pilot */
    if (pilot->at_least)
        parts = n_packet / begun;
    else if (!whole)
        parts = whole_run(&lives, n_packet, n_flight, (double)tally->n_steady) / made /
                warmed_up(samples, lives.n_ended, n_flight, tally->seconds);
    pilot->seconds_packets = tally->seconds * fmax(parts, 1) * pilot->n_pass;
}

/* The first pass, until it is over or the time is. */
enum lr_status pilot_fly(lr_context *ctx, const lr_model *model, struct stage *stage, struct pilot *pilot)
{
    const struct worker *worker = &stage->worker;
    const struct window *window = stage->plan.n_window > 0 ? &stage->plan.window[0] : NULL;
    struct transport_lives lives[2] = {0};
    struct transport_tally tally = {.lives = lives};
    struct samples samples = {0};
    const struct transport_monitor monitor = {
        .stop = &ctx->stop, .progress = sample, .user = &samples, .seconds = PILOT_SECONDS};
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, stage_begin_pass(ctx, model, stage, window, true, &tally));
    const double start = lr_seconds();
    LR_TRY_OR(done, status,
              worker->backend->transport(ctx, worker->device, worker->threads, worker->double_precision,
                                         &stage->prepared.job, &monitor, &tally));
    pilot->seconds_preparing += lr_seconds() - start - tally.seconds;
    pilot->n_pass = window ? stage->plan.n_window : 1;
    conclude(&stage->prepared.job, &tally, &samples, pilot);
done:
    stage_end_pass(stage, &tally);
    return status;
}

static enum lr_status prepare_and_fly(lr_context *ctx, const lr_model *model, struct pilot *pilot)
{
    const double start = lr_seconds();
    struct stage *stage = NULL;
    struct lr_result *described = NULL;
    enum lr_status status = LR_OK;
    LR_TRY(lr_allocate(ctx, 1, sizeof *stage, &stage));
    stage->prepared.model = model;
    LR_TRY_OR(done, status, lr_allocate(ctx, 1, sizeof *described, &described));
    LR_TRY_OR(done, status, stage_open(ctx, model, stage, described));
    LR_TRY_OR(done, status, stage_prepare(ctx, model, NULL, stage));
    snprintf(pilot->device, sizeof pilot->device, "%s", described->summary.device);
    pilot->seconds_preparing = lr_seconds() - start;
    status = pilot_fly(ctx, model, stage, pilot);
done:
    stage_close(stage);
    free(stage);
    lr_result_free(described);
    return status;
}

enum lr_status pilot_run(lr_context *ctx, const lr_model *model, struct pilot *pilot)
{
    lr_log_fn *log = ctx->log;
    *pilot = (struct pilot){0};
    ctx->log = NULL; /* messages are for the run itself */
    const enum lr_status status = prepare_and_fly(ctx, model, pilot);
    ctx->log = log;
    return status;
}
