/* CPU transport driver: LANES packets per thread in structure-of-arrays form. Every round each lane does one step of
 * its own history: propose an atom velocity if it waits for a scattering, fly one segment if it is in flight. The
 * steps are loops the compiler turns into SIMD; only face crossings and births are done one by one. A rejected
 * proposal therefore costs its lane a round, not the whole vector.
 *
 * Compiled once per precision and instruction set; LR_CPU_VARIANT names the entry. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "backend/block_chain.h"
#include "backend/build_views.h"
#include "backend/cpu/cpu_cameras.h"
#include "backend/cpu/cpu_lanes.h"
#include "backend/cpu/cpu_pass.h"
#include "backend/cpu/cpu_shade.h"
#include "backend/cpu/cpu_variants.h"
#include "base/context.h"

enum { QUEUE_CHUNK = 8, REPORT_ROUNDS = 4096 };

/* Packets a thread has taken and not started. */
struct supply {
    int64_t next, end;
    int exhausted;
};

/* ---- one lane at a time --------------------------------------------------------------------------------------- */

static struct vec3 lane_direction(const struct lanes *lane, int l)
{
    return vec3_make(lane->nx[l], lane->ny[l], lane->nz[l]);
}

static void load_cell(const struct pass *pass, struct lanes *lane, int l)
{
    const struct cell_view *cell = &pass->cell[lane->cell[l]];
    if (WALK_KNOWS_SHADE && pass->view.n_camera > 0) {
        const struct hidden_view hidden = pass->view.hidden[lane->cell[l] * pass->view.hidden_step];
        lane->hidden_reach[l] = hidden.reach;
        lane->hidden_slope[l] = hidden.slope;
    }
    lane->alpha0[l] = cell->alpha0;
    lane->a[l] = cell->a;
    lane->b[l] = cell->b;
    lane->kappa[l] = cell->kappa;
    lane->eps[l] = cell->eps;
    lane->forced[l] = 0;
    if (WALK_IS_RADIAL)
        lane->outflow[l] = cell->vx / cell->b;
}

static void keep_last_scattering(struct lanes *lane, int l)
{
    lane->last_cell[l][0] = lane->i[l];
    lane->last_cell[l][1] = lane->j[l];
    lane->last_cell[l][2] = lane->k[l];
    lane->last_local[l][0] = lane->local_x[l];
    lane->last_local[l][1] = lane->local_y[l];
    lane->last_local[l][2] = lane->local_z[l];
}

static void set_weight(struct lanes *lane, int l, double weight)
{
    lane->settled[l] = weight;
    lane->weight[l] = (real)weight;
}

static struct transport_batch *lane_batch(const struct pass *pass, const struct lanes *lane, int l)
{
    return &pass->tally->batch[lane->batch[l]];
}

/* Move what the lane gathered in its cell to the tallies. Small sums are kept apart from large ones until here, so that
 * single precision does not lose short steps. */
static void flush_lane(struct pass *pass, struct lanes *lane, int l)
{
    if (pass->length) {
        const int64_t at = lane->batch[l] % pass->job->n_group * pass->job->n_cell + lane->cell[l];
        add(&pass->length[at], (double)lane->length[l]);
        add(&pass->scatter[at], (double)lane->scatter[l]);
    }
    lane->path[l] += (double)lane->path_part[l];
    if (pass->job->absorbing && !pass->job->analog_absorption) {
        const double after = lane->settled[l] * r_exp_minus_wide((double)lane->depth[l]);
        lane->absorbed[l] += lane->settled[l] - after;
        lane->scattered_sum[l] += (double)lane->scattered[l];
        set_weight(lane, l, after);
    }
    lane->length[l] = lane->scatter[l] = lane->path_part[l] = lane->depth[l] = lane->scattered[l] = R(0);
}

static int64_t supply_take(struct pass *pass, struct supply *supply)
{
    if (supply->exhausted || *pass->monitor->stop)
        return -1;
    if (supply->next == supply->end) {
        if (pass->job->one_thread_per_packet) {
            supply->exhausted = 1;
            return -1;
        }
        int64_t first;
#pragma omp atomic capture
        {
            first = pass->next;
            pass->next += QUEUE_CHUNK;
        }
        if (first >= pass->job->n_packet) {
            supply->exhausted = 1;
            return -1;
        }
        supply->next = first;
        supply->end = first + QUEUE_CHUNK < pass->job->n_packet ? first + QUEUE_CHUNK : pass->job->n_packet;
    }
    return supply->next++;
}

