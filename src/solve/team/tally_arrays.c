#include "solve/team/tally_arrays.h"

#include <stdlib.h>
#include <string.h>

#include "backend/todo.h"
#include "base/context.h"

enum { BATCH_VALUES = sizeof(struct transport_batch) / sizeof(double) };

int tally_array_count(const struct transport_job *job, const struct transport_tally *tally)
{
    return TALLY_PEEL + (tally->peel ? job->cameras.n : 0);
}

struct tally_array tally_array(const struct transport_job *job, const struct transport_tally *tally, int part)
{
    const size_t batches = (size_t)job->tally.n_batch, slots = (size_t)job->tally.n_bin + 2;
    const size_t directions = (size_t)(job->tally.n_mu * job->tally.n_phi);
    switch (part) {
    case TALLY_BATCH:
        return (struct tally_array){tally->batch, batches * BATCH_VALUES, sizeof(double)};
    case TALLY_FACE_SPECTRUM:
        return (struct tally_array){tally->face_spectrum, batches * N_FACE * slots, sizeof(double)};
    case TALLY_DIRECTION_SPECTRUM:
        return (struct tally_array){tally->direction_spectrum, batches * directions * slots, sizeof(double)};
    case TALLY_FIELDS:
        return (struct tally_array){tally->fields, 2 * (size_t)job->tally.n_group * (size_t)job->n_cell,
                                    sizeof(double)};
    case TALLY_CONE:
        return (struct tally_array){tally->cone, 2 * batches * (size_t)job->cones.n, sizeof(double)};
    case TALLY_EMISSIVITY_WIDE:
        return (struct tally_array){tally->emissivity_wide, transport_voxel_count(job), sizeof(double)};
    case TALLY_EMISSIVITY:
        return (struct tally_array){tally->emissivity, transport_voxel_count(job), sizeof(float)};
    default:
        break;
    }
    const struct transport_peel *peel = &job->cameras.peel[part - TALLY_PEEL];
    const size_t n = (size_t)job->cameras.n_group * (size_t)job->cameras.n_channel * (size_t)peel->n_x;
    return (struct tally_array){tally->peel[part - TALLY_PEEL], n * (size_t)peel->n_y, sizeof(double)};
}

/* Zeros in place of an array; NULL if it is not in this run. */
static void *zeros(lr_context *ctx, const struct transport_job *job, const struct transport_tally *like, int part,
                   enum lr_status *status)
{
    const struct tally_array array = tally_array(job, like, part);
    if (!array.data || *status != LR_OK)
        return NULL;
    void *made = lr_new(ctx, array.n, array.size);
    if (!made)
        *status = LR_ERROR_MEMORY;
    return made;
}

enum lr_status tally_like(lr_context *ctx, const struct transport_job *job, const struct transport_tally *like,
                          struct transport_tally *made)
{
    enum lr_status status = LR_OK;
    *made = (struct transport_tally){0};
    made->batch = zeros(ctx, job, like, TALLY_BATCH, &status);
    made->face_spectrum = zeros(ctx, job, like, TALLY_FACE_SPECTRUM, &status);
    made->direction_spectrum = zeros(ctx, job, like, TALLY_DIRECTION_SPECTRUM, &status);
    made->fields = zeros(ctx, job, like, TALLY_FIELDS, &status);
    made->cone = zeros(ctx, job, like, TALLY_CONE, &status);
    made->emissivity_wide = zeros(ctx, job, like, TALLY_EMISSIVITY_WIDE, &status);
    made->emissivity = zeros(ctx, job, like, TALLY_EMISSIVITY, &status);
    LR_TRY(status);
    if (like->record)
        LR_TRY(lr_allocate(ctx, (size_t)(job->packets.end - job->packets.first), sizeof *made->record, &made->record));
    if (like->peel)
        LR_TRY(lr_allocate(ctx, (size_t)job->cameras.n, sizeof *made->peel, &made->peel));
    for (int c = 0; like->peel && c < job->cameras.n; c++)
        made->peel[c] = zeros(ctx, job, like, TALLY_PEEL + c, &status);
    return status;
}

void tally_free(const struct transport_job *job, struct transport_tally *tally)
{
    const int n = tally_array_count(job, tally);
    for (int part = 0; part < n; part++)
        free(tally_array(job, tally, part).data);
    free(tally->peel);
    free(tally->record);
    todo_free(&tally->todo);
    *tally = (struct transport_tally){0};
}

static void add_doubles(const double *from, int64_t n, double *to)
{
#pragma omp parallel for simd schedule(static) if (n > 1 << 16)
    for (int64_t i = 0; i < n; i++)
        to[i] += from[i];
}

static void add_floats(const float *from, int64_t n, float *to)
{
#pragma omp parallel for simd schedule(static) if (n > 1 << 16)
    for (int64_t i = 0; i < n; i++)
        to[i] += from[i];
}

void tally_add(const struct transport_job *job, const struct transport_tally *from, struct transport_tally *to)
{
    const int n = tally_array_count(job, to);
    for (int part = 0; part < n; part++) {
        const struct tally_array sums = tally_array(job, to, part), more = tally_array(job, from, part);
        if (sums.data && sums.size == sizeof(double))
            add_doubles(more.data, (int64_t)sums.n, sums.data);
        else if (sums.data)
            add_floats(more.data, (int64_t)sums.n, sums.data);
    }
    if (to->record && from->n_record > 0)
        memcpy(to->record + to->n_record, from->record, (size_t)from->n_record * sizeof *to->record);
    to->n_record += from->n_record;
    to->n_left += from->n_left;
    to->n_flight += from->n_flight;
    to->begun = to->begun || from->begun;
}
