/* Walking spherical shells. Only the radius r and the angle to it matter, so a packet carries its own frame, whose z
 * axis is the radius: mu = n.z. Inside a shell the place is the height h above its inner sphere, so that a short free
 * path in a thin shell far out loses no digits. A flight of length l rotates the frame:
 *
 *     r' n' = (r n_x, r n_y, r n_z + l),    r'^2 = r^2 + 2 r mu l + l^2,
 *     h' = h + l (2 r mu + l) / (r' + r).
 *
 * The impact parameter r sqrt(1 - mu^2) is conserved. h decides which sphere is met, and a crossing puts the packet
 * exactly on it: rounding never leaves a packet outside its shell.
 *
 * The gas flows radially: its velocity along the flight, v mu, changes inside a shell. */
#ifndef LR_KERNEL_WALK_SHELLS_H
#define LR_KERNEL_WALK_SHELLS_H

#include "kernel/doppler.h"
#include "kernel/leg.h"
#include "kernel/locate.h"
#include "kernel/vec3.h"
#include "kernel/views.h"

/* Directions are relative to the packet's own frame, and the gas moves along the radius. */
enum { WALK_IS_RADIAL = 1 };

/* The size of a shell, and the longest step allowed in it; and the members, for drivers that keep many places as
 * arrays. */
typedef struct cell_extent {
    real thickness, inner, step; /* inner: radius of the inner sphere */
} cell_extent;
#define EXTENT_MEMBERS(MEMBER)                                                                                         \
    MEMBER(real, thickness, at.width.thickness)                                                                        \
    MEMBER(real, inner, at.width.inner)                                                                                \
    MEMBER(real, step, at.width.step)

struct place {
    int i, j, k;       /* shell; 0; 0 */
    struct vec3 local; /* height above the inner sphere; 0; 0 */
    cell_extent width;
};

struct cell_exit {
    real distance;
    int axis; /* 0: the inner sphere, 1: the outer one, 2: the end of the longest step */
};

enum { EXIT_INWARD, EXIT_OUTWARD, EXIT_STEP };

/* Distance to the spheres. The outer one, r1, is met at l = -r mu + sqrt(r^2 mu^2 + (r1^2 - r^2)), the inner one, r0,
 * if at all, at l = -r mu - sqrt(r^2 mu^2 - (r^2 - r0^2)). Both are written without cancellation. */
LR_FN struct cell_exit walk_exit(struct vec3 local, cell_extent width, struct vec3 n)
{
    const real r = width.inner + local.x;
    const real along = r * n.z;
    const real below = local.x * (r + width.inner);                                       /* r^2 - r0^2 */
    const real above = (width.thickness - local.x) * (r + width.inner + width.thickness); /* r1^2 - r^2 */
    const real root_out = r_sqrt(r_max(along * along + above, R(0)));
    const real root_in = r_sqrt(r_max(along * along - below, R(0)));
    const int inward = (along < R(0)) & (along * along > below) & (width.inner > R(0));
    const real to_outer = along > R(0) ? r_div(above, along + root_out) : root_out - along;
    const real to_inner = r_div(below, root_in - along);
    struct cell_exit exit;
    exit.distance = r_max(inward ? to_inner : to_outer, R(0));
    exit.axis = inward ? EXIT_INWARD : EXIT_OUTWARD;
    exit.axis = width.step < exit.distance ? EXIT_STEP : exit.axis;
    exit.distance = r_min(width.step, exit.distance);
    return exit;
}

struct flown {
    struct vec3 local, n;
};

/* Place and direction after a flight that stays in the shell. At the centre all directions point outward. */
LR_FN struct flown walk_move(struct vec3 local, cell_extent width, struct vec3 n, real length)
{
    const real r = width.inner + local.x;
    const struct vec3 turned = vec3_make(r * n.x, r * n.y, r * n.z + length);
    const real r_new = r_sqrt(vec3_dot(turned, turned));
    const real inverse = r_div(R(1), r_new);
    const real rise = r_new + r > R(0) ? r_div(length * (R(2) * r * n.z + length), r_new + r) : R(0);
    const int centre = !(r_new > R(0));
    struct flown result;
    result.local = vec3_make(r_min(r_max(local.x + rise, R(0)), width.thickness), R(0), R(0));
    result.n = vec3_make(centre ? R(0) : turned.x * inverse, centre ? R(0) : turned.y * inverse,
                         centre ? R(1) : turned.z * inverse);
    return result;
}

