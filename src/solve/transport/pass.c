#include "solve/transport/pass.h"

#include <math.h>
#include <stdlib.h>

#include "backend/todo.h"
#include "base/context.h"
#include "kernel/ball_view.h"
#include "solve/common/progress.h"

static const double GIB = 1024.0 * 1024.0 * 1024.0;

/* Bytes per cell: the record the kernel reads; values and errors of two fields; two tallies per group. */
enum { SUM_BYTES = 4 * sizeof(double), GROUP_BYTES = 2 * sizeof(double), REALS_PER_CELL = 8 };

/* Groups of batches with separate cell tallies: all batches on a small mesh, a few if they would take more than this
 * fraction of the memory (clearing and adding them up would take longer than the run). */
static const double GROUP_SHARE = 1.0 / 16;
/* Of a usual machine, where the result is not to depend on how much memory happens to be free. */
static const double USUAL_MEMORY = 16 * 1024.0 * 1024.0 * 1024.0;
enum { FEW_GROUPS = 4, FEWEST_GROUPS = 2 };

double pass_memory_limit(const lr_model *model, const struct transport_device *device)
{
    const double limit = 0.8 * device->memory_bytes;
    return model->run.memory_gib > 0 ? fmin(limit, model->run.memory_gib * GIB) : limit;
}

int pass_field_groups(const lr_model *model, double cells, double free_bytes)
{
    const double memory = model->run.deterministic ? USUAL_MEMORY : free_bytes;
    const double comfortable = floor(GROUP_SHARE * memory / (cells * GROUP_BYTES));
    return (int)fmin(fmax(comfortable, FEW_GROUPS), model->run.batches);
}

enum lr_status pass_plan_memory(lr_context *ctx, const lr_model *model, const struct transport_device *device,
                                struct transport_job *job, double *left)
{
    const double real_bytes = model->run.precision == PRECISION_DOUBLE ? 8 : 4;
    const double cells = (double)job->n_cell;
    const double records =
        job->tally.record ? (double)(job->packets.end - job->packets.first) * sizeof(struct transport_record) : 0;
    const double balls = job->balls ? (double)job->balls->n_row * sizeof(struct ball_row) +
                                          (double)job->balls->n_record * sizeof(struct ball_record)
                                    : 0;
    const double fixed = cells * (REALS_PER_CELL * real_bytes + (job->tally.fields ? SUM_BYTES : 0)) + records + balls;
    const double per_group = job->tally.fields ? cells * GROUP_BYTES : 0;
    const double usable = pass_memory_limit(model, device);
    job->tally.n_group = job->tally.fields ? pass_field_groups(model, cells, device->memory_bytes) : job->tally.n_batch;
    if (fixed + job->tally.n_group * per_group > usable && !model->run.deterministic)
        job->tally.n_group = job->tally.n_batch < FEWEST_GROUPS ? job->tally.n_batch : FEWEST_GROUPS;
    const double needed = fixed + job->tally.n_group * per_group;
    if (needed > usable)
        return lr_fail(
            ctx, LR_ERROR_MEMORY, "%s: %lld cells need %.3g GiB and only %.3g GiB may be used; use a smaller mesh%s%s",
            model->path, (long long)job->n_cell, needed / GIB, usable / GIB,
            job->tally.fields ? ", 'output.fields: false'" : "", job->tally.record ? ", 'output.packets: false'" : "");
    *left = usable - needed;
    return LR_OK;
}

enum lr_status pass_allocate(lr_context *ctx, const struct transport_job *job, const struct run *run,
                             struct transport_tally *tally)
{
    const size_t batches = (size_t)run->batches;
    const size_t slots = (size_t)job->tally.n_bin + 2;
    const size_t cells = (size_t)job->n_cell;
    LR_TRY(lr_allocate(ctx, batches, sizeof *tally->batch, &tally->batch));
    LR_TRY(lr_allocate(ctx, batches * N_FACE * slots, sizeof(double), &tally->face_spectrum));
    LR_TRY(lr_allocate(ctx, batches * (size_t)(job->tally.n_mu * job->tally.n_phi) * slots, sizeof(double),
                       &tally->direction_spectrum));
    if (job->tally.fields)
        LR_TRY(lr_allocate(ctx, 2 * (size_t)job->tally.n_group * cells, sizeof(double), &tally->fields));
    if (job->cones.n > 0)
        LR_TRY(lr_allocate(ctx, 2 * batches * (size_t)job->cones.n, sizeof(double), &tally->cone));
    if (job->tally.record)
        LR_TRY(
            lr_allocate(ctx, (size_t)(job->packets.end - job->packets.first), sizeof *tally->record, &tally->record));
    LR_TRY(lr_allocate(ctx, 1, sizeof *tally->todo.range, &tally->todo.range));
    tally->todo.range[0] = job->packets;
    tally->todo.n_range = job->packets.first < job->packets.end;
    return LR_OK;
}

void pass_free(struct transport_tally *tally)
{
    free(tally->batch);
    free(tally->face_spectrum);
    free(tally->direction_spectrum);
    free(tally->fields);
    free(tally->cone);
    free(tally->record);
    todo_free(&tally->todo);
}

enum lr_status pass_transport(lr_context *ctx, const struct worker *worker, const char *what,
                              const struct transport_job *job, struct transport_tally *tally)
{
    struct progress progress = progress_start(ctx, what, todo_numbers(&tally->todo));
    const struct transport_monitor monitor = progress_monitor(&progress);
    LR_TRY(worker->backend->transport(ctx, worker_device(worker), worker->threads, worker->double_precision, job,
                                      &monitor, tally));
    if (!ctx->stop)
        progress_report(&progress, progress.total);
    return LR_OK;
}
