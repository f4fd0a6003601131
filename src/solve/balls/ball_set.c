#include "solve/balls/ball_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "kernel/voigt.h"
#include "model/field.h"
#include "solve/balls/ball_cache.h"
#include "solve/common/progress.h"

/* Jumps are used if they save at least so many scatterings, about a minute on two cores: making the tables takes that
 * long, once, or a few minutes with the second grade. Cells count as deep if a ball of this radius fits into them. */
static const double WORTH_JUMPS = 4e9, DEEP = 32, LARGE_DAMPING = 1.0 / 64;

/* Where the wing begins in the first grade, and the least for any; smallest radii of both grades. A second grade is
 * worth its while if its wing begins at WORTH_SECOND or later, up to radii a R of LARGEST: there, nearly all photons
 * have found the wing, and larger balls would not be left sooner. */
static const double CORE = 2.2, LEAST_WING = 1.5, LEAST[2] = {8, 1024}, WORTH_SECOND = 2.8, LARGEST = 16;

/* Cameras see into balls beyond SEEN x_wing. Optical depth of the gas around them there: exp(-12) = 6e-6 of the light
 * is left, and less of all that is nearer to line centre. */
static const double SEEN = 1.08, HIDDEN_DEPTH = 12;

/* The tables are made with the same random numbers everywhere. */
enum { BALL_SEED = 15, BALL_KEPT = 2048 };

/* Jumps need scattering in the gas's own frame without recoil, and weights instead of absorption as a whole; with
 * cameras, isotropic scattering. */
static bool can_jump(const lr_model *model)
{
    const struct physics *physics = &model->physics;
    return physics->acceleration != ACCELERATION_NONE && physics->acceleration != ACCELERATION_SKIP &&
           physics->redistribution == REDISTRIBUTION_EXACT && !physics->recoil &&
           physics->absorption == ABSORPTION_CONTINUOUS && (model->n_camera == 0 || !physics->dipole);
}

/* Where the wing begins. */
static double wing_of(int grade, double a)
{
    const double crossing = fmax(voigt_crossing(a), LEAST_WING);
    return grade ? crossing : fmin(crossing, CORE);
}

/* Free paths of the same gas that a ball needs around it, so that cameras do not see into it nearer to line centre. */
static double margin_of(const lr_model *model, int grade, double a)
{
    return model->n_camera > 0 ? HIDDEN_DEPTH / (double)voigt((real)a, (real)(SEEN * wing_of(grade, a))) : 0;
}

struct ball_plan ball_plan_of(const lr_model *model, const struct ball_space *space)
{
    const struct mesh *mesh = &model->mesh;
    struct ball_plan plan = {0};
    double lowest = INFINITY, highest = 0, deepest = 0;
    if (!can_jump(model))
        return plan;
    const int threads = mesh_cell_count(mesh) < 1 << 16 ? 1 : thread_count(model->run.threads);
#pragma omp parallel for schedule(static) reduction(max : deepest, highest) reduction(min : lowest) num_threads(threads)
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++) {
                const double a = field_at(&model->medium.a, mesh_cell_index(mesh, i, j, k));
                if (!(a > 0))
                    continue;
                const double room = ball_space_room(model, space, i, j, k) - margin_of(model, 0, a);
                if (room < DEEP)
                    continue;
                deepest = fmax(deepest, room);
                lowest = fmin(lowest, a);
                highest = fmax(highest, a);
            }
    plan.deepest = deepest;
    const bool worth =
        model->physics.acceleration == ACCELERATION_JUMPS || deepest * (double)model->run.packets > WORTH_JUMPS;
    if (deepest == 0 || !worth)
        return plan;
    plan.n_family = 1;
    plan.n_grade = deepest > 2 * LEAST[1] && voigt_crossing(lowest) > WORTH_SECOND ? 2 : 1;
    plan.a_first = lowest;
    plan.ratio = 2;
    if (lowest == highest)
        return plan;
    /* The same few dampings for all models; closer ones for gas whose line core depends on them. */
    const double step = highest > LARGE_DAMPING ? 0.25 : 1;
    const double first = floor(log2(lowest) / step);
    plan.n_family = 1 + (int)(ceil(log2(highest) / step) - first);
    plan.a_first = exp2(first * step);
    plan.ratio = exp2(step);
    return plan;
}

