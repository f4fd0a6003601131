#include "solve/balls/ball_set.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "kernel/flight.h"
#include "kernel/voigt.h"
#include "model/field.h"
#include "solve/balls/ball_cache.h"
#include "solve/balls/ball_cost.h"
#include "solve/balls/ball_why.h"
#include "solve/common/progress.h"

/* With `auto`, jumps are used if they save so many seconds of a CPU core, making their tables included. Cells count as
 * deep if a ball of this radius fits into them. */
static const double WORTH_JUMPS = 120, DEEP = 32;

/* Tables for several dampings are for powers of two; above LARGE_DAMPING, where the line core depends on them, for
 * quarter powers, or half powers, as long as there are not MANY of them. */
static const double LARGE_DAMPING = 1.0 / 64, ROUNDING = 1e-3;
enum { MANY = 16 };

/* Where the wing begins in the first grade, and the least for any, which must not be below BALL_FAR (ball.h): near
 * atoms must not see photons of the wing. Smallest radii of both grades. A second grade is worth its while if its wing
 * begins at WORTH_SECOND or later, up to radii a R of LARGEST: there, nearly all photons have found the wing, and
 * larger balls would not be left sooner. */
static const double CORE = 2.2, LEAST_WING = 1.5, LEAST[2] = {8, 1024}, WORTH_SECOND = 2.8, LARGEST = 16;

/* Cameras see into balls beyond SEEN x_wing. Optical depth of the gas around them there: exp(-12) = 6e-6 of the light
 * is left, and less of all that is nearer to line centre. */
static const double SEEN = 1.08, HIDDEN_DEPTH = 12;

/* The tables are made with the same random numbers everywhere. */
enum { BALL_SEED = 15, BALL_KEPT = 2048 };

/* Packets that the run is expected to follow: with `until`, its error is that of about so many. */
static double packets_of(const lr_model *model)
{
    const double most = (double)model->run.packets, error = model->run.until_error;
    return error > 0 ? fmin(most, 4 / (error * error)) : most;
}

/* Scatterings in gas that absorbs, at most: until roulette ends the packet, which is asked now and then. A free path is
 * 1 / alpha0 or longer. */
static double most_scatterings(double alpha0, double kappa, double eps)
{
    const double depth = -log(ROULETTE_BELOW);
    double most = INFINITY;
    if (eps > 0)
        most = depth / eps;
    if (kappa > 0)
        most = fmin(most, depth * alpha0 / kappa);
    return fmax(most, FLUSH_EVENTS);
}

/* Whether `auto` has nothing to gain, told without a look at single cells: a ball is no deeper than half of any row of
 * cells, along axes that end. */
static bool is_short(const lr_model *model)
{
    const struct mesh *mesh = &model->mesh;
    const struct medium *gas = &model->medium;
    double depth = most_scatterings(field_measure(&gas->alpha0, mesh).high, field_measure(&gas->kappa, mesh).low,
                                    field_measure(&gas->eps, mesh).low);
    for (int axis = 0; axis < (mesh->kind == MESH_SHELLS ? 1 : 3); axis++)
        if (mesh->kind == MESH_SHELLS || mesh->face[2 * axis] != FACE_PERIODIC)
            depth = fmin(depth, 0.5 * field_largest_depth(&model->medium.alpha0, mesh, axis));
    return ball_cost_followed(depth * packets_of(model)) < WORTH_JUMPS;
}

static bool asks_for_jumps(const lr_model *model)
{
    const enum acceleration asked = model->physics.acceleration;
    return asked == ACCELERATION_JUMPS || (asked == ACCELERATION_AUTO && !is_short(model));
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

/* ---- plan ---- */

/* The balls of one grade and damping (half as many trials for the second: most of what decides there is summed, and its
 * noise is mainly that of the first), without the device that makes them; none (no levels) where no gas
 * uses them, or the second grade would gain nothing. */
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
                             .trials = grade ? (model->physics.trials + 1) / 2 : model->physics.trials,
                             .kept = BALL_KEPT,
                             .seed = BALL_SEED};
    const double room = plan->largest[family] - (grade ? margin_of(model, 1, a) - margin_of(model, 0, a) : 0);
    const double largest = fmin(room, grade ? LARGEST / a : LEAST[1]);
    if (largest > 0 && (grade == 0 || x_wing > WORTH_SECOND))
        wish.n_level = (int)fmax(ceil(log2(largest / wish.least)), grade ? 0 : 1);
    if (grade && wish.n_level > plan->most_second)
        wish.n_level = plan->most_second;
    return wish;
}

/* Finds the largest balls that cells ask of each family, by the rule of packet_family() in kernel/packet_jump.h;
 * returns the number of families that are used at all. */
