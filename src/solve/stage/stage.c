#include "solve/stage/stage.h"

#include "backend/select.h"
#include "base/context.h"
#include "solve/common/describe.h"
#include "solve/transport/pass.h"

/* Peel-off is a check, implemented only on the CPU. */
static const char *device_of(const lr_model *model)
{
    return model->n_camera > 0 && model->image.method == IMAGE_PEEL_OFF ? "cpu" : model->run.device;
}

bool stage_uses_gpu(lr_context *ctx, const lr_model *model)
{
    const struct lr_backend *backend = NULL;
    int device = 0;
    lr_log_fn *log = ctx->log;
    ctx->log = NULL; /* messages are for the run itself */
    const enum lr_status status = backend_select(ctx, device_of(model), &backend, &device);
    ctx->log = log;
    return status == LR_OK && backend != backend_cpu();
}

enum lr_status stage_open(lr_context *ctx, const lr_model *model, struct stage *stage, struct lr_result *result)
{
    struct worker *worker = &stage->worker;
    stage->prepared.model = model;
    LR_TRY(backend_select(ctx, device_of(model), &worker->backend, &worker->device));
    LR_TRY(worker->backend->device_describe(ctx, worker->device, &stage->device));
    return describe_run(ctx, &model->run, worker, &stage->device, model->text, model->resolved, result);
}

static enum lr_status prepare_jumps(lr_context *ctx, const lr_model *model, struct stage *stage)
{
    LR_TRY(ball_set_prepare(ctx, &stage->worker, model, &stage->balls));
    if (stage->balls.view.n_family > 0)
        stage->prepared.job.balls = &stage->balls.view;
    return LR_OK;
}

static enum lr_status plan_images(lr_context *ctx, const lr_model *model, double left, struct stage *stage)
{
    struct transport_device host;
    if (model->n_camera == 0)
        return LR_OK;
    LR_TRY(backend_cpu()->device_describe(ctx, 0, &host));
    stage->plan.keep = stage->worker.backend->drop != NULL;
    LR_TRY(imaging_plan(ctx, model, left, pass_memory_limit(model, &host), &stage->plan));
    image_check_plan(model, &stage->check);
    return LR_OK;
}

enum lr_status stage_prepare(lr_context *ctx, const lr_model *model, struct stage *stage)
{
    double left = 0;
    stage->prepared.model = model;
    LR_TRY(job_prepare(ctx, model, &stage->prepared));
    LR_TRY(prepare_jumps(ctx, model, stage));
    LR_TRY(pass_plan_memory(ctx, model, &stage->device, &stage->prepared.job, &left));
    return plan_images(ctx, model, left, stage);
}

enum lr_status stage_begin_pass(lr_context *ctx, const lr_model *model, struct stage *stage,
                                const struct window *window, bool first, struct transport_tally *tally)
{
    struct transport_job *job = &stage->prepared.job;
    if (window)
        camera_job_prepare(model, window, &stage->plan, &stage->cameras, job);
    job->tally.fields = first && model->output.fields;
    job->tally.record = first && model->output.packets;
    image_check_prepare_job(model, &stage->check, first && window, job);
    LR_TRY(pass_allocate(ctx, job, &model->run, tally));
    return window ? camera_job_allocate(ctx, job, tally) : LR_OK;
}

void stage_end_pass(const struct stage *stage, struct transport_tally *tally)
{
    camera_job_release(&stage->worker, &stage->prepared.job, tally);
    pass_free(tally);
}

void stage_close(struct stage *stage)
{
    job_free(&stage->prepared);
    ball_set_free(&stage->balls);
    imaging_plan_free(&stage->plan);
}
