/* CPU transport driver: LANES packets per thread as a structure of arrays. In every round each lane takes one step of
 * its own history: it proposes an atom if it waits for a scattering, or flies one segment if it is in flight. The steps
 * are loops that the compiler vectorises; only rare events, such as face crossings and births, are done one by one. A
 * rejected proposal therefore costs its lane a round, not the whole vector.
 *
 * Compiled once per precision and instruction set; LR_CPU_VARIANT names the entry. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend/block_chain.h"
#include "backend/build_views.h"
#include "backend/cpu/cpu_cameras.h"
#include "backend/cpu/cpu_flight.h"
#include "backend/cpu/cpu_history.h"
#include "backend/cpu/cpu_lanes.h"
#include "backend/cpu/cpu_pass.h"
#include "backend/cpu/cpu_shade.h"
#include "backend/cpu/cpu_variants.h"
#include "backend/variant_name.h"
#include "base/context.h"

enum { REPORT_ROUNDS = 256 };

/* ---- one lane at a time --------------------------------------------------------------------------------------- */

static void start_lane(struct pass *pass, struct lanes *lane, int l, struct supply *supply)
{
    struct packet p;
    if (flight_take(pass, lane, l))
        return;
    const int64_t id = supply_take(pass, supply);
    lane_get(lane, l, &p);
    if (id >= 0)
        packet_begin(&pass->view, &pass->sums, id, &p, &lane->last[l]);
    lane_put(lane, l, &p);
}

/* Handles the end of a flight, and starts the next packet if this one has ended. */
LANE_FN void serve_lane(struct pass *pass, struct lanes *lane, int l, struct supply *supply, const int absorbing)
{
    struct packet packet;
    struct packet *p = &packet;
    const struct flight flight = lane_flight(lane, l);
    lane_get(lane, l, p);
    (void)packet_after_flight(&pass->view, &pass->sums, p, flight, &lane->last[l], absorbing);
    PLACE_MEMBERS(LANE_PUT)
    CELL_MEMBERS(LANE_PUT)
    GAS_MEMBERS(LANE_PUT)
    PHOTON_MEMBERS(LANE_PUT)
    SUM_MEMBERS(LANE_PUT)
    PATH_MEMBERS(LANE_PUT)
    JUMP_MEMBERS(LANE_PUT)
    lane->owed[l] = p->owed;
    if (absorbing) {
        LOSS_MEMBERS(LANE_PUT)
        WEIGHT_MEMBERS(LANE_PUT)
    }
    if (p->state != PACKET_GONE)
        return;
#pragma omp atomic
    pass->done++;
    start_lane(pass, lane, l, supply);
}

/* Packets in the middle of deep gas jump. */
LANE_FN void jump_lanes(struct pass *pass, struct lanes *lane, struct notes *notes, struct supply *supply,
                        const int absorbing, const int imaging)
{
    find_jumps(lane, &pass->view);
    for (int l = 0; l < LANES; l++) {
        struct packet p;
        if (!lane->may_jump[l])
            continue;
        lane_get(lane, l, &p);
        const int jumped = packet_jump(&pass->view, &pass->sums, &p, &lane->last[l], pass->job->cameras.n_group,
                                       imaging ? &notes->note[notes->n] : NULL, absorbing);
        notes->n += jumped == JUMP_SEEN;
        lane_put(lane, l, &p);
        if (p.state != PACKET_GONE)
            continue;
#pragma omp atomic
        pass->done++;
        start_lane(pass, lane, l, supply);
    }
}

static __attribute__((noinline)) void jump_absorbing(struct pass *pass, struct lanes *lane, struct notes *notes,
                                                     struct supply *supply)
{
    if (pass->job->cameras.n > 0)
        jump_lanes(pass, lane, notes, supply, 1, 1);
    else
        jump_lanes(pass, lane, notes, supply, 1, 0);
}

static __attribute__((noinline)) void jump_transparent(struct pass *pass, struct lanes *lane, struct notes *notes,
                                                       struct supply *supply)
{
    if (pass->job->cameras.n > 0)
        jump_lanes(pass, lane, notes, supply, 0, 1);
    else
        jump_lanes(pass, lane, notes, supply, 0, 0);
}

/* ---- rounds --------------------------------------------------------------------------------------------------- */

