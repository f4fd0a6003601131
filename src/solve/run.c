/* lr_run: prepare the job, plan memory, transport, assemble the result, make images. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/todo.h"
#include "base/context.h"
#include "base/structure.h"
#include "base/threads.h"
#include "model/field.h"
#include "model/keeper.h"
#include "model/model_print.h"
#include "parallel/meeting.h"
#include "solve/imaging/image_check.h"
#include "solve/imaging/image_depths.h"
#include "solve/imaging/imaging.h"
#include "solve/levels/find_populations.h"
#include "solve/report/report.h"
#include "solve/stage/mergeable.h"
#include "solve/stage/outlook.h"
#include "solve/stage/segments.h"
#include "solve/stage/stage.h"
#include "solve/stage/statepoint.h"
#include "solve/team/team_sums.h"
#include "solve/transport/assemble.h"
#include "solve/transport/quanta.h"

static const double WORTH_A_WARNING = 1e-3;

/* What a run keeps for later sessions; the keeper is NULL if nothing. */
struct keeping {
    struct lr_keeper *keeper;
    struct stored populations; /* as found */
    uint64_t print;            /* of the model; 0: not needed */
};

/* Packets of an earlier session are there. */
static bool goes_on(const struct lr_keeper *keeper)
{
    return keeper && stored_find(&keeper->found, "plan");
}

static enum lr_status go_on(lr_context *ctx, const struct lr_keeper *keeper, const struct transport_job *job,
                            struct transport_tally *tally)
{
    LR_TRY(statepoint_restore(ctx, &keeper->found, job, tally));
    const int64_t all = job->packets.end - job->packets.first;
    const int64_t left = todo_numbers(&tally->todo) + tally->todo.n_flight;
    lr_log(ctx, LR_LOG_INFO, "continuing from a statepoint: %lld of %lld packets are done, %lld are in flight",
           (long long)(all - left), (long long)all, (long long)tally->todo.n_flight);
    return LR_OK;
}

/* All packets are done, and images follow: a statepoint is worth its while if packets have taken so many times longer,
 * or if the model asks for frequent ones. */
static bool worth_keeping(const lr_model *model, const struct lr_keeper *keeper)
{
    const double seconds = model->run.checkpoint > 0 ? fmin(60 * model->run.checkpoint, 60) : 60;
    return lr_seconds() - keeper->saved > seconds;
}

static void warn_of_order(lr_context *ctx, const struct transport_job *job, const struct transport_tally *tally)
{
    const char *what = quanta_exceeded(job, tally);
    if (what)
        lr_log(ctx, LR_LOG_WARNING,
               "sums of %s have become so large that their last digits depend on the order of additions: the result is "
               "right, but not the same to the last bit when it is repeated",
               what);
}

/* All ranks need the light that packets have left, to make images of it. Rank 0 says whether it comes to that. */
static enum lr_status share_light(lr_context *ctx, const struct transport_job *job, bool stopped,
                                  struct transport_tally *tally, struct lr_result *result)
{
    struct {
        int64_t packets, stopped;
    } said = {result->summary.packets, stopped};
    LR_TRY(team_share(ctx, PLACE_LIGHT, &said, sizeof said));
    result->summary.packets = said.packets;
    if (said.stopped)
        return lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped");
    if (team_is_large(ctx))
        team_spread_light(ctx, job, tally);
    return LR_OK;
}

/* What is left to do in a pass when its packets have been followed. */
static enum lr_status make_images(lr_context *ctx, const lr_model *model, struct stage *stage,
                                  const struct window *window, bool stopped, struct transport_tally *tally,
                                  struct lr_result *result)
{
    const struct transport_job *job = &stage->prepared.job;
    if (window)
        LR_TRY(share_light(ctx, job, stopped, tally, result));
    ctx->stop = 0; /* a stop ends the packets; their images are still made */
    if (!window)
        return LR_OK;
    LR_TRY(camera_job_narrow(ctx, job, tally));
    return imaging_finish(ctx, &stage->tracer, model, &(struct imaging_pass){window, job, tally}, result);
}