enum lr_status ball_plan_find(lr_context *ctx, const lr_model *model, struct ball_plan *plan)
{
    struct ball_space space = {.beyond = NULL};
    *plan = (struct ball_plan){0};
    if (!can_jump(model))
        return LR_OK;
    LR_TRY(ball_space_find(ctx, model, &space));
    *plan = ball_plan_of(model, &space);
    ball_space_free(&space);
    return LR_OK;
}

/* ---- tables ---- */

enum { PROGRESS_STEPS = 1000 };

static int report(void *to, double done)
{
    const struct progress *progress = to;
    progress_report(progress, (int64_t)(done * PROGRESS_STEPS));
    return progress->ctx->stop;
}

static enum lr_status find_table(lr_context *ctx, struct ball_wish *wish, struct ball_table *table)
{
    if (ball_cache_read(wish, table)) {
        table->family.n_level = wish->n_level; /* more would change histories */
        return LR_OK;
    }
    char what[64];
    snprintf(what, sizeof what, "steps of records of deep gas (a = %.3g)", wish->a);
    struct progress progress = progress_start(ctx, what, PROGRESS_STEPS);
    wish->report = report;
    wish->report_to = &progress;
    const enum ball_made made = ball_table_make(wish, table);
    if (made == BALL_FAILED)
        return LR_ERROR_DEVICE;
    if (made == BALL_STOPPED)
        return lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped while making records of deep gas; nothing was written");
    if (made != BALL_MADE)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for records of deep gas");
    if (!ball_cache_write(wish, table))
        lr_log(ctx, LR_LOG_WARNING,
               "the records of deep gas could not be kept for later runs; set LINERAD_CACHE to a folder for them");
    return LR_OK;
}

/* One after the other. */
static int join(const lr_model *model, const struct ball_plan *plan, const struct ball_table *table,
                struct ball_set *set)
{
    const int n_table = plan->n_grade * plan->n_family;
    int64_t n_row = 0, n_record = 0;
    for (int t = 0; t < n_table; t++) {
        n_row += table[t].n_row;
        n_record += table[t].n_record;
    }
    set->family = malloc((size_t)n_table * sizeof *set->family);
    set->row = malloc((size_t)n_row * sizeof *set->row);
    set->record = aligned_alloc(64, ((size_t)n_record * sizeof *set->record + 63) / 64 * 64);
    if (!set->family || !set->row || !set->record)
        return 0;
    n_row = n_record = 0;
    for (int t = 0; t < n_table; t++) {
        set->family[t] = table[t].family;
        set->family[t].first_row = (int)n_row;
        set->family[t].x_seen = (float)SEEN * set->family[t].x_wing;
        if (table[t].n_row > 0)
            set->family[t].margin = (float)margin_of(model, t / plan->n_family, (double)table[t].family.a);
        for (int i = 0; i < table[t].n_row; i++) {
            struct ball_row *row = &set->row[n_row + i];
            *row = table[t].row[i];
            for (int part = 0; part < BALL_PARTS; part++)
                row->first[part] += (uint32_t)n_record;
        }
        if (table[t].n_record > 0)
            memcpy(set->record + n_record, table[t].record, (size_t)table[t].n_record * sizeof *set->record);
        n_row += table[t].n_row;
        n_record += table[t].n_record;
    }
    set->view = (struct transport_balls){.n_grade = plan->n_grade,
                                         .n_family = plan->n_family,
                                         .a_first = plan->a_first,
                                         .ratio = plan->ratio,
                                         .n_row = n_row,
                                         .n_record = n_record,
                                         .family = set->family,
                                         .row = set->row,
                                         .record = set->record};
    return 1;
}

