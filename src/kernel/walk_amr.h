/* Walking a refined mesh: boxes in bricks of equal numbers of cells, bricks in an octree (brick.h). Cells are numbered
 * as in a rectilinear mesh of stacked bricks: i = number of the brick x cells of a brick along x + cell in the brick.
 *
 * Inside a brick the next cell is the next index. Across its faces the next brick is found from the root of the octree:
 * the cell of equal size on the other side is expressed in positions of its level, and the descent ends early (a larger
 * cell contains it) or continues (the position inside it selects an octant). Cell sizes differ by powers of two between
 * levels, so positions inside cells pass from level to level without rounding, except for what a larger cell cannot
 * resolve. */
#ifndef LR_KERNEL_WALK_AMR_H
#define LR_KERNEL_WALK_AMR_H

#include "kernel/brick.h"
#include "kernel/walk_box.h"

/* 2^-level */
LR_FN double level_scale(int level)
{
    return 1.0 / (double)(1 << level);
}

LR_FN struct vec3 walk_width(const struct mesh_view *mesh, int i, int j, int k)
{
    const double scale = level_scale(brick_from_key(mesh->key[i / mesh->brick[0]]).level);
    (void)j;
    (void)k;
    return vec3_make((real)(mesh->cell[0] * scale), (real)(mesh->cell[1] * scale), (real)(mesh->cell[2] * scale));
}

/* The lower corner of a cell, from that of the mesh. */
LR_FN struct vec3 walk_corner(const struct mesh_view *mesh, int i, int j, int k)
{
    const int b = i / mesh->brick[0];
    const struct brick_place place = brick_from_key(mesh->key[b]);
    const double scale = level_scale(place.level);
    const int inside[3] = {i - b * mesh->brick[0], j, k};
    double corner[3];
    for (int axis = 0; axis < 3; axis++)
        corner[axis] = (double)(place.x[axis] * mesh->brick[axis] + inside[axis]) * (mesh->cell[axis] * scale);
    return vec3_make((real)corner[0], (real)corner[1], (real)corner[2]);
}

/* Size of the mesh. */
LR_FN double walk_size(const struct mesh_view *mesh, int axis)
{
    return mesh->cell[axis] * mesh->root[axis] * mesh->brick[axis];
}

/* A cell on some level, which may be larger or smaller than the real ones there: its indices among cells of that level,
 * and a position inside it. */
struct amr_cell {
    int level;
    int x[3];
    real local[3];
};

/* The cell of the mesh that contains a position in `from`. */
LR_FN struct place amr_descend(const struct mesh_view *mesh, struct amr_cell from)
{
    int brick[3];
    int link;
    int level = 0;
    real width[3];
    for (int axis = 0; axis < 3; axis++) {
        brick[axis] = from.x[axis] / mesh->brick[axis];
        width[axis] = (real)(mesh->cell[axis] * level_scale(from.level));
    }
    link = mesh->link[((brick[0] >> from.level) * mesh->root[1] + (brick[1] >> from.level)) * mesh->root[2] +
                      (brick[2] >> from.level)];
    LR_NO_UNROLL
    while (link < 0) {
        int part[3];
        level++;
        for (int axis = 0; axis < 3; axis++) {
            if (level > from.level) {
                width[axis] *= R(0.5);
                const int upper = from.local[axis] >= width[axis];
                from.x[axis] = 2 * from.x[axis] + upper;
                from.local[axis] = upper ? from.local[axis] - width[axis] : from.local[axis];
                brick[axis] = from.x[axis] / mesh->brick[axis];
            }
            part[axis] = level > from.level ? brick[axis] : brick[axis] >> (from.level - level);
        }
        link = mesh->link[~link + brick_part(part)];
    }
    int inside[3];
    const int up = level < from.level ? from.level - level : 0;
    for (int axis = 0; axis < 3; axis++) {
        const int large = from.x[axis] >> up;
        from.local[axis] += (real)(from.x[axis] - (large << up)) * width[axis];
        width[axis] *= (real)(1 << up);
        inside[axis] = large - (large / mesh->brick[axis]) * mesh->brick[axis];
    }
    struct place at;
    at.i = link * mesh->brick[0] + inside[0];
    at.j = inside[1];
    at.k = inside[2];
    at.local = vec3_make(from.local[0], from.local[1], from.local[2]);
    at.width = vec3_make(width[0], width[1], width[2]);
    return at;
}

