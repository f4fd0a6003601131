/* Which part of a snapshot becomes the mesh of a model. Everything is in whole units, cells or, if there are bricks,
 * bricks of the coarsest level, so that values are moved and never interpolated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/snapshot/snapshot.h"

static double edge_at(const struct snapshot *snapshot, int axis, int i)
{
    const struct snapshot_bricks *bricks = &snapshot->bricks;
    if (snapshot->has_bricks)
        return bricks->lower[axis] + bricks->size[axis] * i / bricks->root[axis];
    return snapshot->mesh.edge[axis][i];
}

static const char *unit_name(const struct snapshot *snapshot)
{
    return snapshot->has_bricks ? "bricks of the coarsest level" : "cells";
}

void snapshot_view_all(struct snapshot *snapshot)
{
    struct snapshot_view *view = &snapshot->view;
    for (int axis = 0; axis < 3; axis++) {
        view->axis[axis] = axis;
        view->n[axis] = snapshot->has_bricks ? snapshot->bricks.root[axis] : snapshot->mesh.n[axis];
        view->count[axis] = view->n[axis];
        view->first[axis] = view->shift[axis] = 0;
    }
}

enum lr_status snapshot_view_roll(struct snapshot *snapshot, int axis, double length)
{
    struct snapshot_view *view = &snapshot->view;
    const int n = view->n[axis];
    const double width = (edge_at(snapshot, axis, n) - edge_at(snapshot, axis, 0)) / n, tolerance = 1e-3;
    for (int i = 0; i < n; i++)
        if (fabs((edge_at(snapshot, axis, i + 1) - edge_at(snapshot, axis, i)) / width - 1.0) > tolerance)
            return lr_fail(snapshot->ctx, LR_ERROR_INPUT,
                           "only cells of equal width can be rolled; along %c they differ", "xyz"[axis]);
    const double steps = length / width, whole = nearbyint(steps);
    if (fabs(steps - whole) > tolerance || !(fabs(whole) < 1e9))
        return lr_fail(snapshot->ctx, LR_ERROR_INPUT, "this is %.6g %s of %.6g cm along %c; it must be a whole number",
                       steps, unit_name(snapshot), width, "xyz"[axis]);
    view->shift[axis] = (int)(((int64_t)whole % n + n) % n);
    return LR_OK;
}

enum lr_status snapshot_view_cut(struct snapshot *snapshot, int axis, double low, double high)
{
    struct snapshot_view *view = &snapshot->view;
    const double grace = 1e-6; /* of a cell, by which the range may overlap the next one */
    int first = view->n[axis], last = -1;
    for (int i = 0; i < view->n[axis]; i++) {
        const double lower = edge_at(snapshot, axis, i), upper = edge_at(snapshot, axis, i + 1);
        const double touch = grace * (upper - lower);
        if (upper > low + touch && lower < high - touch) {
            first = i < first ? i : first;
            last = i;
        }
    }
    if (last < first)
        return lr_fail(snapshot->ctx, LR_ERROR_INPUT,
                       "nothing lies in this range; the snapshot runs from %.6g to %.6g cm along %c",
                       edge_at(snapshot, axis, 0), edge_at(snapshot, axis, view->n[axis]), "xyz"[axis]);
    view->first[axis] = first;
    view->count[axis] = last - first + 1;
    if (view->count[axis] < view->n[axis]) /* the box does not continue beyond a cut */
        snapshot->face[2 * axis] = snapshot->face[2 * axis + 1] = FACE_OPEN;
    return LR_OK;
}

void snapshot_view_turn(struct snapshot *snapshot, const int axis[3])
{
    memcpy(snapshot->view.axis, axis, sizeof snapshot->view.axis);
}

/* ---- Cells ---- */

static int after_roll(const struct snapshot_view *view, int axis, int i)
{
    const int rolled = (int)(((int64_t)i + view->shift[axis]) % view->n[axis]) - view->first[axis];
    return rolled >= 0 && rolled < view->count[axis] ? rolled : -1;
}

/* Of n[axis] cells along the axes of the file, in an array of the model. */
static void set_strides(struct snapshot_view *view, const int n[3])
{
    int64_t stride = 1;
    for (int d = 2; d >= 0; d--) {
        view->stride[view->axis[d]] = stride;
        stride *= n[view->axis[d]];
    }
}

static enum lr_status place_cells(struct snapshot *snapshot)
{
    struct snapshot_view *view = &snapshot->view;
    for (int axis = 0; axis < 3; axis++) {
        LR_TRY(lr_allocate(snapshot->ctx, (size_t)view->n[axis], sizeof(int), &view->place[axis]));
        for (int i = 0; i < view->n[axis]; i++)
            view->place[axis][i] = after_roll(view, axis, i);
    }
    set_strides(view, view->count);
    return LR_OK;
}

static enum lr_status take_edges(const struct snapshot *snapshot, struct mesh *mesh)
{
    const struct snapshot_view *view = &snapshot->view;
    mesh->kind = snapshot->mesh.kind;
    mesh->n[0] = mesh->n[1] = mesh->n[2] = 1;
    for (int d = 0; d < mesh_axis_count(&snapshot->mesh); d++) {
        const int axis = view->axis[d];
        const size_t n = (size_t)view->count[axis] + 1;
        mesh->n[d] = view->count[axis];
        LR_TRY(lr_allocate(snapshot->ctx, n, sizeof(double), &mesh->edge[d]));
        memcpy(mesh->edge[d], snapshot->mesh.edge[axis] + view->first[axis], n * sizeof(double));
    }
    return LR_OK;
}

