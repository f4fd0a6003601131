/* lr_result_add: from the sums of two runs to the result that one run would have had. Spectra, fields, quantiles and
 * their errors follow from the sums; images are means of both, weighted with their numbers of packets, since an image
 * is linear in what packets leave with the camera. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "solve/imaging/image_check.h"
#include "solve/stage/mergeable.h"
#include "solve/transport/assemble.h"

static enum lr_status get_shape(lr_context *ctx, const lr_result *result, int64_t *shape)
{
    if (result->sums.n == 0)
        return lr_fail(ctx, LR_ERROR_INPUT,
                       "the result contains no sums that could be added; run the model with --share or 'output.sums: "
                       "true', and a stopped run to its end with --resume");
    return stored_get(ctx, &result->sums, "shape", STORED_INT64, N_SHAPE, shape);
}

static bool has_doubles(const lr_result *result, const char *name, double n)
{
    const struct stored_array *array = stored_find(&result->sums, name);
    return array && array->kind == STORED_DOUBLE && (double)stored_count(array) == n;
}

/* Whether the sums are those of the numbers they come with. Products are taken in double, which cannot overflow. */
static bool is_sound(const lr_result *result, const int64_t *shape)
{
    const double batches = (double)shape[SHAPE_BATCH], slots = (double)shape[SHAPE_BIN] + 2;
    const int64_t n_cell = mesh_cell_count(&result->mesh) + shape[SHAPE_CAVITY];
    for (int i = SHAPE_BATCH; i <= SHAPE_PHI; i++)
        if (shape[i] < 1 || shape[i] > INT_MAX - 2)
            return false;
    return shape[SHAPE_BATCH] <= TRANSPORT_MAX_BATCH && shape[SHAPE_GROUP] <= shape[SHAPE_BATCH] &&
           shape[SHAPE_AXIS] >= 0 && shape[SHAPE_AXIS] < 3 && shape[SHAPE_CAVITY] == job_cavity(&result->mesh) &&
           shape[SHAPE_CELL] == n_cell &&
           has_doubles(result, "batches", batches * sizeof(struct transport_batch) / sizeof(double)) &&
           has_doubles(result, "face_spectrum", batches * N_FACE * slots) &&
           has_doubles(result, "direction_spectrum",
                       batches * (double)shape[SHAPE_MU] * (double)shape[SHAPE_PHI] * slots) &&
           (!stored_find(&result->sums, "fields") ||
            has_doubles(result, "fields", 2 * (double)shape[SHAPE_GROUP] * (double)n_cell));
}

static enum lr_status check_shapes(lr_context *ctx, const lr_result *to, const lr_result *from)
{
    static const char *const what[N_SHAPE] = {[SHAPE_VERSION] = "versions of the format of sums",
                                              [SHAPE_PRINT] = "contents of the files that the model reads",
                                              [SHAPE_PLANNED] = "numbers of packets (run.packets)",
                                              [SHAPE_BATCH] = "numbers of batches",
                                              [SHAPE_GROUP] = "numbers of groups of batches (run.memory)",
                                              [SHAPE_BIN] = "numbers of spectral bins",
                                              [SHAPE_MU] = "bins in direction",
                                              [SHAPE_PHI] = "bins in direction",
                                              [SHAPE_AXIS] = "axes of directions",
                                              [SHAPE_CAVITY] = "meshes",
                                              [SHAPE_CELL] = "meshes"};
    int64_t one[N_SHAPE], other[N_SHAPE];
    LR_TRY(get_shape(ctx, to, one));
    LR_TRY(get_shape(ctx, from, other));
    for (int i = 0; i < N_SHAPE; i++)
        if (one[i] != other[i] && i == SHAPE_PRINT)
            return lr_fail(ctx, LR_ERROR_INPUT, "the results differ: %s", what[i]);
        else if (one[i] != other[i])
            return lr_fail(ctx, LR_ERROR_INPUT, "the results differ: %s are %lld and %lld", what[i], (long long)one[i],
                           (long long)other[i]);
    if (one[SHAPE_VERSION] != MERGEABLE_VERSION)
        return lr_fail(ctx, LR_ERROR_INPUT, "sums of format version %lld cannot be added by this version of linerad",
                       (long long)one[SHAPE_VERSION]);
    if (!is_sound(to, one) || !is_sound(from, other))
        return lr_fail(ctx, LR_ERROR_INPUT, "the sums in one of the results are damaged");
    return LR_OK;
}

