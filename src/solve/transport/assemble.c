#include "solve/transport/assemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "base/context.h"
#include "base/threads.h"
#include "solve/common/line_shape.h"
#include "solve/common/skip.h"
#include "solve/common/statistics.h"

/* A batch as arrays, as the estimators need them. */
struct batches {
    int n;
    double *packets, *escaped, *absorbed, *scattered, *path, *value;
};

static enum lr_status batches_read(lr_context *ctx, const struct transport_tally *tally, int n, struct batches *to)
{
    const size_t step = (size_t)n;
    double *memory;
    LR_TRY(lr_allocate(ctx, 6 * step, sizeof(double), &memory));
    *to = (struct batches){
        n, memory, memory + step, memory + 2 * step, memory + 3 * step, memory + 4 * step, memory + 5 * step};
    for (int b = 0; b < n; b++) {
        to->packets[b] = tally->batch[b].packets;
        to->escaped[b] = tally->batch[b].escaped;
        to->absorbed[b] = tally->batch[b].absorbed + tally->batch[b].roulette;
        to->scattered[b] = tally->batch[b].scattered;
        to->path[b] = tally->batch[b].path;
    }
    return LR_OK;
}

static struct lr_estimate scaled(struct lr_estimate estimate, double factor)
{
    return (struct lr_estimate){estimate.value * factor, estimate.error * factor};
}

static void assemble_scalars(const struct prepared *prepared, const struct transport_tally *tally,
                             const struct batches *batches, struct lr_result *result)
{
    struct lr_summary *summary = &result->summary;
    const int n = batches->n;
    double roulette = 0;
    double packets = 0;
    double events = 0;
    double skipped = 0;
    double stuck = 0;
    for (int b = 0; b < n; b++) {
        stuck += tally->batch[b].stuck;
        batches->value[b] = tally->batch[b].stuck_weight;
        roulette += tally->batch[b].roulette;
        packets += batches->packets[b];
        events += tally->batch[b].events;
        skipped += tally->batch[b].skipped;
    }
    summary->packets = (int64_t)packets;
    summary->packets_left = tally->n_left;
    summary->packets_stuck = (int64_t)stuck;
    summary->stuck = scaled(ratio_estimate(n, batches->value, batches->packets), prepared->luminosity);
    summary->scatterings = (int64_t)events;
    summary->scatterings_skipped = skipped;
    summary->emitted = prepared->luminosity;
    summary->f_esc = ratio_estimate(n, batches->escaped, batches->packets);
    summary->escaped = scaled(summary->f_esc, prepared->luminosity);
    summary->absorbed = scaled(ratio_estimate(n, batches->absorbed, batches->packets), prepared->luminosity);
    summary->scatterings_per_packet = ratio_estimate(n, batches->scattered, batches->packets);
    summary->mean_path = ratio_estimate(n, batches->path, batches->escaped);
    summary->seconds_transport = tally->seconds;
    summary->scatterings_per_second = tally->seconds > 0 ? events / tally->seconds : 0;
    result->roulette_balance = roulette / packets * prepared->luminosity;
}

static struct lr_estimate quantile_estimate(const struct transport_job *job, int n_batch, const double *batch_slots,
                                            const double *total_slots, double fraction)
{
    struct lr_estimate estimate = {
        folded_quantile(job->tally.n_bin, job->tally.x_first, job->tally.x_step, total_slots, fraction), NAN};
    double sum = 0;
    double square = 0;
    int used = 0;
    for (int b = 0; b < n_batch; b++) {
        const double q = folded_quantile(job->tally.n_bin, job->tally.x_first, job->tally.x_step,
                                         batch_slots + (size_t)b * (size_t)(job->tally.n_bin + 2), fraction);
        if (!isfinite(q))
            continue;
        used++;
        sum += q;
        square += (q - estimate.value) * (q - estimate.value);
    }
    if (used > 1) {
        const double shift = sum / used - estimate.value;
        estimate.error = sqrt(fmax(square / used - shift * shift, 0) / (used - 1));
    }
    return estimate;
}

static enum lr_status measured_allocate(lr_context *ctx, size_t n, struct measured *measured)
{
    LR_TRY(lr_allocate(ctx, n, sizeof(double), &measured->value));
    return lr_allocate(ctx, n, sizeof(double), &measured->error);
}