static int any_active(const struct lanes *lane)
{
    int active = 0;
    for (int l = 0; l < LANES; l++)
        active |= lane->state[l] != PACKET_GONE;
    return active;
}

/* Stores where packets were last scattered. */
static void keep_places(struct lanes *lane)
{
    for (int l = 0; l < LANES; l++)
        if (lane->collided[l]) {
            struct packet p;
            lane_get(lane, l, &p);
            packet_keep_place(&p, &lane->last[l]);
        }
}

/* Decides, with analog absorption, which collisions were absorptions. */
static void absorb_lanes(const struct transport_view *view, struct lanes *lane)
{
    for (int l = 0; l < LANES; l++)
        if (lane->collided[l]) {
            struct packet p;
            lane_get(lane, l, &p);
            if (packet_is_absorbed(view, &p, lane->profile[l]))
                lane->event[l] = EVENT_ABSORBED;
            lane->draw[l] = p.draw;
        }
}

LANE_FN void serve_lanes(struct pass *pass, struct lanes *lane, struct supply *supply, const int absorbing)
{
    if (absorbing && pass->view.analog)
        absorb_lanes(&pass->view, lane);
    if (pass->job->tally.record || pass->sums.cones.places)
        keep_places(lane);
    for (int l = 0; l < LANES; l++)
        if (lane->event[l] != EVENT_NONE)
            serve_lane(pass, lane, l, supply, absorbing);
}

/* Kept out of the SIMD loops, which need all registers. */
static __attribute__((noinline)) void serve_absorbing(struct pass *pass, struct lanes *lane, struct supply *supply)
{
    serve_lanes(pass, lane, supply, 1);
}

static __attribute__((noinline)) void serve_transparent(struct pass *pass, struct lanes *lane, struct supply *supply)
{
    serve_lanes(pass, lane, supply, 0);
}

/* Whether packets in flight are to be given up or put back. *stopped is when this thread first saw a stop, or 0. */
static int is_over(const struct pass *pass, double *stopped)
{
    const struct transport_monitor *monitor = pass->monitor;
    const double now = lr_seconds();
    if (*monitor->stop && *stopped == 0)
        *stopped = now;
    if (monitor->put_back && is_asked_to_stop(monitor))
        return 1;
    return (monitor->seconds > 0 && now - pass->start > monitor->seconds) ||
           (monitor->patience > 0 && *stopped > 0 && now - *stopped > monitor->patience);
}

/* Their sums so far stay. Packets that no lane has taken up yet are left as well. */
static __attribute__((noinline)) void leave_lanes(struct pass *pass, struct lanes *lane, int absorbing)
{
    for (int l = 0; l < LANES; l++) {
        struct packet p;
        lane_get(lane, l, &p);
        if (p.state == PACKET_GONE)
            continue;
        packet_leave(&pass->view, &pass->sums, &p, absorbing);
#pragma omp atomic
        pass->left++;
        lane->state[l] = PACKET_GONE;
        if (flight_take(pass, lane, l))
            l--;
    }
}

static void report_progress(struct pass *pass, double *last)
{
    const double now = lr_seconds();
    if (omp_get_thread_num() != 0 || !pass->monitor->progress || now - *last < 0.1)
        return;
    *last = now;
    int64_t done;
    unsigned long long overdue;
#pragma omp atomic read
    done = pass->done;
#pragma omp atomic read
    overdue = pass->n_overdue;
    pass->monitor->progress(pass->monitor->user, done, (double)overdue * FLUSH_EVENTS);
}

