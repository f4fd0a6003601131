/* What a run costs, as `linerad check` tells it: scatterings and time, measured with the first packets of the run
 * (solve/stage/pilot.h), and memory. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <unistd.h>

#include "base/context.h"
#include "solve/balls/ball_set.h"
#include "solve/report/report.h"
#include "solve/stage/pilot.h"

double report_cores(const lr_model *model)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return model->run.threads ? model->run.threads : online > 0 ? (double)online : 1.0;
}

/* As "12 s", "3.4 min", "5 hours" or "2 days". */
static void write_duration(FILE *out, double seconds)
{
    const double minute = 60.0, hour = 3600.0, day = 86400.0;
    if (seconds < 99.5)
        fprintf(out, "%.2g s", seconds);
    else if (seconds < 99.5 * minute)
        fprintf(out, "%.2g min", seconds / minute);
    else if (seconds < 2.0 * day)
        fprintf(out, "%.2g hours", seconds / hour);
    else
        fprintf(out, "%.3g days", seconds / day);
}

static void write_jumps(FILE *out, const struct ball_plan *plan)
{
    fprintf(out, "jumps         over the core of the line, in gas up to %.3g free paths deep; records for ",
            plan->deepest);
    if (plan->n_family == 1)
        fprintf(out, "a = %.4g", plan->a_first);
    else
        fprintf(out, "%d values of a, %.3g to %.3g", plan->n_family, plan->a_first,
                plan->a_first * pow(plan->ratio, plan->n_family - 1));
    fprintf(out, ", made once and kept\n");
}

/* Jumps cannot be tried without their records, and making those is too much for a check. */
static void write_missing(FILE *out, const lr_model *model, int n_row)
{
    const double rate_per_core = 8e4; /* rows times trials/s, typical of a recent core */
    const double cores = report_cores(model);
    fprintf(out, "time          records are not in the cache: about ");
    write_duration(out, n_row * (double)model->physics.trials / (rate_per_core * cores));
    fprintf(out,
            ", once, on %g CPU cores, assuming %.1g trials/s each;\n"
            "              scatterings and time of the packets can be measured when the records are there\n",
            cores, rate_per_core);
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
    fprintf(out, " for %lld packets", (long long)model->run.packets);
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
        fprintf(out, ";\n              measured with the first packets of the run, of which %lld ended within a second",
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
}

enum lr_status report_cost(lr_context *ctx, FILE *out, const lr_model *model, double seconds_images)
{
    struct ball_plan plan;
    if (model->run.packets == 0)
        return LR_OK;
    LR_TRY(ball_plan_find(ctx, model, &plan));
    if (plan.n_family > 0)
        write_jumps(out, &plan);
    const int missing = ball_plan_missing(model, &plan);
    if (missing > 0)
        write_missing(out, model, missing);
    else
        write_pilot(ctx, out, model, seconds_images);
    return LR_OK;
}
