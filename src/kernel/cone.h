/* Counts packets that escape within a cone about the direction to a far camera, as an estimate of the flux that the
 * image should have. The flux F of a body varies with direction; that of a thick box seen along an axis has a cusp
 * there, F = F_0 + F_1 theta. A weight that falls with the angle keeps F_0 and cancels F_1: if u is the chord between
 * the two directions divided by that at the edge of the cone, u^2 is uniform for isotropic packets, and
 *
 *     INT_0^1 (9 - 12 u) 2 u du = 1,    INT_0^1 (9 - 12 u) u 2 u du = 0,    INT_0^1 (9 - 12 u)^2 2 u du = 9.
 *
 * So n packets in the cone give F to 3 / sqrt(n), and the remaining error is of second order in the angle. Of all
 * weights with this property, the linear one has the least noise. */
#ifndef LR_KERNEL_CONE_H
#define LR_KERNEL_CONE_H

#include "kernel/vec3.h"

struct cone_view {
    struct vec3 toward;
    real inv_size;     /* 1 / (1 - cosine of the half-angle) = 1 / (2 x fraction of all directions) */
    real first, slope; /* the weight is first - slope u: 9 and 12, or 1 and 0 if all directions count */
    struct vec3 middle, right, up;
    real half_width, half_height; /* of the image */
};

/* All cones of a run cover the same range of shifts. */
struct cone_set {
    int n;
    const struct cone_view *cone;
    real lowest, highest; /* shift in the mesh frame */
    int places;           /* some images are smaller than the mesh, so the place of the last interaction matters */
};

struct cone_share {
    int inside;
    real weight;
};

LR_FN struct cone_share cone_share_of(const struct cone_view *cone, struct vec3 n)
{
    const real square = r_max(R(1) - vec3_dot(cone->toward, n), R(0)) * cone->inv_size;
    struct cone_share share;
    share.inside = square < R(1);
    share.weight = share.inside ? cone->first - cone->slope * r_sqrt(square) : R(0);
    return share;
}

/* Channels count radio velocity, so the upper limit in shift is the lower edge of the first channel. */
LR_FN int cone_has_shift(const struct cone_set *set, real shift)
{
    return (shift > set->lowest) & (shift <= set->highest);
}

/* Whether the image covers the place where the packet was last emitted or scattered. */
LR_FN int cone_shows(const struct cone_view *cone, struct vec3 place)
{
    const struct vec3 offset = vec3_make(place.x - cone->middle.x, place.y - cone->middle.y, place.z - cone->middle.z);
    return r_abs(vec3_dot(offset, cone->right)) <= cone->half_width &&
           r_abs(vec3_dot(offset, cone->up)) <= cone->half_height;
}

#endif
