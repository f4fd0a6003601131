/* The mesh of a snapshot in linerad's own format: the group /mesh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/hdf5_text.h"
#include "io/snapshot/snapshot_linerad.h"

enum { MAX_AXIS = 1 << 20 };
static const int64_t MAX_CELL = INT32_MAX;

/* ---- Small datasets ---- */

static enum lr_status open_vector(const struct snapshot *snapshot, const char *name, int64_t low, int64_t high,
                                  struct hdf5_array **array)
{
    LR_TRY(hdf5_array_open(snapshot->ctx, snapshot->path, name, array));
    const bool good = (*array)->rank == 1 && (*array)->shape[0] >= low && (*array)->shape[0] <= high;
    const enum lr_status status = good ? hdf5_array_check_stored(snapshot->ctx, *array, name) : LR_OK;
    if (good && status == LR_OK)
        return LR_OK;
    char found[128];
    hdf5_shape_text((*array)->shape, (*array)->rank, found, sizeof found);
    hdf5_array_close(*array);
    *array = NULL;
    LR_TRY(status);
    if (low == high)
        return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has shape %s; expected (%lld)", snapshot->path, name,
                       found, (long long)low);
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has shape %s; expected one axis of %lld to %lld",
                   snapshot->path, name, found, (long long)low, (long long)high);
}

static enum lr_status read_lengths(const struct snapshot *snapshot, const char *name, int64_t low, int64_t high,
                                   double **values, int64_t *n)
{
    struct hdf5_array *array = NULL;
    LR_TRY(open_vector(snapshot, name, low, high, &array));
    *n = array->shape[0];
    enum lr_status status = lr_allocate(snapshot->ctx, (size_t)*n, sizeof(double), values);
    if (status == LR_OK)
        status = hdf5_array_read(snapshot->ctx, array, -1, *values);
    if (status == LR_OK)
        status = snapshot_linerad_convert(snapshot, array, name, DIMENSION_LENGTH, *values, (size_t)*n);
    hdf5_array_close(array);
    for (int64_t i = 0; status == LR_OK && i < *n; i++)
        if (!isfinite((*values)[i]))
            status = lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s': the value at [%lld] is not a finite number",
                             snapshot->path, name, (long long)i);
    return status;
}

static enum lr_status read_corner(const struct snapshot *snapshot, const char *name, double corner[3])
{
    double *values = NULL;
    int64_t n = 0;
    enum lr_status status = read_lengths(snapshot, name, 3, 3, &values, &n);
    if (status == LR_OK)
        memcpy(corner, values, 3 * sizeof *corner);
    free(values);
    return status;
}

/* Whole numbers between low and high. */
static enum lr_status take_integers(const struct snapshot *snapshot, const char *name, const double *values, size_t n,
                                    int low, int high, int *to)
{
    for (size_t i = 0; i < n; i++) {
        if (!(values[i] >= low && values[i] <= high && values[i] == floor(values[i])))
            return lr_fail(snapshot->ctx, LR_ERROR_INPUT,
                           "%s: '%s': the value %g at [%zu] is not a whole number from %d to %d", snapshot->path, name,
                           values[i], i, low, high);
        to[i] = (int)values[i];
    }
    return LR_OK;
}

static enum lr_status read_counts(const struct snapshot *snapshot, const char *name, int count[3])
{
    struct hdf5_array *array = NULL;
    double values[3] = {0};
    LR_TRY(open_vector(snapshot, name, 3, 3, &array));
    enum lr_status status = hdf5_array_read(snapshot->ctx, array, -1, values);
    hdf5_array_close(array);
    LR_TRY(status);
    return take_integers(snapshot, name, values, 3, 1, MAX_AXIS, count);
}

/* ---- Kinds of meshes ---- */

static enum lr_status check_cells(const struct snapshot *snapshot, const int n[3])
{
    if ((double)n[0] * n[1] * n[2] <= (double)MAX_CELL)
        return LR_OK;
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: %d x %d x %d cells are too many; at most %lld", snapshot->path,
                   n[0], n[1], n[2], (long long)MAX_CELL);
}