/* ---- Bricks ---- */

/* The position of a brick, by axes of the file; false if it is left out. Finer bricks follow the coarsest brick that
 * contains them. */
static bool move_brick(const struct snapshot *snapshot, int64_t b, int to[3])
{
    const struct snapshot_view *view = &snapshot->view;
    const int level = snapshot->bricks.level[b];
    for (int axis = 0; axis < 3; axis++) {
        const int at = snapshot->bricks.position[b][axis], root = at >> level;
        const int moved = after_roll(view, axis, root);
        if (moved < 0)
            return false;
        to[axis] = (moved << level) + (at - (root << level));
    }
    return true;
}

static enum lr_status place_bricks(struct snapshot *snapshot, int64_t *n, int *level, int (*position)[3])
{
    struct snapshot_view *view = &snapshot->view;
    const struct snapshot_bricks *bricks = &snapshot->bricks;
    *n = 0;
    for (int64_t b = 0; b < bricks->n; b++) {
        int to[3];
        view->brick[b] = move_brick(snapshot, b, to) ? *n : -1;
        if (view->brick[b] < 0)
            continue;
        level[*n] = bricks->level[b];
        for (int d = 0; d < 3; d++)
            position[*n][d] = to[view->axis[d]];
        *n += 1;
    }
    view->cells_per_brick = (int64_t)bricks->brick[0] * bricks->brick[1] * bricks->brick[2];
    for (int axis = 0; axis < 3; axis++) {
        LR_TRY(lr_allocate(snapshot->ctx, (size_t)bricks->brick[axis], sizeof(int), &view->place[axis]));
        for (int i = 0; i < bricks->brick[axis]; i++)
            view->place[axis][i] = i;
    }
    set_strides(view, bricks->brick);
    return LR_OK;
}

/* The whole file must be one mesh without holes, whatever part is used; errors name bricks by their index in the file.
 */
static enum lr_status check_bricks(const struct snapshot *snapshot)
{
    const struct snapshot_bricks *bricks = &snapshot->bricks;
    struct mesh whole = {.kind = MESH_AMR};
    const enum lr_status status =
        mesh_build_amr(snapshot->ctx, bricks->root, bricks->brick, bricks->lower, bricks->size, bricks->n,
                       bricks->level, (const int(*)[3])bricks->position, &whole);
    mesh_free(&whole);
    if (status != LR_ERROR_INPUT)
        return status;
    char message[sizeof snapshot->ctx->error];
    memcpy(message, snapshot->ctx->error, sizeof message);
    return lr_fail(snapshot->ctx, status, "%s: %s", snapshot->path, message);
}

static enum lr_status take_bricks(struct snapshot *snapshot, struct mesh *mesh)
{
    struct snapshot_bricks *bricks = &snapshot->bricks;
    struct snapshot_view *view = &snapshot->view;
    int root[3], brick[3], *level = NULL, (*position)[3] = NULL;
    double lower[3], size[3];
    int64_t n = 0;
    enum lr_status status = LR_OK;
    for (int d = 0; d < 3; d++) {
        const int axis = view->axis[d];
        root[d] = view->count[axis];
        brick[d] = bricks->brick[axis];
        lower[d] = edge_at(snapshot, axis, view->first[axis]);
        size[d] = edge_at(snapshot, axis, view->first[axis] + view->count[axis]) - lower[d];
    }
    LR_TRY_OR(done, status, check_bricks(snapshot));
    LR_TRY_OR(done, status, lr_allocate(snapshot->ctx, (size_t)bricks->n, sizeof *view->brick, &view->brick));
    LR_TRY_OR(done, status, lr_allocate(snapshot->ctx, (size_t)bricks->n, sizeof *level, &level));
    LR_TRY_OR(done, status, lr_allocate(snapshot->ctx, (size_t)bricks->n, sizeof *position, &position));
    LR_TRY_OR(done, status, place_bricks(snapshot, &n, level, position));
    LR_TRY_OR(done, status,
              mesh_build_amr(snapshot->ctx, root, brick, lower, size, n, level, (const int(*)[3])position, mesh));
    free(bricks->position); /* the view has everything that reading needs */
    bricks->position = NULL;
done:
    free(level);
    free(position);
    return status;
}

enum lr_status snapshot_view_mesh(struct snapshot *snapshot, struct mesh *mesh)
{
    if (snapshot->has_bricks) {
        LR_TRY(take_bricks(snapshot, mesh));
    } else {
        LR_TRY(place_cells(snapshot));
        LR_TRY(take_edges(snapshot, mesh));
    }
    for (int face = 0; face < N_FACE; face++)
        mesh->face[face] = snapshot->face[2 * snapshot->view.axis[face / 2] + face % 2];
    return LR_OK;
}

void snapshot_view_free(struct snapshot_view *view)
{
    for (int axis = 0; axis < 3; axis++) {
        free(view->place[axis]);
        view->place[axis] = NULL;
    }
    free(view->brick);
    view->brick = NULL;
}
