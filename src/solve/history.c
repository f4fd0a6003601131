/* lr_packet_follow(): the history of one packet of a run, event by event. The packet goes through everything that it
 * goes through in the run: levels, jumps, cameras, and the same SIMD loops on a CPU. */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "linerad_tools.h"
#include "solve/common/progress.h"
#include "solve/levels/find_populations.h"
#include "solve/report/report.h"
#include "solve/stage/stage.h"
#include "solve/transport/assemble.h"

struct teller {
    const struct prepared *prepared;
    struct length_unit unit;
    lr_step_fn *listener;
    void *user;
    bool ended;
    struct lr_step last; /* how it ended is known only from the sums */
};

static void tell(void *user, const struct transport_step *from)
{
    static const char *const events[] = {"born", "scatters", "jumps", "crosses", "ends"};
    struct teller *teller = user;
    struct lr_step step = {.event = events[from->kind],
                           .scatterings = from->scatterings,
                           .skipped = from->skipped,
                           .crossings = from->crossings,
                           .shells = teller->prepared->model->mesh.kind == MESH_SHELLS,
                           .unit = teller->unit.name,
                           .shift = from->shift,
                           .x = from->x,
                           .weight = from->weight,
                           .depth = from->depth};
    const int32_t cell[3] = {from->cell[0], from->cell[1], from->cell[2]};
    assemble_point(teller->prepared, cell, from->local, step.position);
    for (int axis = 0; axis < 3; axis++) {
        step.cell[axis] = cell[axis] - (axis == 0 ? teller->prepared->cavity : 0);
        step.position[axis] /= teller->unit.cm;
        step.direction[axis] = from->direction[axis];
    }
    if (from->kind != STEP_ENDED) {
        teller->listener(teller->user, &step);
        return;
    }
    teller->ended = true;
    teller->last = step;
    teller->last.last = 1;
}

static void tell_end(struct teller *teller, const struct transport_tally *tally, int n_batch)
{
    double escaped = 0, stuck = 0;
    for (int b = 0; b < n_batch; b++) {
        escaped += tally->batch[b].escaped;
        stuck += tally->batch[b].stuck;
    }
    teller->last.event = escaped > 0 ? "escapes" : stuck > 0 ? "is stuck" : "is absorbed";
    teller->listener(teller->user, &teller->last);
}

static enum lr_status follow(lr_context *ctx, const lr_model *model, struct stage *stage, int64_t packet,
                             struct teller *teller)
{
    const struct worker *worker = &stage->worker;
    struct transport_job *job = &stage->prepared.job;
    struct transport_tally tally = {0};
    const struct transport_trace trace = {packet, tell, teller};
    struct progress progress = progress_start(ctx, "packets", 1);
    struct transport_monitor monitor = progress_monitor(&progress);
    enum lr_status status = LR_OK;
    monitor.progress = NULL;
    LR_TRY(stage_prepare(ctx, model, NULL, stage));
    teller->prepared = &stage->prepared;
    teller->unit = report_mesh_unit(&model->mesh);
    LR_TRY_OR(
        done, status,
        stage_begin_pass(ctx, model, stage, stage->plan.n_window > 0 ? &stage->plan.window[0] : NULL, true, &tally));
    job->trace = &trace;
    LR_TRY_OR(
        done, status,
        worker->backend->transport(ctx, worker_device(worker), 1, worker->double_precision, job, &monitor, &tally));
    if (teller->ended)
        tell_end(teller, &tally, job->tally.n_batch);
    else
        status = lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped before the packet had ended");
done:
    stage_end_pass(stage, &tally);
    return status;
}

enum lr_status lr_packet_follow(lr_context *ctx, const lr_model *model, int64_t packet, lr_step_fn *listener,
                                void *user)
{
    if (packet < 0 || packet >= model->run.packets)
        return lr_fail(ctx, LR_ERROR_INPUT, "there is no packet %lld: the run has %lld, counted from 0",
                       (long long)packet, (long long)model->run.packets);
    struct teller teller = {.listener = listener, .user = user};
    struct stage *stage = NULL;
    struct lr_result *described = NULL;
    lr_model here = *model, derived = {0};
    enum lr_status status = LR_OK;
    memcpy(here.run.device, "cpu", sizeof "cpu");
    LR_TRY(lr_allocate(ctx, 1, sizeof *stage, &stage));
    stage->prepared.model = &here;
    LR_TRY_OR(done, status, lr_allocate(ctx, 1, sizeof *described, &described));
    LR_TRY_OR(done, status, stage_open(ctx, &here, stage, described));
    LR_TRY_OR(done, status, populations_run(ctx, &stage->worker, &here, NULL, NULL, &derived, described));
    if (described->populations && described->populations->found.stopped)
        status = lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped while finding level populations");
    else
        status = follow(ctx, derived.path ? &derived : &here, stage, packet, &teller);
done:
    stage_close(stage);
    free(stage);
    derive_free(&here, &derived);
    lr_result_free(described);
    ctx->stop = 0;
    return status;
}
