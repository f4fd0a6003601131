#include "solve/stage/flight_check.h"

#include <math.h>
#include <stdlib.h>

#include "backend/todo.h"
#include "kernel/packet_store.h"
#include "kernel/walk.h"

/* Place of each member in a stored packet: the same on all meshes, but for the names of sizes of cells. */
#define FLIGHT_PLACE(type, name, member) FLIGHT_##name,
enum { LIFE_MEMBERS(FLIGHT_PLACE) FLIGHT_LAST };

static bool is_whole(double value, double end)
{
    return value >= 0 && value < end && value == floor(value);
}

static bool is_in_mesh(const struct job_mesh *mesh, double i, double j, double k)
{
    return is_whole(i, mesh->n[0]) && is_whole(j, mesh->n[1]) && is_whole(k, mesh->n[2]);
}

/* What the drivers rely on; members that a run does not use may be anything. */
static bool is_real_packet(const struct transport_job *job, const double *p)
{
    const struct job_mesh *mesh = &job->mesh;
    const double cell = (p[FLIGHT_i] * mesh->n[1] + p[FLIGHT_j]) * mesh->n[2] + p[FLIGHT_k];
    const double n2 = p[FLIGHT_n_x] * p[FLIGHT_n_x] + p[FLIGHT_n_y] * p[FLIGHT_n_y] + p[FLIGHT_n_z] * p[FLIGHT_n_z];
    const double word = 4294967296.0; /* 2^32 */
    return isfinite(p[FLIGHT_local_x] + p[FLIGHT_x] + p[FLIGHT_settled]) &&
           is_in_mesh(mesh, p[FLIGHT_i], p[FLIGHT_j], p[FLIGHT_k]) && p[FLIGHT_cell] == cell && fabs(n2 - 1) < 1e-3 &&
           is_whole(p[FLIGHT_state], PACKET_OWING + 1) && p[FLIGHT_state] != PACKET_GONE &&
           is_whole(p[FLIGHT_draw], word) && is_whole(p[FLIGHT_events], word) && is_whole(p[FLIGHT_crossings], word) &&
           is_whole(p[FLIGHT_id_low], word) && is_whole(p[FLIGHT_id_high], word) &&
           is_whole(p[FLIGHT_batch], job->tally.n_batch) && is_whole(p[FLIGHT_group], job->tally.n_group);
}

/* Where it was scattered last, which is used for records only. */
static bool has_real_place(const struct transport_job *job, const double *p)
{
    const double *last = p + FLIGHT_LAST;
    return is_in_mesh(&job->mesh, last[0], last[2], last[4]) && isfinite(last[1] + last[3] + last[5]);
}

static bool packets_are_real(const struct transport_job *job, const struct transport_tally *tally)
{
    const struct transport_todo *todo = &tally->todo;
    if (todo->n_flight > 0 && todo->n_value != STORED_NUMBERS)
        return false;
    for (int64_t f = 0; f < todo->n_flight; f++) {
        const double *p = todo->flight + f * STORED_NUMBERS;
        if (!is_real_packet(job, p) || (tally->record && !has_real_place(job, p)))
            return false;
    }
    return true;
}

static bool records_are_real(const struct transport_job *job, const struct transport_tally *tally)
{
    for (int64_t i = 0; i < tally->n_record; i++) {
        const int32_t *at = tally->record[i].cell, *last = tally->record[i].last_cell;
        if (!is_in_mesh(&job->mesh, at[0], at[1], at[2]) || !is_in_mesh(&job->mesh, last[0], last[1], last[2]))
            return false;
    }
    return true;
}

/* Numbers of packets that have not begun, of those in flight and of those that are recorded, as ranges in their order.
 */
static bool each_is_once(const struct transport_tally *tally, struct packet_range planned, struct packet_range *all)
{
    const struct transport_todo *todo = &tally->todo;
    const int64_t n = todo->n_range + todo->n_flight + tally->n_record;
    for (int64_t i = 0; i < tally->n_record; i++)
        all[n - 1 - i] = (struct packet_range){tally->record[i].id, tally->record[i].id + 1};
    for (int r = 0; r < todo->n_range; r++)
        all[r] = todo->range[r];
    for (int64_t f = 0; f < todo->n_flight; f++) {
        const double *p = todo->flight + f * STORED_NUMBERS;
        const int64_t id = (int64_t)p[FLIGHT_id_high] * ((int64_t)1 << 32) + (int64_t)p[FLIGHT_id_low];
        all[todo->n_range + f] = (struct packet_range){id, id + 1};
    }
    qsort(all, (size_t)n, sizeof *all, todo_compare);
    int64_t end = planned.first;
    for (int64_t r = 0; r < n; r++) {
        if (all[r].first < end || all[r].end <= all[r].first)
            return false;
        end = all[r].end;
    }
    return end <= planned.end;
}

enum lr_status flight_check(lr_context *ctx, const struct transport_job *job, const struct transport_tally *tally,
                            struct packet_range planned)
{
    const struct transport_todo *todo = &tally->todo;
    const size_t n = (size_t)(todo->n_range + todo->n_flight + tally->n_record);
    struct packet_range *all = NULL;
    bool sound = packets_are_real(job, tally) && records_are_real(job, tally);
    if (sound) {
        LR_TRY(lr_allocate(ctx, n, sizeof *all, &all));
        sound = each_is_once(tally, planned, all);
        free(all);
    }
    return sound ? LR_OK
                 : lr_fail(ctx, LR_ERROR_INPUT,
                           "the statepoint is damaged: it has packets that this run cannot have; run it without "
                           "--resume to start over");
}
