/* How the gas varies inside a cell: slopes of the velocity toward the observer and of the source function of the line,
 * from the neighbours across the six faces, with van Leer's limiter (1977, J. Comput. Phys. 23, 276): no new extremes.
 * Empty cells are ignored; a cell at the edge of the gas or of the mesh takes the slope of its other side.
 *
 * Slopes of S are scaled down together until S is positive throughout the cell. S is then linear and equals its mean in
 * the middle, so that thin gas emits what it creates in every direction. */
#ifndef LR_KERNEL_SLOPE_H
#define LR_KERNEL_SLOPE_H

#include "kernel/trace_cell.h"
#include "kernel/walk.h"

struct LR_ALIGNED(32) slope_view {
    struct vec3 velocity; /* d(v . n) / d(x, y, z); SHELLS: dv / dr of the outflow, in x */
    struct vec3 source;   /* d(ln S) / d(x, y, z), S = line_source / alpha0; SHELLS: d / dr, in x */
    real unused[2];
};

/* Change of a quantity from the middle of a cell to that of its neighbours across a face: the mean of those with
 * gas. */
struct rise {
    int n; /* number of cells; 0: unknown */
    real change;
    real to[3];
};

LR_FN struct rise rise_none(void)
{
    struct rise none;
    none.n = 0;
    none.change = none.to[0] = none.to[1] = none.to[2] = R(0);
    return none;
}

LR_FN struct rise rise_with(struct rise mean, real change, const struct neighbour *next)
{
    mean.n++;
    const real share = r_div(R(1), (real)mean.n);
    mean.change += (change - mean.change) * share;
    for (int k = 0; k < 3; k++)
        mean.to[k] += (next->offset[k] - mean.to[k]) * share;
    return mean;
}

/* Rise per length along an axis, corrected for the other components of the gradient times the sideways offset. */
LR_FN real rise_along(struct rise rise, struct vec3 gradient, int axis)
{
    const real sideways = (axis == 0 ? R(0) : gradient.x * rise.to[0]) + (axis == 1 ? R(0) : gradient.y * rise.to[1]) +
                          (axis == 2 ? R(0) : gradient.z * rise.to[2]);
    return rise.n > 0 ? r_div(rise.change - sideways, rise.to[axis]) : R(0);
}

/* Below this determinant the neighbours lie nearly in one plane with the cell, and no sideways correction is made. */
#define LEAST_DETERMINANT R(1e-3)

/* Unlimited gradient, for neighbours that are offset sideways: minimises SUM (g . d - change)^2 / d^2 over the faces,
 * which is exact for linear fields. Lengths in cell widths; 0 along an axis without neighbours. */
LR_FN struct vec3 fitted_gradient(const struct rise rise[6], struct vec3 width)
{
    real xx = R(0), yy = R(0), zz = R(0), xy = R(0), xz = R(0), yz = R(0);
    struct vec3 sum = vec3_make(R(0), R(0), R(0));
    for (int face = 0; face < 6; face++) {
        if (rise[face].n == 0)
            continue;
        const struct vec3 d = vec3_make(r_div(rise[face].to[0], width.x), r_div(rise[face].to[1], width.y),
                                        r_div(rise[face].to[2], width.z));
        const real weight = r_div(R(1), vec3_dot(d, d));
        const real pull = rise[face].change * weight;
        xx += d.x * d.x * weight;
        yy += d.y * d.y * weight;
        zz += d.z * d.z * weight;
        xy += d.x * d.y * weight;
        xz += d.x * d.z * weight;
        yz += d.y * d.z * weight;
        sum = vec3_make(sum.x + d.x * pull, sum.y + d.y * pull, sum.z + d.z * pull);
    }
    xx += rise[0].n + rise[1].n > 0 ? R(0) : R(1);
    yy += rise[2].n + rise[3].n > 0 ? R(0) : R(1);
    zz += rise[4].n + rise[5].n > 0 ? R(0) : R(1);
    const struct vec3 to_x = vec3_make(yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    const struct vec3 to_y = vec3_make(to_x.y, xx * zz - xz * xz, xy * xz - xx * yz);
    const struct vec3 to_z = vec3_make(to_x.z, to_y.z, xx * yy - xy * xy);
    const real determinant = xx * to_x.x + xy * to_x.y + xz * to_x.z;
    const real inverse = determinant > LEAST_DETERMINANT ? r_div(R(1), determinant) : R(0);
    return vec3_make(r_div(vec3_dot(to_x, sum) * inverse, width.x), r_div(vec3_dot(to_y, sum) * inverse, width.y),
                     r_div(vec3_dot(to_z, sum) * inverse, width.z));
}

LR_FN real limited_slope(const struct rise rise[6], struct vec3 gradient, int axis)
{
    const real below = rise_along(rise[2 * axis], gradient, axis);
    const real above = rise_along(rise[2 * axis + 1], gradient, axis);
    const real product = below * above;
    if (rise[2 * axis].n > 0 && rise[2 * axis + 1].n > 0)
        return product > R(0) ? r_div(R(2) * product, below + above) : R(0);
    return below + above;
}

LR_FN struct vec3 limited_slopes(const struct rise rise[6], struct vec3 width)
{
    const struct vec3 gradient = WALK_N_BESIDE > 1 ? fitted_gradient(rise, width) : vec3_make(R(0), R(0), R(0));
    return vec3_make(limited_slope(rise, gradient, 0), limited_slope(rise, gradient, 1),
                     limited_slope(rise, gradient, 2));
}

/* Largest relative fall of S from its mean to the lowest corner: rounding must not make S negative. */
#define LARGEST_FALL R(0.9999)

/* Slopes in a cell for an observer in direction n; in shells n is z, the radius. */
LR_FN struct slope_view cell_slopes(const struct mesh_view *mesh, const struct trace_cell *cells, const int at[3],
                                    struct vec3 n)
{
    const struct trace_cell *here = &cells[(at[0] * mesh->n[1] + at[1]) * mesh->n[2] + at[2]];
    const real v = walk_velocity_along(here->velocity, n);
    const real s = line_source_function(here);
    struct rise velocity[6];
    struct rise source[6];
    for (int face = 0; face < 6; face++) {
        velocity[face] = source[face] = rise_none();
        for (int part = 0; part < WALK_N_BESIDE; part++) {
            const struct neighbour next = walk_neighbour(mesh, at, face / 2, face & 1, part);
            if (next.cell < 0 || cell_is_empty(&cells[next.cell]))
                continue;
            const struct trace_cell *there = &cells[next.cell];
            velocity[face] = rise_with(velocity[face], walk_velocity_along(there->velocity, n) - v, &next);
            if (there->alpha0 > R(0))
                source[face] = rise_with(source[face], line_source_function(there) - s, &next);
        }
    }
    const struct vec3 width = walk_width(mesh, at[0], at[1], at[2]);
    const struct vec3 extent = walk_extent(mesh, at);
    const struct vec3 slope = limited_slopes(source, width);
    const real fall = r_abs(slope.x) * extent.x + r_abs(slope.y) * extent.y + r_abs(slope.z) * extent.z;
    const real scale = s > R(0) ? r_div(R(1), r_max(s, r_div(fall, LARGEST_FALL))) : R(0);
    struct slope_view result;
    result.velocity = limited_slopes(velocity, width);
    result.source = vec3_make(slope.x * scale, slope.y * scale, slope.z * scale);
    result.unused[0] = result.unused[1] = R(0);
    return result;
}

#endif