/* The balls of one grade and damping, without the device that makes them; none (no levels) where the second grade would
 * gain nothing. */
static struct ball_wish wish_of(const lr_model *model, const struct ball_plan *plan, int grade, int family)
{
    const double a = plan->a_first * pow(plan->ratio, family);
    const double x_wing = wing_of(grade, a);
    struct ball_wish wish = {.a = a,
                             .x_start = grade ? CORE : 0.8 * x_wing,
                             .x_wing = x_wing,
                             .least = LEAST[grade],
                             .dipole = model->physics.dipole,
                             .dipole_core = model->physics.dipole ? model->line.dipole_core : 0,
                             .dipole_wing = model->physics.dipole ? 1 : 0,
                             .trials = model->physics.trials,
                             .kept = BALL_KEPT,
                             .seed = BALL_SEED};
    const double deepest = plan->deepest - (grade ? margin_of(model, 1, a) - margin_of(model, 0, a) : 0);
    const double largest = fmin(fmax(deepest, 0) * plan->ratio, grade ? LARGEST / a : LEAST[1]);
    if (grade == 0 || x_wing > WORTH_SECOND)
        wish.n_level = (int)fmax(ceil(log2(largest / wish.least)), grade ? 0 : 1);
    return wish;
}

int ball_plan_missing(const lr_model *model, const struct ball_plan *plan)
{
    int n_row = 0;
    for (int t = 0; t < plan->n_grade * plan->n_family; t++) {
        const struct ball_wish wish = wish_of(model, plan, t / plan->n_family, t % plan->n_family);
        if (wish.n_level > 0 && !ball_cache_holds(&wish))
            n_row += wish.n_level * BALL_ROWS;
    }
    return n_row;
}

static enum lr_status find_tables(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                  const struct ball_plan *plan, struct ball_set *set)
{
    struct ball_table *table = NULL;
    const int n_table = plan->n_grade * plan->n_family;
    enum lr_status status = LR_OK;
    LR_TRY(lr_allocate(ctx, (size_t)n_table, sizeof *table, &table));
    for (int t = 0; t < n_table && status == LR_OK; t++) {
        const int grade = t / plan->n_family;
        struct ball_wish wish = wish_of(model, plan, grade, t % plan->n_family);
        wish.backend = worker->backend;
        wish.device = worker->device;
        wish.threads = model->run.threads;
        wish.ctx = ctx;
        wish.inner = grade ? &table[t - plan->n_family] : NULL;
        if (wish.n_level > 0)
            status = find_table(ctx, &wish, &table[t]);
    }
    if (status == LR_OK && !join(model, plan, table, set))
        status = lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for records of deep gas");
    for (int t = 0; t < n_table; t++)
        ball_table_free(&table[t]);
    free(table);
    return status;
}

enum lr_status ball_set_prepare(lr_context *ctx, const struct worker *worker, const lr_model *model,
                                struct ball_set *set)
{
    enum lr_status status = LR_OK;
    *set = (struct ball_set){0};
    if (!can_jump(model))
        return LR_OK;
    LR_TRY(ball_space_find(ctx, model, &set->space));
    const struct ball_plan plan = ball_plan_of(model, &set->space);
    if (plan.n_family > 0)
        LR_TRY_OR(fail, status, find_tables(ctx, worker, model, &plan, set));
    set->view.beyond = set->space.beyond;
    memcpy(set->view.endless, set->space.endless, sizeof set->view.endless);
    return LR_OK;
fail:
    ball_set_free(set);
    return status;
}

void ball_set_free(struct ball_set *set)
{
    free(set->family);
    free(set->row);
    free(set->record);
    ball_space_free(&set->space);
    *set = (struct ball_set){0};
}
