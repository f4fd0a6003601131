#include "solve/stage/stage.h"

#include "backend/select.h"
#include "backend/todo.h"
#include "base/context.h"
#include "model/share.h"
#include "parallel/meeting.h"
#include "solve/common/describe.h"
#include "solve/stage/statepoint.h"
#include "solve/team/team_place.h"
#include "solve/transport/pass.h"
#include "solve/transport/quanta.h"
#include "solve/transport/todo_ranges.h"

/* Peel-off is a check, implemented only on the CPU. */
static const char *device_of(const lr_model *model)
{
    return model->n_camera > 0 && model->image.method == IMAGE_PEEL_OFF ? "cpu" : model->run.device;
}

bool stage_uses_gpu(lr_context *ctx, const lr_model *model)
{
    const struct lr_backend *backend = NULL;
    struct device_list devices;
    lr_log_fn *log = ctx->log;
    ctx->log = NULL; /* messages are for the run itself */
    const enum lr_status status = backend_select(ctx, device_of(model), &backend, &devices);
    ctx->log = log;
    return status == LR_OK && backend != backend_cpu();
}

bool stage_is_on_gpu(const struct stage *stage)
{
    return stage->worker.backend != backend_cpu();
}

enum lr_status stage_open(lr_context *ctx, const lr_model *model, struct stage *stage, struct lr_result *result)
{
    struct worker *worker = &stage->worker;
    stage->prepared.model = model;
    LR_TRY(backend_select(ctx, device_of(model), &worker->backend, &worker->devices));
    team_choose_devices(ctx, worker);
    LR_TRY(team_describe_device(ctx, worker, &stage->device));
    LR_TRY(describe_run(ctx, &model->run, worker, &stage->device, model->text, model->resolved, result));
    stage->tracer = worker_in_order(worker, model->run.deterministic);
    return LR_OK;
}

/* Rank 0 makes records that are missing; the others then find them. */
static enum lr_status prepare_jumps(lr_context *ctx, const lr_model *model, struct stage *stage)
{
    if (team_is_helper(ctx))
        LR_TRY(team_meet(ctx, PLACE_RECORDS, LR_OK));
    const enum lr_status status = ball_set_prepare(ctx, &stage->worker, model, &stage->balls);
    LR_TRY(team_is_helper(ctx) ? status : team_meet(ctx, PLACE_RECORDS, status));
    if (stage->balls.view.n_family > 0)
        stage->prepared.job.balls = &stage->balls.view;
    return LR_OK;
}

/* Light can stay on the device unless it comes from a statepoint or is to go into one. */
static enum lr_status plan_images(lr_context *ctx, const lr_model *model, double left, bool resuming,
                                  struct stage *stage)
{
    struct transport_device host;
    if (model->n_camera == 0)
        return LR_OK;
    LR_TRY(team_host_memory(ctx, &stage->worker, &host.memory_bytes));
    stage->plan.keep = stage->worker.backend->drop != NULL && !resuming && !stage->keep_state && !team_is_large(ctx) &&
                       stage->worker.devices.n == 1 &&
                       !(model->run.until_error > 0); /* which is reached somewhere in a pass */
    LR_TRY(imaging_plan(ctx, model, left, pass_memory_limit(model, &host), &stage->plan));
    image_check_plan(model, stage->prepared.job.n_packet, &stage->check);
    return LR_OK;
}

/* As rank 0 has made it, which alone knows of a statepoint. */
static enum lr_status share_plan(lr_context *ctx, struct transport_job *job, double *left)
{
    struct {
        int64_t n_packet, n_group;
        double left;
    } plan = {job->n_packet, job->tally.n_group, *left};
    LR_TRY(team_share(ctx, PLACE_PLAN, &plan, sizeof plan));
    job->n_packet = plan.n_packet;
    job->tally.n_group = (int)plan.n_group;
    *left = plan.left;
    return LR_OK;
}

int stage_field_groups(lr_context *ctx, const lr_model *model)
{
    struct transport_device device;
    if (!model->output.fields || model->run.packets == 0 || backend_cpu()->device_describe(ctx, 0, &device) != LR_OK)
        return 0;
    return pass_field_groups(model, (double)mesh_cell_count(&model->mesh), device.memory_bytes);
}

enum lr_status stage_prepare(lr_context *ctx, const lr_model *model, const struct stored *state, struct stage *stage)
{
    double left = 0;
    stage->prepared.model = model;
    LR_TRY(job_prepare(ctx, model, &stage->prepared));
    if (stage->parts > 0)
        stage->prepared.job.packets =
            (struct packet_range){share_before(model->run.packets, stage->part, stage->parts),
                                  share_before(model->run.packets, stage->part + 1, stage->parts)};
    LR_TRY(prepare_jumps(ctx, model, stage));
    LR_TRY(pass_plan_memory(ctx, model, &stage->device, &stage->prepared.job, &left));
    const bool resuming = state && stored_find(state, "plan");
    if (resuming)
        LR_TRY(statepoint_adopt_plan(ctx, state, &stage->prepared.job));
    LR_TRY(share_plan(ctx, &stage->prepared.job, &left));
    return plan_images(ctx, model, left, resuming, stage);
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
    quanta_choose(model, job);
    LR_TRY(pass_allocate(ctx, job, &model->run, tally));
    if (!first)
        LR_TRY(todo_copy_ranges(ctx, &stage->again, &tally->todo));
    return window ? camera_job_allocate(ctx, job, tally) : LR_OK;
}

enum lr_status stage_follow_again(lr_context *ctx, struct stage *stage, const struct transport_tally *first)
{
    return todo_begun(ctx, stage->prepared.job.packets, &first->todo, &stage->again);
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
    todo_free(&stage->again);
}