/* ---- packets ---- */

struct part {
    int64_t seed, first, end;
};

static const struct part *parts_of(const lr_result *result, int64_t *n)
{
    const struct stored_array *array = stored_find(&result->sums, "parts");
    *n = array && array->kind == STORED_INT64 ? stored_count(array) / 3 : 0;
    return *n > 0 ? array->data : NULL;
}

static enum lr_status join_parts(lr_context *ctx, lr_result *to, const lr_result *from)
{
    int64_t n = 0, m = 0;
    const struct part *one = parts_of(to, &n), *other = parts_of(from, &m);
    struct part *all = NULL;
    if (n == 0 || m == 0)
        return lr_fail(ctx, LR_ERROR_INPUT, "the sums in one of the results are damaged");
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            if (one[i].seed == other[j].seed && one[i].first < other[j].end && other[j].first < one[i].end)
                return lr_fail(ctx, LR_ERROR_INPUT, "packets %lld to %lld of seed %lld are in both results",
                               (long long)(one[i].first > other[j].first ? one[i].first : other[j].first),
                               (long long)(one[i].end < other[j].end ? one[i].end : other[j].end) - 1,
                               (long long)one[i].seed);
    LR_TRY(lr_allocate(ctx, (size_t)(n + m), sizeof *all, &all));
    memcpy(all, one, (size_t)n * sizeof *all);
    memcpy(all + n, other, (size_t)m * sizeof *all);
    for (int i = 0; i < to->sums.n; i++) {
        struct stored_array *array = &to->sums.array[i];
        if (strcmp(array->name, "parts") != 0)
            continue;
        free(array->own);
        array->own = all;
        array->data = all;
        array->rank = 1;
        array->size[0] = 3 * (n + m);
    }
    return LR_OK;
}

/* The packets of each group, of n_group that batches belong to in turn. */
static void count_groups(const lr_result *result, int n_group, double *packets)
{
    const struct stored_array *batches = stored_find(&result->sums, "batches");
    const int64_t n_batch = batches ? batches->size[0] : 0;
    for (int g = 0; g < n_group; g++)
        packets[g] = 0;
    for (int64_t b = 0; b < n_batch; b++)
        packets[b % n_group] += ((const struct transport_batch *)batches->data)[b].packets;
}

static enum lr_status grow(lr_context *ctx, void **values, size_t bytes, const void *more, size_t more_bytes)
{
    if (!more || (bytes > 0 && !*values))
        return LR_OK;
    char *grown = realloc(*values, bytes + more_bytes);
    if (!grown)
        return lr_fail(ctx, LR_ERROR_MEMORY, "out of memory for the list of packets");
    memcpy(grown + bytes, more, more_bytes);
    *values = grown;
    return LR_OK;
}

static enum lr_status join_lists(lr_context *ctx, lr_result *to, const lr_result *from)
{
    struct packet_list *one = &to->packets;
    const struct packet_list *other = &from->packets;
    const double n = (double)to->summary.packets, m = (double)from->summary.packets;
    const size_t a = (size_t)one->n, b = (size_t)other->n;
    if (one->n == 0 && other->n == 0)
        return LR_OK;
    LR_TRY(grow(ctx, (void **)&one->id, a * sizeof *one->id, other->id, b * sizeof *one->id));
    LR_TRY(grow(ctx, (void **)&one->weight, a * sizeof(double), other->weight, b * sizeof(double)));
    LR_TRY(grow(ctx, (void **)&one->shift, a * sizeof(double), other->shift, b * sizeof(double)));
    LR_TRY(grow(ctx, (void **)&one->path, a * sizeof(double), other->path, b * sizeof(double)));
    LR_TRY(grow(ctx, (void **)&one->scatterings, a * sizeof *one->scatterings, other->scatterings,
                b * sizeof *one->scatterings));
    LR_TRY(grow(ctx, (void **)&one->face, a * sizeof *one->face, other->face, b * sizeof *one->face));
    LR_TRY(grow(ctx, (void **)&one->position, 3 * a * sizeof(double), other->position, 3 * b * sizeof(double)));
    LR_TRY(grow(ctx, (void **)&one->direction, 3 * a * sizeof(double), other->direction, 3 * b * sizeof(double)));
    LR_TRY(grow(ctx, (void **)&one->last_scattering, 3 * a * sizeof(double), other->last_scattering,
                3 * b * sizeof(double)));
    one->n += other->n;
    for (size_t i = 0; i < a + b; i++)
        one->weight[i] *= (i < a ? n : m) / (n + m);
    return LR_OK;
}