static void start_lane(struct pass *pass, struct lanes *lane, int l, struct supply *supply)
{
    const int64_t id = supply_take(pass, supply);
    lane->state[l] = LANE_IDLE;
    if (id < 0)
        return;
    lane->id_low[l] = (uint32_t)id;
    lane->id_high[l] = (uint32_t)((uint64_t)id >> 32);
    lane->draw[l] = EMISSION_BLOCKS;
    lane->batch[l] = tally_batch(pass->deal, id);
    const struct emitted born = emit_packet(&pass->view, lane->id_low[l], lane->id_high[l]);
    set_place(lane, l, born.at);
    lane->cell[l] = walk_cell_index(&pass->view.mesh, born.at);
    load_cell(pass, lane, l);
    lane->nx[l] = born.n.x;
    lane->ny[l] = born.n.y;
    lane->nz[l] = born.n.z;
    lane->x[l] = born.x;
    lane->tau[l] = born.tau;
    set_weight(lane, l, 1);
    lane->path[l] = lane->absorbed[l] = lane->scattered_sum[l] = 0;
    lane->events[l] = 0;
    lane->debt[l] = share_start(&pass->view, lane->id_low[l], lane->id_high[l]);
    lane->state[l] = LANE_FLYING;
    keep_last_scattering(lane, l);
}

/* An escaped packet, for the cameras that look along its way. Light straight from a pointed source is left out: images
 * have it exactly, or not at all. */
static void count_in_cones(struct pass *pass, const struct lanes *lane, int l, struct vec3 n, real shift)
{
    const struct cone_set *set = &pass->cones;
    if (!cone_has_shift(set, shift) ||
        (lane->events[l] == 0 && packet_is_pointed(&pass->view, lane->id_low[l], lane->id_high[l])))
        return;
    const int *cell = lane->last_cell[l];
    const real *local = lane->last_local[l];
    const struct vec3 corner = walk_corner(&pass->view.mesh, cell[0], cell[1], cell[2]);
    const struct vec3 place = vec3_make(corner.x + local[0], corner.y + local[1], corner.z + local[2]);
    for (int c = 0; c < set->n; c++) {
        const struct cone_share share = cone_share_of(&set->cone[c], n);
        if (!share.inside || (set->places && !cone_shows(&set->cone[c], place)))
            continue;
        double *sums = &pass->tally->cone[2 * ((size_t)lane->batch[l] * (size_t)set->n + (size_t)c)];
        add(&sums[0], lane->settled[l] * (double)share.weight);
        add(&sums[1], 1);
    }
}

/* Count a finished packet: escaped through `face`, or gone (face < 0). */
static void end_packet(struct pass *pass, struct lanes *lane, int l, int face)
{
    const struct transport_job *job = pass->job;
    struct transport_batch *batch = lane_batch(pass, lane, l);
    const double weight = lane->settled[l];
    add(&batch->packets, 1);
    add(&batch->events, (double)lane->events[l]);
    const int counted = !job->absorbing || job->analog_absorption;
    add(&batch->scattered, counted ? (double)lane->events[l] : lane->scattered_sum[l]);
    if (job->absorbing)
        add(&batch->absorbed, lane->absorbed[l]);
#pragma omp atomic
    pass->done++;
    if (face < 0)
        return;

    const struct vec3 n = lane_direction(lane, l);
    const struct cell_view *cell = &pass->cell[lane->cell[l]];
    const real x = frequency_in_mesh_frame(lane->x[l], cell->b, cell_velocity_along(cell, n));
    const int bin = spectrum_bin(&pass->axes, x);
    const int n_slot = job->n_bin + 2;
    const int64_t in_run = lane->batch[l];
    add(&batch->escaped, weight);
    add(&batch->path, weight * lane->path[l]);
    add(&pass->tally->face_spectrum[(in_run * TRANSPORT_N_FACE + face) * n_slot + bin], weight);
    const int64_t direction = in_run * job->n_mu * job->n_phi + direction_bin(&pass->axes, n);
    add(&pass->tally->direction_spectrum[direction * n_slot + bin], weight);
    if (pass->cones.n > 0)
        count_in_cones(pass, lane, l, n, x);
    if (!job->record)
        return;
    int64_t slot;
#pragma omp atomic capture
    slot = pass->tally->n_record++;
    struct transport_record *record = &pass->tally->record[slot];
    record->id = (int64_t)(((uint64_t)lane->id_high[l] << 32) | lane->id_low[l]);
    record->scatterings = lane->events[l];
    record->weight = weight;
    record->shift = (double)x;
    record->path = lane->path[l];
    record->face = face;
    const struct place at = PLACE_OF(lane, l);
    const double direction_out[3] = {(double)n.x, (double)n.y, (double)n.z};
    const double local[3] = {(double)at.local.x, (double)at.local.y, (double)at.local.z};
    const int cell_index[3] = {at.i, at.j, at.k};
    for (int axis = 0; axis < 3; axis++) {
        record->direction[axis] = direction_out[axis];
        record->local[axis] = local[axis];
        record->cell[axis] = cell_index[axis];
        record->last_cell[axis] = lane->last_cell[l][axis];
        record->last_local[axis] = (double)lane->last_local[l][axis];
    }
}

