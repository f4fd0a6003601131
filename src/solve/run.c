/* lr_run: prepare the job, plan memory, transport, assemble the result. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend/select.h"
#include "base/context.h"
#include "solve/assemble.h"
#include "solve/job.h"
#include "solve/system.h"

static const double WORTH_A_WARNING = 1e-3;
static const double GIB = 1024.0 * 1024.0 * 1024.0;

/* Bytes per cell: the record the kernel reads; sums and sums of squares of two tallies; two tallies per group. */
enum { SUM_BYTES = 4 * sizeof(double), GROUP_BYTES = 2 * sizeof(double), REALS_PER_CELL = 8 };

/* Groups of batches with cell tallies of their own: all batches on a small mesh, a few where they would take more than
 * this share of the memory (clearing and adding them up would take longer than the run). */
static const double GROUP_SHARE = 1.0 / 16;
enum { FEW_GROUPS = 4, FEWEST_GROUPS = 2 };

struct progress {
    lr_context *ctx;
    int64_t total;
    double start;
};

static void forward_progress(void *user, int64_t done)
{
    const struct progress *progress = user;
    if (progress->ctx->progress)
        progress->ctx->progress(progress->ctx->progress_user, done, progress->total, lr_seconds() - progress->start);
}

static enum lr_status plan_memory(lr_context *ctx, const lr_model *model, const struct transport_device *device,
                                  struct transport_job *job)
{
    const double real_bytes = model->run.precision == PRECISION_DOUBLE ? 8 : 4;
    const double cells = (double)job->n_cell;
    const double records = job->record ? (double)job->n_packet * sizeof(struct transport_record) : 0;
    const double fixed = cells * (REALS_PER_CELL * real_bytes + (job->fields ? SUM_BYTES : 0)) + records;
    const double per_group = job->fields ? cells * GROUP_BYTES : 0;
    const double usable = 0.8 * device->memory_bytes;
    const double comfortable = floor(GROUP_SHARE * device->memory_bytes / fmax(per_group, 1));
    job->n_group = comfortable >= job->n_batch ? job->n_batch
                   : comfortable > FEW_GROUPS  ? (int)comfortable
                                               : FEW_GROUPS;
    if (fixed + job->n_group * per_group > usable)
        job->n_group = FEWEST_GROUPS;
    if (job->n_group > job->n_batch)
        job->n_group = job->n_batch;
    const double needed = fixed + job->n_group * per_group;
    if (needed > usable)
        return lr_fail(ctx, LR_ERROR_MEMORY,
                       "%s: %lld cells need %.3g GiB and %.3g GiB are free: use a smaller mesh%s%s", model->path,
                       (long long)job->n_cell, needed / GIB, device->memory_bytes / GIB,
                       job->fields ? ", 'output.fields: false'" : "", job->record ? ", 'output.packets: false'" : "");
    return LR_OK;
}

static enum lr_status tally_allocate(lr_context *ctx, const struct transport_job *job, const struct run *run,
                                     struct transport_tally *tally)
{
    const size_t batches = (size_t)run->batches;
    const size_t slots = (size_t)job->n_bin + 2;
    const size_t cells = (size_t)job->n_cell;
    LR_TRY(lr_allocate(ctx, batches, sizeof *tally->batch, &tally->batch));
    LR_TRY(lr_allocate(ctx, batches * TRANSPORT_N_FACE * slots, sizeof(double), &tally->face_spectrum));
    LR_TRY(lr_allocate(ctx, batches * (size_t)(job->n_mu * job->n_phi) * slots, sizeof(double),
                       &tally->direction_spectrum));
    if (job->fields) {
        LR_TRY(lr_allocate(ctx, cells, sizeof(double), &tally->length));
        LR_TRY(lr_allocate(ctx, cells, sizeof(double), &tally->length_square));
        LR_TRY(lr_allocate(ctx, cells, sizeof(double), &tally->scatter));
        LR_TRY(lr_allocate(ctx, cells, sizeof(double), &tally->scatter_square));
    }
    if (job->record)
        LR_TRY(lr_allocate(ctx, (size_t)run->packets, sizeof *tally->record, &tally->record));
    return LR_OK;
}

