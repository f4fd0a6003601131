/* Birth of a packet: where, in which direction and at which frequency. Four random blocks (16 numbers) are reserved;
 * transport draws from block EMISSION_BLOCKS on. */
#ifndef LR_KERNEL_EMISSION_H
#define LR_KERNEL_EMISSION_H

#include "kernel/phase.h"
#include "kernel/redistribution.h"
#include "kernel/walk_cartesian.h"

enum { EMISSION_BLOCKS = 4 };

struct emitted {
    struct place at;
    struct vec3 n;
    real x;   /* in the gas of its cell */
    real tau; /* optical depth to the first scattering */
};

/* An entry from 64 random bits (32 would favour some of 1e9 cells by a sixth), then keep it or take its alias. */
LR_FN int64_t alias_pick(const struct alias_view *alias, struct random4 random)
{
    const uint64_t n = (uint64_t)alias->n;
    const int64_t entry = (int64_t)(((uint64_t)random.r1 * n + (((uint64_t)random.r2 * n) >> 32)) >> 32);
    return rng_uniform(random.r3) <= alias->keep[entry] ? entry : alias->other[entry];
}

LR_FN void place_on_axis(const struct mesh_view *mesh, int axis, real uniform, int *index, real *local, real *width)
{
    const real *edge = mesh->edge[axis];
    const real coordinate = edge[0] + uniform * (edge[mesh->n[axis]] - edge[0]);
    *index = walk_locate(edge, mesh->n[axis], coordinate);
    *width = mesh->width[axis][*index];
    *local = r_min(r_max(coordinate - edge[*index], R(0)), *width);
}

/* A place uniform in the mesh; for a plane or a face one axis is then overwritten. */
LR_FN struct place place_uniform(const struct mesh_view *mesh, real ux, real uy, real uz)
{
    struct place at;
    place_on_axis(mesh, 0, ux, &at.i, &at.local.x, &at.width.x);
    place_on_axis(mesh, 1, uy, &at.j, &at.local.y, &at.width.y);
    place_on_axis(mesh, 2, uz, &at.k, &at.local.z, &at.width.z);
    return at;
}

LR_FN struct place place_in_cell(const struct mesh_view *mesh, int i, int j, int k, struct vec3 local)
{
    struct place at;
    at.i = i;
    at.j = j;
    at.k = k;
    at.local = local;
    at.width = vec3_make(mesh->width[0][i], mesh->width[1][j], mesh->width[2][k]);
    return at;
}

/* Shift from a tabulated density, linear between knots: pick the interval from the integral, then solve the quadratic
 * INT_0^t (d0 + (d1 - d0) s) ds = part of the interval's integral, in the form without cancellation. */
LR_FN real sample_table_spectrum(const struct source_view *source, real uniform)
{
    const int interval = walk_locate(source->table_integral, source->n_table - 1, uniform);
    const real c0 = source->table_integral[interval];
    const real c1 = source->table_integral[interval + 1];
    const real d0 = source->table_density[interval];
    const real d1 = source->table_density[interval + 1];
    const real part = c1 > c0 ? r_min(r_max((uniform - c0) / (c1 - c0), R(0)), R(1)) : R(0.5);
    const real root = r_sqrt(r_max(d0 * d0 + part * (d1 * d1 - d0 * d0), R(0)));
    const real t = d0 + root > R(0) ? part * (d0 + d1) / (d0 + root) : R(0.5);
    return source->table_shift[interval] +
           r_min(t, R(1)) * (source->table_shift[interval + 1] - source->table_shift[interval]);
}

/* The shift of a new photon, relative to the gas or the mesh as the source says. */
LR_FN real sample_shift(const struct source_view *source, const struct cell_view *cell, struct random4 random)
{
    switch (source->spectrum) {
    case SPECTRUM_IS_GAUSSIAN:
        return source->centre + source->width * R(1.41421356237309504880) * thermal_pair(random.r0, random.r1).first;
    case SPECTRUM_IS_LOCAL:
        return cell->b * sample_voigt_profile(cell->a, random);
    case SPECTRUM_IS_BAND:
        return source->centre + source->width * (rng_uniform(random.r0) - R(0.5));
    case SPECTRUM_IS_TABLE:
        return sample_table_spectrum(source, r_min(rng_uniform(random.r0), R(1) - R_EPSILON));
    default:
        return source->centre;
    }
}