/* Russian roulette on a flushed lane; returns whether the packet lives. */
static int roulette_survives(struct pass *pass, struct lanes *lane, int l)
{
    if (!pass->job->absorbing || lane->settled[l] >= ROULETTE_BELOW)
        return 1;
    const struct random4 random = rng_draw(pass->view.key, lane->draw[l]++, lane->id_low[l], lane->id_high[l]);
    const int survives = (double)rng_uniform(random.r0) <= ROULETTE_SURVIVAL && lane->settled[l] > 0;
    const double weight = survives ? lane->settled[l] / ROULETTE_SURVIVAL : 0;
    add(&lane_batch(pass, lane, l)->roulette, lane->settled[l] - weight);
    set_weight(lane, l, weight);
    return survives;
}

static void cross_lane(struct pass *pass, struct lanes *lane, int l, struct supply *supply)
{
    flush_lane(pass, lane, l);
    const struct vec3 n = lane_direction(lane, l);
    const int axis = lane->event[l] - 1;
    const struct crossing crossing = walk_cross(&pass->view.mesh, PLACE_OF(lane, l), n, axis);
    if (crossing.escaped) {
        set_place(lane, l, crossing.at);
        end_packet(pass, lane, l, crossing.face);
        start_lane(pass, lane, l, supply);
        return;
    }
    if (!roulette_survives(pass, lane, l)) {
        end_packet(pass, lane, l, -1);
        start_lane(pass, lane, l, supply);
        return;
    }
    const struct vec3 n_new = crossing.n;
    const int64_t cell = walk_cell_index(&pass->view.mesh, crossing.at);
    const struct cell_view *from = &pass->cell[lane->cell[l]];
    const struct cell_view *to = &pass->cell[cell];
    lane->x[l] =
        frequency_across(lane->x[l], from->b, cell_velocity_along(from, n), to->b, cell_velocity_along(to, n_new));
    lane->nx[l] = n_new.x;
    lane->ny[l] = n_new.y;
    lane->nz[l] = n_new.z;
    lane->cell[l] = cell;
    load_cell(pass, lane, l);
    set_place(lane, l, crossing.at);
}

/* Analog absorption: a collision is an absorption with probability kappa_abs / (kappa_abs + scattering opacity).
 * Returns whether it was, and a new packet sits in the lane. */
static int collide_analog(struct pass *pass, struct lanes *lane, int l, struct supply *supply)
{
    const struct opacity opacity = opacity_at(lane->alpha0[l], lane->eps[l], lane->kappa[l], lane->profile[l]);
    const struct random4 random = rng_draw(pass->view.key, lane->draw[l]++, lane->id_low[l], lane->id_high[l]);
    if (rng_uniform(random.r0) * (opacity.scatter + opacity.absorb) > opacity.absorb)
        return 0;
    flush_lane(pass, lane, l);
    lane->absorbed[l] = lane->settled[l];
    end_packet(pass, lane, l, -1);
    start_lane(pass, lane, l, supply);
    return 1;
}

/* A packet that stays in one cell for long: settle its sums, and its fate if its weight has become small. */
static void settle_lane(struct pass *pass, struct lanes *lane, int l, struct supply *supply)
{
    flush_lane(pass, lane, l);
    if (!roulette_survives(pass, lane, l)) {
        end_packet(pass, lane, l, -1);
        start_lane(pass, lane, l, supply);
    }
}

/* ---- rounds --------------------------------------------------------------------------------------------------- */

static int any_active(const struct lanes *lane)
{
    int active = 0;
    for (int l = 0; l < LANES; l++)
        active |= lane->state[l] != LANE_IDLE;
    return active;
}

