/* Packets that escape within a cone about the direction to a far camera, as a measure of the flux that its image should
 * have. The flux F of a body changes with the direction; that of a thick box seen along an axis has a cusp there,
 * F = F_0 + F_1 theta. A weight over the cone that falls with the angle keeps F_0 and cancels F_1: with u the chord
 * between the two directions over that of the edge of the cone, u^2 is uniform for isotropic packets, and
 *
 *     INT_0^1 (9 - 12 u) 2 u du = 1,    INT_0^1 (9 - 12 u) u 2 u du = 0,    INT_0^1 (9 - 12 u)^2 2 u du = 9.
 *
 * So n packets in the cone give F to 3 / sqrt(n), and what is left of the change is of second order in the angle. Of
 * all weights that do this, the linear one has the least noise. */
#ifndef LR_KERNEL_CONE_H
#define LR_KERNEL_CONE_H

#include "kernel/vec3.h"

struct cone_view {
    struct vec3 toward;
    real inv_size;     /* 1 / (1 - cosine of the half-angle) = 1 / (2 x share of all directions) */
    real first, slope; /* the weight is first - slope u: 9 and 12; 1 and 0 where all directions count */
    struct vec3 middle, right, up;
    real half_width, half_height; /* of the image */
};

/* All cones of a run see the same shifts. */
struct cone_set {
    int n;
    const struct cone_view *cone;
    real lowest, highest; /* shift in the mesh frame */
    int places;           /* some images are smaller than the mesh: the last place in the gas matters */
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

/* Channels count radio velocity, so that the upper edge in shift is the lower one of the first channel. */
LR_FN int cone_has_shift(const struct cone_set *set, real shift)
{
    return (shift > set->lowest) & (shift <= set->highest);
}

/* Whether the image shows a place, which is where the packet was last emitted or scattered. */
LR_FN int cone_shows(const struct cone_view *cone, struct vec3 place)
{
    const struct vec3 offset = vec3_make(place.x - cone->middle.x, place.y - cone->middle.y, place.z - cone->middle.z);
    return (r_abs(vec3_dot(offset, cone->right)) <= cone->half_width) &
           (r_abs(vec3_dot(offset, cone->up)) <= cone->half_height);
}

#endif