static enum lr_status read_box(const struct snapshot *snapshot, double lower[3], double size[3])
{
    double upper[3] = {0};
    LR_TRY(read_corner(snapshot, "mesh/lower", lower));
    LR_TRY(read_corner(snapshot, "mesh/upper", upper));
    for (int axis = 0; axis < 3; axis++) {
        size[axis] = upper[axis] - lower[axis];
        if (!(size[axis] > 0.0 && isfinite(size[axis])))
            return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: 'mesh/upper' is not above 'mesh/lower' along %c",
                           snapshot->path, "xyz"[axis]);
    }
    return LR_OK;
}

static enum lr_status read_uniform(struct snapshot *snapshot)
{
    int n[3] = {0};
    double lower[3] = {0}, size[3] = {0};
    LR_TRY(read_counts(snapshot, "mesh/cells", n));
    LR_TRY(check_cells(snapshot, n));
    LR_TRY(read_box(snapshot, lower, size));
    return mesh_build_uniform(snapshot->ctx, n, lower, size, &snapshot->mesh);
}

static enum lr_status read_edges(struct snapshot *snapshot, const char *name, int axis)
{
    struct mesh *mesh = &snapshot->mesh;
    int64_t n = 0;
    LR_TRY(read_lengths(snapshot, name, 2, MAX_AXIS + 1, &mesh->edge[axis], &n));
    mesh->n[axis] = (int)n - 1;
    const int i = mesh_find_disorder(mesh, axis);
    if (i >= 0)
        return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' does not increase from %d to %d", snapshot->path, name,
                       i, i + 1);
    return LR_OK;
}

static enum lr_status read_rectilinear(struct snapshot *snapshot)
{
    const char *const names[] = {"mesh/x", "mesh/y", "mesh/z"};
    for (int axis = 0; axis < 3; axis++)
        LR_TRY(read_edges(snapshot, names[axis], axis));
    return check_cells(snapshot, snapshot->mesh.n);
}

static enum lr_status read_shells(struct snapshot *snapshot)
{
    snapshot->mesh.kind = MESH_SHELLS;
    snapshot->mesh.n[1] = snapshot->mesh.n[2] = 1;
    LR_TRY(read_edges(snapshot, "mesh/r", 0));
    return snapshot->mesh.edge[0][0] >= 0.0 ? LR_OK
                                            : snapshot_linerad_fail(snapshot, "mesh/r", "has a negative radius");
}

/* Whole numbers from 0 to high: n of them, or n times three. */
static enum lr_status read_integers(const struct snapshot *snapshot, const char *name, int rank, int64_t n, int high,
                                    int *to)
{
    struct hdf5_array *array = NULL;
    const int64_t shape[2] = {n, 3};
    const size_t count = (size_t)n * (rank == 2 ? 3 : 1);
    double *values = NULL;
    LR_TRY(hdf5_array_open(snapshot->ctx, snapshot->path, name, &array));
    enum lr_status status = LR_OK;
    if (array->rank != rank || array->shape[0] != n || (rank == 2 && array->shape[1] != 3)) {
        char found[128], wanted[128];
        hdf5_shape_text(array->shape, array->rank, found, sizeof found);
        hdf5_shape_text(shape, rank, wanted, sizeof wanted);
        status = lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has shape %s; expected %s", snapshot->path, name,
                         found, wanted);
    }
    if (status == LR_OK)
        status = hdf5_array_check_stored(snapshot->ctx, array, name);
    if (status == LR_OK)
        status = lr_allocate(snapshot->ctx, count, sizeof(double), &values);
    if (status == LR_OK)
        status = hdf5_array_read(snapshot->ctx, array, -1, values);
    if (status == LR_OK)
        status = take_integers(snapshot, name, values, count, 0, high, to);
    free(values);
    hdf5_array_close(array);
    return status;
}

