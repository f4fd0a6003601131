/* Rays through spherical shells for level populations, in double. A ray has impact parameter p and represents the ring
 * between two such values. Shells are represented by their middle radii, between which source functions and the radial
 * velocity are linear in r; the velocity along the ray at coordinate z is v(r) z / r. */
#ifndef LR_KERNEL_LEVEL_SHELLS_H
#define LR_KERNEL_LEVEL_SHELLS_H

#include "kernel/level_way.h"
#include "kernel/sphere.h"

struct shell_view {
    int n;
    const double *edge;   /* [n + 1] */
    const double *middle; /* [n] */
};

LR_FN double shell_within_one(double u)
{
    return u > 0 ? (u < 1 ? u : 1) : 0;
}

/* Weight of the inner of the two shells i - 1 and i at radius r. */
LR_FN real shell_inner_share(const struct shell_view *shells, int i, double r)
{
    const double low = shells->middle[i - 1];
    const double high = shells->middle[i];
    return (real)shell_within_one((high - r) / (high - low));
}

LR_FN real shell_velocity(const struct shell_view *shells, const struct gas_view *gas, double r, double z)
{
    int i = 0;
    int high = shells->n - 1;
    while (high - i > 1) {
        const int middle = (i + high) / 2;
        if (shells->middle[middle] <= r)
            i = middle;
        else
            high = middle;
    }
    double v = (double)gas[i].v[0];
    if (high > i) {
        const double u = (r - shells->middle[i]) / (shells->middle[high] - shells->middle[i]);
        v += shell_within_one(u) * ((double)gas[high].v[0] - v);
    }
    return r > 0 ? (real)(v * z / r) : R(0);
}

/* The radial path through shell i: velocities at both edges and in the middle, where the slope changes. */
struct shell_slide {
    real inner, middle, outer;
};

LR_FN struct shell_slide shell_slide_outward(const struct shell_view *shells, const struct gas_view *gas, int i)
{
    const double tiny = 1e-9 * shells->edge[shells->n]; /* at the centre itself no direction points outward */
    const double inner = shells->edge[i] > tiny ? shells->edge[i] : tiny;
    struct shell_slide slide;
    slide.inner = shell_velocity(shells, gas, inner, inner);
    slide.middle = shell_velocity(shells, gas, shells->middle[i], shells->middle[i]);
    slide.outer = shell_velocity(shells, gas, shells->edge[i + 1], shells->edge[i + 1]);
    return slide;
}

/* Half the interval of mu, at the middle of shell i, that a ring represents. */
LR_FN real shell_ring_weight(const struct shell_view *shells, int i, double ring_inner, double ring_outer)
{
    const double r = shells->middle[i];
    return (real)(0.5 * (sphere_half_chord(r, ring_inner) - sphere_half_chord(r, ring_outer)) / r);
}

/* A piece in shell `cell` between the radii r0 and r1, at z < 0 (inward) or z > 0; u0 and u1 are the weights of the
 * shell `other`. */
LR_FN struct piece shell_piece(const struct shell_view *shells, const struct gas_view *gas, double p, int cell,
                               int other, double r0, double r1, int side, real u0, real u1, real weight)
{
    const double z0 = side * sphere_half_chord(r0, p);
    const double z1 = side * sphere_half_chord(r1, p);
    const int joined = other != cell && gas[cell].has_gas > R(0) && gas[other].has_gas > R(0);
    struct piece piece;
    piece.cell = cell;
    piece.other = other;
    piece.length = (real)(z1 - z0);
    piece.u0 = joined ? u0 : R(0);
    piece.u1 = joined ? u1 : R(0);
    piece.v0 = shell_velocity(shells, gas, r0, z0);
    piece.v1 = shell_velocity(shells, gas, r1, z1);
    piece.weight = weight;
    return piece;
}

#endif
