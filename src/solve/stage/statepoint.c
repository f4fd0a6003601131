#include "solve/stage/statepoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/todo.h"
#include "model/stored_sparse.h"
#include "solve/stage/flight_check.h"

enum { BATCH_VALUES = sizeof(struct transport_batch) / sizeof(double) };

/* Where each of the sums is, and its shape. */
struct place {
    const char *name;
    enum stored_kind kind;
    void *data; /* NULL: not in this run */
    int64_t size[STORED_MAX_RANK];
};

enum { MOST_PLACES = 8 };

static int find_sums(const struct transport_job *job, const struct transport_tally *tally, struct place *places)
{
    const int64_t slots = job->tally.n_bin + 2, batches = job->tally.n_batch;
    const struct place all[] = {
        {"batches", STORED_DOUBLE, tally->batch, {batches, BATCH_VALUES, 0}},
        {"face_spectrum", STORED_DOUBLE, tally->face_spectrum, {batches, N_FACE, slots}},
        {"direction_spectrum",
         STORED_DOUBLE,
         tally->direction_spectrum,
         {batches, (int64_t)job->tally.n_mu * job->tally.n_phi, slots}},
        {"fields", STORED_DOUBLE, tally->fields, {job->tally.n_group, job->n_cell, 2}},
        {"cones", STORED_DOUBLE, tally->cone, {batches, job->cones.n, 2}},
    };
    memcpy(places, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

static int find_light(const struct transport_job *job, const struct transport_tally *tally, struct place *places)
{
    const struct job_cameras *cameras = &job->cameras;
    const int64_t sets = (int64_t)cameras->n_group * cameras->n;
    const struct place all[] = {
        {"emissivity", STORED_FLOAT, tally->emissivity, {sets, cameras->n_row, cameras->n_channel}},
        {"emissivity_wide", STORED_DOUBLE, tally->emissivity_wide, {sets, cameras->n_row, cameras->n_channel}},
    };
    memcpy(places, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

static int64_t place_count(const struct place *place)
{
    int64_t n = 1;
    for (int axis = 0; axis < STORED_MAX_RANK; axis++)
        n *= place->size[axis] > 0 ? place->size[axis] : 1;
    return n;
}

static enum lr_status add_places(lr_context *ctx, const struct place *places, int n, struct stored *state)
{
    for (int i = 0; i < n; i++)
        if (places[i].data)
            LR_TRY(stored_add(ctx, state, places[i].name, places[i].kind, places[i].size[0], places[i].size[1],
                              places[i].size[2], places[i].data));
    return LR_OK;
}

static enum lr_status get_places(lr_context *ctx, const struct stored *state, const struct place *places, int n)
{
    for (int i = 0; i < n; i++)
        if (!places[i].data && stored_has_sparse(state, places[i].name))
            return lr_fail(ctx, LR_ERROR_INPUT,
                           "the statepoint has '%s', which this run cannot use; was it made with another version "
                           "of linerad, on another device or with other memory limits (run.memory)?",
                           places[i].name);
        else if (places[i].data)
            LR_TRY(
                stored_get_sparse(ctx, state, places[i].name, places[i].kind, place_count(&places[i]), places[i].data));
    return LR_OK;
}

/* Most voxels and channels may be without light. */
static enum lr_status add_light(lr_context *ctx, const struct place *places, int n, struct stored *state)
{
    for (int i = 0; i < n; i++)
        if (places[i].data)
            LR_TRY(stored_add_sparse(ctx, state, places[i].name, places[i].kind, places[i].size[0], places[i].size[1],
                                     places[i].size[2], places[i].data));
    return LR_OK;
}

/* ---- records: every member as a double, which is exact ---- */

enum { RECORD_VALUES = 21 };

static void record_store(const struct transport_record *record, double *to)
{
    const double values[] = {
        (double)record->id, (double)record->scatterings, record->weight, record->shift, record->path, record->face};
    memcpy(to, values, sizeof values);
    to += sizeof values / sizeof *values;
    for (int axis = 0; axis < 3; axis++) {
        const double point[] = {record->direction[axis], record->cell[axis], record->last_cell[axis],
                                record->local[axis], record->last_local[axis]};
        memcpy(to, point, sizeof point);
        to += sizeof point / sizeof *point;
    }
}

static void record_load(const double *from, struct transport_record *record)
{
    *record = (struct transport_record){.id = (int64_t)from[0],
                                        .scatterings = (int64_t)from[1],
                                        .weight = from[2],
                                        .shift = from[3],
                                        .path = from[4],
                                        .face = (int32_t)from[5]};
    for (int axis = 0; axis < 3; axis++) {
        const double *point = from + 6 + 5 * axis;
        record->direction[axis] = point[0];
        record->cell[axis] = (int32_t)point[1];
        record->last_cell[axis] = (int32_t)point[2];
        record->local[axis] = point[3];
        record->last_local[axis] = point[4];
    }
}

static enum lr_status add_records(lr_context *ctx, const struct transport_tally *tally, struct stored *state)
{
    const int64_t size[] = {tally->n_record, RECORD_VALUES};
    void *room = NULL;
    if (!tally->record || tally->n_record == 0)
        return LR_OK;
    LR_TRY(stored_add_room(ctx, state, "records", STORED_DOUBLE, 2, size, &room));
    for (int64_t i = 0; i < tally->n_record; i++)
        record_store(&tally->record[i], (double *)room + i * RECORD_VALUES);
    return LR_OK;
}

/* Whether the numbers are of the types of the members. */
static bool record_fits(const double *from)
{
    bool fits = fabs(from[0]) < 0x1p53 && fabs(from[1]) < 0x1p53 && fabs(from[5]) < 0x1p31;
    for (int i = 0; i < RECORD_VALUES; i++)
        fits = fits && isfinite(from[i]);
    for (int axis = 0; axis < 3; axis++)
        fits = fits && fabs(from[7 + 5 * axis]) < 0x1p31 && fabs(from[8 + 5 * axis]) < 0x1p31;
    return fits;
}

static enum lr_status get_records(lr_context *ctx, const struct stored *state, int64_t most,
                                  struct transport_tally *tally)
{
    const struct stored_array *records = tally->record ? stored_find(state, "records") : NULL;
    tally->n_record = 0;
    if (!records)
        return LR_OK;
    if (records->kind != STORED_DOUBLE || records->rank != 2 || records->size[1] != RECORD_VALUES ||
        records->size[0] > most)
        return lr_fail(ctx, LR_ERROR_INPUT, "the statepoint is damaged: its list of packets has another shape");
    tally->n_record = records->size[0];
    for (int64_t i = 0; i < tally->n_record; i++) {
        const double *from = (const double *)records->data + i * RECORD_VALUES;
        if (!record_fits(from))
            return lr_fail(ctx, LR_ERROR_INPUT, "the statepoint is damaged: its list of packets has other numbers");
        record_load(from, &tally->record[i]);
    }
    return LR_OK;
}

/* ---- a pass ---- */

enum lr_status statepoint_add_sums(lr_context *ctx, const struct transport_job *job,
                                   const struct transport_tally *tally, struct stored *state)
{
    struct place places[MOST_PLACES];
    return add_places(ctx, places, find_sums(job, tally, places), state);
}

static int64_t peel_count(const struct job_cameras *cameras, int camera)
{
    return (int64_t)cameras->n_group * cameras->n_channel * cameras->peel[camera].n_x * cameras->peel[camera].n_y;
}

enum lr_status statepoint_add_pass(lr_context *ctx, const struct transport_job *job,
                                   const struct transport_tally *tally, struct stored *state)
{
    struct place places[MOST_PLACES];
    const struct transport_todo *todo = &tally->todo;
    const int64_t plan[] = {job->n_packet, job->packets.first, job->packets.end, job->tally.n_group, tally->n_left};
    LR_TRY(add_light(ctx, places, find_light(job, tally, places), state));
    for (int c = 0; tally->peel && c < job->cameras.n; c++) {
        char name[32];
        snprintf(name, sizeof name, "peel_%d", c);
        LR_TRY(stored_add_sparse(ctx, state, name, STORED_DOUBLE, peel_count(&job->cameras, c), 0, 0, tally->peel[c]));
    }
    LR_TRY(add_records(ctx, tally, state));
    LR_TRY(stored_add_copy(ctx, state, "plan", STORED_INT64, sizeof plan / sizeof *plan, plan));
    LR_TRY(stored_add_copy(ctx, state, "seconds", STORED_DOUBLE, 1, &tally->seconds));
    if (todo->n_range > 0)
        LR_TRY(stored_add(ctx, state, "todo", STORED_INT64, todo->n_range, 2, 0, todo->range));
    if (todo->n_flight > 0)
        LR_TRY(stored_add(ctx, state, "flight", STORED_DOUBLE, todo->n_flight, todo->n_value, 0, todo->flight));
    return LR_OK;
}

enum lr_status statepoint_adopt_plan(lr_context *ctx, const struct stored *state, struct transport_job *job)
{
    int64_t plan[5];
    LR_TRY(stored_get(ctx, state, "plan", STORED_INT64, 5, plan));
    if (plan[1] != job->packets.first || plan[2] < plan[1] || plan[2] > job->packets.end)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "the statepoint is of packets %lld to %lld, and this run is to follow %lld to %lld; ask for as "
                       "many or more, in the same share",
                       (long long)plan[1], (long long)plan[2] - 1, (long long)job->packets.first,
                       (long long)job->packets.end - 1);
    if (plan[3] < 1 || plan[3] > job->tally.n_batch)
        return lr_fail(ctx, LR_ERROR_INPUT, "the statepoint is damaged: it has %lld groups of batches",
                       (long long)plan[3]);
    job->n_packet = plan[0];
    job->tally.n_group = (int)plan[3];
    return LR_OK;
}

/* What was to be done, and the packets that were added since. */
static enum lr_status restore_todo(lr_context *ctx, const struct stored *state, int64_t planned_end,
                                   const struct transport_job *job, struct transport_todo *todo)
{
    const struct stored_array *ranges = stored_find(state, "todo"), *flight = stored_find(state, "flight");
    const bool sound = !ranges || (ranges->kind == STORED_INT64 && ranges->rank == 2 && ranges->size[1] == 2);
    const int64_t n = sound && ranges ? ranges->size[0] : 0;
    const int64_t *from = n > 0 ? ranges->data : NULL;
    todo_free(todo);
    LR_TRY(lr_allocate(ctx, (size_t)n + 1, sizeof *todo->range, &todo->range));
    for (int64_t r = 0; r < n; r++)
        todo->range[todo->n_range++] = (struct packet_range){from[2 * r], from[2 * r + 1]};
    if (planned_end < job->packets.end)
        todo->range[todo->n_range++] = (struct packet_range){planned_end, job->packets.end};
    if (!sound || (flight && (flight->rank != 2 || flight->kind != STORED_DOUBLE)))
        return lr_fail(ctx, LR_ERROR_INPUT, "the statepoint is damaged: its packets have another shape");
    if (!flight)
        return LR_OK;
    todo->n_flight = flight->size[0];
    todo->n_value = (int)flight->size[1];
    LR_TRY(lr_allocate(ctx, (size_t)stored_count(flight), sizeof(double), &todo->flight));
    memcpy(todo->flight, flight->data, (size_t)stored_count(flight) * sizeof(double));
    return LR_OK;
}

enum lr_status statepoint_restore(lr_context *ctx, const struct stored *state, const struct transport_job *job,
                                  struct transport_tally *tally)
{
    struct place places[MOST_PLACES];
    int64_t plan[5];
    LR_TRY(get_places(ctx, state, places, find_sums(job, tally, places)));
    LR_TRY(get_places(ctx, state, places, find_light(job, tally, places)));
    for (int c = 0; tally->peel && c < job->cameras.n; c++) {
        char name[32];
        snprintf(name, sizeof name, "peel_%d", c);
        LR_TRY(stored_get_sparse(ctx, state, name, STORED_DOUBLE, peel_count(&job->cameras, c), tally->peel[c]));
    }
    LR_TRY(get_records(ctx, state, job->packets.end - job->packets.first, tally));
    LR_TRY(stored_get(ctx, state, "plan", STORED_INT64, 5, plan));
    LR_TRY(stored_get(ctx, state, "seconds", STORED_DOUBLE, 1, &tally->seconds));
    LR_TRY(restore_todo(ctx, state, plan[2], job, &tally->todo));
    tally->n_left = plan[4];
    tally->begun = true;
    return flight_check(ctx, job, tally, job->packets);
}