/* ---- sums ---- */

static enum lr_status add_sums(lr_context *ctx, lr_result *to, const lr_result *from)
{
    static const char *const names[] = {"batches", "face_spectrum", "direction_spectrum", "fields", "cones"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct stored_array *one = stored_find(&to->sums, names[i]), *other = stored_find(&from->sums, names[i]);
        if (!one && !other)
            continue;
        if (!one || !other || one->kind != STORED_DOUBLE || stored_count(one) != stored_count(other))
            return lr_fail(ctx, LR_ERROR_INPUT, "the results differ: only one has these sums, or of this size: %s",
                           names[i]);
        double *sum = one->own;
        const double *term = other->data;
        for (int64_t k = 0; k < stored_count(one); k++)
            sum[k] += term[k];
    }
    return LR_OK;
}

static void drop(struct measured *measured)
{
    free(measured->value);
    free(measured->error);
    *measured = (struct measured){NULL, NULL};
}

static double *array_of(const lr_result *result, const char *name)
{
    const struct stored_array *array = stored_find(&result->sums, name);
    return array ? array->own : NULL;
}

/* Everything that follows from the sums, once more. */
static enum lr_status assemble_again(lr_context *ctx, lr_result *result)
{
    int64_t shape[N_SHAPE];
    double frame[N_FRAME];
    LR_TRY(get_shape(ctx, result, shape));
    LR_TRY(stored_get(ctx, &result->sums, "frame", STORED_DOUBLE, N_FRAME, frame));
    const lr_model model = {.mesh = result->mesh, .run = {.batches = (int)shape[SHAPE_BATCH], .threads = 1}};
    const struct transport_tally tally = {.batch = (struct transport_batch *)array_of(result, "batches"),
                                          .face_spectrum = array_of(result, "face_spectrum"),
                                          .direction_spectrum = array_of(result, "direction_spectrum"),
                                          .fields = array_of(result, "fields"),
                                          .seconds = result->summary.seconds_transport};
    const struct prepared prepared = {.job = {.n_cell = shape[SHAPE_CELL],
                                              .tally = {.n_batch = (int)shape[SHAPE_BATCH],
                                                        .n_group = (int)shape[SHAPE_GROUP],
                                                        .n_bin = (int)shape[SHAPE_BIN],
                                                        .x_first = frame[FRAME_FIRST],
                                                        .x_step = frame[FRAME_STEP],
                                                        .n_mu = (int)shape[SHAPE_MU],
                                                        .n_phi = (int)shape[SHAPE_PHI],
                                                        .direction_axis = (int)shape[SHAPE_AXIS],
                                                        .fields = tally.fields != NULL}},
                                      .model = &model,
                                      .unit = {frame[FRAME_LENGTH], frame[FRAME_VELOCITY]},
                                      .cavity = (int)shape[SHAPE_CAVITY],
                                      .luminosity = frame[FRAME_LUMINOSITY]};
    free(result->x_edge);
    result->x_edge = NULL;
    drop(&result->total);
    drop(&result->face);
    drop(&result->direction);
    drop(&result->mean_intensity);
    drop(&result->scattering_rate);
    return assemble_result(ctx, &prepared, &tally, result);
}

/* ---- images ---- */

