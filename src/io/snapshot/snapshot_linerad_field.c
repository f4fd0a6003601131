/* Fields of a snapshot in linerad's own format: the datasets of the group /fields. */
#include <stdio.h>
#include <stdlib.h>

#include "io/snapshot/snapshot_linerad.h"

enum { MAX_FIELD = 1000 };

enum lr_status snapshot_linerad_list(struct snapshot *snapshot, hid_t file)
{
    H5G_info_t about = {0};
    hid_t group = H5Gopen2(file, "fields", H5P_DEFAULT);
    if (group < 0 || H5Gget_info(group, &about) < 0 || about.nlinks > MAX_FIELD) {
        if (group >= 0)
            H5Gclose(group);
        return snapshot_linerad_fail(snapshot, "fields", "is missing: the group that holds the fields");
    }
    enum lr_status status = LR_OK;
    for (hsize_t i = 0; i < about.nlinks && status == LR_OK; i++) {
        char name[SNAPSHOT_NAME - 8] = "", origin[SNAPSHOT_NAME];
        ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (length <= 0 || (size_t)length >= sizeof name)
            continue; /* longer than any known name */
        snprintf(origin, sizeof origin, "fields/%s", name);
        status = snapshot_add_field(snapshot, name, origin);
    }
    H5Gclose(group);
    return status;
}

static enum lr_status check_shape(const struct snapshot *snapshot, const char *name, const struct hdf5_array *array)
{
    const struct mesh *mesh = &snapshot->mesh;
    const struct snapshot_bricks *bricks = &snapshot->bricks;
    const int rank = snapshot->has_bricks ? 4 : mesh_axis_count(mesh);
    const int64_t of_cells[4] = {mesh->n[0], mesh->n[1], mesh->n[2]};
    const int64_t of_bricks[4] = {bricks->n, bricks->brick[0], bricks->brick[1], bricks->brick[2]};
    const int64_t *expected = snapshot->has_bricks ? of_bricks : of_cells;
    struct hdf5_shapes shapes;
    if (hdf5_array_has_shape(array, expected, rank, &shapes))
        return LR_OK;
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has shape %s; the mesh needs %s", snapshot->path, name,
                   shapes.found, shapes.wanted);
}

static enum lr_status read_constant(const struct snapshot *snapshot, const struct hdf5_array *array, const char *name,
                                    const struct field_rule *rule, struct field *to)
{
    LR_TRY(hdf5_array_read(snapshot->ctx, array, -1, &to->constant));
    LR_TRY(snapshot_linerad_convert(snapshot, array, name, rule->dimension, &to->constant, 1));
    const char *fault = field_rule_fault(rule, to->constant);
    free(to->values);
    to->values = NULL;
    return fault ? lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s': the value %g %s", snapshot->path, name,
                           to->constant, fault)
                 : LR_OK;
}

/* The range of indices along an axis of the file that the view uses. */
static void find_extent(const struct snapshot_view *view, int axis, int *first, int *count)
{
    int last = -1;
    *first = 0;
    for (int i = 0; i < view->n[axis]; i++)
        if (view->place[axis][i] >= 0) {
            *first = last < 0 ? i : *first;
            last = i;
        }
    *count = last - *first + 1;
}

/* How many planes to read at a time: a few million values, and whole chunks of a compressed dataset where they fit. */
static int64_t choose_planes(const struct hdf5_array *array, int64_t plane, int64_t n)
{
    enum { SOME = 1 << 22 };
    hsize_t chunk[HDF5_MAX_RANK] = {1};
    int64_t planes = plane < SOME ? SOME / plane : 1;
    hid_t plan = H5Dget_create_plist(array->dataset);
    if (plan >= 0 && H5Pget_layout(plan) == H5D_CHUNKED && H5Pget_chunk(plan, HDF5_MAX_RANK, chunk) > 0 &&
        (double)chunk[0] * (double)plane <= 8.0 * SOME)
        planes = (planes / (int64_t)chunk[0] + 1) * (int64_t)chunk[0];
    if (plan >= 0)
        H5Pclose(plan);
    return planes < n ? planes : n;
}

static bool read_slab(const struct hdf5_array *array, const int64_t *first, const int64_t *count, double *buffer)
{
    hsize_t start[HDF5_MAX_RANK], size[HDF5_MAX_RANK];
    for (int i = 0; i < array->rank; i++) {
        start[i] = (hsize_t)first[i];
        size[i] = (hsize_t)count[i];
    }
    hid_t from = H5Dget_space(array->dataset), to = H5Screate_simple(array->rank, size, NULL);
    bool good = from >= 0 && to >= 0 && H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                H5Dread(array->dataset, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, buffer) >= 0;
    if (to >= 0)
        H5Sclose(to);
    if (from >= 0)
        H5Sclose(from);
    return good;
}

