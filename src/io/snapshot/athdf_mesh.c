/* The mesh of a snapshot of Athena++. Edges are recomputed from the attributes RootGridX1, 2, 3 (range and ratio r of
 * neighbouring widths): with s = i / n the place of edge i among n cells of a level and N cells of the coarsest level,
 *   x = lower + (upper - lower) s,  or  lower + (upper - lower) (1 - r^(N s)) / (1 - r^N)  where r is not 1.
 * The edges in the file, x1f and so on, may be rounded and are used as a check. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/hdf5_field.h"
#include "io/snapshot/athdf.h"

enum { MAX_LEVEL = 30, MAX_GHOST = 8 };
static const int64_t MAX_CELL = INT32_MAX;

/* An axis with one cell does not count: it is not refined. */
static int64_t cells_on_level(const struct athdf *athdf, int axis, int level)
{
    return athdf->root[axis] == 1 ? 1 : (int64_t)athdf->root[axis] << level;
}

static double edge_at(const struct athdf *athdf, int axis, double share)
{
    const double lower = athdf->lower[axis], upper = athdf->upper[axis], ratio = athdf->ratio[axis];
    if (share >= 1.0)
        return upper;
    if (ratio == 1.0)
        return lower + (upper - lower) * share;
    const double power = athdf->root[axis] * log(ratio);
    return lower + (upper - lower) * (expm1(power * share) / expm1(power));
}

/* ---- Levels and locations ---- */

static enum lr_status read_integers(const struct athdf *athdf, const char *name, int rank, double **values)
{
    struct hdf5_array *array = NULL;
    LR_TRY(hdf5_array_open(athdf->file.ctx, athdf->file.path, name, &array));
    const bool same = array->rank == rank && array->shape[0] == athdf->n_block && (rank == 1 || array->shape[1] == 3);
    enum lr_status status = LR_OK;
    if (!same)
        status =
            lr_fail(athdf->file.ctx, LR_ERROR_INPUT, "%s: '%s' does not have one entry for each of the %lld blocks",
                    athdf->file.path, name, (long long)athdf->n_block);
    if (status == LR_OK)
        status = hdf5_array_check_stored(athdf->file.ctx, array, name);
    if (status == LR_OK)
        status = lr_allocate(athdf->file.ctx, (size_t)athdf->n_block * (rank == 1 ? 1 : 3), sizeof(double), values);
    if (status == LR_OK)
        status = hdf5_array_read(athdf->file.ctx, array, -1, *values);
    hdf5_array_close(array);
    return status;
}

static enum lr_status read_blocks(struct athdf *athdf)
{
    lr_context *ctx = athdf->file.ctx;
    double *level = NULL, *location = NULL;
    enum lr_status status = LR_OK;
    LR_TRY_OR(done, status, read_integers(athdf, "Levels", 1, &level));
    LR_TRY_OR(done, status, read_integers(athdf, "LogicalLocations", 2, &location));
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)athdf->n_block, sizeof(int), &athdf->level));
    LR_TRY_OR(done, status, lr_allocate(ctx, (size_t)athdf->n_block, sizeof *athdf->location, &athdf->location));
    for (int64_t b = 0; b < athdf->n_block && status == LR_OK; b++) {
        if (!(level[b] >= 0 && level[b] <= MAX_LEVEL)) {
            status = lr_fail(ctx, LR_ERROR_INPUT, "%s: 'Levels': block %lld is on level %g; expected 0 to %d",
                             athdf->file.path, (long long)b, level[b], MAX_LEVEL);
            break;
        }
        athdf->level[b] = (int)level[b];
        for (int axis = 0; axis < 3 && status == LR_OK; axis++) {
            const double at = location[3 * b + axis];
            const double end = (double)cells_on_level(athdf, axis, athdf->level[b]);
            if (!(at >= 0.0 && at < end && at < INT32_MAX))
                status = lr_fail(ctx, LR_ERROR_INPUT,
                                 "%s: 'LogicalLocations': block %lld on level %d is at %g along %c, outside the mesh",
                                 athdf->file.path, (long long)b, athdf->level[b], at, "xyz"[axis]);
            else
                athdf->location[b][axis] = (int)at;
        }
    }
done:
    free(level);
    free(location);
    return status;
}

/* ---- Ghost zones, and a check of all edges ---- */

struct misfit {
    int64_t block;
    double stored, expected;
};