static void tally_free(struct transport_tally *tally)
{
    free(tally->batch);
    free(tally->face_spectrum);
    free(tally->direction_spectrum);
    free(tally->length);
    free(tally->length_square);
    free(tally->scatter);
    free(tally->scatter_square);
    free(tally->record);
}

static enum lr_status transport(lr_context *ctx, const struct lr_backend *backend, int device, int threads,
                                const lr_model *model, const struct transport_job *job, struct transport_tally *tally)
{
    struct progress progress = {ctx, model->run.packets, lr_seconds()};
    const struct transport_monitor monitor = {&ctx->stop, forward_progress, &progress};
    LR_TRY(backend->transport(ctx, device, threads, model->run.precision == PRECISION_DOUBLE, job, &monitor, tally));
    if (!ctx->stop)
        forward_progress(&progress, model->run.packets);
    return LR_OK;
}

static enum lr_status describe_run(lr_context *ctx, const lr_model *model, const struct lr_backend *backend, int device,
                                   const struct transport_device *description, struct lr_result *result)
{
    struct lr_summary *summary = &result->summary;
    result->threads = model->run.threads > 0 ? model->run.threads : omp_get_max_threads();
    if (strcmp(backend->name, "cpu") == 0)
        snprintf(summary->device, sizeof summary->device, "cpu (%d thread%s, %.60s)", result->threads,
                 result->threads == 1 ? "" : "s", description->name);
    else
        snprintf(summary->device, sizeof summary->device, "%s:%d %.100s", backend->name, device, description->name);
    snprintf(summary->precision, sizeof summary->precision, "%s",
             model->run.precision == PRECISION_DOUBLE ? "double" : "mixed");
    snprintf(result->version, sizeof result->version, "%s", lr_version());
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(result->date, sizeof result->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (gethostname(result->host, sizeof result->host - 1) != 0)
        snprintf(result->host, sizeof result->host, "unknown");
    system_cpu_name(result->cpu, sizeof result->cpu);
    const size_t length = strlen(model->text) + 1;
    LR_TRY(lr_allocate(ctx, length, 1, &result->model_text));
    memcpy(result->model_text, model->text, length);
    return LR_OK;
}

enum lr_status lr_run(lr_context *ctx, const lr_model *model, lr_result **result)
{
    const double start = lr_seconds();
    const struct lr_backend *backend = NULL;
    int device = 0;
    struct transport_device description;
    struct prepared prepared;
    struct transport_tally tally = {0};
    struct lr_result *made = NULL;
    enum lr_status status = LR_OK;
    *result = NULL;

    LR_TRY(backend_select(ctx, model->run.device, &backend, &device));
    LR_TRY(backend->device_describe(ctx, device, &description));
    LR_TRY(job_prepare(ctx, model, &prepared));
    LR_TRY_OR(done, status, plan_memory(ctx, model, &description, &prepared.job));
    LR_TRY_OR(done, status, lr_allocate(ctx, 1, sizeof *made, &made));
    LR_TRY_OR(done, status, describe_run(ctx, model, backend, device, &description, made));
    LR_TRY_OR(done, status, tally_allocate(ctx, &prepared.job, &model->run, &tally));
    LR_TRY_OR(done, status, transport(ctx, backend, device, made->threads, model, &prepared.job, &tally));
    LR_TRY_OR(done, status, assemble_result(ctx, &prepared, &tally, made));
    if (made->summary.packets == 0)
        status = lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped before a single packet was finished; nothing was written");
    if (made->summary.outside.value > WORTH_A_WARNING * made->summary.escaped.value)
        lr_log(ctx, LR_LOG_WARNING,
               "%.2g %% of what escaped lies outside the spectrum, x = %.4g to %.4g: set output.range",
               100 * made->summary.outside.value / made->summary.escaped.value, made->x_edge[0],
               made->x_edge[made->n_bin]);
    made->summary.seconds_total = lr_seconds() - start;
done:
    tally_free(&tally);
    job_free(&prepared);
    ctx->stop = 0; /* the wish is granted; the context can be used again */
    if (status == LR_OK)
        *result = made;
    else
        lr_result_free(made);
    return status;
}
