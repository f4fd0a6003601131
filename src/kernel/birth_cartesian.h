/* Where a packet of a Cartesian mesh is born, and its direction. */
#ifndef LR_KERNEL_BIRTH_CARTESIAN_H
#define LR_KERNEL_BIRTH_CARTESIAN_H

#include "kernel/alias_pick.h"
#include "kernel/phase.h"
#include "kernel/walk_cartesian.h"

struct birth {
    struct place at;
    struct vec3 n;
    int64_t entry; /* of a list */
};

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

LR_FN struct birth birth_of(const struct mesh_view *mesh, const struct source_view *source, struct random4 first,
                            struct random4 second, struct random4 third)
{
    struct birth born;
    const struct vec3 axis = vec3_make(source->direction[0], source->direction[1], source->direction[2]);
    const real ux = rng_uniform(second.r0);
    const real uy = rng_uniform(second.r1);
    const real uz = rng_uniform(second.r2);
    born.n = direction_isotropic(third.r0, third.r1);
    if (source->angular == ANGULAR_IS_BEAM)
        born.n = axis;
    if (source->angular == ANGULAR_IS_LAMBERTIAN)
        born.n = direction_turned_to(axis, direction_about_z(r_sqrt(rng_uniform(third.r0)), rng_uniform(third.r1)));

    born.entry = 0;
    switch (source->kind) {
    case SOURCE_IS_POINT:
        born.at = place_in_cell(mesh, source->cell[0], source->cell[1], source->cell[2],
                                vec3_make(source->local[0], source->local[1], source->local[2]));
        break;
    case SOURCE_IS_PLANE:
        born.at = place_on_plane(mesh, place_uniform(mesh, ux, uy, uz), source->axis, source->cell[source->axis],
                                 source->local[source->axis]);
        break;
    case SOURCE_IS_CELLS: {
        born.entry = alias_pick(&source->alias, first);
        const int row = (int)born.entry / mesh->n[2];
        const int i = row / mesh->n[1];
        const int j = row - i * mesh->n[1];
        const int k = (int)born.entry - row * mesh->n[2];
        born.at = place_in_cell(mesh, i, j, k,
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
        born.at = place_on_plane(mesh, place_uniform(mesh, ux, uy, uz), normal, index,
                                 upper ? mesh->width[normal][index] : R(0));
        born.n = direction_turned_to(inward, direction_about_z(r_sqrt(rng_uniform(third.r0)), rng_uniform(third.r1)));
        break;
    }
    case SOURCE_IS_LIST: {
        born.entry = alias_pick(&source->alias, first);
        const int32_t *cell = source->list_cell + 3 * born.entry;
        const real *local = source->list_local + 3 * born.entry;
        const real *n = source->list_direction + 3 * born.entry;
        born.at = place_in_cell(mesh, cell[0], cell[1], cell[2], vec3_make(local[0], local[1], local[2]));
        born.n = vec3_make(n[0], n[1], n[2]);
        break;
    }
    default:
        born.at = place_uniform(mesh, ux, uy, uz);
        break;
    }
    return born;
}

#endif
