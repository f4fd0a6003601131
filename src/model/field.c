#include "model/field.h"

#include <math.h>
#include <stdlib.h>

#include "mesh/amr.h"
#include "mesh/column.h"

void field_free(struct field *field)
{
    free(field->values);
    field->values = NULL;
}

enum lr_status field_expand(lr_context *ctx, struct field *field, int64_t n_cell)
{
    if (field->values)
        return LR_OK;
    LR_TRY(lr_allocate(ctx, (size_t)n_cell, sizeof(double), &field->values));
    if (field->constant != 0.0)
        for (int64_t cell = 0; cell < n_cell; cell++)
            field->values[cell] = field->constant;
    return LR_OK;
}

void field_compact(struct field *field, int64_t n_cell)
{
    if (!field->values)
        return;
    for (int64_t cell = 1; cell < n_cell; cell++)
        if (field->values[cell] != field->values[0])
            return;
    field->constant = field->values[0];
    field_free(field);
}

void field_scale(struct field *field, int64_t n_cell, double factor)
{
    field->constant *= factor;
    for (int64_t cell = 0; field->values && cell < n_cell; cell++)
        field->values[cell] *= factor;
}

bool field_is_zero(const struct field *field, int64_t n_cell)
{
    if (!field->values)
        return field->constant == 0.0;
    for (int64_t cell = 0; cell < n_cell; cell++)
        if (field->values[cell] != 0.0)
            return false;
    return true;
}

struct field_range field_measure(const struct field *field, const struct mesh *mesh)
{
    if (!field->values)
        return (struct field_range){field->constant, field->constant, field->constant};
    struct field_range range = {field->values[0], 0.0, field->values[0]};
    double total = 0.0;
    int64_t cell = 0;
    for (int i = 0; i < mesh->n[0]; i++)
        for (int j = 0; j < mesh->n[1]; j++)
            for (int k = 0; k < mesh->n[2]; k++, cell++) {
                double value = field->values[cell], volume = mesh_cell_volume(mesh, i, j, k);
                range.low = fmin(range.low, value);
                range.high = fmax(range.high, value);
                range.mean += value * volume;
                total += volume;
            }
    range.mean /= total;
    return range;
}

/* The one or two rows of cells touched by the centre line of the mesh along `axis`. */
static void middle_rows(const struct mesh *mesh, int axis, int row[2])
{
    double centre = mesh_centre(mesh, axis);
    row[0] = row[1] = mesh_find_cell(mesh, axis, centre);
    double tolerance = 1e-9 * mesh_size(mesh, axis);
    if (row[1] > 0 && centre - mesh->edge[axis][row[1]] < tolerance)
        row[0]--;
    else if (row[1] + 1 < mesh->n[axis] && mesh->edge[axis][row[1] + 1] - centre < tolerance)
        row[1]++;
}

/* INT field dr from the centre of shells to their surface; their cavity is empty. */
static double radial_depth(const struct field *field, const struct mesh *mesh)
{
    double depth = 0.0;
    for (int i = 0; i < mesh->n[0]; i++)
        depth += field_at(field, i) * (mesh->edge[0][i + 1] - mesh->edge[0][i]);
    return depth;
}

/* ---- refined meshes ---- */

static double value_at(const void *field, int64_t cell)
{
    return field_at(field, cell);
}

/* Four lines next to the one through the centre, so that a cell boundary there gives the mean of both sides. */
static double refined_depth(const struct field *field, const struct mesh *mesh, int axis, bool from_centre)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double depth = 0.0, point[3];
    for (int corner = 0; corner < 4; corner++) {
        point[axis] = from_centre ? mesh_centre(mesh, axis) : mesh_lower(mesh, axis);
        point[u] = mesh_centre(mesh, u) + (corner & 1 ? 0.25 : -0.25) * amr_finest_width(&mesh->tree, u);
        point[v] = mesh_centre(mesh, v) + (corner & 2 ? 0.25 : -0.25) * amr_finest_width(&mesh->tree, v);
        depth += 0.25 * column_integral(mesh, axis, point, value_at, field);
    }
    return depth;
}

double field_depth(const struct field *field, const struct mesh *mesh, int axis, bool from_centre)
{
    if (mesh->kind == MESH_SHELLS)
        return (from_centre ? 1.0 : 2.0) * radial_depth(field, mesh);
    if (mesh->kind == MESH_AMR)
        return refined_depth(field, mesh, axis, from_centre);
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    int row_u[2], row_v[2], at[3];
    middle_rows(mesh, u, row_u);
    middle_rows(mesh, v, row_v);
    double start = from_centre ? mesh_centre(mesh, axis) : mesh->edge[axis][0];
    double depth = 0.0;
    for (at[axis] = 0; at[axis] < mesh->n[axis]; at[axis]++) {
        double upper = mesh->edge[axis][at[axis] + 1];
        double length = upper - fmax(mesh->edge[axis][at[axis]], start);
        if (length <= 0.0)
            continue;
        for (int corner = 0; corner < 4; corner++) {
            at[u] = row_u[corner & 1];
            at[v] = row_v[corner >> 1];
            depth += 0.25 * length * field_at(field, mesh_cell_index(mesh, at[0], at[1], at[2]));
        }
    }
    return depth;
}

static double row_depth(const struct field *field, const struct mesh *mesh, int axis, int at[3])
{
    double depth = 0.0;
    for (at[axis] = 0; at[axis] < mesh->n[axis]; at[axis]++)
        depth += field_at(field, mesh_cell_index(mesh, at[0], at[1], at[2])) *
                 (mesh->edge[axis][at[axis] + 1] - mesh->edge[axis][at[axis]]);
    return depth;
}

double field_largest_depth(const struct field *field, const struct mesh *mesh, int axis)
{
    if (mesh->kind == MESH_SHELLS)
        return 2.0 * radial_depth(field, mesh);
    if (!field->values)
        return field->constant * mesh_size(mesh, axis);
    if (mesh->kind == MESH_AMR)
        return column_largest(mesh, axis, value_at, field);
    int u = (axis + 1) % 3, v = (axis + 2) % 3, at[3];
    double largest = 0.0;
    for (at[u] = 0; at[u] < mesh->n[u]; at[u]++)
        for (at[v] = 0; at[v] < mesh->n[v]; at[v]++)
            largest = fmax(largest, row_depth(field, mesh, axis, at));
    return largest;
}
