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

/* What lies across one face: the mean of the cells there that have gas. */
struct beside {
    real v, s;
    real to_velocity, to_source; /* distance between middles; 0 = nothing there */
};

LR_FN struct beside cell_beside(const struct mesh_view *mesh, const struct cell_view *cells, const int at[3], int axis,
                                int side, struct vec3 n)
{
    struct beside mean;
    real n_velocity = R(0);
    real n_source = R(0);
    mean.v = mean.s = mean.to_velocity = mean.to_source = R(0);
    for (int part = 0; part < WALK_N_BESIDE; part++) {
        const struct neighbour next = walk_neighbour(mesh, at, axis, side, part);
        if (next.cell < 0 || cell_is_empty(&cells[next.cell]))
            continue;
        const struct cell_view *there = &cells[next.cell];
        mean.v += cell_velocity_along(there, n);
        mean.to_velocity += next.distance;
        n_velocity += R(1);
        if (there->alpha0 > R(0)) {
            mean.s += line_source_function(there);
            mean.to_source += next.distance;
            n_source += R(1);
        }
    }
    if (WALK_N_BESIDE > 1) {
        mean.v = n_velocity > R(0) ? r_div(mean.v, n_velocity) : R(0);
        mean.to_velocity = n_velocity > R(0) ? r_div(mean.to_velocity, n_velocity) : R(0);
        mean.s = n_source > R(0) ? r_div(mean.s, n_source) : R(0);
        mean.to_source = n_source > R(0) ? r_div(mean.to_source, n_source) : R(0);
    }
    return mean;
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
        const struct beside below = cell_beside(mesh, cells, at, axis, 0, n);
        const struct beside above = cell_beside(mesh, cells, at, axis, 1, n);
        velocity[axis] = limited_slope(below.v, v, above.v, below.to_velocity, above.to_velocity);
        source[axis] = s > R(0) ? r_div(limited_slope(below.s, s, above.s, below.to_source, above.to_source), s) : R(0);
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
