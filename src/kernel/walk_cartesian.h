/* Walking a rectilinear mesh. Every mesh has the same interface: where a ray leaves a cell, and what lies beyond. */
#ifndef LR_KERNEL_WALK_CARTESIAN_H
#define LR_KERNEL_WALK_CARTESIAN_H

#include "kernel/locate.h"
#include "kernel/walk_box.h"

/* The place with one axis replaced: cell index and position inside it. */
LR_FN struct place place_on_plane(const struct mesh_view *mesh, struct place at, int axis, int index, real local)
{
    const real width = mesh->width[axis][index];
    if (axis == 0) {
        at.i = index;
        at.local.x = local;
        at.width.x = width;
    } else if (axis == 1) {
        at.j = index;
        at.local.y = local;
        at.width.y = width;
    } else {
        at.k = index;
        at.local.z = local;
        at.width.z = width;
    }
    return at;
}

LR_FN struct crossing walk_cross(const struct mesh_view *mesh, struct place at, struct vec3 n, int axis)
{
    const real component = axis == 0 ? n.x : axis == 1 ? n.y : n.z;
    const int forward = component > R(0);
    const int old_index = axis == 0 ? at.i : axis == 1 ? at.j : at.k;
    const int count = mesh->n[axis];
    int index = old_index + (forward ? 1 : -1);
    struct crossing result;
    result.n = n;
    result.escaped = 0;
    result.reflected = 0;
    result.face = 2 * axis + forward;
    if (index < 0 || index >= count) {
        const int rule = mesh->face[result.face];
        result.escaped = rule == FACE_OPEN;
        result.reflected = rule == FACE_REFLECTING;
        index = rule == FACE_PERIODIC ? (forward ? 0 : count - 1) : old_index;
        if (!result.escaped)
            result.n = walk_not_parallel(result.reflected ? walk_mirrored(n, axis) : n);
    }
    const int at_upper = (result.escaped || result.reflected) ? forward : !forward;
    const real local = at_upper ? mesh->width[axis][index] : R(0);
    at = place_on_plane(mesh, at, axis, index, local);
    result.at = at;
    return result;
}

LR_FN struct vec3 walk_width(const struct mesh_view *mesh, int i, int j, int k)
{
    return vec3_make(mesh->width[0][i], mesh->width[1][j], mesh->width[2][k]);
}

/* The lower corner of a cell, from that of the mesh. */
LR_FN struct vec3 walk_corner(const struct mesh_view *mesh, int i, int j, int k)
{
    return vec3_make(mesh->edge[0][i], mesh->edge[1][j], mesh->edge[2][k]);
}

/* Size of the mesh. */
LR_FN double walk_size(const struct mesh_view *mesh, int axis)
{
    return (double)mesh->edge[axis][mesh->n[axis]];
}

/* The place of a point; on a face of the mesh if `face` >= 0, numbered x-, x+, y-, ... */
LR_FN struct place walk_place(const struct mesh_view *mesh, const double point[3], int face)
{
    struct place at;
    int index[3];
    real local[3];
    for (int axis = 0; axis < 3; axis++) {
        index[axis] = walk_locate(mesh->edge[axis], mesh->n[axis], (real)point[axis]);
        /* cells at a face may be narrower than the rounding of edges */
        if (axis == face / 2 && face >= 0)
            index[axis] = face & 1 ? mesh->n[axis] - 1 : 0;
        const real width = mesh->width[axis][index[axis]];
        local[axis] = r_min(r_max((real)(point[axis] - (double)mesh->edge[axis][index[axis]]), R(0)), width);
        if (axis == face / 2 && face >= 0)
            local[axis] = face & 1 ? width : R(0);
    }
    at.i = index[0];
    at.j = index[1];
    at.k = index[2];
    at.local = vec3_make(local[0], local[1], local[2]);
    at.width = walk_width(mesh, at.i, at.j, at.k);
    return at;
}

/* A place on a plane across the mesh; cell and position along its axis are given. */
LR_FN struct place walk_on_plane(const struct mesh_view *mesh, const double point[3], int axis, int cell, real local)
{
    return place_on_plane(mesh, walk_place(mesh, point, -1), axis, cell, local);
}

/* Extent of a cell from the point where a linear S has its mean value. */
LR_FN struct vec3 walk_extent(const struct mesh_view *mesh, const int at[3])
{
    const struct vec3 width = walk_width(mesh, at[0], at[1], at[2]);
    return vec3_make(R(0.5) * width.x, R(0.5) * width.y, R(0.5) * width.z);
}

/* Number of neighbours to consider across one face. */
enum { WALK_N_BESIDE = 1 };

LR_FN struct neighbour walk_neighbour(const struct mesh_view *mesh, const int at[3], int axis, int upward, int part)
{
    struct neighbour result;
    const int count = mesh->n[axis];
    int there[3];
    (void)part;
    for (int k = 0; k < 3; k++) {
        there[k] = at[k];
        result.offset[k] = R(0);
    }
    there[axis] += upward ? 1 : -1;
    if (mesh->face[2 * axis] == FACE_PERIODIC)
        there[axis] = there[axis] < 0 ? count - 1 : there[axis] < count ? there[axis] : 0;
    result.cell = -1;
    if (there[axis] < 0 || there[axis] >= count || there[axis] == at[axis])
        return result;
    result.cell = (there[0] * mesh->n[1] + there[1]) * mesh->n[2] + there[2];
    const real distance = R(0.5) * (mesh->width[axis][at[axis]] + mesh->width[axis][there[axis]]);
    result.offset[axis] = upward ? distance : -distance;
    return result;
}

#endif
