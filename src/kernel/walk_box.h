/* Box cells: where a flight leaves one, and what happens at faces of the mesh. Shared by rectilinear and refined
 * meshes. Positions are relative to the lower corner of their cell, so that a short free path deep in a large mesh
 * loses no digits. */
#ifndef LR_KERNEL_WALK_BOX_H
#define LR_KERNEL_WALK_BOX_H

#include "kernel/doppler.h"
#include "kernel/leg.h"
#include "kernel/vec3.h"
#include "kernel/views.h"

/* Directions are relative to the mesh, and each cell has a single velocity. */
enum { WALK_IS_RADIAL = 0, EXIT_STEP = -1 };

/* The size of a cell; and its members, for drivers that keep many places as arrays. */
typedef struct vec3 cell_extent;
#define EXTENT_MEMBERS(MEMBER)                                                                                         \
    MEMBER(real, width_x, at.width.x)                                                                                  \
    MEMBER(real, width_y, at.width.y)                                                                                  \
    MEMBER(real, width_z, at.width.z)

struct place {
    int i, j, k;
    struct vec3 local; /* from the lower corner of the cell */
    cell_extent width;
};

struct cell_exit {
    real distance;
    int axis;
};

/* Distance to the face ahead. A zero direction component gives infinity or, on the face itself, 0/0, which compares as
 * false and never wins. */
LR_FN struct cell_exit walk_exit(struct vec3 local, cell_extent width, struct vec3 n)
{
    const real tx = r_div(n.x > R(0) ? width.x - local.x : local.x, r_abs(n.x));
    const real ty = r_div(n.y > R(0) ? width.y - local.y : local.y, r_abs(n.y));
    const real tz = r_div(n.z > R(0) ? width.z - local.z : local.z, r_abs(n.z));
    struct cell_exit exit;
    exit.distance = R_HUGE;
    exit.axis = 0;
    if (tx < exit.distance)
        exit.distance = tx;
    if (ty < exit.distance) {
        exit.distance = ty;
        exit.axis = 1;
    }
    if (tz < exit.distance) {
        exit.distance = tz;
        exit.axis = 2;
    }
    exit.distance = r_max(exit.distance, R(0));
    return exit;
}

struct flown {
    struct vec3 local, n;
};

/* Place and direction after a flight that stays in the cell. */
LR_FN struct flown walk_move(struct vec3 local, cell_extent width, struct vec3 n, real length)
{
    struct flown result;
    (void)width;
    result.local = vec3_make(local.x + length * n.x, local.y + length * n.y, local.z + length * n.z);
    result.n = n;
    return result;
}

/* Radius of the largest ball around a place that stays in the gas of its cell. */
LR_FN real walk_room(const struct ball_view *balls, struct vec3 local, cell_extent width, struct ball_reach beyond)
{
    const real x = balls->endless[0] ? R_HUGE : r_min(local.x, width.x - local.x);
    const real y = balls->endless[1] ? R_HUGE : r_min(local.y, width.y - local.y);
    const real z = balls->endless[2] ? R_HUGE : r_min(local.z, width.z - local.z);
    return r_min(x, r_min(y, z)) + (real)beyond.below;
}

/* Length over which the velocity of the gas changes by one Doppler width: there is none in a cell. */
LR_FN real walk_steady(struct vec3 local, cell_extent width, real outflow)
{
    (void)local;
    (void)width;
    (void)outflow;
    return R_HUGE;
}

/* From the middle of a cell to its nearest face. */
LR_FN real walk_half_width(const int endless[3], cell_extent width)
{
    const real x = endless[0] ? R_HUGE : width.x;
    const real y = endless[1] ? R_HUGE : width.y;
    const real z = endless[2] ? R_HUGE : width.z;
    return R(0.5) * r_min(x, r_min(y, z));
}

/* The next step, and the frequencies along it in the frame of the gas: all one, since each cell has a single velocity.
 */
LR_FN struct leg walk_aim(struct place *at, struct vec3 n, real x, real outflow)
{
    struct leg leg;
    (void)at;
    (void)n;
    (void)outflow;
    leg.reach = R_HUGE;
    leg.start = leg.middle = leg.end = x;
    return leg;
}

/* Fewer than 2^31 cells. */
LR_FN int walk_cell_index(const struct mesh_view *mesh, struct place at)
{
    return (at.i * mesh->n[1] + at.j) * mesh->n[2] + at.k;
}

LR_FN struct vec3 walk_mirrored(struct vec3 n, int axis)
{
    return vec3_make(axis == 0 ? -n.x : n.x, axis == 1 ? -n.y : n.y, axis == 2 ? -n.z : n.z);
}

/* A packet parallel to the open faces of a periodic or reflecting mesh without opacity would fly forever: when it meets
 * such a face, components below LEAST_SLOPE are raised to it, so that it drifts out after some 1e5 periods. */
#define LEAST_SLOPE R(1e-5)

LR_FN struct vec3 walk_not_parallel(struct vec3 n)
{
    return vec3_make(r_abs(n.x) < LEAST_SLOPE ? LEAST_SLOPE : n.x, r_abs(n.y) < LEAST_SLOPE ? LEAST_SLOPE : n.y,
                     r_abs(n.z) < LEAST_SLOPE ? LEAST_SLOPE : n.z);
}

struct crossing {
    struct place at; /* place on the other side; indices are unchanged after an escape or a reflection */
    struct vec3 n;   /* direction there, mirrored after a reflection */
    int escaped;     /* left through an open face */
    int reflected;
    int face; /* 0..5, x- x+ y- y+ z- z+, of the cell just left */
};

/* Radial velocity of the gas in units of b: not used in boxes. */
LR_FN real walk_outflow(const struct cell_view *cell)
{
    (void)cell;
    return R(0);
}

/* Gas velocity along a flight. */
LR_FN real walk_velocity_along(struct vec3 velocity, struct vec3 n)
{
    return vec3_dot(velocity, n);
}

LR_FN real cell_velocity_along(const struct cell_view *cell, struct vec3 n)
{
    return cell->vx * n.x + cell->vy * n.y + cell->vz * n.z;
}

#endif