/* One spectrum out of `n_group` per batch: values and errors per bin, times a factor. */
static void assemble_spectrum(const struct transport_job *job, const struct batches *batches, const double *slots,
                              int n_group, int group, double factor, double *value, double *error)
{
    const size_t n_slot = (size_t)job->tally.n_bin + 2;
    for (int bin = 0; bin < job->tally.n_bin; bin++) {
        for (int b = 0; b < batches->n; b++)
            batches->value[b] = slots[((size_t)b * (size_t)n_group + (size_t)group) * n_slot + (size_t)bin + 1];
        const struct lr_estimate estimate = ratio_estimate(batches->n, batches->value, batches->packets);
        value[bin] = estimate.value * factor;
        error[bin] = estimate.error * factor;
    }
}

/* Frequencies in Doppler units to radio velocities, positive = receding. */
static void assemble_line_shape(struct line_shape shape, struct lr_summary *summary)
{
    const double b_kms = summary->reference_b / 1e5;
    summary->peak_abs_x = shape.peak.value;
    summary->peak_abs_x_error = shape.peak.error;
    summary->asymmetric = shape.asymmetric;
    summary->mean_velocity = (struct lr_estimate){-shape.mean.value * b_kms, shape.mean.error * b_kms};
    summary->red_blue_ratio = shape.red_blue;
    summary->red_peak_velocity = scaled(shape.red_peak, b_kms);
    summary->blue_peak_velocity = (struct lr_estimate){-shape.blue_peak.value * b_kms, shape.blue_peak.error * b_kms};
}

static enum lr_status assemble_spectra(lr_context *ctx, const struct prepared *prepared,
                                       const struct transport_tally *tally, const struct batches *batches,
                                       struct lr_result *result)
{
    const struct transport_job *job = &prepared->job;
    const size_t n_bin = (size_t)job->tally.n_bin;
    const size_t n_slot = n_bin + 2;
    const int n_direction = job->tally.n_mu * job->tally.n_phi;
    const double per_x = prepared->luminosity / job->tally.x_step;
    double *total = NULL; /* [n_batch + 1][n_slot]: summed over faces; the last entry summed over batches */
    enum lr_status status = LR_OK;
    result->n_bin = job->tally.n_bin;
    result->n_mu = job->tally.n_mu;
    result->n_phi = job->tally.n_phi;
    result->axis = job->tally.direction_axis;
    LR_TRY_OR(done, status, lr_allocate(ctx, n_bin + 1, sizeof(double), &result->x_edge));
    LR_TRY_OR(done, status, measured_allocate(ctx, n_bin, &result->total));
    const bool faces = prepared->model->mesh.kind != MESH_SHELLS; /* shells have a single face, which is the total */
    if (faces)
        LR_TRY_OR(done, status, measured_allocate(ctx, N_FACE * n_bin, &result->face));
    LR_TRY_OR(done, status, measured_allocate(ctx, (size_t)n_direction * n_bin, &result->direction));
    LR_TRY_OR(done, status, lr_allocate(ctx, ((size_t)batches->n + 1) * n_slot, sizeof(double), &total));
    for (size_t i = 0; i <= n_bin; i++)
        result->x_edge[i] = job->tally.x_first + (double)i * job->tally.x_step;

    double *all = total + (size_t)batches->n * n_slot;
    for (size_t b = 0; b < (size_t)batches->n; b++)
        for (size_t face = 0; face < N_FACE; face++)
            for (size_t slot = 0; slot < n_slot; slot++) {
                const double count = tally->face_spectrum[(b * N_FACE + face) * n_slot + slot];
                total[b * n_slot + slot] += count;
                all[slot] += count;
            }
    assemble_spectrum(job, batches, total, 1, 0, per_x, result->total.value, result->total.error);
    for (int face = 0; faces && face < N_FACE; face++)
        assemble_spectrum(job, batches, tally->face_spectrum, N_FACE, face, per_x,
                          result->face.value + (size_t)face * n_bin, result->face.error + (size_t)face * n_bin);
    for (int d = 0; d < n_direction; d++)
        assemble_spectrum(job, batches, tally->direction_spectrum, n_direction, d, per_x * n_direction / (4 * LR_PI),
                          result->direction.value + (size_t)d * n_bin, result->direction.error + (size_t)d * n_bin);
    for (int b = 0; b < batches->n; b++)
        batches->value[b] = total[(size_t)b * n_slot] + total[(size_t)b * n_slot + n_slot - 1];
    result->summary.outside =
        scaled(ratio_estimate(batches->n, batches->value, batches->packets), prepared->luminosity);

