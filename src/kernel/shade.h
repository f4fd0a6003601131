/* How well the surroundings of a cell hide it. A photon on its way to a camera that leaves a cell of a rectilinear mesh
 * must cross the width of a neighbour before it leaves the block of 3 x 3 x 3 cells around it. In each of them its
 * frequency is |x_n| <= (|x| b + |v - v_n|) / b_n, so that the depth of its way is
 *
 *     tau >= depth exp(-(|x| + slack)^2),    |x| < SHADE_REACH,
 *
 * with the least opacity of the block, H(a, x) > exp(-x^2) (1 - 2 a / sqrt(pi)), and the least width around the cell.
 * In thick gas that is enough to know, from the frequency alone, that hardly any photon gets out. */
#ifndef LR_KERNEL_SHADE_H
#define LR_KERNEL_SHADE_H

#include "kernel/walk.h"

#define SHADE_REACH R(3)

struct shade_view {
    real depth, slack;
};

/* The least depth of the way out of the surroundings. */
LR_FN real shade_depth(struct shade_view shade, real x)
{
    const real far = r_abs(x) + shade.slack;
    return r_abs(x) < SHADE_REACH ? shade.depth * r_exp(-r_min(far * far, R(80))) : R(0);
}

#if defined(LR_WALK_SHELLS) || defined(LR_WALK_AMR)

/* Only rectilinear cells are known to be surrounded. */
LR_FN struct shade_view cell_shade(const struct mesh_view *mesh, const struct cell_view *cells, const int at[3])
{
    struct shade_view shade;
    (void)mesh;
    (void)cells;
    (void)at;
    shade.depth = shade.slack = R(0);
    return shade;
}

#else

LR_FN struct shade_view cell_shade(const struct mesh_view *mesh, const struct cell_view *cells, const int at[3])
{
    const struct cell_view *here = &cells[(at[0] * mesh->n[1] + at[1]) * mesh->n[2] + at[2]];
    struct shade_view shade;
    real opacity = R_HUGE;
    real width = R_HUGE;
    real slowest = here->b;
    real drift = R(0);
    shade.depth = shade.slack = R(0);
    for (int part = 0; part < 27; part++) {
        const int step[3] = {part / 9 - 1, part / 3 % 3 - 1, part % 3 - 1};
        int index[3];
        for (int axis = 0; axis < 3; axis++) {
            index[axis] = at[axis] + step[axis];
            if (mesh->face[2 * axis] == FACE_IS_PERIODIC)
                index[axis] = (index[axis] + mesh->n[axis]) % mesh->n[axis];
            if (index[axis] < 0 || index[axis] >= mesh->n[axis])
                return shade;
            if (step[axis] != 0)
                width = r_min(width, mesh->width[axis][index[axis]]);
        }
        const struct cell_view *cell = &cells[(index[0] * mesh->n[1] + index[1]) * mesh->n[2] + index[2]];
        const real dx = cell->vx - here->vx;
        const real dy = cell->vy - here->vy;
        const real dz = cell->vz - here->vz;
        drift = r_max(drift, dx * dx + dy * dy + dz * dz);
        slowest = r_min(slowest, cell->b);
        opacity = r_min(opacity, cell->alpha0 * r_max(R(1) - R(2) * R_INV_SQRT_PI * cell->a, R(0)));
    }
    const real ratio = here->b / slowest;
    shade.depth = opacity * width;
    shade.slack = r_sqrt(drift) / slowest + SHADE_REACH * (ratio - R(1));
    return shade;
}

#endif

#endif
