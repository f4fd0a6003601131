/* A ray inside one cell: how the velocity and the source function vary on this stretch, the parts into which it is
 * divided, and what the gas of a part does to the light (formal_solution.h). */
#ifndef LR_KERNEL_STRETCH_H
#define LR_KERNEL_STRETCH_H

#include "kernel/formal_solution.h"
#include "kernel/trace_view.h"
#include "kernel/voigt.h"

struct stretch {
    struct passage way;
    struct flow flow; /* velocity toward the observer */
    struct tilt tilt; /* of the line's own source function */
};

LR_FN struct stretch stretch_make(const struct trace_view *view, const struct trace_cell *cell, struct vec3 n,
                                  struct passage way)
{
    const struct slope_view *slope = view->slope ? &view->slope[way.cell] : NULL;
    struct stretch stretch;
    stretch.way = way;
    stretch.flow =
        flow_make(&way, walk_velocity_along(cell->velocity, n), slope && view->step_velocity ? &slope->velocity : NULL);
    stretch.tilt.in = stretch.tilt.out = R(0);
    if (slope && view->step_source) {
        stretch.tilt.in = vec3_dot(slope->source, way.from);
        stretch.tilt.out = vec3_dot(slope->source, way.to);
    }
    return stretch;
}

/* ---- parts, each with one velocity ---- */

struct part {
    real velocity;
    real from, to; /* fractions of the stretch, 0 .. 1 */
};

/* Number of parts, in each of which the velocity changes by at most b/4. */
LR_FN int part_count(const struct stretch *stretch, real b)
{
    const real change = flow_change(stretch->flow);
    return R(4) * r_abs(change) > b ? velocity_steps(change, b) : 1;
}

LR_FN struct part part_of(const struct stretch *stretch, int k, int n)
{
    const real share = r_div(R(1), (real)n);
    struct part part;
    part.velocity = flow_at(&stretch->way, stretch->flow, ((real)k + R(0.5)) * share);
    part.from = (real)k * share;
    part.to = ((real)k + R(1)) * share;
    return part;
}

/* ---- what the gas of a part does ---- */

struct part_gas {
    real length, inv_b;
    real line, grey;  /* depth of the line at its centre, and of grey absorption */
    real shine;       /* light created in the line, at its centre */
    struct tilt tilt; /* of S */
    int flat;         /* there is no tilt */
};

LR_FN struct part_gas part_gas_of(const struct trace_cell *cell, const struct stretch *stretch, struct part part)
{
    struct part_gas gas;
    gas.length = stretch->way.length * (part.to - part.from);
    gas.inv_b = r_div(R(1), cell->b);
    gas.line = cell->alpha0 * gas.length;
    gas.grey = cell->kappa * gas.length;
    gas.shine = cell->line_source * gas.length;
    gas.tilt.in = r_between(stretch->tilt.in, stretch->tilt.out, part.from);
    gas.tilt.out = r_between(stretch->tilt.in, stretch->tilt.out, part.to);
    gas.flat = (gas.tilt.in == R(0)) & (gas.tilt.out == R(0));
    return gas;
}

/* How the profile of a line is computed. */
enum line_shape {
    SHAPE_BARE, /* damping adds less than LINE_FLOOR */
    SHAPE_NARROW,
    SHAPE_BROAD
};

/* `depth` is that of the whole stretch at line centre. */
LR_FN enum line_shape line_shape_of(real a, real depth)
{
    return a * r_max(depth, R(1)) < LINE_FLOOR ? SHAPE_BARE : a <= LR_VOIGT_NARROW_MAX ? SHAPE_NARROW : SHAPE_BROAD;
}

LR_FN real shape_profile(real a, real x, const enum line_shape shape)
{
    return shape == SHAPE_BARE     ? r_exp(-r_min(x * x, LR_VOIGT_T_MAX))
           : shape == SHAPE_NARROW ? voigt_narrow(a, x)
                                   : voigt_broad(a, x);
}

/* The line on a stretch: beyond |x| = reach it is negligible. */
struct line_seen {
    real reach;
    enum line_shape shape;
};

LR_FN struct line_seen line_of_stretch(const struct trace_cell *cell, const struct stretch *stretch)
{
    const real depth = cell->alpha0 * stretch->way.length;
    struct line_seen line;
    line.reach = line_reach(cell->a, depth);
    line.shape = line_shape_of(cell->a, depth);
    return line;
}

/* Light at one frequency at the near end of a part, and the depth of the part: of the line alone, and in total. */
struct passed {
    real intensity;
    real line, depth;
};

LR_FN struct passed pass_depth(real intensity, real line, real depth, real created, struct tilt tilt, const int flat)
{
    struct passed passed;
    passed.intensity =
        flat ? formal_step_flat(intensity, depth, created) : formal_step(intensity, depth, created, tilt.in, tilt.out);
    passed.line = line;
    passed.depth = depth;
    return passed;
}

/* Through gas that has nothing but its line. */
LR_FN struct passed pass_line(struct part_gas gas, real intensity, real profile, const int flat)
{
    const real line = gas.line * profile;
    return pass_depth(intensity, line, line, gas.shine * profile, gas.tilt, flat);
}

/* Through gas that also absorbs, or emits `glow` per length, away from its line. */
LR_FN struct passed pass_gas(struct part_gas gas, real intensity, real profile, real glow, const int flat)
{
    const real line = gas.line * profile;
    return pass_depth(intensity, line, line + gas.grey, gas.shine * profile + glow * gas.length, gas.tilt, flat);
}

/* The same for several lines, whose emission has a profile of its own. */
LR_FN struct passed pass_lines(struct part_gas gas, real intensity, real profile, real bright, real glow,
                               const int flat)
{
    const real line = gas.line * profile;
    return pass_depth(intensity, line, line + gas.grey, gas.shine * bright + glow * gas.length, gas.tilt, flat);
}

/* One line of a group on a stretch: its shares of the cell, its damping, and how far it reaches. */
struct line_part {
    struct group_share share;
    real a;
    struct line_seen seen;
};

LR_FN struct line_part line_part_of(const struct group_view *group, const struct trace_cell *cell,
                                    const struct stretch *stretch, int l)
{
    struct line_part part;
    part.share = group_share_of(group, stretch->way.cell, l);
    part.a = cell->a * group->line[l].damping;
    const real depth = cell->alpha0 * part.share.opacity * stretch->way.length;
    part.seen.reach = line_reach(part.a, depth);
    part.seen.shape = line_shape_of(part.a, depth);
    return part;
}

#endif