LR_FN struct emitted emit_packet(const struct transport_view *view, uint32_t id_low, uint32_t id_high)
{
    const struct random4 first = rng_draw(view->key, 0, id_low, id_high);
    const struct random4 second = rng_draw(view->key, 1, id_low, id_high);
    const struct random4 third = rng_draw(view->key, 2, id_low, id_high);
    const struct random4 fourth = rng_draw(view->key, 3, id_low, id_high);

    const double pick = ((double)first.r0 + 0.5) * 2.3283064365386963e-10; /* rare sources need all 32 bits */
    int s = 0;
    while (s < view->n_source - 1 && pick > view->source[s].cumulative)
        s++;
    const struct source_view *source = &view->source[s];
    const struct mesh_view *mesh = &view->mesh;

    struct emitted packet;
    const struct vec3 axis = vec3_make(source->direction[0], source->direction[1], source->direction[2]);
    const real ux = rng_uniform(second.r0);
    const real uy = rng_uniform(second.r1);
    const real uz = rng_uniform(second.r2);
    packet.n = direction_isotropic(third.r0, third.r1);
    if (source->angular == ANGULAR_IS_BEAM)
        packet.n = axis;
    if (source->angular == ANGULAR_IS_LAMBERTIAN)
        packet.n = direction_turned_to(axis, direction_about_z(r_sqrt(rng_uniform(third.r0)), rng_uniform(third.r1)));

    int64_t entry = 0;
    switch (source->kind) {
    case SOURCE_IS_POINT:
        packet.at = place_in_cell(mesh, source->cell[0], source->cell[1], source->cell[2],
                                  vec3_make(source->local[0], source->local[1], source->local[2]));
        break;
    case SOURCE_IS_PLANE:
        packet.at = place_on_plane(mesh, place_uniform(mesh, ux, uy, uz), source->axis, source->cell[source->axis],
                                   source->local[source->axis]);
        break;
    case SOURCE_IS_CELLS: {
        entry = alias_pick(&source->alias, first);
        const int row = (int)entry / mesh->n[2];
        const int i = row / mesh->n[1];
        const int j = row - i * mesh->n[1];
        const int k = (int)entry - row * mesh->n[2];
        packet.at = place_in_cell(mesh, i, j, k,
                                  vec3_make(ux * mesh->width[0][i], uy * mesh->width[1][j], uz * mesh->width[2][k]));
        break;
    }
    case SOURCE_IS_EXTERNAL: {
        const int face = (int)alias_pick(&source->alias, first);
        const int upper = face & 1;
        const int normal = face / 2;
        const int index = upper ? mesh->n[normal] - 1 : 0;
        const real sign = upper ? R(-1) : R(1);
        const struct vec3 inward =
            vec3_make(normal == 0 ? sign : R(0), normal == 1 ? sign : R(0), normal == 2 ? sign : R(0));
        packet.at = place_on_plane(mesh, place_uniform(mesh, ux, uy, uz), normal, index,
                                   upper ? mesh->width[normal][index] : R(0));
        packet.n = direction_turned_to(inward, direction_about_z(r_sqrt(rng_uniform(third.r0)), rng_uniform(third.r1)));
        break;
    }
    case SOURCE_IS_LIST: {
        entry = alias_pick(&source->alias, first);
        const int32_t *cell = source->list_cell + 3 * entry;
        const real *local = source->list_local + 3 * entry;
        const real *n = source->list_direction + 3 * entry;
        packet.at = place_in_cell(mesh, cell[0], cell[1], cell[2], vec3_make(local[0], local[1], local[2]));
        packet.n = vec3_make(n[0], n[1], n[2]);
        break;
    }
    default:
        packet.at = place_uniform(mesh, ux, uy, uz);
        break;
    }

    const struct cell_view cell = view->cell[walk_cell_index(mesh, packet.at)];
    const real shift = source->kind == SOURCE_IS_LIST ? source->list_shift[entry] : sample_shift(source, &cell, fourth);
    const real projected = cell_velocity_along(&cell, packet.n);
    packet.x = (source->gas_frame ? shift : shift - projected) / cell.b;
    packet.tau = -r_log(rng_uniform(third.r2));
    return packet;
}

#endif