static int find_largest(const lr_model *model, const struct ball_space *space, struct ball_plan *plan)
{
    const struct mesh *mesh = &model->mesh;
    const int threads = mesh_cell_count(mesh) < 1 << 16 ? 1 : thread_count(model->run.threads);
    const int n = plan->n_family;
    double largest[BALL_MOST_FAMILIES] = {0};
#pragma omp parallel for schedule(static) reduction(max : largest) num_threads(threads)
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++) {
                const double a = field_at(&model->medium.a, mesh_cell_index(mesh, i, j, k));
                if (!(a >= BALL_LEAST_DAMPING))
                    continue;
                const double room = ball_space_room(model, space, i, j, k, margin_of(model, 0, a));
                const double position = log(a / plan->a_first) / log(plan->ratio);
                if (room < LEAST[0] || position < -ROUNDING || position > n - 1 + ROUNDING)
                    continue;
                const int below = (int)fmax(fmin(position, n - 2), 0);
                if (n == 1 || position < below + 1)
                    largest[below] =
                        fmax(largest[below], room * fmax(n > 1 ? pow(plan->ratio, position - below) : 1, 1));
                if (n > 1 && position > below)
                    largest[below + 1] =
                        fmax(largest[below + 1], room * fmax(pow(plan->ratio, position - below - 1), 1));
            }
    int n_used = 0;
    for (int family = 0; family < n; family++)
        n_used += largest[family] > 0;
    memcpy(plan->largest, largest, sizeof largest);
    return n_used;
}

/* The same few dampings for all models, unless there is only one. */
static void choose_families(const lr_model *model, const struct ball_space *space, double lowest, double highest,
                            struct ball_plan *plan)
{
    plan->n_family = 1;
    plan->a_first = lowest;
    plan->ratio = 2;
    if (lowest == highest) {
        find_largest(model, space, plan);
        return;
    }
    for (double step = highest > LARGE_DAMPING ? 0.25 : 1;; step *= 2) {
        const double first = floor(log2(lowest) / step), last = ceil(log2(highest) / step);
        if (last - first >= BALL_MOST_FAMILIES)
            continue;
        plan->n_family = 1 + (int)(last - first);
        plan->a_first = exp2(first * step);
        plan->ratio = exp2(step);
        if (find_largest(model, space, plan) <= MANY || step >= 1)
            return;
    }
}

static double make_seconds(const lr_model *model, const struct ball_plan *plan)
{
    double sum = 0;
    for (int t = 0; t < plan->n_grade * plan->n_family; t++) {
        const int grade = t / plan->n_family;
        const struct ball_wish wish = wish_of(model, plan, grade, t % plan->n_family);
        sum += ball_cost_make(&wish, grade > 0);
    }
    return sum;
}

/* Gives the second grade as many levels as are worth their making, and returns the time of tables and run together.
 * Weighed as if nothing were in the cache: histories must not depend on that. */
static double economise(const lr_model *model, double scatterings, struct ball_plan *plan)
{
    int deepest = 0, best = 0;
    for (int family = 1; family < plan->n_family; family++)
        deepest = plan->largest[family] > plan->largest[deepest] ? family : deepest;
    const double a = plan->a_first * pow(plan->ratio, deepest);
    const int most = plan->n_grade > 1 ? wish_of(model, plan, 1, deepest).n_level : 0;
    double least = INFINITY;
    for (int n = 0; n <= most; n++) {
        plan->most_second = n;
        const double seconds =
            make_seconds(model, plan) +
            ball_cost_jumps(scatterings, a, fmin(plan->deepest, LEAST[1]), n > 0 ? ldexp(LEAST[1], n - 1) : 0);
        if (seconds < least) {
            least = seconds;
            best = n;
        }
    }
    plan->most_second = best;
    if (best == 0)
        plan->n_grade = 1;
    return least;
}

