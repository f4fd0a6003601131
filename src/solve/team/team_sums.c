#include "solve/team/team_sums.h"

#include <string.h>

#include "base/context.h"
#include "parallel/communicator.h"
#include "parallel/meeting.h"

enum { BATCH_VALUES = sizeof(struct transport_batch) / sizeof(double), MOST_ARRAYS = 8 };

struct array {
    void *data; /* NULL: not in this run */
    size_t n, size;
};

static int find_arrays(const struct transport_job *job, const struct transport_tally *tally, struct array *arrays)
{
    const size_t batches = (size_t)job->tally.n_batch, slots = (size_t)job->tally.n_bin + 2;
    const size_t directions = (size_t)(job->tally.n_mu * job->tally.n_phi);
    const size_t voxels = transport_voxel_count(job);
    const struct array all[] = {
        {tally->batch, batches * BATCH_VALUES, sizeof(double)},
        {tally->face_spectrum, batches * N_FACE * slots, sizeof(double)},
        {tally->direction_spectrum, batches * directions * slots, sizeof(double)},
        {tally->fields, 2 * (size_t)job->tally.n_group * (size_t)job->n_cell, sizeof(double)},
        {tally->cone, 2 * batches * (size_t)job->cones.n, sizeof(double)},
        {tally->emissivity_wide, voxels, sizeof(double)},
        {tally->emissivity, voxels, sizeof(float)},
    };
    memcpy(arrays, all, sizeof all);
    return (int)(sizeof all / sizeof *all);
}

static struct array peel_of(const struct transport_job *job, const struct transport_tally *tally, int camera)
{
    const struct transport_peel *peel = &job->cameras.peel[camera];
    const size_t n = (size_t)job->cameras.n_group * (size_t)job->cameras.n_channel * (size_t)peel->n_x;
    return (struct array){tally->peel[camera], n * (size_t)peel->n_y, sizeof(double)};
}

static void add(struct communicator *team, const struct array *array)
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
    struct array arrays[MOST_ARRAYS];
    const int n = find_arrays(job, tally, arrays);
    for (int i = 0; i < n; i++)
        add(team, &arrays[i]);
    for (int c = 0; tally->peel && c < job->cameras.n; c++) {
        const struct array peel = peel_of(job, tally, c);
        add(team, &peel);
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
    struct array arrays[MOST_ARRAYS];
    (void)find_arrays(job, tally, arrays);
    const struct array wanted[] = {{tally->batch, arrays[0].n, sizeof(double)},
                                   {tally->emissivity_wide, transport_voxel_count(job), sizeof(double)},
                                   {tally->emissivity, transport_voxel_count(job), sizeof(float)}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (wanted[i].data)
            team->broadcast(team, 0, wanted[i].data, (int64_t)(wanted[i].n * wanted[i].size));
    for (int c = 0; tally->peel && c < job->cameras.n; c++) {
        const struct array peel = peel_of(job, tally, c);
        team->broadcast(team, 0, peel.data, (int64_t)(peel.n * peel.size));
    }
}
