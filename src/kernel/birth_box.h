/* Position and direction of a new packet on a rectilinear or refined mesh. */
#ifndef LR_KERNEL_BIRTH_BOX_H
#define LR_KERNEL_BIRTH_BOX_H

#include "kernel/alias_pick.h"
#include "kernel/phase.h"
#include "kernel/walk.h"

struct birth {
    struct place at;
    struct vec3 n;
    int64_t entry; /* index in the list of the source */
};

LR_FN struct birth birth_of(const struct mesh_view *mesh, const struct source_view *source, struct random4 first,
                            struct random4 second, struct random4 third)
{
    struct birth born;
    const struct vec3 axis = vec3_make(source->direction[0], source->direction[1], source->direction[2]);
    const real ux = rng_uniform(second.r0);
    const real uy = rng_uniform(second.r1);
    const real uz = rng_uniform(second.r2);
    born.n = direction_isotropic(third.r0, third.r1);
    if (source->angular == ANGULAR_BEAM)
        born.n = axis;
    if (source->angular == ANGULAR_LAMBERTIAN)
        born.n = direction_turned_to(axis, direction_about_z(r_sqrt(rng_uniform(third.r0)), rng_uniform(third.r1)));

    const double point[3] = {(double)ux * walk_size(mesh, 0), (double)uy * walk_size(mesh, 1),
                             (double)uz * walk_size(mesh, 2)};
    born.entry = 0;
    switch (source->kind) {
    case EMIT_POINT:
        born.at = walk_place_in(mesh, source->cell[0], source->cell[1], source->cell[2],
                                vec3_make(source->local[0], source->local[1], source->local[2]));
        break;
    case EMIT_PLANE:
        born.at = walk_on_plane(mesh, point, source->axis, source->cell[source->axis], source->local[source->axis]);
        break;
    case EMIT_CELLS: {
        born.entry = alias_pick(&source->alias, first);
        const int row = (int)born.entry / mesh->n[2];
        const int i = row / mesh->n[1];
        const int j = row - i * mesh->n[1];
        const int k = (int)born.entry - row * mesh->n[2];
        const struct vec3 width = walk_width(mesh, i, j, k);
        born.at = walk_place_in(mesh, i, j, k, vec3_make(ux * width.x, uy * width.y, uz * width.z));
        break;
    }
    case EMIT_EXTERNAL: {
        const int face = (int)alias_pick(&source->alias, first);
        const int upper = face & 1;
        const int normal = face / 2;
        const real sign = upper ? R(-1) : R(1);
        const struct vec3 inward =
            vec3_make(normal == 0 ? sign : R(0), normal == 1 ? sign : R(0), normal == 2 ? sign : R(0));
        born.at = walk_place(mesh, point, face);
        born.n = direction_turned_to(inward, direction_about_z(r_sqrt(rng_uniform(third.r0)), rng_uniform(third.r1)));
        break;
    }
    case EMIT_LIST: {
        born.entry = alias_pick(&source->alias, first);
        const int32_t *cell = source->list_cell + 3 * born.entry;
        const real *local = source->list_local + 3 * born.entry;
        const real *n = source->list_direction + 3 * born.entry;
        born.at = walk_place_in(mesh, cell[0], cell[1], cell[2], vec3_make(local[0], local[1], local[2]));
        born.n = vec3_make(n[0], n[1], n[2]);
        break;
    }
    default:
        born.at = walk_place(mesh, point, -1);
        break;
    }
    return born;
}

#endif
