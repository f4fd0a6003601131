/* How the gas changes inside a cell: slopes of the velocity toward the observer and of the source function of the line,
 * from the neighbours across the six faces, limited as by van Leer (1977, J. Comput. Phys. 23, 276): no new extremes.
 * Empty cells say nothing; a cell at the edge of the gas or of the mesh takes the slope of its other side. */
#ifndef LR_KERNEL_SLOPE_H
#define LR_KERNEL_SLOPE_H

#include "kernel/walk.h"

struct LR_ALIGNED(32) slope_view {
    struct vec3 velocity; /* d(v . n) / d(x, y, z); SHELLS: of the outflow, d v / d r in x */
    struct vec3 source;   /* d(ln S) / d(x, y, z), S = q / alpha0; SHELLS: d / d r in x */
    real unused[2];
};

/* Slope of f between two neighbours at the distances given; a distance of 0 = no neighbour. */
LR_FN real limited_slope(real f_below, real f, real f_above, real to_below, real to_above)
{
    const real rise_below = to_below > R(0) ? r_div(f - f_below, to_below) : R(0);
    const real rise_above = to_above > R(0) ? r_div(f_above - f, to_above) : R(0);
    const real product = rise_below * rise_above;
    if (to_below > R(0) && to_above > R(0))
        return product > R(0) ? r_div(R(2) * product, rise_below + rise_above) : R(0);
    return rise_below + rise_above;
}

LR_FN int cell_is_empty(const struct cell_view *cell)
{
    return !(cell->alpha0 > R(0)) && !(cell->eps > R(0));
}

/* S = q / alpha0 (the `eps` of a traced cell is q), or 0. */
LR_FN real line_source_function(const struct cell_view *cell)
{
    return cell->alpha0 > R(0) ? r_div(cell->eps, cell->alpha0) : R(0);
}

struct neighbour {
    int cell;      /* index, or -1 */
    real distance; /* between the middles */
};

LR_FN struct neighbour walk_neighbour(const struct mesh_view *mesh, const int at[3], int axis, int upward)
{
    struct neighbour result;
    const int count = mesh->n[axis];
    int there[3];
    for (int k = 0; k < 3; k++)
        there[k] = at[k];
    there[axis] += upward ? 1 : -1;
    if (mesh->face[2 * axis] == FACE_IS_PERIODIC)
        there[axis] = there[axis] < 0 ? count - 1 : there[axis] < count ? there[axis] : 0;
    result.cell = -1;
    result.distance = R(0);
    if (there[axis] < 0 || there[axis] >= count || there[axis] == at[axis])
        return result;
    result.cell = (there[0] * mesh->n[1] + there[1]) * mesh->n[2] + there[2];
    result.distance = R(0.5) * (mesh->width[axis][at[axis]] + mesh->width[axis][there[axis]]);
    return result;
}

/* Slopes of a cell for an observer in the direction n, which is z, the radius, on shells. */
LR_FN struct slope_view cell_slopes(const struct mesh_view *mesh, const struct cell_view *cells, const int at[3],
                                    struct vec3 n)
{
    const struct cell_view *here = &cells[(at[0] * mesh->n[1] + at[1]) * mesh->n[2] + at[2]];
    const real v = cell_velocity_along(here, n);
    const real s = line_source_function(here);
    real velocity[3];
    real source[3];
    for (int axis = 0; axis < 3; axis++) {
        real v_side[2];
        real s_side[2];
        real to_velocity[2];
        real to_source[2];
        for (int side = 0; side < 2; side++) {
            const struct neighbour next = walk_neighbour(mesh, at, axis, side);
            const struct cell_view *there = next.cell >= 0 ? &cells[next.cell] : here;
            v_side[side] = cell_velocity_along(there, n);
            s_side[side] = line_source_function(there);
            to_velocity[side] = cell_is_empty(there) ? R(0) : next.distance;
            to_source[side] = there->alpha0 > R(0) ? next.distance : R(0);
        }
        velocity[axis] = limited_slope(v_side[0], v, v_side[1], to_velocity[0], to_velocity[1]);
        source[axis] = s > R(0) ? r_div(limited_slope(s_side[0], s, s_side[1], to_source[0], to_source[1]), s) : R(0);
    }
    if (WALK_IS_RADIAL) {
        const real steepest = walk_steepest(mesh, at);
        source[0] = r_min(r_max(source[0], -steepest), steepest);
    }
    struct slope_view slope;
    slope.velocity = vec3_make(velocity[0], velocity[1], velocity[2]);
    slope.source = vec3_make(source[0], source[1], source[2]);
    slope.unused[0] = slope.unused[1] = R(0);
    return slope;
}

#endif
