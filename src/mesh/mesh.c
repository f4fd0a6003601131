#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants.h"
#include "mesh/amr.h"

/* ---- making one ---- */

enum lr_status mesh_build_uniform(lr_context *ctx, const int n[3], const double lower[3], const double size[3],
                                  struct mesh *mesh)
{
    for (int axis = 0; axis < 3; axis++) {
        mesh->n[axis] = n[axis];
        LR_TRY(lr_allocate(ctx, (size_t)n[axis] + 1, sizeof(double), &mesh->edge[axis]));
        for (int i = 0; i < n[axis]; i++)
            mesh->edge[axis][i] = lower[axis] + size[axis] * i / n[axis];
        mesh->edge[axis][n[axis]] = lower[axis] + size[axis];
    }
    return LR_OK;
}

enum lr_status mesh_build_shells(lr_context *ctx, int n, double inner, double outer, bool by_ratio, struct mesh *mesh)
{
    mesh->kind = MESH_SHELLS;
    mesh->n[0] = n;
    mesh->n[1] = mesh->n[2] = 1;
    LR_TRY(lr_allocate(ctx, (size_t)n + 1, sizeof(double), &mesh->edge[0]));
    for (int i = 0; i <= n; i++)
        mesh->edge[0][i] =
            by_ratio ? inner * pow(outer / inner, (double)i / n) : inner + (outer - inner) * ((double)i / n);
    mesh->edge[0][0] = inner;
    mesh->edge[0][n] = outer;
    return LR_OK;
}

enum lr_status mesh_copy(lr_context *ctx, const struct mesh *from, struct mesh *to)
{
    to->kind = from->kind;
    memcpy(to->n, from->n, sizeof to->n);
    for (int axis = 0; axis < mesh_axis_count(from); axis++) {
        const size_t n = (size_t)from->n[axis] + 1;
        LR_TRY(lr_allocate(ctx, n, sizeof(double), &to->edge[axis]));
        memcpy(to->edge[axis], from->edge[axis], n * sizeof(double));
    }
    memcpy(to->face, from->face, sizeof to->face);
    return from->kind == MESH_AMR ? amr_copy(ctx, &from->tree, &to->tree) : LR_OK;
}

void mesh_free(struct mesh *mesh)
{
    for (int axis = 0; axis < 3; axis++) {
        free(mesh->edge[axis]);
        mesh->edge[axis] = NULL;
    }
    amr_free(&mesh->tree);
}

/* ---- where things are ---- */

int mesh_find_disorder(const struct mesh *mesh, int axis)
{
    for (int i = 0; i < mesh->n[axis]; i++)
        if (!(mesh->edge[axis][i] < mesh->edge[axis][i + 1]))
            return i;
    return -1;
}

