/* Snapshots in linerad's own HDF5 format, version 1 (docs/model_format.md): /mesh says where the cells are, /fields
 * holds one dataset per quantity with its units. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

#include "io/hdf5_field.h"
#include "io/hdf5_text.h"
#include "io/snapshot.h"

enum { VERSION = 1, MAX_AXIS = 1 << 20, MAX_FIELD = 1000 };
static const int64_t MAX_CELL = INT32_MAX;

/* "path: message" */
static enum lr_status fail_file(const struct snapshot *snapshot, const char *object, const char *what)
{
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' %s", snapshot->path, object, what);
}

/* ---- Small datasets ---- */

static enum lr_status open_vector(const struct snapshot *snapshot, const char *name, int64_t low, int64_t high,
                                  struct hdf5_array **array)
{
    LR_TRY(hdf5_array_open(snapshot->ctx, snapshot->path, name, array));
    if ((*array)->rank == 1 && (*array)->shape[0] >= low && (*array)->shape[0] <= high)
        return LR_OK;
    char found[128];
    hdf5_shape_text((*array)->shape, (*array)->rank, found, sizeof found);
    hdf5_array_close(*array);
    *array = NULL;
    if (low == high)
        return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has shape %s; expected (%lld)", snapshot->path, name,
                       found, (long long)low);
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has shape %s; expected one axis of %lld to %lld",
                   snapshot->path, name, found, (long long)low, (long long)high);
}

/* To CGS by the units of the dataset. */
static enum lr_status convert(const struct snapshot *snapshot, const struct hdf5_array *array, const char *name,
                              enum dimension dimension, double *values, size_t n)
{
    if (!array->has_units && (dimension == DIMENSION_NONE || dimension == DIMENSION_ANY))
        return LR_OK;
    if (!array->has_units)
        return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has no attribute 'units'; it needs %s such as '%s'",
                       snapshot->path, name, units_dimension_name(dimension), units_dimension_example(dimension));
    if (units_convert(snapshot->units, array->units, dimension, values, n) == UNIT_OK)
        return LR_OK;
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has units '%s'; expected %s%s%s%s", snapshot->path, name,
                   array->units, units_dimension_name(dimension), dimension == DIMENSION_NONE ? "" : " such as '",
                   units_dimension_example(dimension), dimension == DIMENSION_NONE ? "" : "'");
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
        status = convert(snapshot, array, name, DIMENSION_LENGTH, *values, (size_t)*n);
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

/* ---- The mesh ---- */

static enum lr_status check_cells(const struct snapshot *snapshot, const int n[3])
{
    if ((double)n[0] * n[1] * n[2] <= (double)MAX_CELL)
        return LR_OK;
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: %d x %d x %d cells are too many; at most %lld fit",
                   snapshot->path, n[0], n[1], n[2], (long long)MAX_CELL);
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
    return snapshot->mesh.edge[0][0] >= 0.0 ? LR_OK : fail_file(snapshot, "mesh/r", "has a negative radius");
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
                : fail_file(
                      snapshot, "mesh",
                      "has an attribute 'faces' that is not open, periodic or reflecting (shells: open), or three of "
                      "these words");
}

static enum lr_status read_mesh(struct snapshot *snapshot, hid_t file)
{
    char kind[32] = "";
    hid_t group = H5Oopen(file, "mesh", H5P_DEFAULT);
    bool named = group >= 0 && hdf5_text_attribute(group, "kind", sizeof kind, kind);
    enum lr_status status = LR_OK;
    if (!named)
        status = fail_file(snapshot, "mesh", "is missing, or has no attribute 'kind' such as \"uniform\"");
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
                         "%s: 'mesh' is of the kind '%s'; known are uniform, rectilinear, shells and amr",
                         snapshot->path, kind);
    if (status == LR_OK)
        status = read_faces(snapshot, group);
    if (group >= 0)
        H5Oclose(group);
    snprintf(snapshot->note, sizeof snapshot->note, "linerad model, %s mesh", kind);
    return status;
}

/* ---- Fields ---- */

