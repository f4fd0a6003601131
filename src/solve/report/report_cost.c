/* What a run costs, as `linerad check` tells it: scatterings and time, measured with the first packets of the run
 * (solve/stage/pilot.h), and memory. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <unistd.h>

#include "base/context.h"
#include "solve/balls/ball_cost.h"
#include "solve/balls/ball_set.h"
#include "solve/common/duration.h"
#include "solve/report/report.h"
#include "solve/stage/outlook.h"
#include "solve/stage/pilot.h"
#include "solve/stage/stage.h"

double report_cores(const lr_model *model)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return model->run.threads ? model->run.threads : online > 0 ? (double)online : 1.0;
}

static void write_duration(FILE *out, double seconds)
{
    fputs(duration_of(seconds).text, out);
}

static void write_jumps(FILE *out, const struct ball_plan *plan, const struct ball_needs *needs)
{
    fprintf(out, "jumps         over the core of the line, in gas %s %.3g free paths deep; records for ",
            plan->deepest < BALL_DEEPEST ? "up to" : "more than", plan->deepest);
    if (plan->n_family == 1)
        fprintf(out, "a = %.4g", plan->a_first);
    else
        fprintf(out, "a = %.3g to %.3g", plan->a_first, plan->a_first * pow(plan->ratio, plan->n_family - 1));
    fprintf(out, " in %d table%s, made once and kept\n", needs->n_table, needs->n_table == 1 ? "" : "s");
}

/* Jumps cannot be tried without their records, and making those is too much for a check. */
static void write_missing(FILE *out, const lr_model *model, const struct ball_needs *needs, bool gpu)
{
    const double cores = report_cores(model);
    fprintf(out, "time          records are not in the cache: about ");
    write_duration(out, needs->core_seconds / (gpu ? BALL_GPU_CORES : cores));
    fprintf(out, ", once, on ");
    if (gpu)
        fprintf(out, "a large GPU");
    else
        fprintf(out, "%g CPU core%s", cores, cores == 1 ? "" : "s");
    fprintf(out, ";\n              scatterings and time of the packets can be measured when the records are there\n");
}

static void write_scatterings(FILE *out, const struct pilot *pilot)
{
    fprintf(out, "scatterings   %s %.3g per packet", pilot->at_least ? "more than" : "about", pilot->scatterings);
    if (pilot->followed < 0.995 * pilot->scatterings)
        fprintf(out, ", of which %.3g are followed and the others skipped in jumps", pilot->followed);
    fprintf(out, "\n");
}

static void write_time(FILE *out, const lr_model *model, const struct pilot *pilot, double seconds_images)
{
    const double matters = 0.02;
    const double other = pilot->seconds_preparing + seconds_images, sum = pilot->seconds_packets + other;
    fprintf(out, "time          %s ", pilot->at_least ? "more than" : "about");
    write_duration(out, sum);
    fprintf(out, " on %s", pilot->device);
    if (other > matters * sum) {
        fprintf(out, ": ");
        write_duration(out, pilot->seconds_packets);
    }
    fprintf(out, " for %lld packet%s", (long long)model->run.packets, model->run.packets == 1 ? "" : "s");
    if (pilot->n_pass > 1)
        fprintf(out, " in each of %d passes", pilot->n_pass);
    if (seconds_images > matters * sum) {
        fprintf(out, ", ");
        write_duration(out, seconds_images);
        fprintf(out, " of ray tracing");
    }
    if (pilot->seconds_preparing > matters * sum) {
        fprintf(out, ", ");
        write_duration(out, pilot->seconds_preparing);
        fprintf(out, " to prepare");
    }
    if (pilot->packets < model->run.packets)
        fprintf(out, ";\n              measured in 0.8 s with the first packets of the run, of which %lld ended",
                (long long)pilot->packets);
    fprintf(out, "\n");
}

static void write_pilot(lr_context *ctx, FILE *out, const lr_model *model, double seconds_images)
{
    struct pilot pilot;
    if (pilot_run(ctx, model, &pilot) != LR_OK) { /* the model is valid, even if it cannot run here */
        fprintf(out, "time          not known: %s\n", lr_last_error(ctx));
        return;
    }
    write_scatterings(out, &pilot);
    write_time(out, model, &pilot, seconds_images);
    outlook_warn(ctx, model, &pilot);
}

enum lr_status report_cost(lr_context *ctx, FILE *out, const lr_model *model, double seconds_images, double *bytes)
{
    struct ball_plan plan;
    *bytes = 0;
    if (model->run.packets == 0)
        return LR_OK;
    LR_TRY(ball_plan_find(ctx, model, &plan));
    const struct ball_needs needs = ball_plan_needs(model, &plan);
    *bytes = needs.bytes;
    if (plan.n_family > 0)
        write_jumps(out, &plan, &needs);
    else if (plan.why)
        fprintf(out, "jumps         none: %s\n", plan.why);
    if (needs.n_missing > 0)
        write_missing(out, model, &needs, stage_uses_gpu(ctx, model));
    else
        write_pilot(ctx, out, model, seconds_images);
    return LR_OK;
}