static inline __attribute__((always_inline)) void run_rounds(struct pass *pass, struct lanes *lane, struct notes *notes,
                                                             struct supply *supply, const int mode, const int absorbing,
                                                             const int narrow, const int imaging)
{
    const struct transport_view *view = &pass->view;
    double last_report = lr_seconds(), stopped = 0;
    const int tells = pass->job->trace != NULL;
    if (tells)
        tell_history(pass, lane, STEP_BORN);
    for (uint32_t round = 1; any_active(lane); round++) {
        if (mode == REDISTRIBUTION_EXACT && view->balls.n_family > 0) {
            if (absorbing)
                jump_absorbing(pass, lane, notes, supply);
            else
                jump_transparent(pass, lane, notes, supply);
            if (imaging && notes->n >= ENOUGH_NOTES)
                serve_notes(pass, notes, mode);
            if (tells)
                tell_history(pass, lane, STEP_JUMPED);
        }
        if (mode == REDISTRIBUTION_GROUP)
            choose_lanes(lane, view);
        propose_lanes(lane, view, mode, narrow);
        if (view->dipole || mode == REDISTRIBUTION_GROUP) /* which asks again: one loop less to compile */
            scatter_lanes(lane, view, mode, 1, absorbing, imaging);
        else
            scatter_lanes(lane, view, mode, 0, absorbing, imaging);
        if (imaging)
            note_lanes(pass, lane, notes, mode);
        if (tells)
            tell_history(pass, lane, STEP_SCATTERED);
        profile_steps(lane, view, pass->flows, mode, narrow);
        if (absorbing && view->analog)
            fly_lanes(lane, view, 1, 1, imaging);
        else
            fly_lanes(lane, view, absorbing, 0, imaging);
        if (absorbing)
            serve_absorbing(pass, lane, supply);
        else
            serve_transparent(pass, lane, supply);
        if (tells)
            tell_history(pass, lane, STEP_CROSSED);
        if (round % REPORT_ROUNDS != 0)
            continue;
        report_progress(pass, &last_report);
        if (is_over(pass, &stopped)) {
            if (pass->monitor->put_back)
                flight_put_back(pass, lane);
            else
                leave_lanes(pass, lane, absorbing);
            break;
        }
    }
    if (imaging)
        serve_notes(pass, notes, mode);
}

/* One compiled loop for each combination of mode, absorption, line width and cameras, which are constants in it; to
 * save compile time, only `exact` and `complete` have loops of their own for gas that does not absorb. With
 * LR_GENERAL_ROUNDS even these use the loops for any gas. */
#ifndef LR_GENERAL_ROUNDS
#define LR_GENERAL_ROUNDS 0
#endif

#define RUN_ROUNDS(mode, narrow, absorbing)                                                                            \
    do {                                                                                                               \
        if (pass->job->cameras.n > 0)                                                                                  \
            run_rounds(pass, lane, notes, supply, mode, absorbing, narrow, 1);                                         \
        else                                                                                                           \
            run_rounds(pass, lane, notes, supply, mode, absorbing, narrow, 0);                                         \
    } while (0)

static void run_mode(struct pass *pass, struct lanes *lane, struct notes *notes, struct supply *supply)
{
    const bool absorbing = pass->job->absorbing;
    const bool narrow = pass->job->narrow;
    switch (pass->job->mode) {
    case REDISTRIBUTION_EXACT:
        if (!LR_GENERAL_ROUNDS && narrow && absorbing)
            RUN_ROUNDS(REDISTRIBUTION_EXACT, 1, 1);
        else if (!LR_GENERAL_ROUNDS && narrow)
            RUN_ROUNDS(REDISTRIBUTION_EXACT, 1, 0);
        else if (LR_GENERAL_ROUNDS || absorbing)
            RUN_ROUNDS(REDISTRIBUTION_EXACT, 0, 1);
        else
            RUN_ROUNDS(REDISTRIBUTION_EXACT, 0, 0);
        break;
    case REDISTRIBUTION_TABLE_GLOBAL:
    case REDISTRIBUTION_TABLE_CONSTANT:
        RUN_ROUNDS(REDISTRIBUTION_TABLE_GLOBAL, 0, 1);
        break;
    case REDISTRIBUTION_APPROXIMATE_VOIGT:
        RUN_ROUNDS(REDISTRIBUTION_APPROXIMATE_VOIGT, 0, 1);
        break;
    case REDISTRIBUTION_COMPLETE:
        if (LR_GENERAL_ROUNDS || absorbing)
            RUN_ROUNDS(REDISTRIBUTION_COMPLETE, 0, 1);
        else
            RUN_ROUNDS(REDISTRIBUTION_COMPLETE, 0, 0);
        break;
    case REDISTRIBUTION_GROUP:
        RUN_ROUNDS(REDISTRIBUTION_GROUP, 0, 1);
        break;
    }
}

/* An idle lane must hold numbers that are harmless in the vector steps. */
static void clear_lanes(struct lanes *lane)
{
    memset(lane, 0, sizeof *lane);
    for (int l = 0; l < LANES; l++) {
        EXTENT_MEMBERS(LANE_ONE)
        lane->a[l] = R(0.01);
        lane->b[l] = lane->tau[l] = lane->alpha0[l] = lane->n_x[l] = lane->owed_depth[l] = R(1);
    }
}