/* A pass on other ranks than the first, which has the sums and knows what becomes of them. */
static enum lr_status help_pass(lr_context *ctx, const lr_model *model, struct stage *stage,
                                const struct window *window, bool first, struct lr_result *result)
{
    struct transport_tally tally = {0};
    enum lr_status status = stage_begin_pass(ctx, model, stage, window, first, &tally);
    if (status == LR_OK)
        status = segments_follow(ctx, model, stage, NULL, NULL, &tally, NULL);
    if (status == LR_OK)
        status = make_images(ctx, model, stage, window, false, &tally, result);
    stage_end_pass(stage, &tally);
    return status;
}

/* One pass of transport. The first one gives all results but images; later ones serve only their cameras. */
static enum lr_status run_pass(lr_context *ctx, const lr_model *model, struct stage *stage, const struct window *window,
                               bool first, const struct keeping *keeping, struct lr_result *result)
{
    struct lr_keeper *keeper = first ? keeping->keeper : NULL;
    struct transport_job *job = &stage->prepared.job;
    struct transport_tally tally = {0};
    enum lr_status status = LR_OK;
    if (team_is_helper(ctx))
        return help_pass(ctx, model, stage, window, first, result);
    LR_TRY_OR(done, status, stage_begin_pass(ctx, model, stage, window, first, &tally));
    if (goes_on(keeper))
        LR_TRY_OR(done, status, go_on(ctx, keeper, job, &tally));
    LR_TRY_OR(
        done, status,
        segments_follow(ctx, model, stage, keeper, &keeping->populations, &tally, first ? &result->summary : NULL));
    if (keeper && !ctx->stop && segments_possible(job) &&
        (stage->keep_state || (window && worth_keeping(model, keeper))))
        segments_save(ctx, keeper, stage, &keeping->populations, &tally);
    warn_of_order(ctx, job, &tally);
    if (first) {
        LR_TRY_OR(done, status, mesh_copy(ctx, &model->mesh, &result->mesh));
        assemble_description(&stage->prepared, result);
        LR_TRY_OR(done, status, assemble_result(ctx, &stage->prepared, &tally, result));
        if (model->output.sums && result->summary.packets == result->summary.packets_requested)
            LR_TRY_OR(done, status, mergeable_keep(ctx, stage, keeping->print, &tally, result));
        if (result->summary.packets == 0)
            LR_TRY_OR(
                done, status,
                lr_fail(
                    ctx, LR_ERROR_INTERRUPTED, "stopped before a single packet was finished; %s",
                    keeper && segments_possible(job)
                        ? "there is no result yet; to continue from the statepoint, repeat the command with --resume"
                        : "nothing was written"));
        image_check_count(model, job, &tally, &stage->check);
        LR_TRY_OR(done, status, stage_follow_again(ctx, stage, &tally)); /* a stop also limits later passes */
    } else {
        result->summary.seconds_transport += tally.seconds;
    }
    status = make_images(ctx, model, stage, window, !first && ctx->stop, &tally, result);
done:
    stage_end_pass(stage, &tally);
    return status;
}

/* A stop while images are being made keeps everything else. */
static void drop_images(lr_context *ctx, struct lr_result *result)
{
    for (int c = 0; c < result->n_cube; c++)
        cube_free(&result->cube[c]);
    result->n_cube = 0;
    result->summary.images_missing = 1;
    lr_log(ctx, LR_LOG_WARNING, "stopped while making images; the result has none%s",
           result->scene ? "; 'linerad image' can make them from it" : "");
}

static enum lr_status run_passes(lr_context *ctx, const lr_model *model, struct stage *stage,
                                 const struct keeping *keeping, struct lr_result *result)
{
    const struct imaging_plan *plan = &stage->plan;
    if (model->run.packets == 0) {
        assemble_description(&stage->prepared, result);
        LR_TRY(mesh_copy(ctx, &model->mesh, &result->mesh));
        for (int w = 0; w < plan->n_window; w++) {
            const struct imaging_pass pass = {&plan->window[w], &stage->prepared.job, NULL};
            LR_TRY(imaging_finish(ctx, &stage->tracer, model, &pass, result));
        }
        return LR_OK;
    }
    if (plan->n_window == 0)
        return run_pass(ctx, model, stage, NULL, true, keeping, result);
    for (int w = 0; w < plan->n_window; w++) {
        const enum lr_status status = run_pass(ctx, model, stage, &plan->window[w], w == 0, keeping, result);
        if (status == LR_ERROR_INTERRUPTED && result->summary.packets > 0) {
            drop_images(ctx, result);
            return LR_OK;
        }
        LR_TRY(status);
    }
    return LR_OK;
}