static enum lr_status list_fields(struct snapshot *snapshot, hid_t file)
{
    H5G_info_t about = {0};
    hid_t group = H5Gopen2(file, "fields", H5P_DEFAULT);
    if (group < 0 || H5Gget_info(group, &about) < 0 || about.nlinks > MAX_FIELD) {
        if (group >= 0)
            H5Gclose(group);
        return fail_file(snapshot, "fields", "is missing: the group that holds the fields");
    }
    enum lr_status status = LR_OK;
    for (hsize_t i = 0; i < about.nlinks && status == LR_OK; i++) {
        char name[SNAPSHOT_NAME - 8] = "", origin[SNAPSHOT_NAME];
        ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        if (length <= 0 || (size_t)length >= sizeof name)
            continue; /* longer than any name that is known */
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
    bool same = array->rank == rank;
    for (int i = 0; same && i < rank; i++)
        same = array->shape[i] == expected[i];
    if (same)
        return LR_OK;
    char found[128], wanted[128];
    hdf5_shape_text(array->shape, array->rank, found, sizeof found);
    hdf5_shape_text(expected, rank, wanted, sizeof wanted);
    return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s' has shape %s, but the mesh needs %s", snapshot->path, name,
                   found, wanted);
}

static enum lr_status read_constant(const struct snapshot *snapshot, const struct hdf5_array *array, const char *name,
                                    const struct field_rule *rule, struct field *to)
{
    LR_TRY(hdf5_array_read(snapshot->ctx, array, -1, &to->constant));
    LR_TRY(convert(snapshot, array, name, rule->dimension, &to->constant, 1));
    const char *fault = field_rule_fault(rule, to->constant);
    free(to->values);
    to->values = NULL;
    return fault ? lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: '%s': the value %g %s", snapshot->path, name,
                           to->constant, fault)
                 : LR_OK;
}

/* The range of indices along an axis of the file that the view takes something of. */
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
            status = fail_file(snapshot, name, "cannot be read; the file is truncated or damaged");
        if (status == LR_OK)
            status = convert(snapshot, array, name, rule->dimension, buffer, (size_t)(box.count[0] * plane));
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
            status = fail_file(snapshot, name, "cannot be read; the file is truncated or damaged");
        if (status == LR_OK)
            status = convert(snapshot, array, name, rule->dimension, buffer, (size_t)(here * cells));
        for (int64_t b = 0; b < here && status == LR_OK; b++) {
            box.brick = first + b;
            box.values = buffer + b * cells;
            status = snapshot_place(snapshot, &box, name, rule, values);
        }
    }
    free(buffer);
    return status;
}

static enum lr_status read_field(struct snapshot *snapshot, int field, const struct field_rule *rule, struct field *to)
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

/* ---- The file ---- */

static enum lr_status check_version(const struct snapshot *snapshot, hid_t file)
{
    int version = 0;
    hid_t attribute = H5Aexists(file, "version") > 0 ? H5Aopen(file, "version", H5P_DEFAULT) : -1;
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    bool good = space >= 0 && hdf5_type_is_number(type) && H5Sget_simple_extent_npoints(space) == 1 &&
                H5Aread(attribute, H5T_NATIVE_INT, &version) >= 0;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (attribute >= 0)
        H5Aclose(attribute);
    if (!good)
        return fail_file(snapshot, "/", "has no attribute 'version', the integer 1");
    return version == VERSION
               ? LR_OK
               : lr_fail(snapshot->ctx, LR_ERROR_INPUT, "%s: version %d of the format; this program reads version %d",
                         snapshot->path, version, VERSION);
}

enum lr_status snapshot_open_linerad(struct snapshot *snapshot)
{
    static const struct snapshot_format format = {"linerad model", read_field, NULL};
    snapshot->format = &format;
    hid_t file = H5Fopen(snapshot->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        return fail_file(snapshot, "/", "cannot be read");
    enum lr_status status = check_version(snapshot, file);
    if (status == LR_OK)
        status = read_mesh(snapshot, file);
    if (status == LR_OK)
        status = list_fields(snapshot, file);
    H5Fclose(file);
    return status;
}