static void serve_events(struct pass *pass, struct lanes *lane, struct supply *supply)
{
    if (pass->job->record || pass->cones.places)
        for (int l = 0; l < LANES; l++)
            if (lane->collided[l])
                keep_last_scattering(lane, l);
    if (pass->job->analog_absorption)
        for (int l = 0; l < LANES; l++)
            if (lane->collided[l] && collide_analog(pass, lane, l, supply))
                lane->event[l] = EVENT_NONE;
    for (int l = 0; l < LANES; l++)
        if (lane->event[l] == EVENT_FLUSH)
            settle_lane(pass, lane, l, supply);
        else if (lane->event[l] != EVENT_NONE)
            cross_lane(pass, lane, l, supply);
}

static void report_progress(struct pass *pass, double *last)
{
    const double now = lr_seconds();
    if (omp_get_thread_num() != 0 || !pass->monitor->progress || now - *last < 0.1)
        return;
    *last = now;
    int64_t done;
#pragma omp atomic read
    done = pass->done;
    pass->monitor->progress(pass->monitor->user, done);
}

static inline __attribute__((always_inline)) void run_rounds(struct pass *pass, struct lanes *lane, struct notes *notes,
                                                             struct supply *supply, const int mode, const int absorbing,
                                                             const int narrow, const int imaging)
{
    const struct transport_view *view = &pass->view;
    double last_report = lr_seconds();
    for (uint32_t round = 1; any_active(lane); round++) {
        if (mode == MODE_COMPLETE)
            propose_lanes_complete(lane, view);
        else
            propose_lanes(lane, view, mode, narrow);
        if (view->dipole)
            scatter_lanes(lane, view, mode, 1, absorbing, imaging);
        else
            scatter_lanes(lane, view, mode, 0, absorbing, imaging);
        if (imaging)
            note_lanes(pass, lane, notes, mode);
        profile_steps(lane, view, pass->flows, mode, narrow);
        if (absorbing && view->analog)
            fly_lanes(lane, view, 1, 1, imaging);
        else
            fly_lanes(lane, view, absorbing, 0, imaging);
        serve_events(pass, lane, supply);
        if (round % REPORT_ROUNDS == 0)
            report_progress(pass, &last_report);
    }
    if (imaging)
        serve_notes(pass, notes, mode);
}

/* One compiled loop for each combination: mode, absorption, line width and cameras are constants in it. */
#define RUN_ROUNDS(mode, narrow)                                                                                       \
    do {                                                                                                               \
        if (pass->job->absorbing && pass->job->n_camera > 0)                                                           \
            run_rounds(pass, lane, notes, supply, mode, 1, narrow, 1);                                                 \
        else if (pass->job->absorbing)                                                                                 \
            run_rounds(pass, lane, notes, supply, mode, 1, narrow, 0);                                                 \
        else if (pass->job->n_camera > 0)                                                                              \
            run_rounds(pass, lane, notes, supply, mode, 0, narrow, 1);                                                 \
        else                                                                                                           \
            run_rounds(pass, lane, notes, supply, mode, 0, narrow, 0);                                                 \
    } while (0)

static void run_mode(struct pass *pass, struct lanes *lane, struct notes *notes, struct supply *supply)
{
    switch (pass->job->mode) {
    case TRANSPORT_EXACT:
        if (pass->job->narrow)
            RUN_ROUNDS(MODE_EXACT, 1);
        else
            RUN_ROUNDS(MODE_EXACT, 0);
        break;
    case TRANSPORT_TABLE_GLOBAL:
    case TRANSPORT_TABLE_CONSTANT:
        RUN_ROUNDS(MODE_TABLE_GLOBAL, 0);
        break;
    case TRANSPORT_APPROXIMATE_VOIGT:
        RUN_ROUNDS(MODE_APPROXIMATE_VOIGT, 0);
        break;
    case TRANSPORT_COMPLETE:
        RUN_ROUNDS(MODE_COMPLETE, 0);
        break;
    }
}

/* An idle lane must hold numbers that do no harm in the vector steps. */
static void clear_lanes(struct lanes *lane)
{
    memset(lane, 0, sizeof *lane);
    for (int l = 0; l < LANES; l++) {
        lane->a[l] = R(0.01);
        lane->b[l] = lane->tau[l] = lane->alpha0[l] = lane->nx[l] = R(1);
        lane->width_x[l] = lane->width_y[l] = lane->width_z[l] = lane->owed_depth[l] = R(1);
    }
}