static void warn_of_losses(lr_context *ctx, const lr_model *model, const struct lr_result *result)
{
    const struct lr_summary *summary = &result->summary;
    if (summary->packets_stuck > 0)
        lr_log(
            ctx, LR_LOG_WARNING,
            "%lld of %lld packets, with %.3g %% of the photons, were stuck after %.3g steps (run.max_steps) and given "
            "up; they neither escaped nor were absorbed, so long histories are missing from the result "
            "('linerad run --packet ID --trace' shows a history)",
            (long long)summary->packets_stuck, (long long)summary->packets,
            100 * summary->stuck.value / summary->emitted, (double)model->run.max_steps);
    if (summary->outside.value > WORTH_A_WARNING * summary->escaped.value)
        lr_log(ctx, LR_LOG_WARNING,
               "%.3g %% of the escaped photons lie outside the spectrum, x = %.4g to %.4g; set output.range",
               100 * summary->outside.value / summary->escaped.value, result->x_edge[0], result->x_edge[result->n_bin]);
}

/* No camera sees photons outside the channels. */
static void warn_of_channels(lr_context *ctx, const lr_model *model, const struct lr_result *result)
{
    const double first = -(model->channels.first + model->channels.n * model->channels.width) / model->reference_b;
    const double last = -model->channels.first / model->reference_b;
    double inside = 0;
    double all = result->summary.outside.value;
    for (int i = 0; i < result->n_bin; i++) {
        const double width = result->x_edge[i + 1] - result->x_edge[i];
        const double covered = fmax(fmin(result->x_edge[i + 1], last) - fmax(result->x_edge[i], first), 0);
        inside += result->total.value[i] * covered;
        all += result->total.value[i] * width;
    }
    if (model->n_camera > 0 && inside < (1 - 10 * WORTH_A_WARNING) * all)
        lr_log(ctx, LR_LOG_WARNING, "%.3g %% of the escaped photons lie outside the channels; widen channels.range",
               100 * (1 - inside / all));
}

static double deepest_cell(const lr_model *model)
{
    const struct mesh *mesh = &model->mesh;
    const int threads = mesh_cell_count(mesh) < 1 << 16 ? 1 : thread_count(model->run.threads);
    double deepest = 0;
#pragma omp parallel for schedule(static) reduction(max : deepest) num_threads(threads)
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++) {
                const double width = mesh_cell_width(mesh, i, j, k);
                deepest = fmax(deepest, width * field_at(&model->medium.alpha0, mesh_cell_index(mesh, i, j, k)));
            }
    return deepest;
}

/* Pixel width of an image over the width of the narrowest cells. */
static double pixel_in_cells(const struct mesh *mesh, const struct camera *camera)
{
    double narrowest = INFINITY, square = 0;
    for (int axis = 0; axis < 3; axis++) {
        double smallest, largest;
        mesh_widths(mesh, axis, &smallest, &largest);
        narrowest = mesh_is_endless(mesh, axis) ? narrowest : fmin(narrowest, smallest);
        square += pow(camera->position[axis] - camera->centre[axis], 2);
    }
    return camera_pixel_size(camera) * (camera->kind == CAMERA_PERSPECTIVE ? sqrt(square) : 1) / narrowest;
}

/* A cell has a single opacity, so the visible surface of thick gas is a staircase, and pixels show its steps. */
static void warn_of_thick_cells(lr_context *ctx, const lr_model *model)
{
    const double too_deep = 5, too_narrow = 0.75;
    if (model->run.packets > 0 || model->mesh.kind == MESH_SHELLS || mesh_layer_axis(&model->mesh) >= 0)
        return;
    const double deepest = model->n_camera > 0 ? deepest_cell(model) : 0;
    for (int c = 0; c < model->n_camera && deepest > too_deep; c++) {
        const double width = pixel_in_cells(&model->mesh, &model->camera[c]);
        if (width < too_narrow)
            lr_log(ctx, LR_LOG_WARNING,
                   "image '%s': pixels are %.2g cells wide, and cells have line-centre optical depths up to %.3g; "
                   "pixels inside such a cell can be off by a few per cent, though their mean over the cell is not "
                   "(docs/imaging.md); use larger pixels or smaller cells",
                   model->camera[c].name, width, deepest);
    }
}

