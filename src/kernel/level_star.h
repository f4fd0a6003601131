/* Direct starlight in box cells, for level populations, attenuated on the way and in the cell:
 *
 *     J = W n SUM_f p e^-tau (1 - e^-h) / h / SUM_f p,    h = (alpha p + kappa) l,
 *
 * where W is the dilution factor, n the occupation number of the star, p(f) the line profile along the path l of the
 * light through the cell, and tau(f) the depth from the star to the cell. A cell then absorbs as many photons as the
 * light loses in it, however thick it is. Inverted cells amplify the light, but not beyond BRIGHTEST. */
#ifndef LR_KERNEL_LEVEL_STAR_H
#define LR_KERNEL_LEVEL_STAR_H

#include "kernel/level_transfer.h"
#include "kernel/level_way.h"

/* One line as lit by a star. */
struct star_line {
    double light;   /* n */
    real least;     /* tau at which inverted gas has amplified the light to BRIGHTEST */
    real brightest; /* BRIGHTEST / n */
};

LR_FN struct star_line star_line_of(double light)
{
    const double most = 1e30; /* still fits in single precision */
    double brightest = light * most > (double)BRIGHTEST ? (double)BRIGHTEST / light : most;
    brightest = brightest > 1 ? brightest : 1;
    struct star_line line;
    line.light = light;
    line.least = (real)-log(brightest);
    line.brightest = (real)brightest;
    return line;
}

/* tau after another piece of the path. */
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

/* The light J in a cell: `sum` over frequencies of star_seen times the profile, `norm` the sum of the profile. */
LR_FN double star_light(double dilution, double light, real sum, real norm)
{
    return norm > R(0) ? dilution * light * (double)r_div(sum, norm) : 0;
}

/* ---- the path ---- */

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

/* Path of light from a star to a cell, the target. */
struct star_way {
    struct line3 line;
    struct ray ray;
    struct visit last; /* the last cell passed */
    double so_far;     /* path length */
    int more;          /* there are more cells */
};

LR_FN struct star_way star_way_to(const struct mesh_view *mesh, struct point3 star, int64_t target)
{
    struct star_way way;
    way.line = star_line_to(mesh, star, target);
    way.ray = ray_enter(mesh, way.line.p, way.line.n, 0, RAY_FAR);
    way.last = visit_none();
    way.so_far = 0;
    way.more = way.ray.hits;
    return way;
}

/* False if rounding took the ray past the target. */
LR_FN int star_way_goes_on(const struct star_way *way)
{
    return way->more && way->so_far < way->line.t_last;
}

/* From one cell to the next. */
struct star_step {
    struct visit last, here;
    struct face face;
    int counts; /* the ray does not merely touch this cell */
    int arrives;
};

LR_FN struct star_step star_way_next(const struct mesh_view *mesh, const struct gas_view *gas, int64_t target,
                                     struct star_way *way)
{
    const struct passage passage = ray_advance(mesh, &way->ray);
    struct star_step step;
    step.last = way->last;
    step.here = visit_cell(gas, passage.cell, passage.length, way->ray.n);
    step.face = face_between(&step.last, &step.here);
    step.arrives = passage.cell == target;
    step.counts = passage.length > R(0) || step.arrives;
    way->more = passage.more;
    if (step.counts) {
        way->last = step.here;
        way->so_far += (double)passage.length;
    }
    return step;
}

/* The target and the velocity across it, from v0 to v1: its slope from the face to the middle is continued. */
struct star_end {
    struct visit visit;
    real v0, v1;
};

LR_FN struct star_end star_end_at(const struct star_step *step)
{
    struct star_end end;
    end.visit = step->here;
    end.v0 = step->face.v_here;
    end.v1 = R(2) * step->here.v - step->face.v_here;
    return end;
}

/* The same if the ray missed the target. */
LR_FN struct star_end star_end_beside(const struct gas_view *gas, int64_t target, const struct star_way *way)
{
    const double *n = way->line.n.x;
    struct star_end end;
    end.visit = visit_cell(gas, (int)target, R(0), vec3_make((real)n[0], (real)n[1], (real)n[2]));
    end.v0 = end.v1 = end.visit.v;
    return end;
}

#endif