static void run_thread(struct pass *pass, struct lanes *lane, struct notes *notes)
{
    struct supply supply = {0, 0, 0};
    if (pass->job->one_thread_per_packet) {
        const int64_t n = pass->job->n_packet;
        const int64_t thread = omp_get_thread_num();
        const int64_t threads = omp_get_num_threads();
        supply.next = n / threads * thread + n % threads * thread / threads;
        supply.end = n / threads * (thread + 1) + n % threads * (thread + 1) / threads;
    }
    clear_lanes(lane);
    memset(notes, 0, sizeof *notes);
    for (int l = 0; l < LANES; l++)
        start_lane(pass, lane, l, &supply);
    run_mode(pass, lane, notes, &supply);
}

/* ---- a run ---------------------------------------------------------------------------------------------------- */

static void fold_groups(const struct pass *pass, const double *sums, double *total, double *square)
{
    const int64_t n_cell = pass->job->n_cell;
    double packets[TRANSPORT_MAX_BATCH];
    transport_group_packets(pass->job, pass->tally, packets);
#pragma omp parallel for
    for (int64_t cell = 0; cell < n_cell; cell++)
        for (int group = 0; group < pass->job->n_group; group++) {
            const double value = sums[group * n_cell + cell];
            total[cell] += value;
            square[cell] += packets[group] > 0 ? value * value / packets[group] : 0;
        }
}

#define NAME_JOIN(prefix, variant) prefix##variant
#define NAME_EXPAND(prefix, variant) NAME_JOIN(prefix, variant)

enum lr_status NAME_EXPAND(cpu_transport_,
                           LR_CPU_VARIANT)(lr_context *ctx, int threads, const struct transport_job *job,
                                           const struct transport_monitor *monitor, struct transport_tally *tally)
{
    struct block *chain = NULL;
    const struct view_store store = {&chain, chain_copy};
    struct pass pass = {.job = job, .monitor = monitor, .tally = tally, .alone = threads == 1};
    struct lanes *lanes = aligned_alloc(64, (size_t)threads * sizeof *lanes);
    struct notes *notes = aligned_alloc(64, (size_t)threads * sizeof *notes);
    enum lr_status status = LR_OK;

    int ready =
        lanes && notes && make_transport_view(&store, job, &pass.view) && make_cone_set(&store, job, &pass.cones);
    pass.cell = ready ? chain_copy(&chain, (size_t)job->n_cell * sizeof *pass.cell, NULL) : NULL;
    ready = pass.cell && fill_cells(job->read_cells, job->medium, 0, job->n_cell, pass.cell);
    if (ready)
        make_shades(&chain, &pass.view, pass.cell, threads);
    if (ready && job->fields) {
        /* calloc: pages that no packet touches are never written */
        pass.length = calloc((size_t)job->n_group * (size_t)job->n_cell, sizeof(double));
        pass.scatter = calloc((size_t)job->n_group * (size_t)job->n_cell, sizeof(double));
        ready = pass.length && pass.scatter;
    }
    const size_t n_voxel = transport_voxel_count(job);
    if (ready && job->n_camera > 0 && job->deposit_wide && !job->peel) {
        pass.emissivity_wide = calloc(n_voxel, sizeof(double));
        ready = pass.emissivity_wide != NULL;
    }
    if (ready) {
        pass.view.cell = pass.cell;
        for (int64_t cell = 0; WALK_IS_RADIAL && cell < job->n_cell; cell++)
            pass.flows |= pass.cell[cell].vx != R(0);
        pass.axes = make_tally_axes(job);
        pass.deal = make_tally_deal(job);
        const double start = lr_seconds();
#pragma omp parallel num_threads(threads)
        run_thread(&pass, &lanes[omp_get_thread_num()], &notes[omp_get_thread_num()]);
        tally->seconds += lr_seconds() - start;
        for (size_t i = 0; pass.emissivity_wide && i < n_voxel; i++)
            tally->emissivity[i] = (float)pass.emissivity_wide[i];
        if (job->fields) {
            fold_groups(&pass, pass.length, tally->length, tally->length_square);
            fold_groups(&pass, pass.scatter, tally->scatter, tally->scatter_square);
        }
    } else {
        status =
            lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for %lld cells: use a smaller mesh or 'output.fields: false'",
                    (long long)job->n_cell);
    }
    free(pass.length);
    free(pass.scatter);
    free(pass.emissivity_wide);
    chain_free(chain);
    free(lanes);
    free(notes);
    return status;
}