/* Whether blocks, without `ghost` cells on each side, have the edges given by their locations. */
static bool edges_fit(const struct athdf *athdf, int axis, int ghost, const double *edge, struct misfit *misfit)
{
    const int stored = athdf->stored[axis], block = stored - 2 * ghost;
    const double rounding = 1e-6 * fmax(fabs(athdf->lower[axis]), fabs(athdf->upper[axis])), share_of_cell = 1e-3;
    misfit->block = -1;
    if (block < 1 || athdf->root[axis] % block != 0)
        return false;
    for (int64_t b = 0; b < athdf->n_block; b++) {
        const double n = (double)cells_on_level(athdf, axis, athdf->level[b]);
        const double start = (double)athdf->location[b][axis] * block;
        const double expected[2] = {edge_at(athdf, axis, start / n), edge_at(athdf, axis, (start + block) / n)};
        const double *found = edge + b * (stored + 1) + ghost;
        const double grace = rounding + share_of_cell * (expected[1] - expected[0]) / block;
        for (int end = 0; end < 2; end++)
            if (!(fabs(found[end * block] - expected[end]) <= grace)) {
                *misfit = (struct misfit){b, found[end * block], expected[end]};
                return false;
            }
    }
    return true;
}

static enum lr_status find_ghosts(struct athdf *athdf, int axis)
{
    const char *const names[] = {"x1f", "x2f", "x3f"};
    lr_context *ctx = athdf->file.ctx;
    struct hdf5_array *array = NULL;
    struct misfit misfit = {-1, 0.0, 0.0}, other;
    double *edge = NULL;
    LR_TRY(hdf5_array_open(ctx, athdf->file.path, names[axis], &array));
    enum lr_status status = LR_OK;
    if (array->rank != 2 || array->shape[0] != athdf->n_block || array->shape[1] != athdf->stored[axis] + 1)
        status = lr_fail(ctx, LR_ERROR_INPUT, "%s: '%s' does not have %d edges for each of %lld blocks",
                         athdf->file.path, names[axis], athdf->stored[axis] + 1, (long long)athdf->n_block);
    if (status == LR_OK)
        status = hdf5_array_check_stored(ctx, array, names[axis]);
    if (status == LR_OK)
        status = lr_allocate(ctx, (size_t)athdf->n_block * (size_t)(athdf->stored[axis] + 1), sizeof(double), &edge);
    if (status == LR_OK)
        status = hdf5_array_read(ctx, array, -1, edge);
    bool found = status == LR_OK && edges_fit(athdf, axis, 0, edge, &misfit);
    for (int ghost = 1; status == LR_OK && !found && ghost <= MAX_GHOST; ghost++) {
        found = edges_fit(athdf, axis, ghost, edge, &other);
        athdf->ghost[axis] = found ? ghost : 0;
    }
    if (status == LR_OK && !found && misfit.block >= 0)
        status = lr_fail(ctx, LR_ERROR_INPUT,
                         "%s: '%s': block %lld has an edge at %g, where its level and logical location say %g; the "
                         "file is damaged, or its mesh spacing is user-defined, which is not supported",
                         athdf->file.path, names[axis], (long long)misfit.block, misfit.stored, misfit.expected);
    else if (status == LR_OK && !found)
        status = lr_fail(ctx, LR_ERROR_INPUT,
                         "%s: blocks of %d cells along %c do not fill a mesh of %d, with or without ghost zones; "
                         "slices and sums are not supported",
                         athdf->file.path, athdf->stored[axis], "xyz"[axis], athdf -> root[axis]);
    athdf->block[axis] = athdf->stored[axis] - 2 * athdf->ghost[axis];
    free(edge);
    hdf5_array_close(array);
    return status;
}

/* ---- One level: a rectilinear mesh ---- */

/* Every block position is used exactly once. If there are more positions than blocks, one of the first n_block + 1 is
 * empty: no others are checked, so that a small file claiming many positions takes little memory. */
