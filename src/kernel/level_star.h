/* Direct light of a star in cells that are boxes, for level populations: absorbed on the way and in the cell,
 *
 *     J = W n SUM_f p e^-tau (1 - e^-h) / h / SUM_f p,    h = (alpha p + kappa) l,
 *
 * with W its dilution, n its occupation number, p(f) the profile of the line along the way l of the light through the
 * cell, and tau(f) the depth from the star to the cell. A cell then absorbs as many photons as the light loses in it,
 * however thick it is. Inverted cells amplify the light, but not beyond BRIGHTEST. */
#ifndef LR_KERNEL_LEVEL_STAR_H
#define LR_KERNEL_LEVEL_STAR_H

#include "kernel/level_transfer.h"
#include "kernel/ray.h"

/* One line of a star. */
struct star_line {
    double light;   /* n */
    real least;     /* tau at which inverted gas has amplified the light to BRIGHTEST */
    real brightest; /* BRIGHTEST / n */
};

LR_FN struct star_line star_line_of(double light)
{
    const double most = 1e30; /* single precision still holds that */
    double brightest = light * most > (double)BRIGHTEST ? (double)BRIGHTEST / light : most;
    brightest = brightest > 1 ? brightest : 1;
    struct star_line line;
    line.light = light;
    line.least = (real)-log(brightest);
    line.brightest = (real)brightest;
    return line;
}

/* tau with another piece of the way. */
LR_FN real star_dim(real depth, real piece, real least)
{
    return r_max(depth + piece, least);
}

/* e^-tau (1 - e^-h) / h */
LR_FN real star_seen(real depth, real here, real brightest)
{
    const struct step_weights weights = step_weights_of(here);
    return r_min(r_exp(-depth) * (R(1) - weights.to), brightest);
}

/* What the light meets in a cell: its way through it, and the velocity along that. */
struct star_visit {
    int cell; /* below 0: none */
    int has_gas;
    real length, v, inv_b;
};

/* Velocities on the face between two cells, seen from either: interpolated along the way, or those of the cells where
 * they hardly differ. */
struct star_face {
    real last, here;
};

LR_FN struct star_face star_face_between(const struct star_visit *last, const struct star_visit *here)
{
    struct star_face face;
    face.last = last->v;
    face.here = here->v;
    if (last->cell < 0 || !last->has_gas || !here->has_gas ||
        !(r_abs(here->v - last->v) * r_max(here->inv_b, last->inv_b) > GLIDE_ABOVE))
        return face;
    const real share = last->length / (last->length + here->length);
    face.last = face.here = share * here->v + (R(1) - share) * last->v;
    return face;
}

/* From a star to the middle of a cell; t_last is the distance. */
LR_FN struct line3 star_line_to(const struct mesh_view *mesh, struct point3 star, int64_t cell)
{
    const int row = (int)(cell / mesh->n[2]);
    const int at[3] = {row / mesh->n[1], row % mesh->n[1], (int)(cell % mesh->n[2])};
    const struct vec3 corner = walk_corner(mesh, at[0], at[1], at[2]);
    const struct vec3 width = walk_width(mesh, at[0], at[1], at[2]);
    const double middle[3] = {(double)corner.x + 0.5 * (double)width.x, (double)corner.y + 0.5 * (double)width.y,
                              (double)corner.z + 0.5 * (double)width.z};
    struct line3 line;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        line.p.x[axis] = star.x[axis];
        line.n.x[axis] = middle[axis] - star.x[axis];
        square += line.n.x[axis] * line.n.x[axis];
    }
    line.t_last = sqrt(square);
    for (int axis = 0; axis < 3; axis++)
        line.n.x[axis] = square > 0 ? line.n.x[axis] / line.t_last : axis == 0;
    return line;
}

#endif
