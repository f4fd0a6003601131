#include "solve/team/team_sums.h"

#include <string.h>

#include "base/context.h"
#include "parallel/communicator.h"
#include "parallel/meeting.h"
#include "solve/team/tally_arrays.h"

static void add(struct communicator *team, const struct tally_array *array)
{
    if (!array->data)
        return;
    if (array->size == sizeof(double))
        team->sum_doubles(team, array->data, (int64_t)array->n);
    else
        team->sum_floats(team, array->data, (int64_t)array->n);
    if (team->rank > 0)
        memset(array->data, 0, array->n * array->size);
}

static void gather_records(struct communicator *team, struct transport_tally *tally)
{
    if (!tally->record)
        return;
    double n = team->rank > 0 ? (double)tally->n_record : 0;
    team->sum_doubles(team, &n, 1);
    team->collect(team, tally->record, tally->n_record * (int64_t)sizeof *tally->record,
                  tally->record + tally->n_record);
    tally->n_record = team->rank > 0 ? 0 : tally->n_record + (int64_t)n;
}

void team_add_sums(lr_context *ctx, const struct transport_job *job, struct transport_tally *tally)
{
    struct communicator *team = ctx->team;
    const int n = tally_array_count(job, tally);
    for (int part = 0; part < n; part++) {
        const struct tally_array array = tally_array(job, tally, part);
        add(team, &array);
    }
    gather_records(team, tally);
    double counts[] = {(double)tally->n_left, (double)tally->n_flight, (double)tally->n_steady};
    team->sum_doubles(team, counts, 3);
    tally->n_left = team->rank > 0 ? 0 : (int64_t)counts[0];
    tally->n_flight = team->rank > 0 ? tally->n_flight : (int64_t)counts[1];
    tally->n_steady = team->rank > 0 ? tally->n_steady : (int64_t)counts[2];
    tally->begun = team->rank == 0;
}

void team_spread_light(lr_context *ctx, const struct transport_job *job, struct transport_tally *tally)
{
    struct communicator *team = ctx->team;
    const int n = tally_array_count(job, tally);
    for (int part = 0; part < n; part++) {
        const struct tally_array array = tally_array(job, tally, part);
        const bool wanted = part == TALLY_BATCH || part >= TALLY_EMISSIVITY_WIDE;
        if (wanted && array.data)
            team->broadcast(team, 0, array.data, (int64_t)(array.n * array.size));
    }
}
