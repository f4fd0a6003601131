/* The path of a ray through gas, for level populations: what it meets in a cell, and the pieces between the middles of
 * two cells, the second half of one and the first half of the next. At a face between cells with gas, the source
 * functions are interpolated along the ray, and so are velocities that differ much. */
#ifndef LR_KERNEL_LEVEL_WAY_H
#define LR_KERNEL_LEVEL_WAY_H

#include "kernel/ray.h"
#include "kernel/real.h"

/* The properties of a cell that rays need. */
struct LR_ALIGNED(32) gas_view {
    real inv_b;
    real v[3];
    real kappa;
    real has_gas; /* 1 or 0 */
    real unused[2];
};

/* What a ray meets in a cell: its path length and the velocity along it. */
struct visit {
    int cell; /* negative: none */
    int has_gas;
    real length, v, inv_b, kappa;
};

/* The whole way through the next cell, to which a ray comes back at once where a periodic mesh is one cell wide. */
LR_FN struct passage pass_cell(const struct mesh_view *mesh, struct ray *ray)
{
    struct passage way = ray_advance(mesh, ray);
    real length = way.length;
    while (ray_stays(mesh, ray, &way)) {
        way = ray_advance(mesh, ray);
        length += way.length;
    }
    way.length = length;
    return way;
}

LR_FN struct visit visit_none(void)
{
    struct visit visit;
    visit.cell = -1;
    visit.has_gas = 0;
    visit.length = visit.v = visit.inv_b = visit.kappa = R(0);
    return visit;
}

LR_FN struct visit visit_cell(const struct gas_view *gas, int cell, real length, struct vec3 n)
{
    const struct gas_view here = gas[cell];
    struct visit visit;
    visit.cell = cell;
    visit.has_gas = here.has_gas > R(0);
    visit.length = length;
    visit.v = here.v[0] * n.x + here.v[1] * n.y + here.v[2] * n.z;
    visit.inv_b = here.inv_b;
    visit.kappa = here.kappa;
    return visit;
}

/* Weight in a cell of a ray that represents this cross-section; zero without gas, where nothing is recorded. */
LR_FN real visit_weight(const struct visit *visit, real area)
{
    return visit->has_gas ? area * visit->length : R(0);
}

/* Velocities that differ by more than this many b between cells are interpolated. Below, one velocity per cell is just
 * as good (both are second order) and cheaper. */
#define GLIDE_ABOVE R(0.35)

/* The face between two cells, seen from both sides. */
struct face {
    real share_last, share_here; /* weight of the other cell in S */
    real v_last, v_here;
    int glides; /* the velocity is interpolated, and the same on both sides */
};

LR_FN struct face face_between(const struct visit *last, const struct visit *here)
{
    const int joined = last->has_gas && here->has_gas;
    const real share = r_div(last->length, last->length + here->length); /* of `here` */
    const real v = share * here->v + (R(1) - share) * last->v;
    struct face face;
    face.share_last = joined ? share : R(0);
    face.share_here = joined ? R(1) - share : R(0);
    face.glides = joined && r_abs(here->v - last->v) * r_max(here->inv_b, last->inv_b) > GLIDE_ABOVE;
    face.v_last = face.glides ? v : last->v;
    face.v_here = face.glides ? v : here->v;
    return face;
}

/* A piece of a ray inside one cell. S at its ends mixes the cell, with weight 1 - u, and another one, with weight u. */
struct piece {
    int cell, other;
    real length;
    real u0, u1;
    real v0, v1; /* projected velocity at the ends */
    real weight; /* positive: recorded at its end, for its cell, with this weight */
};

/* From the middle of the last cell to the face. */
LR_FN struct piece piece_to_face(const struct visit *last, const struct visit *here, const struct face *face)
{
    struct piece piece;
    piece.cell = last->cell;
    piece.other = here->cell;
    piece.length = R(0.5) * last->length;
    piece.u0 = R(0);
    piece.u1 = face->share_last;
    piece.v0 = last->v;
    piece.v1 = face->v_last;
    piece.weight = R(0);
    return piece;
}

/* From the face to the middle of this cell. */
LR_FN struct piece piece_from_face(const struct visit *last, const struct visit *here, const struct face *face,
                                   real weight)
{
    struct piece piece;
    piece.cell = here->cell;
    piece.other = last->cell >= 0 ? last->cell : here->cell;
    piece.length = R(0.5) * here->length;
    piece.u0 = face->share_here;
    piece.u1 = R(0);
    piece.v0 = face->v_here;
    piece.v1 = here->v;
    piece.weight = weight;
    return piece;
}

#endif
