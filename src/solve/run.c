/* lr_run: prepare the job, run it in as many passes as memory asks for, assemble the result. */
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

static const double GIB = 1024.0 * 1024.0 * 1024.0;

/* Bytes per cell: the record the kernel reads; sums and sums of squares of two tallies; two tallies per batch. */
enum { SUM_BYTES = 4 * sizeof(double), BATCH_BYTES = 2 * sizeof(double), REALS_PER_CELL = 8 };

/* How many chunks of packets a batch gets in the course of a pass. */
enum { DEALS = 8 };

struct progress {
    lr_context *ctx;
    int64_t before, total;
    double start;
};

static void forward_progress(void *user, int64_t done)
{
    const struct progress *progress = user;
    if (progress->ctx->progress)
        progress->ctx->progress(progress->ctx->progress_user, progress->before + done, progress->total,
                                lr_seconds() - progress->start);
}

/* How many batches can keep their own cell tallies at once. */
static enum lr_status plan_passes(lr_context *ctx, const lr_model *model, const struct transport_job *job,
                                  const struct transport_device *device, int *batches_per_pass)
{
    const double real_bytes = model->run.precision == PRECISION_DOUBLE ? 8 : 4;
    const double cells = (double)job->n_cell;
    const double fixed = cells * (REALS_PER_CELL * real_bytes + (job->fields ? SUM_BYTES : 0));
    const double per_batch = job->fields ? cells * BATCH_BYTES : 0;
    const double usable = 0.8 * device->memory_bytes;
    const double records = job->record ? (double)model->run.packets * sizeof(struct transport_record) : 0;
    *batches_per_pass = model->run.batches;
    if (fixed + per_batch + records > usable)
        return lr_fail(ctx, LR_ERROR_MEMORY,
                       "%s: %lld cells need %.3g GiB and %.3g GiB are free: use a smaller mesh%s%s", model->path,
                       (long long)job->n_cell, (fixed + per_batch + records) / GIB, device->memory_bytes / GIB,
                       job->fields ? ", 'output.fields: false'" : "", job->record ? ", 'output.packets: false'" : "");
    if (per_batch > 0) {
        const double fitting = floor((usable - fixed - records) / per_batch);
        if (fitting < model->run.batches) {
            *batches_per_pass = (int)fitting;
            lr_log(ctx, LR_LOG_INFO, "running %d of %d batches at a time to keep per-cell errors within memory",
                   *batches_per_pass, model->run.batches);
        }
    }
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

/* Packets are shared out evenly over the batches. */
static int64_t first_packet_of(const struct run *run, int batch)
{
    return run->packets / run->batches * batch + run->packets % run->batches * batch / run->batches;
}

static enum lr_status run_passes(lr_context *ctx, const struct lr_backend *backend, int device, int threads,
                                 const lr_model *model, struct transport_job *job, int batches_per_pass,
                                 struct transport_tally *tally)
{
    struct progress progress = {ctx, 0, model->run.packets, lr_seconds()};
    const struct transport_monitor monitor = {&ctx->stop, forward_progress, &progress};
    for (int batch = 0; batch < model->run.batches && !ctx->stop; batch += batches_per_pass) {
        const int after = batch + batches_per_pass < model->run.batches ? batch + batches_per_pass : model->run.batches;
        job->first_batch = batch;
        job->n_batch = after - batch;
        job->first_packet = first_packet_of(&model->run, batch);
        job->end_packet = first_packet_of(&model->run, after);
        const int64_t chunks = (int64_t)DEALS * job->n_batch;
        job->batch_chunk = (job->end_packet - job->first_packet + chunks - 1) / chunks;
        LR_TRY(
            backend->transport(ctx, device, threads, model->run.precision == PRECISION_DOUBLE, job, &monitor, tally));
        progress.before = job->end_packet;
    }
    if (!ctx->stop)
        forward_progress(&progress, 0);
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
    int batches_per_pass = 1;
    enum lr_status status = LR_OK;
    *result = NULL;

    LR_TRY(backend_select(ctx, model->run.device, &backend, &device));
    LR_TRY(backend->device_describe(ctx, device, &description));
    LR_TRY(job_prepare(ctx, model, &prepared));
    LR_TRY_OR(done, status, plan_passes(ctx, model, &prepared.job, &description, &batches_per_pass));
    LR_TRY_OR(done, status, lr_allocate(ctx, 1, sizeof *made, &made));
    LR_TRY_OR(done, status, describe_run(ctx, model, backend, device, &description, made));
    LR_TRY_OR(done, status, tally_allocate(ctx, &prepared.job, &model->run, &tally));
    LR_TRY_OR(done, status,
              run_passes(ctx, backend, device, made->threads, model, &prepared.job, batches_per_pass, &tally));
    LR_TRY_OR(done, status, assemble_result(ctx, &prepared, &tally, made));
    if (made->summary.packets == 0)
        status = lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped before a single packet was finished; nothing was written");
    made->summary.seconds_total = lr_seconds() - start;
done:
    tally_free(&tally);
    job_free(&prepared);
    if (status == LR_OK)
        *result = made;
    else
        lr_result_free(made);
    return status;
}