/* Radius of the largest ball around a place that stays in the gas of its shell. */
LR_FN real walk_room(const struct ball_view *balls, struct vec3 local, cell_extent width, struct ball_reach beyond)
{
    const real above = width.thickness - local.x + (real)beyond.above;
    const int to_centre = width.inner <= (real)beyond.below * (R(1) + R(8) * R_EPSILON);
    (void)balls;
    return to_centre ? above : r_min(local.x + (real)beyond.below, above);
}

/* Length over which the velocity of the gas changes by one Doppler width at least: that of v e_r is v l / r. */
LR_FN real walk_steady(struct vec3 local, cell_extent width, real outflow)
{
    return outflow != R(0) ? r_div(width.inner + local.x, r_abs(outflow)) : R_HUGE;
}

/* From the middle of a shell to its faces. */
LR_FN real walk_half_width(const int endless[3], cell_extent width)
{
    (void)endless;
    return R(0.5) * width.thickness;
}

/* Length over which mu, which always increases, increases by `turn`: with s the sine of the angle to the radius,
 *
 *     l = r (s mu' - mu s') / s',   mu' = mu + turn. */
LR_FN real walk_reach(struct vec3 local, cell_extent width, struct vec3 n, real turn)
{
    const real r = width.inner + local.x;
    const real mu = n.z + turn;
    const real sine = r_sqrt(n.x * n.x + n.y * n.y);
    const real sine_new = r_sqrt(r_max(R(1) - mu * mu, R(0)));
    const real length = r_div(r * (sine * mu - n.z * sine_new), sine_new);
    const real least = R(0.5) * turn * r * sine; /* mu grows by at most l / (r s) */
    return mu < R(1) ? r_max(length, least) : R_HUGE;
}

/* The next step, which becomes the longest allowed, and the frequencies along it in the frame of the gas. */
LR_FN struct leg walk_aim(struct place *at, struct vec3 n, real x, real outflow)
{
    struct leg leg;
    at->width.step = R_HUGE;
    leg.reach = walk_reach(at->local, at->width, n, r_div(STEP_TURN, r_abs(outflow)));
    const real step = r_min(walk_exit(at->local, at->width, n).distance, leg.reach);
    leg.start = x;
    leg.middle = x - outflow * (walk_move(at->local, at->width, n, R(0.5) * step).n.z - n.z);
    leg.end = x - outflow * (walk_move(at->local, at->width, n, step).n.z - n.z);
    at->width.step = leg.reach;
    return leg;
}

LR_FN int walk_cell_index(const struct mesh_view *mesh, struct place at)
{
    (void)mesh;
    return at.i;
}

LR_FN struct place place_in_shell(const struct mesh_view *mesh, int shell, real height)
{
    struct place at;
    at.i = shell;
    at.j = 0;
    at.k = 0;
    at.local = vec3_make(height, R(0), R(0));
    at.width.thickness = mesh->width[0][shell];
    at.width.inner = mesh->edge[0][shell];
    at.width.step = R_HUGE;
    return at;
}

struct crossing {
    struct place at; /* place on the other side; indices are unchanged after an escape */
    struct vec3 n;   /* direction there */
    int escaped;     /* left through the outermost sphere */
    int reflected;   /* never */
    int face;        /* 1, x+: the outermost sphere */
};

LR_FN struct crossing walk_cross(const struct mesh_view *mesh, struct place at, struct vec3 n, int axis)
{
    struct crossing result;
    const int last = mesh->n[0] - 1;
    result.n = n;
    result.escaped = axis == EXIT_OUTWARD && at.i == last;
    result.reflected = 0;
    result.face = 1;
    result.at = at;
    result.at.width.step = R_HUGE;
    if (axis == EXIT_STEP)
        return result;
    result.n.z = axis == EXIT_OUTWARD ? r_abs(n.z) : -r_abs(n.z);
    if (result.escaped)
        result.at.local.x = at.width.thickness;
    else if (axis == EXIT_OUTWARD)
        result.at = place_in_shell(mesh, at.i + 1, R(0));
    else
        result.at = place_in_shell(mesh, at.i - 1, mesh->width[0][at.i - 1]);
    return result;
}