/* The place of a point; on a face of the mesh if `face` >= 0, numbered x-, x+, y-, ... */
LR_FN struct place walk_place(const struct mesh_view *mesh, const double point[3], int face)
{
    struct amr_cell cell;
    cell.level = mesh->deepest;
    for (int axis = 0; axis < 3; axis++) {
        const double smallest = mesh->cell[axis] * level_scale(mesh->deepest);
        const int count = (mesh->root[axis] << mesh->deepest) * mesh->brick[axis];
        const int on_face = face >= 0 && axis == face / 2;
        const int index = (int)floor(point[axis] / smallest);
        cell.x[axis] = index < 0 ? 0 : index < count ? index : count - 1;
        if (on_face)
            cell.x[axis] = face & 1 ? count - 1 : 0;
        const real width = (real)smallest;
        const real local = (real)(point[axis] - (double)cell.x[axis] * smallest);
        cell.local[axis] = r_min(r_max(local, R(0)), width);
        if (on_face)
            cell.local[axis] = face & 1 ? width : R(0);
    }
    return amr_descend(mesh, cell);
}

/* A place on a plane across the mesh, at `local` from its lower face. */
LR_FN struct place walk_on_plane(const struct mesh_view *mesh, const double point[3], int axis, int cell, real local)
{
    double there[3];
    (void)cell;
    for (int k = 0; k < 3; k++)
        there[k] = k == axis ? (double)local : point[k];
    return walk_place(mesh, there, -1);
}

/* The cell of equal size across a face; `outside` if a non-periodic face of the mesh lies in between. */
struct amr_step {
    struct amr_cell to; /* with the position of the flight, on the face */
    int outside, wrapped, same_brick;
};

LR_FN struct amr_step amr_across(const struct mesh_view *mesh, struct place at, int axis, int forward)
{
    struct amr_step step;
    const int b = at.i / mesh->brick[0];
    const int inside[3] = {at.i - b * mesh->brick[0], at.j, at.k};
    const int next = inside[axis] + (forward ? 1 : -1);
    step.outside = 0;
    step.wrapped = 0;
    step.same_brick = next >= 0 && next < mesh->brick[axis];
    if (step.same_brick)
        return step;
    const struct brick_place place = brick_from_key(mesh->key[b]);
    step.to.level = place.level;
    for (int k = 0; k < 3; k++) {
        const int count = (mesh->root[k] << place.level) * mesh->brick[k];
        int x = place.x[k] * mesh->brick[k] + inside[k];
        if (k == axis) {
            x += forward ? 1 : -1;
            const int periodic = mesh->face[2 * axis + forward] == FACE_PERIODIC;
            step.wrapped = (x < 0 || x >= count) && periodic;
            step.outside = (x < 0 || x >= count) && !periodic;
            x = x < 0 ? count - 1 : x < count ? x : 0;
        }
        step.to.x[k] = x;
    }
    step.to.local[0] = axis == 0 ? (forward ? R(0) : at.width.x) : at.local.x;
    step.to.local[1] = axis == 1 ? (forward ? R(0) : at.width.y) : at.local.y;
    step.to.local[2] = axis == 2 ? (forward ? R(0) : at.width.z) : at.local.z;
    return step;
}