static enum lr_status read_bricks(struct snapshot *snapshot)
{
    enum { DEEPEST = 30 };
    struct snapshot_bricks *bricks = &snapshot->bricks;
    struct hdf5_array *array = NULL;
    LR_TRY(read_counts(snapshot, "mesh/root", bricks->root));
    LR_TRY(read_counts(snapshot, "mesh/brick", bricks->brick));
    LR_TRY(check_cells(snapshot, bricks->brick));
    LR_TRY(read_box(snapshot, bricks->lower, bricks->size));
    LR_TRY(open_vector(snapshot, "mesh/level", 1, MAX_CELL, &array));
    bricks->n = array->shape[0];
    hdf5_array_close(array);
    if ((double)bricks->n * bricks->brick[0] * bricks->brick[1] * bricks->brick[2] > (double)MAX_CELL)
        return lr_fail(snapshot->ctx, LR_ERROR_INPUT,
                       "%s: %lld bricks of %d x %d x %d cells are too many; at most %lld cells", snapshot->path,
                       (long long)bricks->n, bricks->brick[0], bricks->brick[1], bricks->brick[2], (long long)MAX_CELL);
    LR_TRY(lr_allocate(snapshot->ctx, (size_t)bricks->n, sizeof *bricks->level, &bricks->level));
    LR_TRY(lr_allocate(snapshot->ctx, (size_t)bricks->n, sizeof *bricks->position, &bricks->position));
    LR_TRY(read_integers(snapshot, "mesh/level", 1, bricks->n, DEEPEST, bricks->level));
    LR_TRY(read_integers(snapshot, "mesh/position", 2, bricks->n, INT32_MAX - 1, bricks->position[0]));
    snapshot->has_bricks = true;
    snapshot->brick_word = "brick";
    return LR_OK;
}

/* One word for all faces, or three for x, y, z. */
static enum lr_status read_faces(struct snapshot *snapshot, hid_t group)
{
    static const char *const rules[] = {"open", "periodic", "reflecting"};
    char text[64], word[3][16] = {"", "", ""};
    if (H5Aexists(group, "faces") <= 0)
        return LR_OK;
    int n = hdf5_text_attribute(group, "faces", sizeof text, text)
                ? sscanf(text, "%15s %15s %15s", word[0], word[1], word[2])
                : 0;
    bool good = n == 1 || n == 3;
    for (int axis = 0; good && axis < 3; axis++) {
        int rule = 0;
        while (rule < 3 && strcmp(word[n == 1 ? 0 : axis], rules[rule]) != 0)
            rule++;
        good = rule < 3 && (rule == 0 || snapshot->mesh.kind != MESH_SHELLS);
        if (good)
            snapshot->face[2 * axis] = snapshot->face[2 * axis + 1] = (enum face_rule)rule;
    }
    return good ? LR_OK
                : snapshot_linerad_fail(
                      snapshot, "mesh",
                      "has an attribute 'faces' that is not open, periodic or reflecting (shells: open), or three of "
                      "these words");
}

enum lr_status snapshot_linerad_mesh(struct snapshot *snapshot, hid_t file)
{
    char kind[32] = "";
    hid_t group = H5Oopen(file, "mesh", H5P_DEFAULT);
    bool named = group >= 0 && hdf5_text_attribute(group, "kind", sizeof kind, kind);
    enum lr_status status = LR_OK;
    if (!named)
        status = snapshot_linerad_fail(snapshot, "mesh", "is missing, or has no attribute 'kind' such as \"uniform\"");
    else if (strcmp(kind, "uniform") == 0)
        status = read_uniform(snapshot);
    else if (strcmp(kind, "rectilinear") == 0)
        status = read_rectilinear(snapshot);
    else if (strcmp(kind, "shells") == 0)
        status = read_shells(snapshot);
    else if (strcmp(kind, "amr") == 0)
        status = read_bricks(snapshot);
    else
        status = lr_fail(snapshot->ctx, LR_ERROR_INPUT,
                         "%s: the kind of 'mesh' is '%s'; expected uniform, rectilinear, shells or amr", snapshot->path,
                         kind);
    if (status == LR_OK)
        status = read_faces(snapshot, group);
    if (group >= 0)
        H5Oclose(group);
    snprintf(snapshot->note, sizeof snapshot->note, "linerad model, %s mesh", kind);
    return status;
}