/* INT r dV / V of a shell: an S linear in r about this radius creates as much light as the mean S of the shell. */
LR_FN double shell_mean_radius(double inner, double outer)
{
    return 0.75 * (outer + inner) * (outer * outer + inner * inner) / (outer * outer + outer * inner + inner * inner);
}

LR_FN struct vec3 walk_width(const struct mesh_view *mesh, int i, int j, int k)
{
    (void)j;
    (void)k;
    return vec3_make(mesh->width[0][i], R(0), R(0));
}

/* The only corner of a shell is its centre. */
LR_FN struct vec3 walk_corner(const struct mesh_view *mesh, int i, int j, int k)
{
    (void)mesh;
    (void)i;
    (void)j;
    (void)k;
    return vec3_make(R(0), R(0), R(0));
}

/* Size of the box around the shells. */
LR_FN double walk_size(const struct mesh_view *mesh, int axis)
{
    (void)axis;
    return 2 * mesh->radius[mesh->n[0]];
}

/* Number of neighbours to consider across one face. */
enum { WALK_N_BESIDE = 1 };

LR_FN struct neighbour walk_neighbour(const struct mesh_view *mesh, const int at[3], int axis, int upward, int part)
{
    struct neighbour result;
    const int there = at[0] + (upward ? 1 : -1);
    (void)part;
    result.cell = axis == 0 && there >= 0 && there < mesh->n[0] ? there : -1;
    const real distance = result.cell >= 0 ? R(0.5) * (mesh->width[0][at[0]] + mesh->width[0][there]) : R(0);
    result.offset[0] = upward ? distance : -distance;
    result.offset[1] = result.offset[2] = R(0);
    return result;
}

/* Extent of a cell from the point where a linear S has its mean value. */
LR_FN struct vec3 walk_extent(const struct mesh_view *mesh, const int at[3])
{
    const double mean = shell_mean_radius(mesh->radius[at[0]], mesh->radius[at[0] + 1]);
    const double below = mean - mesh->radius[at[0]];
    const double above = mesh->radius[at[0] + 1] - mean;
    return vec3_make((real)(below > above ? below : above), R(0), R(0));
}

/* The place at a height in a shell. */
LR_FN struct place walk_place_in(const struct mesh_view *mesh, int i, int j, int k, struct vec3 local)
{
    (void)j;
    (void)k;
    return place_in_shell(mesh, i, local.x);
}

/* The place after a jump, which may lead into another shell of the same gas, and the direction n there in the frame of
 * that place: its azimuth does not matter. */
LR_FN struct place walk_jump(const struct mesh_view *mesh, const struct ball_view *balls, struct place at,
                             struct vec3 jump, struct vec3 *n)
{
    const real r = at.width.inner + at.local.x;
    const struct vec3 to = vec3_make(jump.x, jump.y, r + jump.z);
    const real r_new = r_sqrt(vec3_dot(to, to));
    const real height = at.local.x + r_div(R(2) * r * jump.z + vec3_dot(jump, jump), r_new + r);
    const real mu = r_max(r_min(r_div(vec3_dot(*n, to), r_new), R(1)), R(-1));
    (void)balls;
    *n = vec3_make(r_sqrt(R(1) - mu * mu), R(0), mu);
    if (height >= R(0) && height <= at.width.thickness) {
        at.local.x = height;
        return at;
    }
    const int shell = walk_locate(mesh->edge[0], mesh->n[0], r_new);
    const real inside = r_new - mesh->edge[0][shell];
    return place_in_shell(mesh, shell, r_min(r_max(inside, R(0)), mesh->width[0][shell]));
}

/* Radial velocity of the gas in units of b. */
LR_FN real walk_outflow(const struct cell_view *cell)
{
    return r_div(cell->vx, cell->b);
}

/* Gas velocity along a flight: the velocity of a cell is radial, in x. */
LR_FN real walk_velocity_along(struct vec3 velocity, struct vec3 n)
{
    return velocity.x * n.z;
}

LR_FN real cell_velocity_along(const struct cell_view *cell, struct vec3 n)
{
    return cell->vx * n.z;
}

#endif