static void run_thread(struct pass *pass, struct lanes *lane, struct notes *notes)
{
    struct supply supply;
    supply_begin(pass, omp_get_thread_num(), omp_get_num_threads(), &supply);
    clear_lanes(lane);
    memset(notes, 0, sizeof *notes);
    for (int l = 0; l < LANES; l++)
        start_lane(pass, lane, l, &supply);
    run_mode(pass, lane, notes, &supply);
    supply_put_back(pass, &supply);
}

/* ---- a run ---------------------------------------------------------------------------------------------------- */

/* Sets the tallies that packets add to; cones are already set. */
static void share_sums(struct pass *pass, unsigned long long *n_record)
{
    const struct transport_job *job = pass->job;
    struct tally_view *sums = &pass->sums;
    sums->axes = make_tally_axes(job);
    sums->deal = make_tally_deal(job);
    sums->quanta = job->tally.quanta;
    sums->n_group = job->tally.n_group;
    sums->n_cell = job->n_cell;
    sums->fields = job->tally.fields ? pass->tally->fields : NULL;
    sums->batch = pass->tally->batch;
    sums->face_spectrum = pass->tally->face_spectrum;
    sums->direction_spectrum = pass->tally->direction_spectrum;
    sums->cone = pass->tally->cone;
    sums->lives = pass->tally->lives;
    sums->record = job->tally.record ? pass->tally->record : NULL;
    sums->n_record = n_record;
    sums->n_overdue = &pass->n_overdue;
}

enum lr_status VARIANT_NAME(cpu_transport_,
                            LR_CPU_VARIANT)(lr_context *ctx, int threads, const struct transport_job *job,
                                            const struct transport_monitor *monitor, struct transport_tally *tally)
{
    struct block *chain = NULL;
    const struct view_store store = {&chain, chain_copy};
    struct pass pass = {.job = job, .monitor = monitor, .tally = tally, .alone = threads == 1};
    struct lanes *lanes = aligned_alloc(64, (size_t)threads * sizeof *lanes);
    struct notes *notes = aligned_alloc(64, (size_t)threads * sizeof *notes);
    unsigned long long n_record = (unsigned long long)tally->n_record;
    enum lr_status status = LR_OK;

    if (tally->todo.n_flight > 0 && tally->todo.n_value != STORED_NUMBERS)
        status = lr_fail(ctx, LR_ERROR_INPUT,
                         "packets in flight were stored by another version of linerad; finish the run with that one");
    pass.end = todo_numbers(&tally->todo);
    pass.next = job->one_thread_per_packet ? pass.end : 0;
    int ready = status == LR_OK && flight_reserve(&pass, threads) && lanes && notes &&
                make_transport_view(&store, job, &pass.view) && make_cone_set(&store, job, &pass.sums.cones);
    pass.cell = ready ? chain_copy(&chain, (size_t)job->n_cell * sizeof *pass.cell, NULL) : NULL;
    ready = pass.cell && fill_cells(job->read_cells, job->medium, 0, job->n_cell, pass.cell);
    if (ready)
        make_shades(&chain, &pass.view, pass.cell, threads);
    if (ready) {
        pass.view.cell = pass.cell;
        for (int64_t cell = 0; WALK_IS_RADIAL && cell < job->n_cell; cell++)
            pass.flows |= pass.cell[cell].vx != R(0);
        share_sums(&pass, &n_record);
        pass.start = lr_seconds();
#pragma omp parallel num_threads(threads)
        run_thread(&pass, &lanes[omp_get_thread_num()], &notes[omp_get_thread_num()]);
        tally->seconds += lr_seconds() - pass.start;
        tally->n_flight = tally->n_steady = (int64_t)threads * LANES;
        tally->n_left += pass.left;
        tally->n_record = (int64_t)n_record;
        tally->begun = true;
        flight_conclude(&pass);
    } else if (status == LR_OK) {
        status =
            lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for %lld cells: use a smaller mesh or 'output.fields: false'",
                    (long long)job->n_cell);
    }
    todo_free(&pass.back);
    chain_free(chain);
    free(lanes);
    free(notes);
    return status;
}