    struct lr_summary *summary = &result->summary;
    summary->median_abs_x = quantile_estimate(job, batches->n, total, all, 0.5);
    summary->lower_quartile_abs_x = quantile_estimate(job, batches->n, total, all, 0.25);
    summary->upper_quartile_abs_x = quantile_estimate(job, batches->n, total, all, 0.75);
    assemble_line_shape(line_shape_measure(batches->n, job->tally.n_bin, job->tally.x_first, job->tally.x_step, total),
                        summary);
done:
    free(total);
    return status;
}

/* What the fields of cells are found from: sums [n_group][n_cell of the job][2], and the packets of each group. */
struct grouped {
    const double *sums;
    int n, used; /* groups, and those with packets */
    int64_t n_cell;
    double packets[TRANSPORT_MAX_BATCH];
    double all;
};

static struct grouped group_fields(const struct transport_job *job, const struct transport_tally *tally)
{
    struct grouped grouped = {.sums = tally->fields, .n = job->tally.n_group, .n_cell = job->n_cell};
    for (int b = 0; b < job->tally.n_batch; b++)
        grouped.packets[b % grouped.n] += tally->batch[b].packets;
    for (int g = 0; g < grouped.n; g++) {
        grouped.used += grouped.packets[g] > 0;
        grouped.all += grouped.packets[g];
    }
    return grouped;
}

/* Per cell: sum of weight x path (which = 0) or of scattering depth (1) over packets -> J = L_w / (4 pi V), rate =
 * scatterings / V.
 *
 * With s_g the sum in one of n groups of p_g packets, P packets in all, the error of SUM s_g / P is
 *
 *     error^2 = (SUM s_g^2 / p_g - (SUM s_g)^2 / P) / ((n - 1) P). */
static struct lr_estimate group_estimate(const struct grouped *grouped, int which, int64_t cell)
{
    double sum = 0;
    double square = 0;
    for (int g = 0; g < grouped->n; g++) {
        const double value = grouped->sums[2 * (g * grouped->n_cell + cell) + which];
        sum += value;
        square += grouped->packets[g] > 0 ? value * value / grouped->packets[g] : 0;
    }
    const double scatter = fmax(square - sum * sum / grouped->all, 0);
    return (struct lr_estimate){sum / grouped->all,
                                grouped->used > 1 ? sqrt(scatter / ((grouped->used - 1) * grouped->all)) : (double)NAN};
}

static void assemble_field(const struct prepared *prepared, const struct grouped *grouped, int which, double factor,
                           struct measured *field)
{
    const struct mesh *mesh = &prepared->model->mesh;
    const int threads = mesh_cell_count(mesh) < 1 << 16 ? 1 : thread_count(prepared->model->run.threads);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++) {
                const int64_t cell = mesh_cell_index(mesh, i, j, k);
                const double scale = factor / mesh_cell_volume(mesh, i, j, k);
                const struct lr_estimate found = group_estimate(grouped, which, cell + prepared->cavity);
                field->value[cell] = found.value * scale;
                field->error[cell] = found.error * scale;
            }
}

static enum lr_status assemble_fields(lr_context *ctx, const struct prepared *prepared,
                                      const struct transport_tally *tally, struct lr_result *result)
{
    const size_t n = (size_t)mesh_cell_count(&prepared->model->mesh);
    const struct grouped grouped = group_fields(&prepared->job, tally);
    LR_TRY(measured_allocate(ctx, n, &result->mean_intensity));
    LR_TRY(measured_allocate(ctx, n, &result->scattering_rate));
    assemble_field(prepared, &grouped, 0, prepared->luminosity * prepared->unit.length / (4 * LR_PI),
                   &result->mean_intensity);
    assemble_field(prepared, &grouped, 1, prepared->luminosity, &result->scattering_rate);
    return LR_OK;
}

void assemble_point(const struct prepared *prepared, const int32_t cell[3], const double local[3], double point[3])
{
    const struct mesh *mesh = &prepared->model->mesh;
    if (mesh->kind == MESH_SHELLS) {
        const int shell = cell[0] - prepared->cavity;
        point[0] = point[1] = 0;
        point[2] = (shell < 0 ? 0 : mesh->edge[0][shell]) + local[0] * prepared->unit.length;
        return;
    }
    double high[3];
    mesh_cell_box(mesh, cell[0], cell[1], cell[2], point, high);
    for (int axis = 0; axis < 3; axis++)
        point[axis] += local[axis] * prepared->unit.length;
}