static enum lr_status check_tiling(const struct athdf *athdf, const int n[3])
{
    const int64_t slots[3] = {n[0] / athdf->block[0], n[1] / athdf->block[1], n[2] / athdf->block[2]};
    const int64_t n_all = slots[0] * slots[1] * slots[2];
    const int64_t n_slot = n_all < athdf->n_block + 1 ? n_all : athdf->n_block + 1;
    lr_context *ctx = athdf->file.ctx;
    int *taken = NULL;
    LR_TRY(lr_allocate(ctx, (size_t)n_slot, sizeof *taken, &taken));
    enum lr_status status = LR_OK;
    for (int64_t b = 0; b < athdf->n_block && status == LR_OK; b++) {
        const int *at = athdf->location[b];
        if (at[0] >= slots[0] || at[1] >= slots[1] || at[2] >= slots[2]) {
            status =
                lr_fail(ctx, LR_ERROR_INPUT, "%s: 'LogicalLocations': block %lld is at (%d, %d, %d), outside the mesh",
                        athdf->file.path, (long long)b, at[0], at[1], at[2]);
            break;
        }
        const int64_t place = (at[0] * slots[1] + at[1]) * slots[2] + at[2];
        if (place >= n_slot)
            continue;
        int *slot = &taken[place];
        if (*slot)
            status = lr_fail(ctx, LR_ERROR_INPUT,
                             "%s: 'LogicalLocations': blocks %d and %lld are both at (%d, %d, %d) of level %d",
                             athdf->file.path, *slot - 1, (long long)b, at[0], at[1], at[2], athdf->level[b]);
        *slot = (int)b + 1;
    }
    for (int64_t s = 0; s < n_slot && status == LR_OK; s++)
        if (!taken[s])
            status = lr_fail(ctx, LR_ERROR_INPUT, "%s: no block is at (%lld, %lld, %lld) of level %d", athdf->file.path,
                             (long long)(s / slots[2] / slots[1]), (long long)(s / slots[2] % slots[1]),
                             (long long)(s % slots[2]), athdf->level[0]);
    free(taken);
    return status;
}

static enum lr_status make_rectilinear(struct snapshot *snapshot, const struct athdf *athdf)
{
    struct mesh *mesh = &snapshot->mesh;
    double cells = 1.0;
    int n[3];
    for (int axis = 0; axis < 3; axis++) {
        const int64_t count = cells_on_level(athdf, axis, athdf->level[0]);
        cells *= (double)count;
        if (cells > (double)MAX_CELL)
            return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: too many cells; at most %lld", snapshot->path,
                           (long long)MAX_CELL);
        n[axis] = (int)count;
    }
    LR_TRY(check_tiling(athdf, n));
    for (int axis = 0; axis < 3; axis++) {
        mesh->n[axis] = n[axis];
        LR_TRY(lr_allocate(snapshot->ctx, (size_t)n[axis] + 1, sizeof(double), &mesh->edge[axis]));
        for (int i = 0; i <= n[axis]; i++)
            mesh->edge[axis][i] = athdf->options.length * edge_at(athdf, axis, (double)i / n[axis]);
        if (mesh_find_disorder(mesh, axis) >= 0)
            return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: the edges along %c do not increase", snapshot->path,
                           "xyz"[axis]);
    }
    return LR_OK;
}

/* ---- Several levels: bricks ---- */

static enum lr_status make_bricks(struct snapshot *snapshot, struct athdf *athdf)
{
    struct snapshot_bricks *bricks = &snapshot->bricks;
    for (int axis = 0; axis < 3; axis++) {
        if (athdf->root[axis] == 1)
            return lr_fail(snapshot->ctx, LR_ERROR_INPUT,
                           "%s: refined meshes in fewer than three dimensions are not supported", snapshot->path);
        if (athdf->ratio[axis] != 1.0)
            return lr_fail(snapshot->ctx, LR_ERROR_INPUT,
                           "%s: refined meshes with non-uniform cells along %c (ratio %g) are not supported",
                           snapshot->path, "xyz"[axis], athdf -> ratio[axis]);
        bricks->root[axis] = athdf->root[axis] / athdf->block[axis];
        bricks->brick[axis] = athdf->block[axis];
        bricks->lower[axis] = athdf->options.length * athdf->lower[axis];
        bricks->size[axis] = athdf->options.length * (athdf->upper[axis] - athdf->lower[axis]);
    }
    snapshot->has_bricks = true;
    bricks->n = athdf->n_block;
    bricks->level = athdf->level;
    bricks->position = athdf->location;
    athdf->level = NULL;
    athdf->location = NULL;
    return LR_OK;
}

enum lr_status athdf_read_mesh(struct snapshot *snapshot, struct athdf *athdf)
{
    bool refined = false;
    LR_TRY(read_blocks(athdf));
    for (int axis = 0; axis < 3; axis++) {
        if (!(athdf->ratio[axis] > 0.0))
            return lr_fail(snapshot->ctx, LR_ERROR_INPUT,
                           "%s: the mesh spacing along %c is user-defined (ratio %g), which is not supported",
                           snapshot->path, "xyz"[axis], athdf -> ratio[axis]);
        LR_TRY(find_ghosts(athdf, axis));
    }
    for (int64_t b = 1; b < athdf->n_block; b++)
        refined |= athdf->level[b] != athdf->level[0];
    return refined ? make_bricks(snapshot, athdf) : make_rectilinear(snapshot, athdf);
}