int mesh_find_cell(const struct mesh *mesh, int axis, double x)
{
    const double *edge = mesh->edge[axis];
    int low = 0, high = mesh->n[axis];
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (edge[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double radius_of(const double point[3])
{
    return sqrt(point[0] * point[0] + point[1] * point[1] + point[2] * point[2]);
}

void mesh_find_point(const struct mesh *mesh, const double point[3], int at[3])
{
    if (mesh->kind == MESH_AMR) {
        amr_find_point(&mesh->tree, point, at);
        return;
    }
    at[1] = at[2] = 0;
    if (mesh->kind == MESH_SHELLS)
        at[0] = mesh_find_cell(mesh, 0, radius_of(point));
    for (int axis = 0; axis < mesh_axis_count(mesh) && mesh->kind == MESH_CARTESIAN; axis++)
        at[axis] = mesh_find_cell(mesh, axis, point[axis]);
}

int64_t mesh_cell_at(const struct mesh *mesh, const double point[3])
{
    int at[3];
    mesh_find_point(mesh, point, at);
    return mesh_cell_index(mesh, at[0], at[1], at[2]);
}

void mesh_cell_place(const struct mesh *mesh, int64_t cell, int at[3])
{
    const int64_t row = cell / mesh->n[2];
    at[0] = (int)(row / mesh->n[1]);
    at[1] = (int)(row % mesh->n[1]);
    at[2] = (int)(cell % mesh->n[2]);
}

void mesh_name_cell(const struct mesh *mesh, int64_t cell, char *text, size_t size)
{
    int at[3];
    mesh_cell_place(mesh, cell, at);
    if (mesh->kind == MESH_SHELLS)
        snprintf(text, size, "[%d]", at[0]);
    else if (mesh->kind == MESH_AMR)
        snprintf(text, size, "[%d, %d, %d, %d]", at[0] / mesh->tree.brick[0], at[0] % mesh->tree.brick[0], at[1],
                 at[2]);
    else
        snprintf(text, size, "[%d, %d, %d]", at[0], at[1], at[2]);
}

int mesh_field_shape(const struct mesh *mesh, int shape[MESH_MAX_RANK])
{
    const bool bricks = mesh->kind == MESH_AMR;
    int rank = 0;
    if (bricks)
        shape[rank++] = (int)mesh->tree.n_brick;
    for (int axis = 0; axis < (mesh->kind == MESH_SHELLS ? 1 : 3); axis++)
        shape[rank++] = bricks ? mesh->tree.brick[axis] : mesh->n[axis];
    return rank;
}

void mesh_cell_box(const struct mesh *mesh, int i, int j, int k, double low[3], double high[3])
{
    const int at[3] = {i, j, k};
    if (mesh->kind == MESH_AMR) {
        amr_cell_box(&mesh->tree, at, low, high);
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        const bool edges = axis < mesh_axis_count(mesh);
        low[axis] = edges ? mesh->edge[axis][at[axis]] : 0.0;
        high[axis] = edges ? mesh->edge[axis][at[axis] + 1] : 0.0;
    }
}

bool mesh_contains(const struct mesh *mesh, const double point[3])
{
    if (mesh->kind == MESH_SHELLS)
        return radius_of(point) <= mesh->edge[0][mesh->n[0]];
    for (int axis = 0; axis < 3; axis++)
        if (!(point[axis] >= mesh_lower(mesh, axis) && point[axis] <= mesh_upper(mesh, axis)))
            return false;
    return true;
}

/* ---- sizes ---- */

static double width_along(const struct mesh *mesh, int axis, int i)
{
    return mesh->edge[axis][i + 1] - mesh->edge[axis][i];
}

/* Of a spherical shell: 4 pi / 3 (r'^3 - r^3), without cancellation. */
static double shell_volume(double inner, double outer)
{
    return 4.0 / 3.0 * LR_PI * (outer - inner) * (outer * outer + outer * inner + inner * inner);
}

double mesh_cell_volume(const struct mesh *mesh, int i, int j, int k)
{
    if (mesh->kind == MESH_SHELLS)
        return shell_volume(mesh->edge[0][i], mesh->edge[0][i + 1]);
    if (mesh->kind == MESH_AMR) {
        double width[3];
        amr_cell_width(&mesh->tree, i, width);
        return width[0] * width[1] * width[2];
    }
    return width_along(mesh, 0, i) * width_along(mesh, 1, j) * width_along(mesh, 2, k);
}

double mesh_volume(const struct mesh *mesh)
{
    if (mesh->kind == MESH_SHELLS)
        return shell_volume(mesh->edge[0][0], mesh->edge[0][mesh->n[0]]);
    return mesh_size(mesh, 0) * mesh_size(mesh, 1) * mesh_size(mesh, 2);
}

static void cell_widths(const struct mesh *mesh, int i, int j, int k, double width[3])
{
    if (mesh->kind == MESH_AMR) {
        amr_cell_width(&mesh->tree, i, width);
        return;
    }
    width[0] = width_along(mesh, 0, i);
    width[1] = width_along(mesh, 1, j);
    width[2] = width_along(mesh, 2, k);
}

double mesh_cell_width(const struct mesh *mesh, int i, int j, int k)
{
    double width[3];
    if (mesh->kind == MESH_SHELLS)
        return width_along(mesh, 0, i);
    cell_widths(mesh, i, j, k, width);
    return fmin(width[0], fmin(width[1], width[2]));
}

double mesh_cell_longest(const struct mesh *mesh, int i, int j, int k)
{
    double width[3];
    if (mesh->kind == MESH_SHELLS) {
        const double inner = mesh->edge[0][i], outer = mesh->edge[0][i + 1];
        return 2 * sqrt((outer - inner) * (outer + inner));
    }
    cell_widths(mesh, i, j, k, width);
    double longest = mesh_cell_width(mesh, i, j, k);
    for (int axis = 0; axis < 3; axis++)
        longest = mesh_is_endless(mesh, axis) ? longest : fmax(longest, width[axis]);
    return longest;
}

void mesh_widths(const struct mesh *mesh, int axis, double *smallest, double *largest)
{
    if (mesh->kind == MESH_AMR) {
        amr_widths(&mesh->tree, axis, smallest, largest);
        return;
    }
    *smallest = *largest = width_along(mesh, axis, 0);
    for (int i = 1; i < mesh->n[axis]; i++) {
        *smallest = fmin(*smallest, width_along(mesh, axis, i));
        *largest = fmax(*largest, width_along(mesh, axis, i));
    }
}

double mesh_face_area(const struct mesh *mesh, int face)
{
    if (mesh->kind == MESH_SHELLS) {
        const double radius = mesh->edge[0][mesh->n[0]];
        return face == 1 ? 4.0 * LR_PI * radius * radius : 0.0;
    }
    int axis = face / 2;
    return mesh_size(mesh, (axis + 1) % 3) * mesh_size(mesh, (axis + 2) % 3);
}

int mesh_layer_axis(const struct mesh *mesh)
{
    int open = -1;
    int endless = 0;
    if (mesh->kind == MESH_SHELLS)
        return -1;
    for (int axis = 0; axis < 3; axis++) {
        if (mesh_is_endless(mesh, axis))
            endless++;
        else
            open = axis;
    }
    return endless == 2 ? open : -1;
}