/* Plane by plane along the first axis, so that no second array of full size is needed. */
static enum lr_status read_planes(const struct snapshot *snapshot, const struct hdf5_array *array, const char *name,
                                  const struct field_rule *rule, double *values)
{
    struct snapshot_box box = {.brick = 0};
    for (int axis = 0; axis < 3; axis++)
        find_extent(&snapshot->view, axis, &box.first[axis], &box.count[axis]);
    const int64_t plane = (int64_t)box.count[1] * box.count[2];
    const int end = box.first[0] + box.count[0], most = (int)choose_planes(array, plane, box.count[0]);
    double *buffer = NULL;
    LR_TRY(lr_allocate(snapshot->ctx, (size_t)(most * plane), sizeof(double), &buffer));
    box.step[0] = plane;
    box.step[1] = box.count[2];
    box.step[2] = 1;
    box.values = buffer;
    enum lr_status status = LR_OK;
    for (; box.first[0] < end && status == LR_OK; box.first[0] += most) {
        box.count[0] = end - box.first[0] < most ? end - box.first[0] : most;
        if (!snapshot_wants(snapshot, &box))
            continue;
        const int64_t start[3] = {box.first[0], box.first[1], box.first[2]};
        const int64_t size[3] = {box.count[0], box.count[1], box.count[2]};
        if (!read_slab(array, start, size, buffer))
            status = snapshot_linerad_fail(snapshot, name, "cannot be read; the file is truncated or damaged");
        if (status == LR_OK)
            status = snapshot_linerad_convert(snapshot, array, name, rule->dimension, buffer,
                                              (size_t)(box.count[0] * plane));
        if (status == LR_OK)
            status = snapshot_place(snapshot, &box, name, rule, values);
    }
    free(buffer);
    return status;
}

/* The same for bricks, some at a time. */
static enum lr_status read_brick_fields(const struct snapshot *snapshot, const struct hdf5_array *array,
                                        const char *name, const struct field_rule *rule, double *values)
{
    const int *n = snapshot->bricks.brick;
    const int64_t cells = (int64_t)n[0] * n[1] * n[2], most = choose_planes(array, cells, snapshot->bricks.n);
    struct snapshot_box box = {.count = {n[0], n[1], n[2]}, .step = {(int64_t)n[1] * n[2], n[2], 1}};
    double *buffer = NULL;
    LR_TRY(lr_allocate(snapshot->ctx, (size_t)(most * cells), sizeof(double), &buffer));
    enum lr_status status = LR_OK;
    for (int64_t first = 0; first < snapshot->bricks.n && status == LR_OK; first += most) {
        const int64_t here = snapshot->bricks.n - first < most ? snapshot->bricks.n - first : most;
        const int64_t start[4] = {first, 0, 0, 0}, size[4] = {here, n[0], n[1], n[2]};
        if (!read_slab(array, start, size, buffer))
            status = snapshot_linerad_fail(snapshot, name, "cannot be read; the file is truncated or damaged");
        if (status == LR_OK)
            status = snapshot_linerad_convert(snapshot, array, name, rule->dimension, buffer, (size_t)(here * cells));
        for (int64_t b = 0; b < here && status == LR_OK; b++) {
            box.brick = first + b;
            box.values = buffer + b * cells;
            status = snapshot_place(snapshot, &box, name, rule, values);
        }
    }
    free(buffer);
    return status;
}

enum lr_status snapshot_linerad_read(struct snapshot *snapshot, int field, const struct field_rule *rule,
                                     struct field *to)
{
    const char *name = snapshot->field[field].origin;
    struct hdf5_array *array = NULL;
    LR_TRY(hdf5_array_open(snapshot->ctx, snapshot->path, name, &array));
    enum lr_status status = LR_OK;
    if (array->rank == 0) {
        status = read_constant(snapshot, array, name, rule, to);
    } else {
        status = check_shape(snapshot, name, array);
        if (status == LR_OK)
            status = snapshot->has_bricks ? read_brick_fields(snapshot, array, name, rule, to->values)
                                          : read_planes(snapshot, array, name, rule, to->values);
    }
    hdf5_array_close(array);
    return status;
}