/* What is missing from images of gas that scatters (medium.destruction below 1). */
static void warn_of_scattering(lr_context *ctx, const lr_model *model)
{
    if (model->n_camera == 0 || !(field_measure(&model->medium.eps, &model->mesh).low < 1))
        return;
    if (model->run.packets == 0)
        lr_log(ctx, LR_LOG_WARNING,
               "the gas scatters (medium.destruction below 1), but without packets the scattered light is missing");
    if (model->image.background > 0)
        lr_log(ctx, LR_LOG_WARNING,
               "image.background is attenuated but not scattered by the gas (medium.destruction below 1); add an "
               "'external' source to include its scattered light");
}

static enum lr_status begin_images(lr_context *ctx, const lr_model *model, struct lr_result *result)
{
    if (model->n_camera == 0)
        return LR_OK;
    LR_TRY(lr_allocate(ctx, (size_t)model->n_camera, sizeof *result->cube, &result->cube));
    result->n_cube = model->n_camera;
    result->image = model->image;
    warn_of_scattering(ctx, model);
    warn_of_thick_cells(ctx, model);
    return LR_OK;
}

/* Prepare the job, follow packets and make images of a model whose levels are known. */
static enum lr_status run_model(lr_context *ctx, const lr_model *model, struct stage *stage,
                                const struct keeping *keeping, struct lr_result *made)
{
    LR_TRY(stage_prepare(ctx, model, keeping->keeper ? &keeping->keeper->found : NULL, stage));
    LR_TRY(begin_images(ctx, model, made));
    if (model->run.packets > 0 && !goes_on(keeping->keeper) && !team_is_helper(ctx))
        LR_TRY(outlook_look(ctx, model, stage));
    LR_TRY(run_passes(ctx, model, stage, keeping, made));
    if (made->sums.n > 0)
        LR_TRY(mergeable_keep_images(ctx, made));
    image_report(ctx, &stage->tracer, model, made);
    if (team_is_helper(ctx))
        return LR_OK;
    image_check_finish(ctx, model, &stage->check, made);
    if (model->run.packets > 0) {
        warn_of_losses(ctx, model, made);
        warn_of_channels(ctx, model, made);
    }
    return LR_OK;
}

/* A stop in the search for level populations keeps them, and nothing is made from them. */
static enum lr_status keep_populations(lr_context *ctx, const lr_model *model, struct lr_result *made)
{
    const struct prepared nothing = {
        .model = model, .unit = code_units_of(&model->mesh, model->reference_b), .luminosity = NAN};
    assemble_description(&nothing, made);
    made->summary.images_missing = model->n_camera > 0;
    return mesh_copy(ctx, &model->mesh, &made->mesh);
}

/* What there is of a stopped run. */
static void describe_part(struct lr_result *made)
{
    struct lr_summary *summary = &made->summary;
    if (made->populations && made->populations->found.stopped)
        snprintf(summary->partial, sizeof summary->partial, "level populations after %d iterations",
                 summary->population_iterations);
    else if (summary->packets < summary->packets_requested && !(summary->until_reached && summary->packets_left == 0))
        snprintf(summary->partial, sizeof summary->partial, "%lld of %lld packets", (long long)summary->packets,
                 (long long)summary->packets_requested);
    else if (summary->images_missing)
        snprintf(summary->partial, sizeof summary->partial, "no images");
}

static enum lr_status run(lr_context *ctx, const lr_model *model, struct lr_run_options options,
                          struct keeping *keeping, lr_result **result)
{
    const double start = lr_seconds();
    struct stage *stage = NULL;
    struct lr_result *made = NULL;
    lr_model derived = {0};
    enum lr_status status = LR_OK;
    *result = NULL;

