/* Position and direction of a new packet in spherical shells, in the frame whose z axis is the radius. A point source
 * is at the centre. */
#ifndef LR_KERNEL_BIRTH_SHELLS_H
#define LR_KERNEL_BIRTH_SHELLS_H

#include "kernel/alias_pick.h"
#include "kernel/phase.h"
#include "kernel/walk_shells.h"

struct birth {
    struct place at;
    struct vec3 n;
    int64_t entry; /* index in the list of the source */
};

/* Height of a point drawn uniformly in the volume of a shell: r^3 is uniform. In double, since shells can be thin. */
LR_FN real height_in_shell(real inner, real thickness, real uniform)
{
    const double r0 = (double)inner;
    const double r1 = r0 + (double)thickness;
    const double r = cbrt(r0 * r0 * r0 + (double)uniform * (r1 * r1 * r1 - r0 * r0 * r0));
    return r_min(r_max((real)(r - r0), R(0)), thickness);
}

LR_FN struct birth birth_of(const struct mesh_view *mesh, const struct source_view *source, struct random4 first,
                            struct random4 second, struct random4 third)
{
    struct birth born;
    born.entry = 0;
    born.at = place_in_shell(mesh, 0, R(0));
    born.n = vec3_make(R(0), R(0), R(1));
    switch (source->kind) {
    case EMIT_CELLS:
        born.entry = alias_pick(&source->alias, first);
        born.at = place_in_shell(mesh, (int)born.entry, R(0));
        born.at.local.x = height_in_shell(born.at.width.inner, born.at.width.thickness, rng_uniform(second.r0));
        born.n = direction_isotropic(third.r0, third.r1);
        break;
    case EMIT_EXTERNAL:
        born.at = place_in_shell(mesh, mesh->n[0] - 1, mesh->width[0][mesh->n[0] - 1]);
        born.n = direction_about_z(-r_sqrt(rng_uniform(third.r0)), rng_uniform(third.r1));
        break;
    case EMIT_LIST: {
        born.entry = alias_pick(&source->alias, first);
        const real *n = source->list_direction + 3 * born.entry;
        born.at = place_in_shell(mesh, (int)source->list_cell[3 * born.entry], source->list_local[3 * born.entry]);
        born.n = vec3_make(n[0], n[1], n[2]);
        break;
    }
    default:
        break;
    }
    return born;
}

#endif