/* The groups of a cube in its own unit, and their packets before and after; error^2 as in image_spread.h. */
static bool join_groups(lr_result *to, const lr_result *from, int c)
{
    char image[32], scale[32];
    double mine[IMAGE_GROUPS], theirs[IMAGE_GROUPS];
    struct cube *cube = &to->cube[c];
    const size_t n = cube_voxel_count(cube);
    snprintf(image, sizeof image, "group_image_%d", c);
    snprintf(scale, sizeof scale, "group_scale_%d", c);
    const struct stored_array *a = stored_find(&to->sums, image), *b = stored_find(&from->sums, image);
    const struct stored_array *s = stored_find(&to->sums, scale), *t = stored_find(&from->sums, scale);
    if (!a || !b || !cube->error || a->kind != STORED_FLOAT || b->kind != STORED_FLOAT ||
        stored_count(a) != (int64_t)(IMAGE_GROUPS * n) || stored_count(b) != stored_count(a) ||
        !has_doubles(to, scale, 1) || !has_doubles(from, scale, 1))
        return false;
    float *group = a->own;
    const float *other = b->data;
    const double unit = *(const double *)s->data, ratio = *(const double *)t->data / unit;
    count_groups(to, IMAGE_GROUPS, mine);
    count_groups(from, IMAGE_GROUPS, theirs);
    for (size_t i = 0; i < n; i++) {
        double all = 0, sum = 0, square = 0;
        int used = 0;
        for (size_t g = 0; g < IMAGE_GROUPS; g++) {
            const double packets = mine[g] + theirs[g];
            if (!(packets > 0))
                continue;
            float *value = &group[g * n + i];
            *value = (float)((mine[g] * (double)*value + theirs[g] * (double)other[g * n + i] * ratio) / packets);
            used++;
            all += packets;
            sum += packets * (double)*value;
            square += packets * (double)*value * (double)*value;
        }
        const double variance = fmax(square / all - pow(sum / all, 2), 0);
        cube->error[i] = used > 1 ? (float)(sqrt(variance / (used - 1)) * unit / cube->scale) : NAN;
    }
    return true;
}

static struct lr_estimate join_estimates(struct lr_estimate one, struct lr_estimate other, double weight)
{
    return (struct lr_estimate){weight * one.value + (1 - weight) * other.value,
                                hypot(weight * one.error, (1 - weight) * other.error)};
}

static enum lr_status join_cube(lr_context *ctx, lr_result *to, const lr_result *from, int c)
{
    struct cube *cube = &to->cube[c];
    const struct cube *other = &from->cube[c];
    const size_t n = cube_voxel_count(cube);
    if (strcmp(cube->camera.name, other->camera.name) != 0 || cube_voxel_count(other) != n)
        return lr_fail(ctx, LR_ERROR_INPUT, "the results differ: images of camera '%s'", cube->camera.name);
    const double weight = (double)to->summary.packets / (double)(to->summary.packets + from->summary.packets);
    const double ratio = other->scale / cube->scale;
    for (size_t i = 0; i < n; i++)
        cube->intensity[i] =
            (float)(weight * (double)cube->intensity[i] + (1 - weight) * ratio * (double)other->intensity[i]);
    if (!join_groups(to, from, c))
        for (size_t i = 0; i < n && cube->error && other->error; i++)
            cube->error[i] =
                (float)hypot(weight * (double)cube->error[i], (1 - weight) * ratio * (double)other->error[i]);
    cube->report.correlation = cube->report.shift = NAN; /* not additive */
    if (cube->check.angle > 0 && other->check.angle > 0) {
        cube->check.image = join_estimates(cube->check.image, other->check.image, weight);
        cube->check.packets = join_estimates(cube->check.packets, other->check.packets, weight);
        cube->check.deviation = image_check_deviation(cube->check.image, cube->check.packets);
    }
    cube->seconds += other->seconds;
    return LR_OK;
}

enum lr_status lr_result_add(lr_context *ctx, lr_result *to, const lr_result *from)
{
    struct lr_summary *summary = &to->summary;
    LR_TRY(check_shapes(ctx, to, from));
    if (to->n_cube != from->n_cube)
        return lr_fail(ctx, LR_ERROR_INPUT, "the results differ: %d and %d images", to->n_cube, from->n_cube);
    LR_TRY(join_parts(ctx, to, from));
    for (int c = 0; c < to->n_cube; c++)
        LR_TRY(join_cube(ctx, to, from, c));
    LR_TRY(join_lists(ctx, to, from));
    LR_TRY(add_sums(ctx, to, from));
    summary->seconds_transport += from->summary.seconds_transport;
    summary->seconds_images += from->summary.seconds_images;
    summary->seconds_total += from->summary.seconds_total;
    summary->packets_requested += from->summary.packets_requested;
    if (from->first_packet < to->first_packet)
        to->first_packet = from->first_packet;
    summary->until_reached = 0; /* an aim of parts, not of all */
    *summary->until = '\0';
    return assemble_again(ctx, to);
}