    LR_TRY(lr_allocate(ctx, 1, sizeof *stage, &stage));
    stage->prepared.model = model;
    stage->part = options.part;
    stage->parts = options.parts;
    stage->keep_state = options.keeper && options.keep_state;
    LR_TRY_OR(done, status, lr_allocate(ctx, 1, sizeof *made, &made));
    LR_TRY_OR(done, status, stage_open(ctx, model, stage, made));
    snprintf(made->summary.line, sizeof made->summary.line, "%s", model->line_name);
    if (keeping->print)
        snprintf(made->print, sizeof made->print, "%016" PRIx64, keeping->print);
    report_velocity_steps(ctx, model);
    report_neighbours(ctx, model);
    LR_TRY_OR(done, status,
              populations_run(ctx, &stage->worker, model, keeping->keeper, &keeping->populations, &derived, made));
    if (made->populations && made->populations->found.stopped)
        status = keep_populations(ctx, model, made);
    else
        status = run_model(ctx, derived.path ? &derived : model, stage, keeping, made);
    if (status == LR_OK && !team_is_helper(ctx))
        status = result_check_finite(ctx, made);
    describe_part(made);
    made->summary.seconds_total = lr_seconds() - start;
done:
    stage_close(stage);
    free(stage);
    derive_free(model, &derived);
    status = team_meet(ctx, PLACE_END, status);
    ctx->stop = 0; /* the run has ended; the context can be used again */
    if (status == LR_OK && !team_is_helper(ctx))
        *result = made;
    else
        lr_result_free(made);
    return status;
}

/* All ranks have been given the same model. */
static enum lr_status check_same_model(lr_context *ctx, const lr_model *model, const struct lr_run_options *options)
{
    if (!team_is_large(ctx))
        return LR_OK;
    uint64_t print = model_print(model) ^ (uint64_t)options->part << 32 ^ (uint64_t)options->parts;
    bool equal = true;
    for (const char *c = model->resolved ? model->resolved : ""; *c; c++)
        print = (print ^ (unsigned char)*c) * 0x100000001b3u; /* FNV-1a */
    LR_TRY(team_compare(ctx, PLACE_MODEL, print, &equal));
    return equal
               ? LR_OK
               : lr_fail(ctx, LR_ERROR_INPUT,
                         "the processes of this job were given different models; for independent runs use '--mpi off'");
}

/* When a device fails, or memory runs out, not everything is lost. */
static enum lr_status name_statepoint(lr_context *ctx, const struct lr_keeper *keeper, enum lr_status status)
{
    char cause[sizeof ctx->error];
    if ((status != LR_ERROR_DEVICE && status != LR_ERROR_MEMORY) || !keeper || !keeper->kept)
        return status;
    snprintf(cause, sizeof cause, "%s", ctx->error);
    return lr_fail(ctx, status,
                   "%s; the statepoint %s.state is there, and the same command with --resume goes on from it", cause,
                   keeper->path);
}

enum lr_status lr_run_with(lr_context *ctx, const lr_model *model, const struct lr_run_options *given,
                           lr_result **result)
{
    struct lr_run_options options = {0};
    lr_model asked = *model;
    *result = NULL;
    LR_TRY(structure_take(ctx, "lr_run_options", given, &options, sizeof options));
    if (options.parts < 0 || (options.parts > 0 && (options.part < 1 || options.part > options.parts)))
        return lr_fail(ctx, LR_ERROR_INPUT, "part %d of %d: parts are counted from 1", options.part, options.parts);
    if (options.parts > model->run.packets)
        return lr_fail(ctx, LR_ERROR_INPUT, "%d parts are more than the run has packets, %lld", options.parts,
                       (long long)model->run.packets);
    asked.output.sums |= options.parts > 0;
    if (asked.output.sums && model->run.until_error > 0)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "with sums (output.sums, --share) all packets are followed: remove run.until, or the sums");
    LR_TRY(check_same_model(ctx, model, &options));
    if (team_is_helper(ctx))
        options.keeper = NULL;
    struct keeping keeping = {.keeper = options.keeper};
    if (keeping.keeper) {
        keeping.keeper->saved = lr_seconds();
        keeping.print = keeping.keeper->print;
    } else if (asked.output.sums) {
        keeping.print = model_print(model);
    }
    const enum lr_status status = run(ctx, &asked, options, &keeping, result);
    stored_free(&keeping.populations);
    return name_statepoint(ctx, keeping.keeper, status);
}

enum lr_status lr_run(lr_context *ctx, const lr_model *model, lr_result **result)
{
    const struct lr_run_options plain = {.size = sizeof plain};
    return lr_run_with(ctx, model, &plain, result);
}