struct ball_plan ball_plan_of(const lr_model *model, const struct ball_space *space)
{
    const struct mesh *mesh = &model->mesh;
    struct ball_plan plan = {.why = ball_why_not(model)};
    const struct medium *gas = &model->medium;
    double lowest = INFINITY, highest = 0, deepest = 0, longest = 0;
    const int threads = mesh_cell_count(mesh) < 1 << 16 ? 1 : thread_count(model->run.threads);
#pragma omp parallel for reduction(max : deepest, longest, highest) reduction(min : lowest) num_threads(threads)
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++) {
                const int64_t cell = mesh_cell_index(mesh, i, j, k);
                const double a = field_at(&gas->a, cell);
                if (!(a >= BALL_LEAST_DAMPING))
                    continue;
                const double room = ball_space_room(model, space, i, j, k, margin_of(model, 0, a));
                if (room < DEEP)
                    continue;
                deepest = fmax(deepest, room);
                longest =
                    fmax(longest, fmin(room, most_scatterings(field_at(&gas->alpha0, cell), field_at(&gas->kappa, cell),
                                                              field_at(&gas->eps, cell))));
                lowest = fmin(lowest, a);
                highest = fmax(highest, a);
            }
    const double scatterings = longest * packets_of(model);
    const double followed = ball_cost_followed(scatterings);
    plan.deepest = deepest;
    if (model->physics.acceleration == ACCELERATION_AUTO && followed < WORTH_JUMPS) {
        plan.why = NULL; /* nothing to gain */
        return plan;
    }
    if (plan.why)
        return plan;
    if (deepest == 0) {
        plan.why = ball_why_shallow(model);
        return plan;
    }
    choose_families(model, space, lowest, highest, &plan);
    plan.n_grade = deepest > 2 * LEAST[1] && voigt_crossing(lowest) > WORTH_SECOND ? 2 : 1;
    plan.most_second = INT_MAX;
    if (model->physics.acceleration == ACCELERATION_JUMPS)
        return plan;
    if (followed - economise(model, scatterings, &plan) < WORTH_JUMPS) {
        plan.n_family = plan.n_grade = 0;
        plan.why = "following every scattering takes no longer than making the records";
    }
    return plan;
}

enum lr_status ball_plan_find(lr_context *ctx, const lr_model *model, struct ball_plan *plan)
{
    struct ball_space space = {.beyond = NULL};
    *plan = (struct ball_plan){.why = NULL};
    if (!asks_for_jumps(model))
        return LR_OK;
    LR_TRY(ball_space_find(ctx, model, &space));
    *plan = ball_plan_of(model, &space);
    ball_space_free(&space);
    return LR_OK;
}

struct ball_needs ball_plan_needs(const lr_model *model, const struct ball_plan *plan)
{
    struct ball_needs needs = {0};
    for (int t = 0; t < plan->n_grade * plan->n_family; t++) {
        const int grade = t / plan->n_family;
        const struct ball_wish wish = wish_of(model, plan, grade, t % plan->n_family);
        if (wish.n_level == 0)
            continue;
        needs.n_table++;
        needs.bytes += ball_cost_bytes(&wish);
        if (ball_cache_holds(&wish))
            continue;
        needs.n_missing++;
        needs.core_seconds += ball_cost_make(&wish, grade > 0);
    }
    return needs;
}

/* ---- tables ---- */

enum { PROGRESS_PARTS = 1000 };

/* Levels take very different times: parts are of the expected one. */
struct making {
    struct progress progress;
    struct ball_wish wish;
    bool second;
};

static int report(void *to, double done)
{
    const struct making *making = to;
    struct ball_wish part = making->wish;
    part.n_level = (int)lround(done * part.n_level);
    const double made = ball_cost_make(&part, making->second) / ball_cost_make(&making->wish, making->second);
    progress_report(&making->progress, llround(made * PROGRESS_PARTS));
    return making->progress.ctx->stop;
}

static enum lr_status find_table(lr_context *ctx, struct ball_wish *wish, struct ball_table *table)
{
    if (ball_cache_read(wish, table)) {
        table->family.n_level = wish->n_level; /* more would change histories */
        return LR_OK;
    }
    char what[64];
    snprintf(what, sizeof what, "parts of the records for a = %.3g", wish->a);
    struct making making = {progress_start(ctx, what, PROGRESS_PARTS), *wish, wish->inner != NULL};
    wish->report = report;
    wish->report_to = &making;
    const enum ball_made made = ball_table_make(wish, table);
    if (made == BALL_FAILED)
        return LR_ERROR_DEVICE;
    if (made == BALL_STOPPED)
        return lr_fail(ctx, LR_ERROR_INTERRUPTED, "stopped while making records of deep gas; nothing was written");
    if (made != BALL_MADE)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for records of deep gas");
    if (!ball_cache_write(wish, table))
        lr_log(ctx, LR_LOG_WARNING,
               "the jump records could not be saved for later runs; set LINERAD_CACHE to a folder for them");
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
        wish.device = worker_device(worker);
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
    if (!asks_for_jumps(model))
        return LR_OK;
    LR_TRY(ball_space_find(ctx, model, &set->space));
    const struct ball_plan plan = ball_plan_of(model, &set->space);
    if (plan.why)
        lr_log(ctx, LR_LOG_INFO, "packets do not jump: %s", plan.why);
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