/* Records come in the order in which threads finished packets. */
struct record_order {
    int64_t id;
    size_t at;
};

static int compare_ids(const void *a, const void *b)
{
    const int64_t one = ((const struct record_order *)a)->id, other = ((const struct record_order *)b)->id;
    return (one > other) - (one < other);
}

static enum lr_status sort_records(lr_context *ctx, const struct transport_tally *tally, struct record_order **order)
{
    const size_t n = (size_t)tally->n_record;
    LR_TRY(lr_allocate(ctx, n, sizeof **order, order));
    for (size_t p = 0; p < n; p++)
        (*order)[p] = (struct record_order){tally->record[p].id, p};
    if (n > 0)
        qsort(*order, n, sizeof **order, compare_ids);
    return LR_OK;
}

static enum lr_status assemble_packets(lr_context *ctx, const struct prepared *prepared,
                                       const struct transport_tally *tally, struct lr_result *result)
{
    struct packet_list *list = &result->packets;
    const size_t n = (size_t)tally->n_record;
    LR_TRY(lr_allocate(ctx, n, sizeof *list->id, &list->id));
    LR_TRY(lr_allocate(ctx, n, sizeof *list->scatterings, &list->scatterings));
    LR_TRY(lr_allocate(ctx, n, sizeof *list->face, &list->face));
    LR_TRY(lr_allocate(ctx, n, sizeof(double), &list->weight));
    LR_TRY(lr_allocate(ctx, n, sizeof(double), &list->shift));
    LR_TRY(lr_allocate(ctx, n, sizeof(double), &list->path));
    LR_TRY(lr_allocate(ctx, 3 * n, sizeof(double), &list->position));
    LR_TRY(lr_allocate(ctx, 3 * n, sizeof(double), &list->direction));
    LR_TRY(lr_allocate(ctx, 3 * n, sizeof(double), &list->last_scattering));
    struct record_order *order = NULL;
    LR_TRY(sort_records(ctx, tally, &order));
    list->n = tally->n_record;
    for (size_t p = 0; p < n; p++) {
        const struct transport_record *record = &tally->record[order[p].at];
        list->id[p] = record->id;
        list->scatterings[p] = record->scatterings;
        list->face[p] = record->face;
        list->weight[p] = record->weight * prepared->luminosity / (double)result->summary.packets;
        list->shift[p] = record->shift * prepared->unit.velocity;
        list->path[p] = record->path * prepared->unit.length;
        for (size_t axis = 0; axis < 3; axis++)
            list->direction[3 * p + axis] = record->direction[axis];
        assemble_point(prepared, record->cell, record->local, list->position + 3 * p);
        assemble_point(prepared, record->last_cell, record->last_local, list->last_scattering + 3 * p);
    }
    free(order);
    return LR_OK;
}

void assemble_description(const struct prepared *prepared, struct lr_result *result)
{
    const lr_model *model = prepared->model;
    result->batches = model->run.batches;
    result->photon_energy = LR_PLANCK * model->line.nu0;
    result->half_size_x = prepared->unit.length;
    result->summary.reference_b = model->reference_b;
    result->summary.shells = model->mesh.kind == MESH_SHELLS;
    const struct transport_job *job = &prepared->job;
    result->summary.packets_requested =
        job->n_packet > 0 ? job->packets.end - job->packets.first : model->run.packets; /* a share */
    result->first_packet = job->packets.first;
    result->summary.seed = model->run.seed;
    result->summary.emitted = prepared->luminosity;
    result->summary.x_crit = skip_largest_x_crit(model);
}

enum lr_status assemble_result(lr_context *ctx, const struct prepared *prepared, const struct transport_tally *tally,
                               struct lr_result *result)
{
    const lr_model *model = prepared->model;
    struct batches batches = {0};
    enum lr_status status = batches_read(ctx, tally, model->run.batches, &batches);
    if (status != LR_OK)
        return status;
    assemble_scalars(prepared, tally, &batches, result);
    LR_TRY_OR(done, status, assemble_spectra(ctx, prepared, tally, &batches, result));
    if (prepared->job.tally.fields)
        LR_TRY_OR(done, status, assemble_fields(ctx, prepared, tally, result));
    if (prepared->job.tally.record)
        LR_TRY_OR(done, status, assemble_packets(ctx, prepared, tally, result));
done:
    free(batches.packets);
    return status;
}