/* The place moved to a face of its cell. */
LR_FN struct place amr_on_face(struct place at, int axis, int upper)
{
    at.local.x = axis == 0 ? (upper ? at.width.x : R(0)) : at.local.x;
    at.local.y = axis == 1 ? (upper ? at.width.y : R(0)) : at.local.y;
    at.local.z = axis == 2 ? (upper ? at.width.z : R(0)) : at.local.z;
    return at;
}

LR_FN struct crossing walk_cross(const struct mesh_view *mesh, struct place at, struct vec3 n, int axis)
{
    const real component = axis == 0 ? n.x : axis == 1 ? n.y : n.z;
    const int forward = component > R(0);
    const struct amr_step step = amr_across(mesh, at, axis, forward);
    struct crossing result;
    result.n = n;
    result.escaped = 0;
    result.reflected = 0;
    result.face = 2 * axis + forward;
    if (step.same_brick) {
        const int one = forward ? 1 : -1;
        at.i += axis == 0 ? one : 0;
        at.j += axis == 1 ? one : 0;
        at.k += axis == 2 ? one : 0;
        result.at = amr_on_face(at, axis, !forward);
        return result;
    }
    if (step.outside) {
        result.escaped = mesh->face[result.face] == FACE_OPEN;
        result.reflected = !result.escaped;
        result.at = amr_on_face(at, axis, forward);
        if (result.reflected)
            result.n = walk_not_parallel(walk_mirrored(n, axis));
        return result;
    }
    if (step.wrapped)
        result.n = walk_not_parallel(n);
    result.at = amr_descend(mesh, step.to);
    return result;
}

/* Extent of a cell from the point where a linear S has its mean value. */
LR_FN struct vec3 walk_extent(const struct mesh_view *mesh, const int at[3])
{
    const struct vec3 width = walk_width(mesh, at[0], at[1], at[2]);
    return vec3_make(R(0.5) * width.x, R(0.5) * width.y, R(0.5) * width.z);
}

/* Number of neighbours to consider across one face: those at the centres of its quarters. */
enum { WALK_N_BESIDE = 4 };

LR_FN struct neighbour walk_neighbour(const struct mesh_view *mesh, const int at[3], int axis, int upward, int part)
{
    struct place place;
    struct neighbour result;
    const int across = axis == 0 ? 1 : 0;
    const int other = axis == 2 ? 1 : 2;
    place.i = at[0];
    place.j = at[1];
    place.k = at[2];
    place.width = walk_width(mesh, at[0], at[1], at[2]);
    const real width[3] = {place.width.x, place.width.y, place.width.z};
    real local[3];
    local[axis] = upward ? width[axis] : R(0);
    local[across] = width[across] * (part & 1 ? R(0.75) : R(0.25));
    local[other] = width[other] * (part & 2 ? R(0.75) : R(0.25));
    place.local = vec3_make(local[0], local[1], local[2]);
    const struct amr_step step = amr_across(mesh, place, axis, upward);
    struct place there = place;
    result.cell = -1;
    for (int k = 0; k < 3; k++)
        result.offset[k] = R(0);
    if (step.outside)
        return result;
    if (step.same_brick) {
        const int one = upward ? 1 : -1;
        there.i += axis == 0 ? one : 0;
        there.j += axis == 1 ? one : 0;
        there.k += axis == 2 ? one : 0;
        there = amr_on_face(there, axis, !upward);
    } else {
        there = amr_descend(mesh, step.to);
    }
    result.cell = walk_cell_index(mesh, there);
    if (result.cell == walk_cell_index(mesh, place)) {
        result.cell = -1;
        return result;
    }
    /* the point on the face relative to the middle of this cell, minus the same relative to the other */
    const real inside[3] = {there.local.x, there.local.y, there.local.z};
    const real beyond[3] = {there.width.x, there.width.y, there.width.z};
    for (int k = 0; k < 3; k++)
        result.offset[k] = (local[k] - R(0.5) * width[k]) - (inside[k] - R(0.5) * beyond[k]);
    return result;
}

#endif
