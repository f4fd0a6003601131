/* Beams that would never end: parallel to every open face, along a row of cells without gas. The kernels tilt such a
 * flight, so that it ends (kernel/walk_box.h), but its path and its place of escape would mean nothing. */
#include <math.h>

#include "io/model/model_source.h"
#include "mesh/column.h"

static const double LEAST_SLOPE = 1e-5; /* of kernel/walk_box.h; anything flatter is parallel */

static double opacity(const void *user, int64_t cell)
{
    const struct medium *medium = user;
    return field_at(&medium->alpha0, cell) + field_at(&medium->kappa, cell);
}

/* Whether a flight in this direction meets no open face, and the axes it moves along. */
static bool is_trapped(const struct mesh *mesh, const double direction[3], bool moves[3])
{
    bool open = false;
    for (int axis = 0; axis < 3; axis++) {
        moves[axis] = fabs(direction[axis]) >= LEAST_SLOPE;
        open |= moves[axis] && (mesh->face[2 * axis] == FACE_OPEN || mesh->face[2 * axis + 1] == FACE_OPEN);
    }
    return mesh->kind != MESH_SHELLS && !open;
}

static bool row_has_gas(const lr_model *model, int axis, const double point[3])
{
    const struct mesh *mesh = &model->mesh;
    int at[3];
    double start[3] = {point[0], point[1], point[2]};
    if (mesh->kind == MESH_AMR) {
        start[axis] = mesh_lower(mesh, axis);
        return column_integral(mesh, axis, start, opacity, &model->medium) > 0.0;
    }
    mesh_find_point(mesh, point, at);
    for (at[axis] = 0; at[axis] < mesh->n[axis]; at[axis]++)
        if (opacity(&model->medium, mesh_cell_index(mesh, at[0], at[1], at[2])) > 0.0)
            return true;
    return false;
}

/* An oblique flight comes through most cells that it can reach: those at its place along the axes it does not move. */
static bool reach_has_gas(const lr_model *model, const bool moves[3], const double point[3])
{
    const struct mesh *mesh = &model->mesh;
    double low[3], high[3];
    for (int64_t cell = 0; cell < mesh_cell_count(mesh); cell++) {
        int at[3];
        bool reached = opacity(&model->medium, cell) > 0.0;
        if (!reached)
            continue;
        mesh_cell_place(mesh, cell, at);
        mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
        for (int axis = 0; axis < 3; axis++)
            reached &= moves[axis] || (low[axis] <= point[axis] && point[axis] <= high[axis]);
        if (reached)
            return true;
    }
    return false;
}

bool beam_is_endless(const lr_model *model, const double point[3], const double direction[3])
{
    bool moves[3];
    if (!is_trapped(&model->mesh, direction, moves))
        return false;
    if (moves[0] + moves[1] + moves[2] > 1)
        return !reach_has_gas(model, moves, point);
    return !row_has_gas(model, moves[0] ? 0 : moves[1] ? 1 : 2, point);
}

/* From the centre of each cell that the plane passes through. */
static bool plane_is_endless(const lr_model *model, const struct source *plane)
{
    const struct mesh *mesh = &model->mesh;
    bool moves[3];
    if (!is_trapped(mesh, plane->direction, moves))
        return false;
    for (int64_t cell = 0; cell < mesh_cell_count(mesh); cell++) {
        int at[3];
        double low[3], high[3], point[3];
        mesh_cell_place(mesh, cell, at);
        mesh_cell_box(mesh, at[0], at[1], at[2], low, high);
        if (!(low[plane->axis] <= plane->offset && plane->offset <= high[plane->axis]))
            continue;
        for (int axis = 0; axis < 3; axis++)
            point[axis] = axis == plane->axis ? plane->offset : 0.5 * (low[axis] + high[axis]);
        if (beam_is_endless(model, point, plane->direction))
            return true;
    }
    return false;
}

enum lr_status check_beam(const struct reader *r, const struct yaml_node *map, const struct source *source)
{
    if (source->angular != ANGULAR_BEAM)
        return LR_OK;
    if (!(source->kind == SOURCE_PLANE ? plane_is_endless(r->model, source)
                                       : beam_is_endless(r->model, source->position, source->direction)))
        return LR_OK;
    return READER_FAIL(
        r, yaml_find(map, "direction"),
        "the beam is parallel to all open faces and meets no gas, so its photons would never leave; tilt "
        "it, make a face in its way open (mesh.faces), or put gas in its way");
}
